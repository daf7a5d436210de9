import { expect, it } from 'vitest'
import {
  budgetExceeded,
  consumerStalled,
  credentialsRefused,
  creditNear,
  failureShare,
  itemsHeld,
  notFinished,
  runAlert,
  runLabel,
  runNotOk,
  upstreamUnavailable,
  type WatchedRun,
} from './run-alerts.ts'

const ID = '019c2b1e-7a40-7c3d-9f21-5be000000000'
const run: WatchedRun = {
  project_id: ID,
  agent_id: ID,
  agent_slug: 'nightly',
  run_id: ID,
  name: 'schedule 0 2 * * *',
  schedule_id: ID,
  cron: '0 2 * * *',
  status: 'partial',
  stop_reason: null,
  total_items: 5000,
  ok: 4857,
  degraded: 100,
  failed: 43,
  budget_exceeded: 0,
  cancelled: 0,
  paused: 0,
  undecided: 143,
  cancelled_replayed: 0,
  ended: true,
  cost_micro: 4_120_000,
  budget_micro: 5_000_000,
  since: new Date('2026-03-02T03:00:00Z'),
  refused_status: '401',
  refused_model: 'gpt-5-mini',
}
const every = { credentials_refused: true, budget_exceeded: true, failure_share: true, run_not_ok: true }

it.each([
  ['its schedule', {}, 'nightly 0 2 * * *'],
  ['the name its schedule gives it', { name: 'Sunday export' }, 'nightly Sunday export'],
  ['the name it was submitted with', { cron: null, name: 'backfill' }, 'nightly backfill'],
  ['its agent alone', { cron: null, name: null }, 'nightly'],
] as const)('a run is labelled with its agent and %s', (_, more, label) => {
  expect(runLabel({ ...run, ...more })).toBe(label)
})

it('a run that matches several rules raises an alert for the first one only', () => {
  const ruleOf = (found: Parameters<typeof runAlert>[1]) => runAlert(run, found)?.rule
  expect(ruleOf(every)).toBe('credentials_refused')
  expect(ruleOf({ ...every, credentials_refused: false })).toBe('budget_exceeded')
  expect(ruleOf({ failure_share: true, run_not_ok: true })).toBe('failure_share')
  expect(ruleOf({ run_not_ok: true })).toBe('run_not_ok')
  expect(ruleOf({})).toBeUndefined()
})

it('an alert about a run says what ran and what worked, and its subject is the schedule, or else the agent', () => {
  expect(credentialsRefused(run)).toMatchObject({
    reason: '401',
    message:
      'nightly 0 2 * * *: The provider of gpt-5-mini refused the credentials (401). Worked: 4,857 ok, 100 degraded, 43 failed.',
  })
  expect(budgetExceeded({ ...run, ok: 2857, budget_exceeded: 2000 }).message).toBe(
    'nightly 0 2 * * *: the budget of $5.00 was spent before all items were through. Ran: 3,000 of 5,000 (2,000 over budget). Worked: 2,857 ok, 100 degraded, 43 failed.',
  )
  expect(failureShare(run).message).toBe(
    'nightly 0 2 * * *: 143 of 5,000 items did not work (100 degraded, 43 failed).',
  )
  expect(failureShare({ ...run, stop_reason: 'consecutive_failures' }).message).toContain('failed in a row')
  expect(runNotOk(run).message).toBe(
    'nightly 0 2 * * * ended partial. Ran: all. Worked: 4,857 ok, 100 degraded, 43 failed.',
  )
  expect(failureShare(run).subject_id).toBe(run.schedule_id)
  expect(failureShare({ ...run, schedule_id: null, agent_id: 'a' }).subject_id).toBe('a')
})

it('alerts contain ids only in their command', () => {
  const late = {
    ...run,
    schedule_name: null,
    finished_by: '06:30',
    timezone: 'Europe/Berlin',
    ended_items: 12,
    passed_at: run.since,
  }
  const project = { project_id: ID, name: 'production', since: run.since }
  const alerts = [
    ...[credentialsRefused(run), budgetExceeded(run), failureShare(run), runNotOk(run), notFinished(late)],
    ...[notFinished({ ...late, run_id: null }), itemsHeld({ ...run, items: 3 })],
    creditNear({ ...project, spent_micro: 1, credit_micro: 2 }),
    consumerStalled({ ...project, runs: 1, run_id: ID, deployed: true }),
  ]
  for (const { message, advice } of alerts) expect(message + advice).not.toMatch(/[0-9a-f]{8}-/)
})

it('an alert about a passed deadline says whether a run is open or none was started', () => {
  const late = {
    ...run,
    schedule_name: null,
    finished_by: '06:30',
    timezone: 'Europe/Berlin',
    ended_items: 12,
    passed_at: run.since,
  }
  expect(notFinished(late)).toMatchObject({
    reason: 'run_open',
    message:
      'nightly 0 2 * * *: nothing finished by 06:30 (Europe/Berlin); its run is open, 12 of 5,000 items through.',
    command: `assay watch ${ID}`,
  })
  expect(notFinished({ ...late, schedule_name: 'claims' }).message).toContain(
    'nightly claims: nothing finished',
  )
  const none = { ...late, run_id: null, schedule_id: null, cron: null }
  expect(notFinished(none)).toMatchObject({
    reason: 'no_run',
    message: 'nightly: nothing finished by 06:30 (Europe/Berlin); no run was started.',
    command: 'assay runs --agent nightly',
  })
})

it('amounts below a cent are shown with three significant digits', () => {
  const project = { project_id: ID, name: 'production', since: run.since }
  const { message } = creditNear({ ...project, spent_micro: 4120, credit_micro: 4567 })
  expect(message).toContain('$0.00412 of its $0.00457 credit')
})

it('an alert about waiting items distinguishes a missing consumer from a missing deployment', () => {
  const project = { project_id: ID, name: 'production', runs: 2, run_id: ID, since: run.since }
  expect(consumerStalled({ ...project, deployed: true }).reason).toBe('no_consumer')
  expect(consumerStalled({ ...project, deployed: false }).command).toBe('assay deploy agent.ts')
})

it('an alert about an upstream quotes whoever refused, and says what fixes it', () => {
  const since = new Date('2026-03-02T03:00:00Z')
  const of = {
    project_id: ID,
    upstream_id: ID,
    host: 'api.example.com',
    reason: 'Invalid key',
    items: 1,
    since,
  }
  const refused = upstreamUnavailable({ ...of, label: 'KEY', state: 'refused' })
  expect(refused).toMatchObject({
    subject_id: ID,
    message:
      'Refused: api.example.com (KEY) refuses the credential: Invalid key. 1 item waits for it, since 2026-03-02T03:00:00.000Z.',
    advice: 'Deploy the agent with a valid KEY; what waits then continues by itself.',
    command: 'assay upstreams',
  })
  const unnamed = upstreamUnavailable({ ...of, label: null, state: 'refused' })
  expect(unnamed.advice).toContain('with a valid key')
  for (const state of ['away', 'cooling'] as const)
    expect(upstreamUnavailable({ ...of, label: null, state }).advice).toMatch(/^Nothing has to be done/)
})
