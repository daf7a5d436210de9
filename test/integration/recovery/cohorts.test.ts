// Failures seen together: clusters, cohort recovery, and why an item is not running.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recallSealed, rememberSealed } from '../../../shared/accounts/verbs/sealed-cache.ts'
import { whyItem } from '../../../shared/claims/verbs/why.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import type { RunRow } from '../../../shared/items/wire/runs.ts'
import { onFault } from '../../../shared/kernel/fault.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { findCohortCost } from '../../../shared/recovery/queries/cohort.ts'
import { withRecovered } from '../../../shared/recovery/queries/recovered.ts'
import { findRecovery as findRecoveryRow } from '../../../shared/recovery/queries/recoveries.ts'
import { leftOver } from '../../../shared/recovery/rules/left-over.ts'
import {
  abortRecovery,
  advanceRecoveries,
  planRecovery,
  type RecoveryOrder,
  startRecovery,
} from '../../../shared/recovery/verbs/recover.ts'
import { acknowledgeItem, dismissItem, replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { recoveryOf } from '../../../shared/recovery/wire/recoveries.ts'
import { compareItems } from '../../../shared/results/queries/compare.ts'
import { type Clusters, clusterUndispatched, failureClusters } from '../../../shared/triage/verbs/clusters.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import {
  centStep,
  conservation,
  consumeToBackoff,
  failure,
  result,
  step,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'
import { findRecovery, recovered as recoveredIn, recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(async () => {
  onFault(undefined)
  await engine.close()
})

const failing = (code = 'agent_error') =>
  engine.play(items => items.map(item => failure(item, code, 'no such luck')))
const hold = ({ seq, attempt }: ItemLine, reason: string): AgentLine => ({
  type: 'hold',
  seq,
  attempt,
  reason,
})
const working = () => engine.play(items => items.map(item => result(item)))

const clusters = () => failureClusters(engine.ctx, [engine.project_id])
const sizes = async () => {
  const { clusters: found, total_failures } = await clusters()
  expect(found.reduce((sum, one) => sum + one.count, 0)).toBe(total_failures)
  return found.map(one => [one.error_code, one.sample_prompt, one.count])
}

describe('failure clusters', () => {
  it('are grouped by error code and prompt; singletons are in other, and the counts add up [clusters.grouping, clusters.key, clusters.sum]', async () => {
    engine.play(items =>
      items.map(item => failure(item, item.seq === 1 ? 'tool_call_error' : 'agent_error', 'no')),
    )
    const prompt = (text: string) => ({ input: JSON.stringify({ prompt: text }) })
    await engine.submit([
      prompt('Where is my order?'),
      prompt('Where is  my\norder?'),
      prompt(' Where is my order?'),
      prompt('Refund me'),
      prompt('Refund me'),
      prompt('Hello'),
    ])
    await consume(engine.ctx)
    expect(await sizes()).toEqual([
      ['agent_error', 'Refund me', 2],
      ['agent_error', 'Where is my order?', 2],
      ['', '', 2],
    ])
    const { clusters: found } = await clusters()
    expect(found[1]).toMatchObject({ item_ids: ['item-3', 'item-2'] })
    expect(found[1]!.cluster_key).toMatch(/^agent_error:[0-9a-f]{16}$/)
    expect(found[2]).toMatchObject({ cluster_key: 'other', item_ids: [], record_ids: [] })
  })

  it('list at most five items each, and there are none if nothing failed [clusters.ids]', async () => {
    expect(await clusters()).toEqual({ clusters: [], total_failures: 0 })
    failing()
    await engine.submit(Array.from({ length: 9 }, () => ({ input: '"same"' })))
    await consume(engine.ctx)
    const { clusters: found, total_failures } = await clusters()
    expect(total_failures).toBe(9)
    expect(found).toHaveLength(1)
    expect(found[0]!.item_ids).toHaveLength(5)
  })

  it('come from a cache, which a failure in another process invalidates [clusters.cache]', async () => {
    failing()
    await engine.submit([{ input: '"a"' }, { input: '"a"' }])
    await consume(engine.ctx)
    expect(await sizes()).toEqual([['agent_error', 'a', 2]])
    // While nothing changes, the answer comes from the cache.
    const [name] = await engine.ctx.redis.keys('assay:cache:clusters:*')
    expect(await engine.ctx.redis.pttl(name!)).toBeGreaterThan(25_000)
    const place = name!.slice('assay:cache:'.length)
    const kept = (await recallSealed<{ answer: Clusters }>(engine.ctx, place))!
    kept.answer.clusters[0]!.sample_prompt = 'from the cache'
    await rememberSealed(engine.ctx, place, kept, 30_000)
    expect(await sizes()).toEqual([['agent_error', 'from the cache', 2]])
    await engine.submit([{ input: '"a"' }])
    await consume(engine.other(items => items.map(item => failure(item, 'agent_error'))))
    expect(await sizes()).toEqual([['agent_error', 'a', 3]])
  })

  it('are available without Redis', async () => {
    failing()
    await engine.submit([{ input: '"a"' }, { input: '"a"' }])
    await consume(engine.ctx)
    const away = {
      get: () => Promise.reject(new Error('away')),
      set: () => Promise.reject(new Error('away')),
    }
    const ctx = { ...engine.ctx, redis: away as never }
    expect(await failureClusters(ctx, [engine.project_id])).toMatchObject({ total_failures: 2 })
  })

  it('include items that a budget ended before dispatch, once the tick has read their prompts', async () => {
    const runId = await engine.submit(
      Array.from({ length: 4 }, () => ({ input: '"same"' })),
      { budget_cents: 0 },
    )
    await consume(engine.ctx)
    expect(await sizes()).toEqual([['', '', 4]])
    await sweep(engine.ctx)
    expect(await sizes()).toEqual([['budget_exceeded', 'same', 4]])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('treat an empty prompt like any other, and a missing error code as agent_error', async () => {
    failing('')
    const dispatched = await engine.submit([{ input: '""' }])
    await consume(engine.ctx)
    await engine.submit([{ input: '""' }], { budget_cents: 0 })
    await consume(engine.ctx)
    const [row] = await engine.sql`select prompt, error_code from triage where run_id = ${dispatched}`
    expect(row).toEqual({ prompt: '', error_code: 'agent_error' })
    expect(await clusterUndispatched(engine.ctx)).toBe(1)
    expect(await clusterUndispatched(engine.ctx)).toBe(0)
    expect(await conservation(engine, dispatched)).toEqual([])
  })

  it('exclude degraded items, and shrink when records are removed', async () => {
    engine.play(items => items.map(item => (item.seq > 2 ? result(item, '') : failure(item, 'agent_error'))))
    const runId = await engine.submit(Array.from({ length: 4 }, () => ({ input: '"same"' })))
    await consume(engine.ctx)
    expect(await sizes()).toEqual([['agent_error', 'same', 2]])
    await engine.sql`delete from triage where run_id = ${runId}`
    expect(await clusters()).toEqual({ clusters: [], total_failures: 0 })
    expect(await engine.sql`select 1 from failure_clusters`).toHaveLength(0)
  })

  it('are counted exactly while several consumers fail items of one cluster', async () => {
    failing()
    const ids = await Promise.all(
      Array.from({ length: 6 }, () =>
        engine.submit(Array.from({ length: 120 }, (_, i) => ({ input: JSON.stringify(`p${i % 3}`) }))),
      ),
    )
    await engine.deploy({ max_consecutive_failures: 100_000 })
    await engine.sql`update runs set deployment_id = (select current_deployment_id from agents limit 1)`
    await Promise.all([consume(engine.ctx), consume(engine.ctx), consume(engine.ctx)])
    await consume(engine.ctx)
    expect((await sizes()).sort()).toEqual([0, 1, 2].map(n => ['agent_error', `p${n}`, 240]))
    for (const id of ids) expect(await conservation(engine, id)).toEqual([])
  })
})

const order = (more: Partial<RecoveryOrder> = {}) => recoveryOrder(engine, more)
const recovery = (id: string) => findRecovery(engine, id)
const recovered = (id: string) => recoveredIn(engine, id)

describe('the recovery of a cohort', () => {
  /** Failed items that took one step each. */
  async function failedRun(count: number, more: Parameters<TestEngine['submit']>[1] = {}) {
    engine.play(async function* (items) {
      for (const item of items) {
        yield step(item, 'first')
        yield failure(item, 'tool_call_error')
      }
    })
    await engine.deploy({ max_consecutive_failures: 1_000_000 })
    const items = Array.from({ length: count }, (_, i) => ({ partition_key: i % 2 ? 'odd' : 'even' }))
    const runId = await engine.submit(items, more)
    await consume(engine.ctx)
    return runId
  }

  it('replays all its items in one run, in chunks, with the recorded steps of each item', async () => {
    const runId = await failedRun(2300)
    working()
    const id = await startRecovery(engine.ctx, order({ filter: { run_id: runId } }))
    const row = await recovered(id)
    expect(row).toMatchObject({ status: 'completed', eligible: 2300, pilot_run_ids: [] })
    expect(await engine.run(row.run_ids[0])).toMatchObject({
      status: 'completed',
      ok: 2300,
      replay_of: runId,
    })
    expect(await engine.run(runId)).toMatchObject({ undecided: 0 })
    expect(engine.requests.at(-1)![0]!.recorded).toEqual([{ key: 'first', output: { of: 'first' } }])
    for (const one of [runId, ...row.run_ids]) expect(await conservation(engine, one)).toEqual([])
  })

  it('can be planned: the plan says what would be replayed, what not and why, and changes nothing', async () => {
    const runId = await failedRun(5)
    await acknowledgeItem(engine.ctx, engine.item(runId, 1))
    await dismissItem(engine.ctx, engine.item(runId, 2))
    const plan = await planRecovery(engine.ctx, order({ filter: { run_id: runId } }))
    expect(plan).toMatchObject({ eligible: 3, agent_ids: [engine.agent_id] })
    expect(plan.ineligible.sort((a, b) => (a.reason < b.reason ? -1 : 1))).toEqual([
      { reason: 'acknowledged', count: 1 },
      { reason: 'dismissed', count: 1 },
    ])
    expect(await engine.sql`select 1 from recoveries`).toHaveLength(0)
  })

  it('takes only the items that match its filter', async () => {
    const [one, other] = [await failedRun(4), await failedRun(4)]
    const eligible = async (filter: RecoveryOrder['filter']) =>
      (await planRecovery(engine.ctx, order({ filter }))).eligible
    expect(await eligible({})).toBe(8)
    expect(await eligible({ run_id: one })).toBe(4)
    expect(await eligible({ partition_key: 'odd' })).toBe(4)
    expect(await eligible({ reason: 'step_error', run_id: other, partition_key: 'even' })).toBe(2)
    expect(await eligible({ from: '2100-01-01T00:00:00Z' })).toBe(0)
    expect(await eligible({ to: '2100-01-01T00:00:00Z' })).toBe(8)
    const [row] = await engine.sql`select cluster_key from triage limit 1`
    expect(await eligible({ cluster_key: row!.cluster_key })).toBe(2)
    const nobody = order({ filter: { partition_key: 'neither' } })
    await expect(startRecovery(engine.ctx, nobody)).rejects.toMatchObject({ code: 'nothing_to_recover' })
    const bogus = order({ filter: { reason: 'bogus', run_id: one } })
    for (const refuse of [planRecovery, startRecovery])
      await expect(refuse(engine.ctx, bogus)).rejects.toMatchObject({
        code: 'invalid_request',
        hint: 'There are: step_error (4).',
      })
  })

  it('continues after its first items if they do better', async () => {
    const runId = await failedRun(30)
    working()
    const id = await startRecovery(engine.ctx, order({ filter: { run_id: runId }, first: 7 }))
    const row = await recovered(id)
    expect(row).toMatchObject({ status: 'completed', pilot_better: true })
    expect(await engine.run(row.pilot_run_ids[0])).toMatchObject({ total_items: 7, ok: 7 })
    expect(await engine.run(row.run_ids[0])).toMatchObject({ total_items: 23, ok: 23 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('stops after its first items if they do no better, and leaves the others in triage', async () => {
    const runId = await failedRun(30)
    const id = await startRecovery(engine.ctx, order({ filter: { run_id: runId }, first: 7 }))
    const row = await recovered(id)
    expect(row).toMatchObject({ status: 'stopped', pilot_better: false, run_ids: [] })
    expect(await engine.run(runId)).toMatchObject({ undecided: 23 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('whose first items are all its items ends with them', async () => {
    const runId = await failedRun(3)
    working()
    const row = await recovered(
      await startRecovery(engine.ctx, order({ filter: { run_id: runId }, first: 7 })),
    )
    expect(row).toMatchObject({ status: 'completed', pilot_better: true, run_ids: [] })
    expect(await engine.sql`select 1 from runs where materializing`).toHaveLength(0)
  })

  it('does not replay the failures of its own replays', async () => {
    const runId = await failedRun(20)
    const row = await recovered(await startRecovery(engine.ctx, order()))
    expect(row).toMatchObject({ status: 'completed' })
    expect(await engine.run(row.run_ids[0])).toMatchObject({ total_items: 20, failed: 20, undecided: 20 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('survives a crash at every one of its steps, and replays nothing twice', async () => {
    const runId = await failedRun(2100)
    working()
    let steps = 0
    onFault(name => {
      if (name === 'recovery.before_commit' && steps++ % 2 === 0) throw new Error('the process died')
    })
    const started = startRecovery(engine.ctx, order({ filter: { run_id: runId }, first: 5 }))
    await expect(started).rejects.toThrow('the process died')
    const [{ id }] = (await engine.sql`select id from recoveries`) as never as [{ id: string }]
    let row = await recovery(id)
    for (let i = 0; i < 40 && row.finished_at === null; i++) {
      await advanceRecoveries(engine.ctx).catch(error => expect(error.message).toBe('the process died'))
      await consume(engine.ctx)
      row = await recovery(id)
    }
    expect(row).toMatchObject({ status: 'completed', pilot_better: true })
    expect(await engine.run(row.run_ids[0])).toMatchObject({ total_items: 2095, ok: 2095 })
    expect(await engine.sql`select 1 from runs where recovery_id = ${id}`).toHaveLength(2)
    for (const one of [runId, ...row.pilot_run_ids, ...row.run_ids])
      expect(await conservation(engine, one)).toEqual([])
  })

  it('advances while any number of older ones wait for their runs', async () => {
    await failedRun(5)
    working()
    const id = await startRecovery(engine.ctx, order({ first: 2 }))
    await consume(engine.ctx)
    const open = await engine.submit(1)
    await engine.sql`
      insert into recoveries (id, project_id, filter, eligible, status, run_ids)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, ${engine.project_id}, '{}', 1, 'running',
        array[${open}::uuid]
      from generate_series(1, ${LIMITS.open_runs_per_look}) n`
    await advanceRecoveries(engine.ctx)
    expect(await recovery(id)).toMatchObject({ pilot_better: true })
  })

  it('copies every item once while several processes advance it', async () => {
    const runId = await failedRun(2500)
    working()
    const ids = await Promise.all([startRecovery(engine.ctx, order()), startRecovery(engine.ctx, order())])
    await Promise.all(Array.from({ length: 6 }, () => advanceRecoveries(engine.ctx)))
    for (const id of ids) await recovered(id)
    expect(await engine.sql`select 1 from items where replayed_from is not null`).toHaveLength(2500)
    expect(await engine.run(runId)).toMatchObject({ undecided: 0 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('over several agents makes a run for each, pilots included', async () => {
    const first = await failedRun(6)
    const other = await engine.agent('other')
    const second = await failedRun(4, { agent_id: other })
    const plan = await planRecovery(engine.ctx, order())
    expect(plan).toMatchObject({ eligible: 10, runs: 2 })
    expect(plan.agent_ids.sort()).toEqual([engine.agent_id, other].sort())
    await expect(startRecovery(engine.ctx, order({ budget_cents: 5 }))).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The items need 2 runs, and a budget is for one.',
      hint: expect.stringContaining(other),
    })
    working()
    const row = await recovered(await startRecovery(engine.ctx, order({ first: 7 })))
    expect(row).toMatchObject({ status: 'completed', pilot_better: true, eligible: 10 })
    const sizes = async (ids: string[]) =>
      (await Promise.all(ids.map(engine.run))).map(run => [run.agent_id, run.ok])
    expect(await sizes(row.pilot_run_ids)).toEqual([
      [engine.agent_id, 6],
      [other, 1],
    ])
    expect(await sizes(row.run_ids)).toEqual([[other, 3]])
    for (const id of [first, second, ...row.pilot_run_ids, ...row.run_ids])
      expect(await conservation(engine, id)).toEqual([])
  })

  it('runs each item with its original deployment if asked to, and otherwise with the current one', async () => {
    await failedRun(2)
    await failedRun(3) // deploys again
    working()
    await engine.deploy()
    const versions = async (deployment: 'current' | 'original') => {
      const row = await recovered(await startRecovery(engine.ctx, order({ deployment })))
      return engine.sql`
        select d.version, r.total_items as items from runs r
          join deployments d on d.project_id = r.project_id and d.id = r.deployment_id
        where r.id = any(${row.run_ids}::uuid[]) order by 1`
    }
    expect(await versions('original')).toEqual([
      { version: 2, items: 2 },
      { version: 3, items: 3 },
    ])
    await failedRun(1)
    await engine.deploy()
    working()
    expect(await versions('current')).toEqual([{ version: 6, items: 1 }])
  })

  it('stops at its budget, which its first items count against', async () => {
    await failedRun(40)
    engine.play(async function* (items) {
      for (const item of items) {
        yield centStep(item, 'answer')
        yield result(item)
      }
    })
    const row = await recovered(await startRecovery(engine.ctx, order({ first: 3, budget_cents: 10 })))
    expect(await engine.run(row.pilot_run_ids[0])).toMatchObject({ ok: 3, budget_micro: 100_000 })
    const run = await engine.run(row.run_ids[0])
    expect(run).toMatchObject({ status: 'budget_exceeded', budget_micro: 70_000 })
    expect(Number(run.ok) + Number(run.budget_exceeded)).toBe(37)
    expect(Number(run.ok)).toBeLessThan(20)
  })

  it('of cancelled items runs the rest of a stopped run, once', async () => {
    await engine.sql`update agents set current_deployment_id = null`
    const runId = await engine.submit(2300)
    const rest = order({ filter: { run_id: runId, status: 'cancelled' }, first: 5 })
    await expect(startRecovery(engine.ctx, rest)).rejects.toMatchObject({
      code: 'nothing_to_recover',
      message: expect.stringContaining('has not ended yet'),
    })
    await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: runId })
    await replayItem(engine.ctx, engine.item(runId, 3), {})
    await engine.deploy()
    expect(await planRecovery(engine.ctx, rest)).toMatchObject({
      eligible: 2299,
      ineligible: [{ reason: 'replayed', count: 1 }],
    })
    const row = await recovered(await startRecovery(engine.ctx, rest))
    expect(row).toMatchObject({ status: 'completed', pilot_better: true })
    expect(await engine.run(row.pilot_run_ids[0])).toMatchObject({ total_items: 5, ok: 5 })
    expect(await engine.run(row.run_ids[0])).toMatchObject({ total_items: 2294, ok: 2294 })
    expect(await engine.run(runId)).toMatchObject({ status: 'cancelled', cancelled: 2300 })
    await expect(startRecovery(engine.ctx, rest)).rejects.toMatchObject({ code: 'nothing_to_recover' })
    for (const one of [runId, ...row.run_ids]) expect(await conservation(engine, one)).toEqual([])
  })

  it('runs again all of a stopped run that did not end well: what failed, what was left, and what is held', async () => {
    await engine.deploy({ max_consecutive_failures: 5, concurrency: 10 })
    engine.play(items =>
      items.map(item => (item.seq === 1 ? hold(item, 'fraud?') : failure(item, 'agent_error', 'away'))),
    )
    const runId = await engine.submit(40)
    const all = order({ filter: { run_id: runId, status: 'not_ok' } })
    await consumeToBackoff(engine)
    await sweep(engine.ctx)
    const run = await engine.run(runId)
    expect(run).toMatchObject({ stop_reason: 'consecutive_failures', paused: 1, finished_at: null })
    expect(Number(run.cancelled)).toBeGreaterThan(0)
    expect(leftOver(run as never)).toBe(40)
    expect(await planRecovery(engine.ctx, all)).toMatchObject({
      eligible: 40,
      held: 1,
      ineligible: [],
      runs: 1,
    })
    working()
    const row = await recovered(await startRecovery(engine.ctx, all))
    expect(row).toMatchObject({ status: 'completed', eligible: 40 })
    expect(await engine.run(row.run_ids[0])).toMatchObject({ total_items: 40, ok: 40 })
    const after = await engine.run(runId)
    expect(after).toMatchObject({ status: 'failed', paused: 0, undecided: 0 })
    expect(after.finished_at).not.toBeNull()
    expect(after.cancelled_replayed).toBe(after.cancelled)
    expect(leftOver(after as never)).toBe(0)
    await expect(startRecovery(engine.ctx, all)).rejects.toMatchObject({ code: 'nothing_to_recover' })
    for (const one of [runId, ...row.run_ids]) expect(await conservation(engine, one)).toEqual([])
  })

  it('is counted for the run that it recovered, and the newest verdicts are compared', async () => {
    engine.play(items =>
      items.map(item => (item.seq > 2 ? failure(item, 'agent_error', 'no') : result(item))),
    )
    const runId = await engine.submit(6)
    const other = await engine.submit(6)
    await consumeToBackoff(engine)
    const counted = async (id: string) =>
      (await withRecovered(engine.sql, [(await engine.run(id)) as unknown as RunRow]))[0]!
    expect(await counted(runId)).toMatchObject({ recovered: 0, replays: 0, replay_run_id: null })
    engine.play(items =>
      items.map(item => (item.seq === 1 ? failure(item, 'agent_error', 'still') : result(item))),
    )
    const one = await recovered(await startRecovery(engine.ctx, order({ filter: { run_id: runId } })))
    expect(await counted(runId)).toMatchObject({ recovered: 3, replays: 4, replay_run_id: one.run_ids[0] })
    working()
    // Again over all runs: of this one the replay that still failed.
    const two = await recovered(await startRecovery(engine.ctx, order({ filter: {} })))
    expect(await counted(runId)).toMatchObject({ recovered: 4, replays: 5, replay_run_id: two.run_ids[0] })
    expect(await counted(other)).toMatchObject({ recovered: 4, replays: 4 })
    const changes = async (a: string, b: string) =>
      (await compareItems(engine.sql, await counted(a), await counted(b))).map(c => [
        c.before,
        c.after,
        c.count,
      ])
    await engine.sql`delete from replays where from_run_id = ${other}`
    expect(await changes(other, runId)).toEqual([
      ['failed', 'ok', 4],
      ['ok', 'ok', 2],
    ])
    expect(await changes(runId, one.run_ids[0])).toEqual([
      ['failed', 'ok', 3],
      ['ok', 'absent', 2],
      ['failed', 'failed', 1],
    ])
  })

  it('has the timeout and the patience of the run that it replays, and says where its cost is a lower bound', async () => {
    failing()
    const runId = await engine.submit(2)
    await consumeToBackoff(engine)
    await engine.sql`update runs set timeout_seconds = 90, patience_seconds = 7200 where id = ${runId}`
    const row = await recovered(await startRecovery(engine.ctx, order({ filter: { run_id: runId } })))
    const [replay] =
      await engine.sql`select timeout_seconds, patience_seconds from runs where id = ${row.run_ids[0]!}`
    expect(replay).toEqual({ timeout_seconds: 90, patience_seconds: 7200 })
    const shown = async () => {
      const [account] = await engine.sql`select account_id from projects where id = ${engine.project_id}`
      return recoveryOf((await findRecoveryRow(engine.ctx.db, account!.account_id, row.id))!)
    }
    expect((await shown()).unpriced_item_count).toBe(0)
    await engine.sql`update runs set unpriced_items = 2 where id = ${row.run_ids[0]!}`
    expect((await shown()).unpriced_item_count).toBe(2)
  })

  it('of which nothing worked is counted for the run that it replayed', async () => {
    failing()
    const runId = await engine.submit(3)
    await consumeToBackoff(engine)
    const row = await recovered(await startRecovery(engine.ctx, order({ filter: { run_id: runId } })))
    const [run] = await withRecovered(engine.sql, [(await engine.run(runId)) as unknown as RunRow])
    expect(run).toMatchObject({ recovered: 0, replays: 3, replay_run_id: row.run_ids[0] })
  })

  it('of a run that went on leaves out what a person dismissed, and what is held', async () => {
    engine.play(items =>
      items.map(item =>
        item.seq < 3
          ? hold(item, 'fraud?')
          : item.seq < 5
            ? failure(item, 'agent_error', 'no')
            : result(item),
      ),
    )
    await engine.deploy()
    const runId = await engine.submit(8)
    await consumeToBackoff(engine)
    await dismissItem(engine.ctx, engine.item(runId, 1))
    const all = order({ filter: { run_id: runId, status: 'not_ok' } })
    expect(await planRecovery(engine.ctx, all)).toMatchObject({ eligible: 2, held: 0 })
    expect(leftOver((await engine.run(runId)) as never)).toBe(2)
  })

  it('with a pilot takes what was left before what failed, and none twice', async () => {
    await engine.deploy({ max_consecutive_failures: 5, concurrency: 5 })
    failing()
    const runId = await engine.submit(30)
    await consumeToBackoff(engine)
    await sweep(engine.ctx)
    working()
    const all = order({ filter: { run_id: runId, status: 'not_ok' }, first: 4 })
    const row = await recovered(await startRecovery(engine.ctx, all))
    expect(row).toMatchObject({ status: 'completed', eligible: 30, pilot_better: true })
    const replays = await engine.sql`
      select count(*)::int as all, count(distinct from_seq)::int as originals from replays where from_run_id = ${runId}`
    expect(replays[0]).toEqual({ all: 30, originals: 30 })
  })

  it('obeys the bounds on open runs and the state of the account, as submissions do', async () => {
    const runId = await failedRun(2)
    const open = await engine.submit(1)
    const refusals = async () => [
      await replayItem(engine.ctx, engine.item(runId, 1), {}).catch(error => error.code),
      await startRecovery(engine.ctx, order()).catch(error => error.code),
    ]
    await engine.sql`update projects set settings = settings || '{"open_runs": 1}'`
    expect(await refusals()).toEqual(['too_many_open_runs', 'too_many_open_runs'])
    await engine.sql`update accounts set status = 'suspended'`
    expect(await refusals()).toEqual(['account_suspended', 'account_suspended'])
    await engine.sql`update accounts set status = 'active', plan = '{"open_runs": 1}'`
    expect(await refusals()).toEqual(['plan_limit', 'plan_limit'])
    expect(await engine.run(runId)).toMatchObject({ undecided: 2 })
    await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: open })
    await startRecovery(engine.ctx, order())
  })

  it('cancels its undispatched items when it is aborted, and their originals return to triage', async () => {
    const runId = await failedRun(50)
    await engine.sql`update agents set current_deployment_id = null`
    const id = await startRecovery(engine.ctx, order({ filter: { run_id: runId } }))
    expect(await engine.run(runId)).toMatchObject({ undecided: 0 })
    await abortRecovery(engine.ctx, { project_id: engine.project_id, id })
    const row = await recovered(id)
    expect(row).toMatchObject({ status: 'aborted' })
    expect(await engine.run(row.run_ids[0])).toMatchObject({ status: 'cancelled', cancelled: 50 })
    expect(await engine.run(runId)).toMatchObject({ undecided: 50 })
    for (const one of [runId, ...row.run_ids]) expect(await conservation(engine, one)).toEqual([])
    await expect(abortRecovery(engine.ctx, { project_id: engine.project_id, id })).rejects.toMatchObject({
      code: 'recovery_already_ended',
    })
    await engine.deploy()
    working()
    expect(await recovered(await startRecovery(engine.ctx, order()))).toMatchObject({ status: 'completed' })
    expect(await engine.run(runId)).toMatchObject({ undecided: 0 })
  })
})

describe('why an item is not running', () => {
  const why = async (runId: string, seq = 1) => (await whyItem(engine.ctx, engine.item(runId, seq)))!.token

  it('is derived from what holds the item back at the moment', async () => {
    await engine.sql`update agents set current_deployment_id = null`
    const runId = await engine.submit(3, { concurrency: 1 })
    expect(await why(runId)).toBe('no_deployment')
    await engine.deploy()
    expect(await why(runId)).toBe('next')
    const seen: string[] = []
    engine.play(async function* ([item]) {
      if (seen.length === 0) for (const seq of [1, 2]) seen.push(await why(runId, seq))
      yield result(item as ItemLine)
    })
    await consume(engine.ctx)
    expect(seen).toEqual(['running', 'run_cap'])
    expect(await why(runId)).toBe('ended')
  })

  it('can be a retry, a decision, or credit', async () => {
    await engine.deploy({ retries: 1 })
    engine.play(items => items.map(item => failure(item, 'agent_error', 'connection refused')))
    const runId = await engine.submit(1)
    await consumeToBackoff(engine)
    const { token, message } = (await whyItem(engine.ctx, engine.item(runId, 1)))!
    expect(token).toBe('retry_backoff')
    expect(message).toContain('connection refused')
    await engine.skipBackoff()
    engine.play(([item]) => [{ type: 'hold', seq: item!.seq, attempt: item!.attempt, reason: 'check it' }])
    await consume(engine.ctx)
    expect(await why(runId)).toBe('paused_for_decision')
    await engine.sql`update projects set credit_micro = 0`
    const broke = await engine.submit(1)
    expect(await why(broke)).toBe('credit')
    await consume(engine.ctx)
    expect(await why(broke)).toBe('credit')
  })
})

it('the cost of a cohort is summed within the statement timeout, even of a run that PostgreSQL has no statistics of', async () => {
  const { ctx, sql, project_id, agent_id } = engine
  await engine.submit(2000)
  await sql`analyze items, triage, runs`
  const id = ctx.newRunId()
  await sql`insert into runs (id, project_id, agent_id, total_items, failed, finished_at)
    values (${id}, ${project_id}, ${agent_id}, 30000, 30000, now())`
  await sql`insert into items (project_id, run_id, seq, line, item_id, input, status, cost_micro)
    select ${project_id}, ${id}, n, n, n, '1', 'failed', 2 from generate_series(1, 30000) n`
  await sql`insert into triage (project_id, run_id, seq, agent_id, lane, reason)
    select ${project_id}, ${id}, n, ${agent_id}, 'dlq', 'agent_error' from generate_series(1, 30000) n`
  // A plan that compares each row with each would exceed the statement timeout.
  expect(await findCohortCost(sql, project_id, { run_id: id })).toEqual({ cost_micro: 60_000, unpriced: 0 })
})
