// What raises alerts, and that one cause raises one alert.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findNearlySpent } from '../../../shared/alerts/queries/project-watch.ts'
import { scheduleMissed } from '../../../shared/alerts/rules/alerts.ts'
import { creditNear } from '../../../shared/alerts/rules/run-alerts.ts'
import { addAlertChannel, raiseAlerts, setAlertRule } from '../../../shared/alerts/verbs/alerts.ts'
import type { AlertRule } from '../../../shared/alerts/vocabulary.ts'
import { judgePilots } from '../../../shared/claims/verbs/pilots.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import { watchForAlerts } from '../../../shared/upkeep/verbs/watch-alerts.ts'
import { centStep, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const set = (rule: AlertRule, more: { enabled?: boolean; agent_id?: string; bounds?: object } = {}) =>
  setAlertRule(engine.ctx, engine.project_id, { rule, enabled: true, ...more } as never)

/** Checks for alerts as a host that has not checked yet, and returns all alerts raised so far. */
async function look() {
  await watchForAlerts({ ...engine.ctx })
  return raised()
}
const raised = () =>
  engine.sql<{ rule: AlertRule; reason: string; message: string; run_id: string | null }[]>`
    select rule, reason, message, run_id from alerts order by created_at, rule`

const missed = (schedule_id = engine.ctx.newId()) =>
  scheduleMissed({
    project_id: engine.project_id,
    agent_id: engine.agent_id,
    agent_slug: 'played',
    schedule_id,
    name: null,
    cron: '0 2 * * *',
    timezone: 'UTC',
    scheduled_for: new Date('2026-03-02T02:00:00Z'),
    reason: 'overdue',
    detail: null,
    run_id: null,
  })!

const failEvery = (n: number) =>
  engine.play(items =>
    items.map(item => (item.seq % n === 0 ? failure(item, 'tool_call_error') : result(item))),
  )

const holds = ({ seq, attempt }: ItemLine): AgentLine => ({ type: 'hold', seq, attempt, reason: 'look' })

describe('an alert', () => {
  it('about one schedule is raised once a day, however many callers raise it at once [alerts.collapsed]', async () => {
    const id = engine.ctx.newId()
    const counts = await Promise.all(
      Array.from({ length: 10 }, () => raiseAlerts(engine.ctx, engine.sql, [missed(id)])),
    )
    expect(counts.reduce((sum, n) => sum + n)).toBe(1)
    await engine.sql`update alert_marks set raised_at = now() - interval '23 hours 59 minutes'`
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed(id)])).toBe(0)
    await engine.sql`update alert_marks set raised_at = now() - interval '1 day'`
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed(id), missed(id)])).toBe(1)
  })

  it('is rolled back with the transaction that raised it', async () => {
    const id = engine.ctx.newId()
    await expect(
      engine.sql.begin(async tx => {
        await raiseAlerts(engine.ctx, tx as never, [missed(id)])
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await raised()).toEqual([])
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed(id)])).toBe(1)
  })

  it('goes to every channel of its project', async () => {
    await addAlertChannel(engine.ctx, engine.project_id, { url: 'https://example.org/hook' })
    await addAlertChannel(engine.ctx, engine.project_id, { url: 'mailto:night@example.org' })
    await raiseAlerts(engine.ctx, engine.sql, [missed()])
    const sent = await engine.sql`
      select d.kind, d.url, a.reason from deliveries d join alerts a on a.project_id = d.project_id and a.id = d.alert_id order by url`
    expect(sent).toEqual([
      { kind: 'alert.raised', url: 'https://example.org/hook', reason: 'overdue' },
      { kind: 'alert.raised', url: 'mailto:night@example.org', reason: 'overdue' },
    ])
  })

  it('is not raised for an agent whose rule is muted, and is for the others', async () => {
    await set('schedule_missed', { agent_id: engine.agent_id, enabled: false })
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed()])).toBe(0)
    const other = { ...missed(), agent_id: engine.ctx.newId() }
    expect(await raiseAlerts(engine.ctx, engine.sql, [other])).toBe(1)
  })

  it('muted for the project is still raised for an agent that enables it', async () => {
    await set('schedule_missed', { enabled: false })
    await set('schedule_missed', { agent_id: engine.agent_id, enabled: true })
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed()])).toBe(1)
    expect(await raiseAlerts(engine.ctx, engine.sql, [{ ...missed(), agent_id: null }])).toBe(0)
  })
})

