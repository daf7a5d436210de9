import { expect, it } from 'vitest'
import { ranAndWorked, runStanding, sayResent } from './run.ts'

const run = (values: Partial<Parameters<typeof ranAndWorked>[0]>) => ({
  total_items: 5000,
  completed: 5000,
  degraded_count: 0,
  failed: 0,
  budget_exceeded_count: 0,
  cancelled: 0,
  paused: 0,
  undecided_count: 0,
  recovered_count: 0,
  replay_count: 0,
  unchanged_count: 0,
  waits_for_money: false,
  model_call_count: 0,
  unread_call_count: 0,
  suspected_call_count: 0,
  ...values,
})

it.each([
  ['ran: all · worked: 5,000 ok', {}],
  [
    'ran: all · worked: 4,857 ok, 143 degraded · 143 to decide',
    { degraded_count: 143, undecided_count: 143 },
  ],
  [
    'ran: all · worked: 4,900 ok, 60 degraded, 40 failed · 100 to decide',
    { completed: 4960, degraded_count: 60, failed: 40, undecided_count: 100 },
  ],
  [
    'ran: all · worked: 4,940 ok, 60 degraded · 60 unchanged: nothing was asked again · 60 to decide',
    { degraded_count: 60, unchanged_count: 60, undecided_count: 60 },
  ],
  [
    'ran: all · worked: 5,000 ok · graded 4,100 of 5,000 calls',
    { model_call_count: 5000, unread_call_count: 900 },
  ],
  ['ran: all · worked: 5,000 ok', { model_call_count: 5000 }],
  ['ran: all · worked: 5,000 ok · 12 calls suspected', { suspected_call_count: 12 }],
  ['ran: 0 of 5,000 · worked: nothing yet', { completed: 0 }],
  [
    'ran: all · worked: 4,595 ok, 405 degraded · recovered since: 400 of 405, so 5 not ok now',
    { degraded_count: 405, recovered_count: 400, replay_count: 405 },
  ],
  [
    'ran: all · worked: 4,595 ok, 405 degraded · replayed since: none of 405 replays worked, so 405 not ok still',
    { degraded_count: 405, replay_count: 405 },
  ],
  [
    'ran: 3,001 of 5,000 (1,999 over budget) · worked: 3,000 ok, 1 failed · 2,000 to decide',
    { completed: 3000, failed: 2000, budget_exceeded_count: 1999, undecided_count: 2000 },
  ],
  [
    'ran: 4,000 of 5,000 (990 cancelled, 10 held) · worked: 4,000 ok · 10 to decide',
    { completed: 4000, cancelled: 990, paused: 10 },
  ],
])('%s', (sentence, values) => expect(ranAndWorked(run(values))).toBe(sentence))

it('every part of a run that is not ok has a style', () => {
  const styled = ranAndWorked(
    run({ completed: 4000, degraded_count: 1, failed: 1, paused: 1 }),
    (s, t) => `<${s} ${t}>`,
  )
  expect(styled).toBe(
    'ran: 4,001 of 5,000 (<cyan 1 held>) · worked: <green 3,999 ok>, <yellow 1 degraded>, <red 1 failed> · 1 to decide',
  )
})

it('items that were sent again because of others say how often, and what that may have cost', () => {
  const ran = { completed: 59, failed: 1, degraded_count: 0, budget_exceeded_count: 0 }
  const night = { ...ran, resent_item_count: 59, resend_count: 118, cost_usd: 0.06 }
  expect(sayResent(night)).toBe(
    '59 items were sent again, 118 times in all, since others of their requests ended them; model calls that were under way may have been paid for, about $0.12 at most',
  )
  expect(sayResent({ ...night, resent_item_count: 1, resend_count: 1, cost_usd: 0 })).toBe(
    '1 item was sent again, 1 time in all, since others of their requests ended them; model calls that were under way may have been paid for',
  )
})

it('a run that waits for an upstream says for which state, unless only a person or money moves it', () => {
  const open = { status: 'running', paused: 0, queued: 3, running: 0, waits_for_money: false }
  expect(runStanding({ ...open, waits_for: { state: 'out_of_credit' } })).toBe('waits, out of credit')
  expect(runStanding({ ...open, waits_for: { state: 'open' } })).toBe('waits, opening')
  expect(runStanding({ ...open, waits_for: null })).toBe('running')
  expect(runStanding(open)).toBe('running')
  const held = { ...open, paused: 1, queued: 0, waits_for: { state: 'away' as const } }
  expect(runStanding(held)).toBe('waits for you')
})
