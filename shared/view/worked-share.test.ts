import { expect, it } from 'vitest'
import { failureRuleOf, perRanItem, sayWorkedShare, USUAL_RULE, workedTone } from './worked-share.ts'

const run = (
  counts: { ok?: number; degraded?: number; failed?: number; over_budget?: number },
  more = {},
) => {
  const { ok = 0, degraded = 0, failed = 0, over_budget = 0 } = counts
  return {
    total_items: ok + degraded + failed + over_budget,
    completed: ok + degraded,
    degraded_count: degraded,
    failed: failed + over_budget,
    budget_exceeded_count: over_budget,
    finished_at: '2026-01-01T00:00:00Z' as string | null,
    stop_reason: null,
    ...more,
  }
}
const open = { finished_at: null, total_items: 1000 }

it.each([
  ['a night that went well', run({ ok: 86, failed: 14 }), '86 % ok', 'degraded'],
  ['a single failure of many', run({ ok: 9999, failed: 1 }), '> 99.9 % ok', 'degraded'],
  ['more than the bound', run({ ok: 79, degraded: 10, failed: 11 }), '79 % ok', 'failed'],
  ['just the bound', run({ ok: 80, degraded: 20 }), '80 % ok', 'degraded'],
  ['all ok', run({ ok: 3 }), '100 % ok', 'ok'],
  ['nothing ok', run({ degraded: 3 }), '0 % ok', 'failed'],
  ['nothing that ran', run({ over_budget: 5 }), null, null],
  ['a budget that stopped it: the others never ran', run({ ok: 10, over_budget: 990 }), '100 % ok', 'ok'],
  ['the first failure of an open run', run({ failed: 1 }, open), '0 % ok', 'degraded'],
  ['an open run past the bound of all its items', run({ ok: 5, failed: 201 }, open), '2.4 % ok', 'failed'],
  [
    'a run stopped for its failures',
    run({ ok: 90, failed: 5 }, { stop_reason: 'consecutive_failures' }),
    '94.7 % ok',
    'failed',
  ],
] as const)(
  'of %s, the share is that of the items that ran, and bad as the alert has it',
  (_, of, share, tone) => {
    expect([sayWorkedShare(of), workedTone(of)]).toEqual([share, tone])
  },
)

it('the bound is that of the project', () => {
  expect(workedTone(run({ ok: 86, failed: 14 }), { ...USUAL_RULE, share: 0.1 })).toBe('failed')
  expect(workedTone(run({ ok: 50, failed: 50 }), { ...USUAL_RULE, share: 0.6 })).toBe('degraded')
})

it.each([
  ['too few items for the alert', run({ ok: 2, degraded: 1 }), USUAL_RULE, 'degraded'],
  ['one item too few', run({ ok: 10, failed: 9 }), USUAL_RULE, 'degraded'],
  ['just enough items', run({ ok: 10, failed: 10 }), USUAL_RULE, 'failed'],
  ['too few of an open run', run({ failed: 19 }, { ...open, total_items: 20 }), USUAL_RULE, 'degraded'],
  [
    'few items, where the project asks for few',
    run({ ok: 2, degraded: 1 }),
    { ...USUAL_RULE, least_items: 3 },
    'failed',
  ],
  ['a muted alert', run({ ok: 10, failed: 90 }), { ...USUAL_RULE, enabled: false }, 'degraded'],
  [
    'a stop under a muted alert',
    run({ ok: 90, failed: 5 }, { stop_reason: 'pilot_failed' }),
    { ...USUAL_RULE, enabled: false },
    'degraded',
  ],
  ['nothing ok under a muted alert', run({ failed: 3 }), { ...USUAL_RULE, enabled: false }, 'failed'],
] as const)('it is bad only where the alert fires, or nothing is ok: %s', (_, of, rule, tone) => {
  expect(workedTone(of, rule)).toBe(tone)
})

it('an agent has the rule set for it, else that of its project, else the usual one', () => {
  const set = (agent_id: string | null, share: number, enabled = true) =>
    ({ rule: 'failure_share', agent_id, enabled, bounds: { share, least_items: 5 } }) as const
  const ruleOf = failureRuleOf([set(null, 0.1), set('a', 0.5, false)])
  expect(ruleOf('a')).toEqual({ enabled: false, share: 0.5, least_items: 5 })
  expect(ruleOf('b')).toEqual({ enabled: true, share: 0.1, least_items: 5 })
  expect(ruleOf()).toEqual(ruleOf('b'))
  expect(failureRuleOf([])('a')).toEqual(USUAL_RULE)
})

it('a figure for an item is divided by the items that ran', () => {
  expect(perRanItem(10, run({ ok: 5, over_budget: 995 }))).toBe(2)
  expect(perRanItem(10, run({ over_budget: 995 }))).toBeNull()
})