/** Consumes all queued items, then checks for alerts. */
async function worked() {
  await consume(engine.ctx)
  return look()
}
const open = async () =>
  (
    await engine.sql<
      { rule: AlertRule }[]
    >`select rule from alerts where resolved_at is null order by created_at`
  ).map(alert => alert.rule)
const kindsSent = async () =>
  (await engine.sql`select kind, run_id from deliveries order by created_at, kind`).map(one => one.kind)

describe('a run', () => {
  it('with a few items that did not work raises nothing, unless run_not_ok is enabled [alerts.runs]', async () => {
    failEvery(10)
    await engine.submit(30)
    expect(await worked()).toEqual([])
    await set('run_not_ok')
    const runId = await engine.submit(30)
    expect(await worked()).toMatchObject([{ rule: 'run_not_ok', reason: 'partial', run_id: runId }])
    expect(await engine.sql`select from ended_runs`).toHaveLength(0)
  })

  it('with too many items that are not ok raises one alert, even if they are only degraded', async () => {
    engine.play(items => items.map(item => ({ ...result(item), degraded: 'no answer' }) as never))
    const runId = await engine.submit(40)
    expect(await worked()).toMatchObject([{ rule: 'failure_share', run_id: runId }])
    expect((await raised())[0]!.message).toBe('played: 40 of 40 items did not work (40 degraded).')
    expect(await look()).toHaveLength(1)
  })

  async function piloted() {
    await consume(engine.ctx)
    await judgePilots(engine.ctx)
    return worked()
  }

  it('stopped by its pilot items raises an alert, however few they are, and resolves none', async () => {
    failEvery(1)
    const first = await engine.submit(40)
    await worked()
    await engine.sql`update alert_marks set raised_at = now() - interval '2 days'`
    const second = await engine.submit(60, { pilot_items: 5 })
    await piloted()
    expect((await engine.run(second)).stop_reason).toBe('pilot_failed')
    expect(await open()).toEqual(['failure_share'])
    await engine.sql`update alerts set resolved_at = now() where run_id = ${first}`
    await engine.sql`delete from alert_marks`
    const third = await engine.submit(60, { pilot_items: 5 })
    expect(await piloted()).toContainEqual(
      expect.objectContaining({
        rule: 'failure_share',
        run_id: third,
        message: expect.stringContaining('none of its first items was ok'),
      }),
    )
  })

  it('that began late and failed raises an alert for each', async () => {
    failEvery(1)
    const run_id = await engine.submit(40)
    const late = { ...missed(), reason: 'run_never_started', run_id }
    await raiseAlerts(engine.ctx, engine.sql, [late])
    expect((await worked()).map(alert => [alert.rule, alert.run_id])).toEqual([
      ['schedule_missed', run_id],
      ['failure_share', run_id],
    ])
  })

  it('is judged by the share and the least number of items that the rule sets', async () => {
    failEvery(2)
    await set('failure_share', { bounds: { share: 0.3, least_items: 10 } })
    await engine.submit(8)
    expect(await worked()).toEqual([])
    await engine.submit(12)
    expect((await worked())[0]!.message).toContain('6 of 12 items')
  })

  it('that is open raises its alert once, as soon as too many items are certain not to be ok', async () => {
    const runId = await engine.submit(100)
    const count = (failed: number) =>
      engine.sql`update runs set failed = ${failed}, ok = 1, next_seq = 1, started_at = now() where id = ${runId}`
    await count(20)
    expect(await look()).toEqual([])
    await count(21)
    expect(await look()).toMatchObject([{ rule: 'failure_share', run_id: runId }])
    expect(await look()).toHaveLength(1)
  })

  it('that spends its budget raises budget_exceeded only, not run_not_ok as well', async () => {
    engine.play(items => items.flatMap(item => [centStep(item, 'call'), result(item)]))
    await set('run_not_ok')
    await engine.submit(50, { budget_cents: 30 })
    expect(await worked()).toMatchObject([{ rule: 'budget_exceeded', reason: 'run_budget' }])
  })

  it('whose provider refuses the credentials raises credentials_refused only', async () => {
    const call = (item: Parameters<typeof failure>[0]) =>
      step(item, 'ask', {
        kind: 'llm_call',
        name: 'gpt',
        output: null,
        usage: { model: 'test-model', input_tokens: 0, output_tokens: 0 },
        error: { code: 'llm_call_error', message: '401 Incorrect API key provided: sk-…' },
      })
    engine.play(items =>
      items.flatMap(item => [call(item), failure(item, 'llm_call_error', '401 Incorrect API key')]),
    )
    await engine.submit(40)
    expect(await worked()).toMatchObject([{ rule: 'credentials_refused', reason: '401' }])
    expect((await raised())[0]!.message).toContain('test-model refused the credentials (401)')
  })

  it('raises nothing if it is a replay or was cancelled', async () => {
    failEvery(1)
    await engine.submit(40)
    await engine.sql`update runs set replay_of = id`
    expect(await worked()).toEqual([])
    const cancelled = await engine.submit(40)
    await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: cancelled })
    expect(await worked()).toEqual([])
  })
})

