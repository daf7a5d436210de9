// Decisions about many items in one order: all that have something in common are dismissed, acknowledged or resumed.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import { onFault } from '../../../shared/kernel/fault.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { actionsOf } from '../../../shared/recovery/rules/recovery.ts'
import {
  abortRecovery,
  advanceRecoveries,
  planRecovery,
  startRecovery,
} from '../../../shared/recovery/verbs/recover.ts'
import {
  acknowledgeItem,
  dismissItem,
  reopenItem,
  replayItem,
  resumeItem,
} from '../../../shared/recovery/verbs/replay.ts'
import { listCauses } from '../../../shared/triage/queries/causes.ts'
import { findStanding } from '../../../shared/triage/queries/triage.ts'
import { centStep, conservation, failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { findRecovery, recovered, recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
  await engine.deploy({ max_consecutive_failures: 1_000_000 })
})
afterAll(() => engine.close())
afterEach(async () => {
  onFault(undefined)
  await engine.sql`delete from triage`
  await engine.sql`delete from recoveries`
})

const hold = ({ seq, attempt }: ItemLine): AgentLine => ({ type: 'hold', seq, attempt, reason: 'check it' })

/** Of every ten items one is held, three miss a tool, the others meet the provider's fault. */
async function badRun(items: number) {
  engine.play(offered =>
    offered.map(item =>
      item.seq % 10 === 0
        ? hold(item)
        : item.seq % 10 < 4
          ? failure(item, 'tool_call_error', 'the tool is missing')
          : failure(item, 'llm_call_error', `500 the provider failed, request ${item.seq}`),
    ),
  )
  const run_id = await engine.submit(items)
  await consume(engine.ctx)
  // As autovacuum does soon: the statements that decide about a thousand items take seconds each on tables without statistics.
  if (items > 1000) await engine.sql`analyze items, runs, triage`
  return run_id
}

const order = (more: Parameters<typeof recoveryOrder>[1]) => recoveryOrder(engine, more)
const causesOf = async (run_id: string) =>
  new Map((await listCauses(engine.sql, { run_id, limit: 10 })).map(cause => [cause.reason, cause]))

it('an order by cause dismisses all items of that cause, in whatever runs they are, and no others [recoveries.decide]', async () => {
  const runs = [await badRun(2000), await badRun(1500)]
  const cause = (await causesOf(runs[0]!)).get('provider_error')!
  const dismissed = order({ action: 'dismiss', filter: { cause_id: cause.id } })
  expect(await planRecovery(engine.ctx, dismissed)).toMatchObject({
    eligible: 2100,
    held: 0,
    ineligible: [],
    runs: 0,
    forecast: null,
  })
  const row = await recovered(engine, await startRecovery(engine.ctx, dismissed))
  expect(row).toMatchObject({ status: 'completed', eligible: 2100, decided: 2100, run_ids: [] })
  for (const run_id of runs) {
    const causes = await causesOf(run_id)
    expect(causes.get('provider_error')).toMatchObject({ waiting: 0 })
    expect(causes.get('step_error')!.waiting).toBe(causes.get('step_error')!.count)
    expect(await conservation(engine, run_id)).toEqual([])
  }
  await expect(startRecovery(engine.ctx, dismissed)).rejects.toMatchObject({ code: 'nothing_to_recover' })
})

it('dismissing the remaining items of a run completes it, and cancels its held items', async () => {
  const run_id = await badRun(40)
  const all = order({ action: 'dismiss', filter: { run_id } })
  expect(await planRecovery(engine.ctx, all)).toMatchObject({ eligible: 40, held: 4 })
  await startRecovery(engine.ctx, all)
  expect(await engine.run(run_id)).toMatchObject({ undecided: 0, paused: 0, cancelled: 4, failed: 36 })
  expect((await engine.run(run_id)).finished_at).not.toBeNull()
  expect(await conservation(engine, run_id)).toEqual([])
})

it('acknowledged items stay undecided, and can still be dismissed', async () => {
  const run_id = await badRun(20)
  await startRecovery(engine.ctx, order({ action: 'acknowledge', filter: { run_id } }))
  expect(await engine.run(run_id)).toMatchObject({ undecided: 18, paused: 2 })
  expect(await engine.sql`select 1 from triage where disposition is null`).toHaveLength(0)
  const plan = await planRecovery(engine.ctx, order({ action: 'acknowledge', filter: { run_id } }))
  expect(plan).toMatchObject({ eligible: 0, ineligible: [{ reason: 'acknowledged', count: 20 }] })
  await startRecovery(engine.ctx, order({ action: 'dismiss', filter: { run_id } }))
  expect(await engine.run(run_id)).toMatchObject({ undecided: 0, paused: 0, cancelled: 2 })
  expect(await conservation(engine, run_id)).toEqual([])
})

