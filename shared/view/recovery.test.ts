import { expect, it } from 'vitest'
import type { Schemas } from '../sdk/client.ts'
import { sayForecast, sayStage, sayStanding } from './recovery.ts'

const plan: Schemas['RecoveryPlan'] = {
  action: 'replay',
  filter: {},
  eligible: 60,
  held: 0,
  ineligible: [{ reason: 'dismissed', count: 1 }],
  replay_run_ids: [],
  agent_ids: ['a'],
  runs: 1,
  cost_usd: 0.31,
  max_cost_usd: 0.2,
  unpriced_item_count: 0,
  looked_at_items: 60,
  rules: [
    {
      rule: 'asks_again',
      reason: 'schema_mismatch',
      items: 60,
      asked_again_steps: 60,
      reused_steps: 60,
      offered_steps: 120,
    },
  ],
  tool_calls: [
    { name: 'search', again: 3, if_changed: 0 },
    { name: 'notify', again: 0, if_changed: 60 },
  ],
  reused_versions: [{ deployment_version: 3, code_version: null, steps: 60 }],
  warnings: [],
}

it('a dry run lists by reason what is asked again, which tools are called again, and the old and new cost', () => {
  expect(sayForecast(plan)).toEqual([
    '60 of 61 items can be replayed; 1 cannot: dismissed',
    'schema_mismatch, 60 items: the answer is asked for again; 60 steps asked again, 60 reused, 120 reused where the input is the same',
    'tools called again: search (3)',
    'tools called again only with another input: notify (60)',
    'they cost $0.31; replaying them costs up to about $0.20',
  ])
})

it('a dry run names the code that made what is reused, or warns that other code runs', () => {
  const reused_versions = [{ deployment_version: 3, code_version: 'a3f', steps: 60 }]
  expect(sayForecast({ ...plan, reused_versions })[2]).toBe('what is reused was made by code a3f (60 steps)')
  const more = [...reused_versions, { deployment_version: 3, code_version: null, steps: 2 }]
  expect(sayForecast({ ...plan, reused_versions: more })[2]).toBe(
    'what is reused was made by code a3f (60 steps), version 3, code not known (2 steps)',
  )
  const warnings = [{ code: 'other_version' as const, message: '60 reused steps were made by …', steps: 60 }]
  expect(sayForecast({ ...plan, reused_versions, warnings })[2]).toBe(
    'warning: 60 reused steps were made by …',
  )
})

it('a dry run without items says just that, and one of many items says how many it looked at', () => {
  expect(sayForecast({ ...plan, eligible: 0, ineligible: [] })).toEqual(['0 items can be replayed'])
  const replayed = { eligible: 0, ineligible: [{ reason: 'replayed' as const, count: 4 }] }
  expect(sayForecast({ ...plan, ...replayed, replay_run_ids: ['r'] })).toEqual([
    'no item can be replayed; 4 cannot: replayed already',
    'their replays are in run r (assay watch r)',
  ])
  const many = { ...plan, eligible: 90_000, looked_at_items: 20_000, tool_calls: [], max_cost_usd: null }
  expect(sayForecast(many).slice(-3)).toEqual([
    'no recorded tool call is made again',
    'what it costs is not known: nothing of this has cost anything yet',
    'steps are those of 20,000 of the items; the others are like them',
  ])
})

const stopped = {
  action: 'replay',
  status: 'stopped',
  eligible: 201,
  replayed: 5,
  ended: 5,
  cancelled: 0,
  left: 196,
}
const first = {
  stage: 'first',
  run_ids: ['r'],
  items: 5,
  ended: 5,
  worked: 0,
  still_fail: 5,
  unchanged: 2,
  waiting: false,
} as const

it('a stopped recovery is shown as over, with the number of items in triage', () => {
  expect(sayStanding(stopped as never)).toBe(
    'stopped: the first 5 did no better than before; 196 items were left in triage',
  )
  expect(sayStage({ ...first, run_ids: ['r'] }, { status: 'stopped' })).toBe(
    'first: 5 items, 0 worked, 5 still fail, of these 2 unchanged: nothing was asked again',
  )
  const rest = { ...first, run_ids: [], stage: 'rest', items: 0, waiting: true } as const
  expect(sayStage({ ...rest, run_ids: [] }, { status: 'stopped' })).toBe('then the rest: not replayed')
  expect(sayStage({ ...rest, run_ids: [] }, { status: 'pilot' })).toBe('then the rest: waits for the first')
})

it('a dry run of a decision says what becomes of the items, and that held ones end for good', () => {
  const decision = { ...plan, ineligible: [], rules: [], tool_calls: [] }
  expect(sayForecast({ ...decision, action: 'dismiss', held: 2 })).toEqual([
    '60 items can be dismissed',
    '2 held items would end as cancelled, for good',
    'nothing more is done about them, and their verdicts stay',
  ])
  expect(sayForecast({ ...decision, action: 'acknowledge' })).toEqual([
    '60 items can be acknowledged',
    'they leave triage undecided: their runs stay partial',
  ])
})

it.each([
  ['running', '400 of 407 items dismissed'],
  ['completed', 'completed: 400 items dismissed'],
  ['aborted', 'aborted after 400 items; 7 items were left in triage'],
])('a %s decision is shown in words of its own', (status, words) => {
  const recovery = { action: 'dismiss', status, eligible: 407, decided: 400, left: 7 }
  expect(sayStanding(recovery as never)).toBe(words)
})
