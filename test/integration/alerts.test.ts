// What raises alerts, and that the same thing is told once.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { creditNear, scheduleMissed } from '../../shared/domain/alerts.ts'
import type { AlertRule } from '../../shared/domain/vocabulary.ts'
import { addAlertChannel, raiseAlerts, setAlertRule, watchForAlerts } from '../../shared/engine/alerts.ts'
import { consume } from '../../shared/engine/consume.ts'
import { findNearlySpent } from '../../shared/store/alert-watch.ts'
import { centStep, failure, result, type TestEngine, testEngine } from '../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const set = (rule: AlertRule, more: { enabled?: boolean; agent_id?: string; bounds?: object } = {}) =>
  setAlertRule(engine.ctx, engine.project_id, { rule, enabled: true, ...more } as never)

/** What was raised, by a host that has not looked yet. */
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
    cron: '0 2 * * *',
    timezone: 'UTC',
    scheduled_for: new Date('2026-03-02T02:00:00Z'),
    reason: 'overdue',
    run_id: null,
  })!

const failEvery = (n: number) =>
  engine.play(items =>
    items.map(item => (item.seq % n === 0 ? failure(item, 'tool_call_error') : result(item))),
  )

describe('an alert', () => {
  it('about one schedule is raised once a day, by however many at once [alerts.collapsed]', async () => {
    const id = engine.ctx.newId()
    const counts = await Promise.all(
      Array.from({ length: 10 }, () => raiseAlerts(engine.ctx, engine.sql, [missed(id)])),
    )
    expect(counts.reduce((sum, n) => sum + n)).toBe(1)
    await engine.sql`update alert_marks set raised_at = raised_at - interval '23 hours 59 minutes'`
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed(id)])).toBe(0)
    await engine.sql`update alert_marks set raised_at = raised_at - interval '1 minute'`
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed(id), missed(id)])).toBe(1)
  })

  it('is gone with the transaction that raised it', async () => {
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
    await addAlertChannel(engine.ctx, engine.project_id, 'https://example.org/hook')
    await addAlertChannel(engine.ctx, engine.project_id, 'mailto:night@example.org')
    await raiseAlerts(engine.ctx, engine.sql, [missed()])
    const sent = await engine.sql`
      select d.kind, d.url, a.reason from deliveries d join alerts a on a.id = d.alert_id order by url`
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

  it('muted for all is still raised for the agent that asks for it', async () => {
    await set('schedule_missed', { enabled: false })
    await set('schedule_missed', { agent_id: engine.agent_id, enabled: true })
    expect(await raiseAlerts(engine.ctx, engine.sql, [missed()])).toBe(1)
    expect(await raiseAlerts(engine.ctx, engine.sql, [{ ...missed(), agent_id: null }])).toBe(0)
  })
})

describe('a run', () => {
  it('that ends with items that failed alerts where that was asked for [alerts.runs]', async () => {
    failEvery(2)
    await engine.submit(4)
    await consume(engine.ctx)
    expect(await look()).toEqual([])
    await set('run_not_ok')
    const runId = await engine.submit(4)
    await consume(engine.ctx)
    expect(await look()).toMatchObject([{ rule: 'run_not_ok', reason: 'partial', run_id: runId }])
    expect(await engine.sql`select from ended_runs`).toHaveLength(0)
  })

  it('that ends over its budget alerts too, and one that works does not', async () => {
    await set('run_not_ok')
    await engine.submit(3)
    await consume(engine.ctx)
    expect(await look()).toEqual([])
    await engine.submit(3, { budget_cents: 0 })
    await consume(engine.ctx)
    expect(await look()).toMatchObject([{ reason: 'budget_exceeded' }])
  })

  it('of which more than the given share failed alerts, once enough of it has ended', async () => {
    failEvery(2)
    await set('failure_share', { bounds: { share: 0.3, least_items: 10 } })
    await engine.submit(8)
    await consume(engine.ctx)
    expect(await look()).toEqual([])
    await engine.submit(12)
    await consume(engine.ctx)
    const [alert] = await look()
    expect(alert).toMatchObject({ rule: 'failure_share' })
    expect(alert!.message).toContain('6 of 12 items')
  })

  it('alerts while it is open: on failures and on a budget nearly spent, each once', async () => {
    await set('failure_share', { bounds: { least_items: 1 } })
    const runId = await engine.submit(4, { budget_cents: 100 })
    await engine.sql`
      update runs set failed = 2, ok = 1, cost_micro = 950000, started_at = now() where id = ${runId}`
    expect((await look()).map(alert => alert.rule)).toEqual(['failure_share', 'budget_near'])
    expect(await look()).toHaveLength(2)
  })
})

describe('a project', () => {
  it('whose credit is nearly spent alerts', async () => {
    engine.play(items => items.flatMap(item => [centStep(item, 'call'), result(item)]))
    await engine.sql`update projects set credit_micro = 100000 where id = ${engine.project_id}`
    await engine.submit(8)
    await consume(engine.ctx)
    expect(await look()).toEqual([])
    await engine.submit(1)
    await consume(engine.ctx)
    expect(await look()).toMatchObject([{ rule: 'budget_near', reason: 'project_credit' }])
  })

  it('that was told or is muted leaves room for the next', async () => {
    const account = await engine.sql`select account_id from projects`
    const more = [engine.ctx.newId(), engine.ctx.newId()]
    for (const id of more) {
      const project = { id, account_id: account[0]!.account_id, name: id, credit_micro: 100 }
      await engine.sql`insert into projects ${engine.sql(project)}`
      await engine.sql`insert into project_usage ${engine.sql({ project_id: id, spent_micro: 99 })}`
    }
    const found = async () => (await findNearlySpent(engine.sql, 1)).map(project => project.project_id)
    const [first] = await found()
    const [next] = more.filter(id => id !== first)
    await raiseAlerts(engine.ctx, engine.sql, (await findNearlySpent(engine.sql, 1)).map(creditNear))
    expect(await found()).toEqual([next])
    await setAlertRule(engine.ctx, next!, { rule: 'budget_near', enabled: false })
    expect(await found()).toEqual([])
  })

  it('whose items nobody takes alerts, and not while some of its items run', async () => {
    await engine.submit(2)
    expect(await look()).toEqual([])
    await engine.sql`update runs set touched_at = now() - interval '11 minutes'`
    await engine.sql`update project_usage set running = 1`
    expect(await look()).toEqual([])
    await engine.sql`update project_usage set running = 0`
    expect(await look()).toMatchObject([{ rule: 'consumer_stalled', reason: 'no_consumer' }])
  })
})