it('an order resumes the held items of runs that continue, each one at its budget with that budget once more', async () => {
  const [going, stopped] = [await badRun(30), await badRun(10)]
  await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: stopped })
  await engine.deploy({ max_consecutive_failures: 1_000_000, item_budget_cents: 2, on_budget: 'pause' })
  engine.play(items => items.flatMap(item => [centStep(item, 'ask', 3), result(item)]))
  const fenced = await engine.submit(2)
  await consume(engine.ctx)
  expect(await engine.run(fenced)).toMatchObject({ paused: 2 })
  const resumed = order({ action: 'resume' })
  const plan = await planRecovery(engine.ctx, resumed)
  expect(plan).toMatchObject({ eligible: 5, held: 5 })
  expect(plan.ineligible).toContainEqual({ reason: 'not_held', count: 36 })
  await startRecovery(engine.ctx, resumed)
  expect(
    await engine.sql`
    select extra_budget_micro from items where run_id = ${fenced} and status = 'queued'`,
  ).toEqual([{ extra_budget_micro: 20_000 }, { extra_budget_micro: 20_000 }])
  engine.play(items => items.map(item => result(item)))
  await consume(engine.ctx)
  expect(await engine.run(going)).toMatchObject({ paused: 0, ok: 3 })
  for (const run_id of [going, stopped, fenced]) expect(await conservation(engine, run_id)).toEqual([])
  await engine.deploy({ max_consecutive_failures: 1_000_000 })
})

it('an order survives a crash at each of its steps and several processes at once, and decides about each item once', async () => {
  const run_id = await badRun(4500)
  let steps = 0
  onFault(name => {
    if (name === 'recovery.before_commit' && steps++ % 2 === 0) throw new Error('the process died')
  })
  const started = startRecovery(engine.ctx, order({ action: 'dismiss', filter: { run_id } }))
  await expect(started).rejects.toThrow('the process died')
  const [{ id }] = (await engine.sql`select id from recoveries`) as never as [{ id: string }]
  await Promise.all(Array.from({ length: 4 }, () => advanceRecoveries(engine.ctx)))
  expect(await recovered(engine, id)).toMatchObject({ status: 'completed', decided: 4500 })
  expect(await engine.run(run_id)).toMatchObject({ undecided: 0, paused: 0, cancelled: 450 })
  expect(await conservation(engine, run_id)).toEqual([])
})

it('an order that is aborted between two steps leaves the rest in triage, and an item reopened meanwhile stays open', async () => {
  const run_id = await badRun(2500)
  let steps = 0
  onFault(name => {
    if (name === 'recovery.before_commit' && ++steps > 1) throw new Error('the process died')
  })
  const started = startRecovery(engine.ctx, order({ action: 'dismiss', filter: { run_id } }))
  await expect(started).rejects.toThrow('the process died')
  const [{ id, decided }] = (await engine.sql`select id, decided from recoveries`) as never as [
    { id: string; decided: number },
  ]
  expect(decided).toBe(1000)
  await reopenItem(engine.ctx, engine.item(run_id, 1))
  onFault(name => {
    if (name === 'recovery.before_commit' && ++steps > 3) throw new Error('the process died')
  })
  await advanceRecoveries(engine.ctx)
  onFault(undefined)
  await abortRecovery(engine.ctx, { project_id: engine.project_id, id })
  expect(await findRecovery(engine, id)).toMatchObject({ status: 'aborted', decided: 2000 })
  expect(await engine.sql`select 1 from triage where disposition is null`).toHaveLength(501)
  expect((await findStanding(engine.sql, engine.item(run_id, 1)))!.disposition).toBeNull()
  expect(await conservation(engine, run_id)).toEqual([])
  await expect(abortRecovery(engine.ctx, { project_id: engine.project_id, id })).rejects.toMatchObject({
    code: 'recovery_already_ended',
  })
})

it('an order applies to exactly the items that a single decision would apply to, whatever was decided before', async () => {
  const run_id = await badRun(40)
  const key = (seq: number) => engine.item(run_id, seq)
  await acknowledgeItem(engine.ctx, key(1))
  await dismissItem(engine.ctx, key(2))
  await replayItem(engine.ctx, key(3), {})
  await acknowledgeItem(engine.ctx, key(10))
  await dismissItem(engine.ctx, key(20))
  await resumeItem(engine.ctx, key(30), {})
  const facts = await Promise.all(Array.from({ length: 40 }, (_, i) => findStanding(engine.sql, key(i + 1))))
  for (const action of ['dismiss', 'acknowledge', 'resume'] as const) {
    const plan = await planRecovery(engine.ctx, order({ action, filter: { run_id } }))
    expect([action, plan.eligible]).toEqual([
      action,
      facts.filter(one => actionsOf(one!).includes(action)).length,
    ])
    expect(plan.eligible + plan.ineligible.reduce((sum, one) => sum + one.count, 0)).toBe(40)
  }
})