describe('an open alert', () => {
  beforeEach(async () => {
    await addAlertChannel(engine.ctx, engine.project_id, { url: 'https://example.org/hook', digest: 'none' })
    failEvery(1)
    await engine.submit(40)
    await worked()
  })

  it('absorbs further failing runs, and is resolved with a message by a run that is well [alerts.folded]', async () => {
    await engine.submit(40)
    expect(await worked()).toHaveLength(1)
    engine.play(items => items.map(item => result(item)))
    await engine.submit(40)
    await worked()
    expect(await open()).toEqual([])
    expect(await kindsSent()).toEqual(['alert.raised', 'alert.resolved'])
    failEvery(1)
    await engine.submit(40)
    expect(await worked()).toHaveLength(2)
    expect(await open()).toEqual(['failure_share'])
  })

  it('is resolved when all items of its run are decided', async () => {
    await engine.sql`update runs set undecided = 0`
    await look()
    expect(await open()).toEqual([])
  })

  it('that decisions resolve is followed by the alert of the next run that it stood for, as long as one waits [alerts.folded]', async () => {
    const first = (await raised())[0]!.run_id!
    const night = async () => {
      const run_id = await engine.submit(40)
      await worked()
      return run_id
    }
    const [second, third] = [await night(), await night()]
    expect(await raised()).toHaveLength(1)
    for (const [n, id] of [first, second, third].entries())
      await engine.sql`update runs set finished_at = now() - make_interval(days => ${3 - n}) where id = ${id}`
    await engine.sql`update alerts set since = now() - interval '3 days'`
    const dismiss = async (run_id: string) => {
      await startRecovery(engine.ctx, recoveryOrder(engine, { action: 'dismiss', filter: { run_id } }))
      await look()
      const alerts =
        await engine.sql`select run_id, resolved_at is null as open from alerts order by created_at`
      return alerts.map(row => [row.run_id, row.open])
    }
    expect(await dismiss(first)).toEqual([
      [first, false],
      [second, true],
    ])
    expect((await dismiss(second)).at(-1)).toEqual([third, true])
    expect((await dismiss(third)).at(-1)).toEqual([third, false])
    const messages = await kindsSent()
    for (const kind of ['alert.raised', 'alert.resolved'])
      expect(messages.filter(one => one === kind)).toHaveLength(3)
  })

  it('that decisions resolve is followed by that of a run which meets a rule, past those that meet none [alerts.folded]', async () => {
    const first = (await raised())[0]!.run_id!
    await engine.submit(1)
    const third = await engine.submit(40)
    await engine.submit(1)
    await worked()
    await startRecovery(engine.ctx, recoveryOrder(engine, { action: 'dismiss', filter: { run_id: first } }))
    await look()
    const [open] = await engine.sql`select run_id from alerts where resolved_at is null`
    expect(open?.run_id).toBe(third)
  })

  it('that a run which is well resolves is followed by none of the runs before', async () => {
    await engine.submit(40)
    await worked()
    engine.play(items => items.map(item => result(item)))
    await engine.submit(40)
    await worked()
    expect(await open()).toEqual([])
    expect(await raised()).toHaveLength(1)
  })

  it('is not resolved by a run with too few items to have raised it', async () => {
    engine.play(items => items.map(item => result(item)))
    await engine.submit(1)
    await worked()
    expect(await open()).toEqual(['failure_share'])
    await engine.submit(40)
    await worked()
    expect(await open()).toEqual([])
  })

  it('about a budget is not resolved by a run without a budget', async () => {
    engine.play(items => items.flatMap(item => [centStep(item, 'call'), result(item)]))
    await engine.submit(50, { budget_cents: 30 })
    await worked()
    expect(await open()).toContain('budget_exceeded')
    await engine.submit(40)
    await worked()
    expect(await open()).toEqual(['budget_exceeded'])
    await engine.submit(2, { budget_cents: 500 })
    await worked()
    expect(await open()).toEqual([])
  })

  it('is not resolved by a run of another agent', async () => {
    const agent_id = await engine.agent('other')
    engine.play(items => items.map(item => result(item)))
    await engine.submit(40, { agent_id })
    await worked()
    expect(await open()).toEqual(['failure_share'])
  })
})

