import { expect, it } from 'vitest'
import { LIMITS } from './limits.ts'
import { refusalToReopen, sayPlan } from './recovery.ts'

const dismissed = { status: 'failed', lane: 'dlq', disposition: 'dismissed', decided_ms_ago: 1000 } as const
const WITHIN_MS = LIMITS.reopen_minutes * 60_000

it.each([
  ['a dismissal', dismissed, null],
  ['an acknowledgement', { ...dismissed, disposition: 'acknowledged' }, null],
  ['one that is too long ago', { ...dismissed, decided_ms_ago: WITHIN_MS }, 'minutes ago'],
  ['a replay', { ...dismissed, disposition: 'replayed' }, 'it was replayed'],
  ['nothing', { ...dismissed, disposition: null, decided_ms_ago: null }, 'nothing was decided'],
  [
    'an item that is still held',
    { ...dismissed, lane: 'quarantine', status: 'paused', disposition: 'acknowledged' },
    null,
  ],
  ['a held item that has ended', { ...dismissed, lane: 'quarantine', status: 'cancelled' }, 'has ended'],
] as const)('taking back %s', (_, decided, refusal) => {
  if (refusal === null) expect(refusalToReopen(decided)).toBeNull()
  else expect(refusalToReopen(decided)).toContain(refusal)
})

it('a plan says how many can be replayed, and of the others why not', () => {
  const excluded = [
    { reason: 'dismissed', count: 1 },
    { reason: 'replayed', count: 1 },
  ] as const
  expect(sayPlan({ action: 'replay', eligible: 1, ineligible: [] })).toBe('1 item can be replayed')
  expect(sayPlan({ action: 'replay', eligible: 41, ineligible: [{ reason: 'dismissed', count: 2 }] })).toBe(
    '41 of 43 items can be replayed; 2 cannot: dismissed',
  )
  expect(sayPlan({ action: 'replay', eligible: 1041, ineligible: excluded })).toBe(
    '1,041 of 1,043 items can be replayed; 2 cannot: 1 dismissed, 1 replayed already',
  )
  expect(sayPlan({ action: 'resume', eligible: 2, ineligible: [{ reason: 'not_held', count: 5 }] })).toBe(
    '2 of 7 items can be resumed; 5 cannot: not held',
  )
})
