import { expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { EXIT } from './failure.ts'
import { recover } from './recover.ts'

const recovery = {
  id: 'the-recovery',
  name: 'after the outage',
  action: 'replay',
  decided: 0,
  status: 'stopped',
  eligible: 30,
  replayed: 7,
  ended: 7,
  ok: 0,
  degraded: 0,
  failed: 7,
  cancelled: 0,
  paused: 0,
  left: 23,
  stages: [
    {
      stage: 'first',
      run_ids: [],
      items: 7,
      ended: 7,
      worked: 0,
      still_fail: 7,
      unchanged: 0,
      waiting: false,
    },
    { stage: 'rest', run_ids: [], items: 0, ended: 0, worked: 0, still_fail: 0, unchanged: 0, waiting: true },
  ],
  cost_usd: 0.5,
  unpriced_item_count: 0,
  finished_at: '2026-01-01T00:00:00.000Z',
}

it('a dry run shows how many items would be replayed, in how many runs, which would not, and the cost', async () => {
  const plan = {
    action: 'replay',
    eligible: 30,
    held: 0,
    ineligible: [{ reason: 'dismissed', count: 1 }],
    agent_ids: ['a', 'b'],
    runs: 2,
    cost_usd: 0.3,
    max_cost_usd: 0.2,
    unpriced_item_count: 0,
    looked_at_items: 30,
    rules: [],
    tool_calls: [],
  }
  await recover(answering({ 'POST /v1/recoveries': plan })(80), given({ 'dry-run': 'yes' }))
  expect(printed().trim().split('\n')).toEqual([
    '30 of 31 items can be replayed; 1 cannot: dismissed',
    'they are copied into 2 runs',
    'no recorded tool call is made again',
    'they cost $0.30; replaying them costs up to about $0.20',
  ])
})

it('a stopped recovery says why, and exits with the code for failed items', async () => {
  const session = answering({ 'GET /v1/recoveries/the-recovery': recovery })(80)
  expect(await recover(session, given({ watch: 'yes' }, ['the-recovery']))).toBe(EXIT.failed)
  expect(printed().trim().split('\n')).toEqual([
    'the-recovery  after the outage',
    'stopped: the first 7 did no better than before; 23 items were left in triage',
    '  first: 7 items, 0 worked, 7 still fail',
    '  then the rest: not replayed',
    '$0.50',
  ])
})

it.each([
  [{ abort: 'yes' }, '--abort needs the id of a recovery'],
  [{ cancelled: 'yes' }, '--cancelled needs --run RUN'],
])('%j alone is a usage error', async (options, message) => {
  await expect(recover(answering({})(80), given(options as Record<string, string>))).rejects.toThrow(message)
})

it('a recovery is watched until only held items are left, and then it says where these are decided about', async () => {
  const held = {
    status: 'running',
    first: null,
    replayed: 30,
    ended: 28,
    ok: 28,
    failed: 0,
    paused: 2,
    left: 0,
    pilot_run_ids: [],
    run_ids: ['the-run'],
    finished_at: null,
    stages: [{ ...recovery.stages[0]!, stage: 'all', items: 30, ended: 28, worked: 28, still_fail: 0 }],
  }
  const session = answering({ 'GET /v1/recoveries/the-recovery': { ...recovery, ...held } })
  expect(await recover(session(80), given({ watch: 'yes' }, ['the-recovery']))).toBe(EXIT.degraded)
  expect(printed().trim().split('\n').slice(1)).toEqual([
    '28 of 30 items ended, 2 held',
    '  all at once: 30 items, 28 ended, 28 worked, 0 still fail',
    '$0.50',
    'try   assay triage --kind quarantine --run the-run',
  ])
})