describe('a run whose items were dismissed before its end was checked', () => {
  const dismissAll = (run_id: string) =>
    startRecovery(engine.ctx, recoveryOrder(engine, { action: 'dismiss', filter: { run_id } }))

  it('raises no alert', async () => {
    failEvery(1)
    const run_id = await engine.submit(40)
    await consume(engine.ctx)
    await dismissAll(run_id)
    await look()
    expect(await open()).toEqual([])
  })

  it('leaves no alert open that was raised while it ran', async () => {
    engine.play(items =>
      items.map(item => (item.seq % 5 < 3 ? failure(item, 'tool_call_error') : holds(item))),
    )
    const run_id = await engine.submit(100)
    await worked()
    expect(await open()).toEqual(['failure_share'])
    await dismissAll(run_id)
    expect((await engine.run(run_id)).finished_at).not.toBeNull()
    await look()
    expect(await open()).toEqual([])
  })
})

describe('a project', () => {
  it('whose credit is nearly spent raises an alert, which more credit resolves', async () => {
    engine.play(items => items.flatMap(item => [centStep(item, 'call'), result(item)]))
    await engine.sql`update projects set credit_micro = 100000 where id = ${engine.project_id}`
    await engine.submit(8)
    await consume(engine.ctx)
    expect(await look()).toEqual([])
    await engine.submit(1)
    await consume(engine.ctx)
    expect(await look()).toMatchObject([{ rule: 'budget_near', reason: 'project_credit' }])
    await engine.sql`update projects set credit_micro = 1000000`
    await look()
    expect(await open()).toEqual([])
  })

  it('with a raised or muted alert does not take the place of the next project in the query', async () => {
    const account = await engine.sql`select account_id from projects`
    const more = [engine.ctx.newId(), engine.ctx.newId()]
    for (const id of more) {
      const project = { id, account_id: account[0]!.account_id, name: id, credit_micro: 100 }
      await engine.sql`insert into projects ${engine.sql(project)}`
      await engine.sql`insert into project_usage ${engine.sql({ project_id: id, spent_micro: 99 })}`
    }
    const found = async () => (await findNearlySpent(engine.sql, 1)).map(project => project.project_id)
    const first = await findNearlySpent(engine.sql, 1)
    const [next] = more.filter(id => id !== first[0]!.project_id)
    await raiseAlerts(engine.ctx, engine.sql, first.map(creditNear))
    expect(await found()).toEqual([next])
    await setAlertRule(engine.ctx, next!, { rule: 'budget_near', enabled: false })
    expect(await found()).toEqual([])
  })

  it('whose items nobody takes raises an alert, but not while some of its items run', async () => {
    await engine.submit(2)
    expect(await look()).toEqual([])
    await engine.sql`update runs set touched_at = now() - interval '11 minutes'`
    await engine.sql`update project_usage set running = 1`
    expect(await look()).toEqual([])
    await engine.sql`update project_usage set running = 0`
    expect(await look()).toMatchObject([{ rule: 'consumer_stalled', reason: 'no_consumer' }])
    await consume(engine.ctx)
    await look()
    expect(await open()).toEqual([])
  })

  it('with items held for more than a day raises an alert, until they are decided [alerts.held]', async () => {
    engine.play(items =>
      items.map(({ seq, attempt }) => ({ type: 'hold', seq, attempt, reason: 'too expensive' })),
    )
    await engine.submit(2)
    expect(await worked()).toEqual([])
    await engine.sql`update triage set created_at = now() - interval '25 hours'`
    expect(await look()).toMatchObject([
      { rule: 'items_held', message: expect.stringContaining('played: 2 items wait') },
    ])
    await engine.sql`update triage set disposition = 'dismissed'`
    await look()
    expect(await open()).toEqual([])
  })
})
