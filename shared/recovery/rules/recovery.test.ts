import { expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { WRONG_OF } from '../../triage/vocabulary.ts'
import { type ItemFacts, refusalOf, refusalToReopen, sayPlan, sayReplayRuns } from './recovery.ts'

const dismissed = { status: 'failed', lane: 'dlq', disposition: 'dismissed', decided_ms_ago: 1000 } as const
const WITHIN_MS = LIMITS.reopen_minutes * 60_000

it.each([
  ['a dismissal', dismissed, null],
  ['an acknowledgement', { ...dismissed, disposition: 'acknowledged' }, null],
  ['a dismissal that is too long ago', { ...dismissed, decided_ms_ago: WITHIN_MS }, 'minutes ago'],
  ['an order to replay', { ...dismissed, disposition: 'replayed' }, 'it was replayed'],
  ['no decision', { ...dismissed, disposition: null, decided_ms_ago: null }, 'nothing was decided'],
  [
    'an item that is still held',
    { ...dismissed, lane: 'quarantine', status: 'paused', disposition: 'acknowledged' },
    null,
  ],
  ['a held item that has ended', { ...dismissed, lane: 'quarantine', status: 'cancelled' }, 'has ended'],
] as const)('taking back %s is possible or refused with the reason', (_, decided, refusal) => {
  if (refusal === null) expect(refusalToReopen(decided)).toBeNull()
  else expect(refusalToReopen(decided)).toContain(refusal)
})

const fine: ItemFacts = {
  status: 'completed',
  outcome: 'ok',
  lane: null,
  disposition: null,
  corrected: null,
  run_stopped: false,
  input_purged: false,
  replay: null,
}
const asked = { ...fine, lane: 'review' } as const
const called = { ...asked, corrected: 'degraded' } as const
const refused = { ...fine, outcome: 'degraded', lane: 'dlq' } as const

it.each([
  ['an ok item', fine, { verdict: null, question: 'nothing is asked', correction: 'nobody' }],
  ['an item in triage', refused, { verdict: null, question: 'nothing is asked', correction: 'nobody' }],
  [
    'an item with an open question',
    asked,
    { verdict: 'something is asked', question: null, correction: 'nobody' },
  ],
  [
    'an item that was called wrong',
    called,
    { verdict: '"correction"', question: 'nothing is asked', correction: null },
  ],
  [
    'an item that was decided',
    { ...called, disposition: 'dismissed' },
    { verdict: 'dismissed already', question: 'dismissed already', correction: 'dismissed already' },
  ],
] as const)(
  '%s can be called wrong only where a verdict, question or correction stands',
  (_, facts, refusals) => {
    for (const of of WRONG_OF) {
      const refusal = refusalOf('wrong', facts, of)
      if (refusals[of] === null) expect(refusal).toBeNull()
      else expect(refusal).toContain(refusals[of])
    }
  },
)

it('confirming an answered question is refused with the answer given', () => {
  expect(refusalOf('confirm', asked)).toBeNull()
  expect(refusalOf('confirm', { ...called, disposition: 'confirmed' })).toBe('it was confirmed already')
  expect(refusalOf('confirm', called)).toBe('nothing is asked about it')
})

it('a refused decision says who decided before, and how long ago', () => {
  const dismissed = { ...refused, disposition: 'dismissed', decided_ms_ago: 3 * 3_600_000 } as const
  expect(refusalOf('dismiss', { ...dismissed, decided_by: 'ana@example.com' })).toBe(
    'it was dismissed by ana@example.com 3 h ago',
  )
  expect(refusalOf('acknowledge', { ...dismissed, decided_by: 'key nightly', decided_ms_ago: 400 })).toBe(
    'it was dismissed by key nightly just now',
  )
  expect(refusalOf('dismiss', { ...dismissed, decided_by: null })).toBe('it was dismissed already')
  const late = { status: 'completed', lane: 'dlq', disposition: 'replayed', decided_ms_ago: 1 } as const
  expect(refusalToReopen({ ...late, decided_by: 'ana@example.com' })).toBe(
    'it was replayed by ana@example.com',
  )
})

it('a plan says how many items can be replayed, and why the others cannot', () => {
  const excluded = [
    { reason: 'dismissed', count: 1 },
    { reason: 'replayed', count: 1 },
  ] as const
  expect(sayPlan({ action: 'replay', eligible: 1, ineligible: [] })).toBe('1 item can be replayed')
  expect(sayPlan({ action: 'replay', eligible: 41, ineligible: [{ reason: 'dismissed', count: 2 }] })).toBe(
    '41 of 43 items can be replayed; 2 cannot: dismissed',
  )
  expect(sayPlan({ action: 'replay', eligible: 0, ineligible: [{ reason: 'replayed', count: 2 }] })).toBe(
    'no item can be replayed; 2 cannot: replayed already',
  )
  expect(sayPlan({ action: 'replay', eligible: 1041, ineligible: excluded })).toBe(
    '1,041 of 1,043 items can be replayed; 2 cannot: 1 dismissed, 1 replayed already',
  )
  expect(sayPlan({ action: 'resume', eligible: 2, ineligible: [{ reason: 'not_held', count: 5 }] })).toBe(
    '2 of 7 items can be resumed; 5 cannot: not held',
  )
})

it('items that were replayed already are where their newest replays are', () => {
  expect(sayReplayRuns([])).toBeUndefined()
  expect(sayReplayRuns(['a'])).toBe('their replays are in run a (assay watch a)')
  expect(sayReplayRuns(['b', 'a'])).toBe('the newest replays are in run b (assay watch b), others in a')
})
