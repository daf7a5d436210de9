// Items that did not work: decisions, replays and resumes, one by one and concurrently.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import { onFault } from '../../../shared/kernel/fault.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { findLineage } from '../../../shared/recovery/queries/replay.ts'
import {
  acknowledgeItem,
  dismissItem,
  reopenItem,
  replayItem,
  resumeItem,
} from '../../../shared/recovery/verbs/replay.ts'
import {
  centStep,
  conservation,
  failure,
  result,
  step,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(async () => {
  onFault(undefined)
  await engine.close()
})

const hold = (item: ItemLine): AgentLine => ({
  type: 'hold',
  seq: item.seq,
  attempt: item.attempt,
  reason: 'a person must look',
})

/** Awaits concurrent calls; returns how many succeeded and the error codes of the others. */
async function race(calls: Promise<unknown>[]) {
  const settled = await Promise.allSettled(calls)
  const refused = settled.filter(one => one.status === 'rejected')
  return { won: settled.length - refused.length, codes: [...new Set(refused.map(one => one.reason.code))] }
}

/** A run whose items took steps, one of which cost a cent, and then failed. */
async function failedRun(items = 1) {
  engine.play(async function* (offered) {
    for (const item of offered) {
      yield centStep(item, 'fetch')
      yield step(item, 'read')
      yield step(item, 'write', { error: { code: 'tool_call_error', message: 'no' } })
      yield failure(item, 'tool_call_error')
    }
  })
  const runId = await engine.submit(items)
  await consume(engine.ctx)
  return runId
}

const works = () =>
  engine.play(async function* (items) {
    for (const item of items) {
      yield step(item, 'write')
      yield result(item, 'fixed')
    }
  })

describe('a replay', () => {
  it('adds a new item next to the original, and reuses its succeeded steps at no cost [recovery.verdict-stays, recovery.steps-reused]', async () => {
    const runId = await failedRun()
    works()
    const replay = await replayItem(engine.ctx, engine.item(runId, 1), {})
    expect(replay.reused_steps).toBe(2)
    await consume(engine.ctx)
    expect(engine.requests.at(-1)![0]).toMatchObject({
      item_id: 'item-1',
      input: { n: 1 },
      recorded: [
        { key: 'fetch', output: 'an answer' },
        { key: 'read', output: { of: 'read' } },
      ],
    })
    const [original] = await engine.items(runId)
    expect(original).toMatchObject({ status: 'failed', outcome: 'failed', error_code: 'tool_call_error' })
    const [copy] = await engine.items(replay.run_id)
    expect(copy).toMatchObject({ status: 'completed', outcome: 'ok', step_count: 3, cost_micro: 0 })
    expect(copy!.replayed_from).toBe(`${runId.slice(0, 28)}00000001`)
    expect(
      await engine.sql`select key, reused from steps where run_id = ${replay.run_id} order by step_no`,
    ).toMatchObject([
      { key: 'fetch', reused: true },
      { key: 'read', reused: true },
      { key: 'write', reused: false },
    ])
    expect(await engine.run(replay.run_id)).toMatchObject({
      status: 'completed',
      replay_of: runId,
      cost_micro: 0,
    })
    for (const id of [runId, replay.run_id]) expect(await conservation(engine, id)).toEqual([])
  })

  it('that is requested 20 times at once is made once', async () => {
    const runId = await failedRun()
    const calls = Array.from({ length: 20 }, () => replayItem(engine.ctx, engine.item(runId, 1), {}))
    expect(await race(calls)).toEqual({ won: 1, codes: ['item_not_replayable'] })
    expect(await engine.sql`select 1 from runs where replay_of = ${runId}`).toHaveLength(1)
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('is refused while another is under way and after one worked, and is possible again after one failed', async () => {
    const runId = await failedRun()
    const key = engine.item(runId, 1)
    const first = await replayItem(engine.ctx, key, {})
    await expect(replayItem(engine.ctx, key, {})).rejects.toMatchObject({
      code: 'item_not_replayable',
      status: 409,
      message: expect.stringContaining(`${first.record_id} is queued`),
    })
    engine.play(([item]) => [failure(item!, 'tool_call_error')])
    await consume(engine.ctx)
    await replayItem(engine.ctx, key, {})
    works()
    await consume(engine.ctx)
    await expect(replayItem(engine.ctx, key, {})).rejects.toMatchObject({
      message: expect.stringContaining('worked'),
    })
  })

  it('is refused for items that worked, are queued or held, and is possible for cancelled items [recovery.not-replayable]', async () => {
    engine.play(items => items.map(item => (item.seq === 1 ? result(item) : hold(item))))
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    await engine.sql`update agents set current_deployment_id = null`
    const waiting = await engine.submit(2)
    const refusal = (run_id: string, seq: number) =>
      replayItem(engine.ctx, engine.item(run_id, seq), {}).catch(
        error => `${error.code} ${error.message.split(': ')[1]}`,
      )
    expect(await refusal(runId, 1)).toBe('item_not_replayable it worked.')
    expect(await refusal(runId, 2)).toContain('item_not_replayable it is paused')
    expect(await refusal(waiting, 1)).toBe('item_not_replayable it is queued.')
    await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: waiting })
    const key = engine.item(waiting, 1)
    const replay = await replayItem(engine.ctx, key, {})
    expect(await refusal(waiting, 1)).toBe(`item_not_replayable its replay ${replay.record_id} is queued.`)
    expect(await engine.run(waiting)).toMatchObject({ status: 'cancelled', cancelled: 2, undecided: 0 })
    for (const id of [waiting, replay.run_id]) expect(await conservation(engine, id)).toEqual([])
  })

  it('from a step reuses the steps before it; with another input it reuses none, unless it names a step', async () => {
    const reused = async (options: object) =>
      (await replayItem(engine.ctx, engine.item(await failedRun(), 1), options)).reused_steps
    expect(await reused({ from_step: 'read' })).toBe(1)
    expect(await reused({ from_step: 'fetch' })).toBe(0)
    expect(await reused({ from_step: 'write' })).toBe(2)
    expect(await reused({ input: '{"other": 1.0}' })).toBe(0)
    expect(await reused({ input: '{"other": 1.0}', from_step: 'write' })).toBe(2)
    await expect(reused({ from_step: 'nowhere' })).rejects.toMatchObject({ code: 'invalid_request' })
    const [item] = await engine.sql`select input from items where input like '%other%' limit 1`
    expect(item!.input).toBe('{"other": 1.0}')
  })

  it('repeats the steps that began after a step that did not work had ended, since they may depend on it', async () => {
    const at = (second: number) => ({ started_at: `2026-01-01T00:00:0${second}Z`, duration_ms: 1500 })
    engine.play(async function* ([item]) {
      yield step(item!, 'before', at(0))
      yield step(item!, 'broken', { ...at(2), error: { code: 'tool_call_error', message: 'no' } })
      yield step(item!, 'beside', at(3))
      yield step(item!, 'after', at(4))
      yield { ...result(item!), degraded: 'went on without it' } as AgentLine
    })
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    works()
    const { run_id } = await replayItem(engine.ctx, engine.item(runId, 1), {})
    const steps = await engine.sql`select key from steps where run_id = ${run_id} order by step_no`
    expect(steps.map(row => row.key)).toEqual(['before', 'beside'])
  })

  it('runs with the current deployment, or with the original one', async () => {
    const runId = await failedRun(2)
    await engine.deploy()
    const version = async (seq: number, deployment: 'current' | 'original') => {
      const { run_id } = await replayItem(engine.ctx, engine.item(runId, seq), { deployment })
      const [row] = await engine.sql`
        select d.version from runs r join deployments d on d.project_id = r.project_id and d.id = r.deployment_id where r.id = ${run_id}`
      return row!.version
    }
    expect([await version(1, 'current'), await version(2, 'original')]).toEqual([2, 1])
  })

  it('of a replay keeps the whole lineage visible', async () => {
    const runId = await failedRun()
    const first = await replayItem(engine.ctx, engine.item(runId, 1), {})
    engine.play(([item]) => [failure(item!, 'tool_call_error')])
    await consume(engine.ctx)
    const second = await replayItem(engine.ctx, engine.item(first.run_id, 1), {})
    works()
    await consume(engine.ctx)
    const lineage = await findLineage(engine.sql, engine.item(first.run_id, 1), 100)
    expect(lineage.map(one => [one.run_id, one.generation, one.outcome])).toEqual([
      [runId, -1, 'failed'],
      [first.run_id, 0, 'failed'],
      [second.run_id, 1, 'ok'],
    ])
    expect(await conservation(engine, first.run_id)).toEqual([])
  })

  it('of an item whose input was purged is refused', async () => {
    const runId = await failedRun()
    await engine.sql`update runs set payloads_purged_at = now() where id = ${runId}`
    await expect(replayItem(engine.ctx, engine.item(runId, 1), {})).rejects.toMatchObject({
      code: 'item_not_replayable',
      message: expect.stringContaining('kept no longer'),
    })
  })

  it('whose process dies before the commit leaves nothing, and can be requested again', async () => {
    const runId = await failedRun()
    onFault(name => {
      if (name === 'replay.before_commit') throw new Error('the process died')
    })
    const key = engine.item(runId, 1)
    await expect(replayItem(engine.ctx, key, {})).rejects.toThrow('the process died')
    onFault(undefined)
    expect(await engine.run(runId)).toMatchObject({ undecided: 1 })
    expect(await engine.sql`select 1 from runs where replay_of = ${runId}`).toHaveLength(0)
    await replayItem(engine.ctx, key, {})
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('of a suspended account is refused', async () => {
    const runId = await failedRun()
    await engine.sql`update accounts set status = 'suspended'`
    await expect(replayItem(engine.ctx, engine.item(runId, 1), {})).rejects.toMatchObject({
      code: 'account_suspended',
    })
  })
})

describe('a run', () => {
  /** Three items, of which the second and third did not work. */
  async function partial() {
    engine.play(items => items.map(item => (item.seq === 1 ? result(item) : failure(item, 'agent_error'))))
    const runId = await engine.submit(3)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', undecided: 2 })
    return runId
  }

  it('becomes completed by itself when its last item that did not work is replayed or dismissed [lifecycle.decided]', async () => {
    const runId = await partial()
    await replayItem(engine.ctx, engine.item(runId, 2), {})
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', undecided: 1 })
    await dismissItem(engine.ctx, engine.item(runId, 3))
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', undecided: 0, failed: 2 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('stays partial while items are only acknowledged; dismissing them afterwards completes it', async () => {
    const runId = await partial()
    for (const seq of [2, 3]) await acknowledgeItem(engine.ctx, engine.item(runId, seq))
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', undecided: 2 })
    expect(await conservation(engine, runId)).toEqual([])
    for (const seq of [2, 3]) await dismissItem(engine.ctx, engine.item(runId, seq))
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', undecided: 0 })
  })

  it('is partial again when a dismissal is undone, which succeeds once for concurrent callers', async () => {
    const runId = await partial()
    for (const seq of [2, 3]) await dismissItem(engine.ctx, engine.item(runId, seq))
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', undecided: 0 })
    const calls = Array.from({ length: 10 }, () => reopenItem(engine.ctx, engine.item(runId, 2)))
    expect(await race(calls)).toEqual({ won: 1, codes: ['item_not_reopenable'] })
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', undecided: 1 })
    expect(await conservation(engine, runId)).toEqual([])
    await dismissItem(engine.ctx, engine.item(runId, 2))
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', undecided: 0 })
  })

  it('has correct counters while decisions are made and undone concurrently', async () => {
    const runId = await failedRun(20)
    const keys = Array.from({ length: 20 }, (_, i) => engine.item(runId, i + 1))
    const calls = keys.flatMap(key => [
      acknowledgeItem(engine.ctx, key),
      reopenItem(engine.ctx, key),
      dismissItem(engine.ctx, key),
      reopenItem(engine.ctx, key),
      replayItem(engine.ctx, key, {}),
    ])
    await race(calls)
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('whose items all failed stays failed after they are dismissed', async () => {
    const runId = await failedRun()
    await dismissItem(engine.ctx, engine.item(runId, 1))
    expect(await engine.run(runId)).toMatchObject({ status: 'failed', undecided: 0 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('counts every decision once, however many callers decide at once', async () => {
    const runId = await failedRun(30)
    const keys = Array.from({ length: 30 }, (_, i) => engine.item(runId, i + 1))
    const calls = keys.flatMap(key => [
      dismissItem(engine.ctx, key),
      dismissItem(engine.ctx, key),
      replayItem(engine.ctx, key, {}),
      replayItem(engine.ctx, key, {}),
      acknowledgeItem(engine.ctx, key),
    ])
    const { codes } = await race(calls)
    expect(codes.sort()).toEqual(['item_already_decided', 'item_not_replayable'])
    expect(await engine.run(runId)).toMatchObject({ undecided: 0 })
    expect(await conservation(engine, runId)).toEqual([])
  })
})

describe('a held item', () => {
  /** Plays an agent that holds its item once; with the hold recorded the item works. */
  const holding = () =>
    engine.play(async function* ([item]) {
      if (item!.recorded.some(one => one.key === 'hold')) return yield result(item!, 'approved')
      yield centStep(item!, 'draft')
      yield step(item!, 'hold', { output: { held: true } })
      yield hold(item!)
    })

  it('resumes from its last step, once, and finishes its run [recovery.resume]', async () => {
    holding()
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    const calls = Array.from({ length: 10 }, () => resumeItem(engine.ctx, engine.item(runId, 1), {}))
    expect(await race(calls)).toEqual({ won: 1, codes: ['item_not_paused'] })
    expect(await conservation(engine, runId)).toEqual([])
    await consume(engine.ctx)
    expect(engine.requests.at(-1)![0]!.recorded.map(one => one.key)).toEqual(['draft', 'hold'])
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', outcome: 'ok', attempt: 2 })
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', paused: 0, cost_micro: 10_000 })
    expect(await engine.sql`select disposition from triage`).toMatchObject([{ disposition: 'resumed' }])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('that fails after it was resumed comes back to triage as failed', async () => {
    holding()
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    engine.play(([item]) => [failure(item!, 'agent_error')])
    expect(await resumeItem(engine.ctx, engine.item(runId, 1), {})).toMatchObject({ reused_steps: 1 })
    await consume(engine.ctx)
    expect(await engine.sql`select lane, disposition from triage`).toMatchObject([
      { lane: 'dlq', disposition: null },
    ])
    expect(await engine.run(runId)).toMatchObject({ status: 'failed', undecided: 1 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('ends as cancelled when it is dismissed, and its run ends with it and is announced once', async () => {
    holding()
    const runId = await engine.submit(1, { callback_url: 'http://127.0.0.1:9/hook' })
    await consume(engine.ctx)
    await dismissItem(engine.ctx, engine.item(runId, 1))
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'cancelled', outcome: null })
    const run = await engine.run(runId)
    expect(run).toMatchObject({ status: 'completed', cancelled: 1, paused: 0 })
    expect(run.finished_at).not.toBeNull()
    expect(await engine.sql`select 1 from deliveries where run_id = ${runId}`).toHaveLength(1)
    expect(await conservation(engine, runId)).toEqual([])
    await expect(resumeItem(engine.ctx, engine.item(runId, 1), {})).rejects.toMatchObject({
      code: 'item_not_paused',
    })
  })

  it('can be resumed after it was acknowledged', async () => {
    holding()
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    await acknowledgeItem(engine.ctx, engine.item(runId, 1))
    expect(await engine.run(runId)).toMatchObject({ status: 'running', paused: 1 })
    await resumeItem(engine.ctx, engine.item(runId, 1), {})
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed' })
  })

  it('that waits for credit cannot be resumed by hand', async () => {
    await engine.sql`update projects set credit_micro = 0`
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    await expect(resumeItem(engine.ctx, engine.item(runId, 1), {})).rejects.toMatchObject({
      code: 'item_not_paused',
      message: expect.stringContaining('credit'),
    })
  })

  it("that is resumed before its run's budget is exceeded is counted once", async () => {
    engine.play(async function* (items) {
      for (const item of items) {
        yield centStep(item, 'call')
        yield item.seq === 1 ? hold(item) : result(item)
      }
    })
    const runId = await engine.submit(8, { budget_cents: 5, concurrency: 1 })
    await consume(engine.ctx, { stop: AbortSignal.timeout(1500) })
    await resumeItem(engine.ctx, engine.item(runId, 1), {}).catch(error =>
      expect(error.code).toBe('item_not_paused'),
    )
    await consume(engine.ctx, { stop: AbortSignal.timeout(1500) })
    expect(await conservation(engine, runId)).toEqual([])
  })
})

describe('an item at its budget fence', () => {
  const spending = () =>
    engine.play(async function* ([item]) {
      for (let i = item!.recorded.length + 1; i <= 5; i++) yield centStep(item!, `call-${i}`)
      yield result(item!)
    })

  it('continues with its declared budget once more, and its agent learns how much is left [recovery.budget-fence]', async () => {
    await engine.deploy({ item_budget_cents: 2, on_budget: 'pause' })
    spending()
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    expect(await resumeItem(engine.ctx, engine.item(runId, 1), {})).toMatchObject({ reused_steps: 2 })
    await consume(engine.ctx)
    expect(engine.requests.at(-1)![0]!.budget_micro).toBe(20_000)
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'paused', cost_micro: 40_000 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('continues with as much more budget as it is given', async () => {
    await engine.deploy({ item_budget_cents: 2, on_budget: 'pause' })
    spending()
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    await resumeItem(engine.ctx, engine.item(runId, 1), { budget_cents: 10 })
    await consume(engine.ctx)
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', cost_micro: 50_000 })
    expect(await conservation(engine, runId)).toEqual([])
  })
})
