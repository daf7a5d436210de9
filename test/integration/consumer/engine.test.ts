// Items, attempts, caps and verdicts from submission to the end of the run, on real stores with a played agent.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { claimItems } from '../../../shared/claims/verbs/claim.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { DEFAULT_CHECKS } from '../../../shared/grading/rules/checks.ts'
import { readStep, stepRow } from '../../../shared/grading/rules/step-row.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { LIST_PRICES } from '../../../shared/prices/rules/price-book.ts'
import type { ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { settle } from '../../../shared/settling/queries/settle.ts'
import { beginItem } from '../../../shared/settling/verbs/in-flight-item.ts'
import { ResultWriter } from '../../../shared/settling/verbs/result-writer.ts'
import { VersionNamer } from '../../../shared/settling/verbs/version-namer.ts'
import { closeMaterializing } from '../../../shared/submission/queries/submission.ts'
import { submitRun } from '../../../shared/submission/verbs/submit.ts'
import { CauseNamer } from '../../../shared/triage/verbs/name-causes.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import {
  conservation,
  consumeToBackoff,
  failure,
  result,
  step,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** A promise that a test resolves from outside. */
const gate = () => Promise.withResolvers<void>()

describe('a submitted batch', () => {
  it('runs each item once, and stores inputs and outputs byte for byte [items.output]', async () => {
    const runId = await engine.submit([
      { input: '{"a":1.50,  "b":"\\u0000 \\ud800"}' },
      { input: 'null' },
      { input: '12345678901234567890.0' },
    ])
    engine.play(items => items.map(item => result(item, { seq: item.seq, echo: item.input })))
    await consume(engine.ctx)
    const items = await engine.items(runId)
    expect(items.map(item => item.input)).toEqual([
      '{"a":1.50,  "b":"\\u0000 \\ud800"}',
      'null',
      '12345678901234567890.0',
    ])
    expect(items.map(item => item.output)).toEqual(
      items.map((item, i) => JSON.stringify({ seq: i + 1, echo: JSON.parse(item.input!) })),
    )
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 3, running: 0, total_items: 3 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('with more items than one chunk holds is stored in full and runs to its end', async () => {
    const runId = await engine.submit(5001)
    expect(await engine.run(runId)).toMatchObject({ status: 'queued', total_items: 5001 })
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 5001 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('interleaves its partitions, so that a large one does not delay a small one', async () => {
    const keys = [...Array.from({ length: 50 }, () => 'big'), 'small', 'small']
    const runId = await engine.submit(keys.map(partition_key => ({ partition_key })))
    const items = await engine.items(runId)
    expect(items.slice(0, 5).map(item => item.partition_key)).toEqual(['big', 'small', 'big', 'small', 'big'])
    expect(items.slice(0, 4).map(item => item.line)).toEqual([1, 51, 2, 52])
  })

  it('waits while its agent has no deployment, and starts once there is one', async () => {
    await engine.sql`update agents set current_deployment_id = null`
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'queued', running: 0 })
    await engine.deploy()
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed' })
  })
})

describe('a run that cannot be claimed from', () => {
  it('does not delay other runs, even if there are as many such runs as one poll returns', async () => {
    const { sql, project_id } = engine
    const idle = engine.ctx.newId()
    await sql`insert into agents ${sql({ id: idle, project_id, name: 'idle', slug: 'idle' })}`
    for (let i = 0; i < LIMITS.open_runs_per_look; i++) await engine.submit(1, { agent_id: idle })
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed' })
  })

  it('because a statement fails is skipped, and other runs continue', async () => {
    const broken = await engine.submit(1)
    await engine.sql`update items set attempt = 32767`
    const runs = [await engine.submit(1), await engine.submit(1), await engine.submit(1)]
    const stop = new AbortController()
    const consuming = consume(engine.ctx, { stop: stop.signal })
    await eventually(async () => {
      for (const id of runs) expect(await engine.run(id)).toMatchObject({ status: 'completed' })
    })
    stop.abort()
    await consuming
    expect(await engine.run(broken)).toMatchObject({ status: 'queued', running: 0 })
  })

  it('is not polled in a tight loop while one of its items is due and the project has no room', async () => {
    const [started, release] = [gate(), gate()]
    engine.play(async function* (items) {
      if (engine.requests.length === 1) throw new Error('away')
      started.resolve()
      await release.promise
      for (const item of items) yield result(item)
    })
    await engine.sql`update projects set settings = settings || '{"concurrency": 1}'`
    await engine.submit(1)
    await engine.submit(1)
    let looks = 0
    const sql = new Proxy(engine.sql, {
      apply(target, self, args) {
        if (String(args[0]).includes('nth_of_account')) looks++
        return Reflect.apply(target as never, self, args)
      },
    })
    const consuming = consume({ ...engine.ctx, sql })
    await started.promise
    await engine.skipBackoff()
    const before = looks
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(looks - before).toBeLessThan(20)
    release.resolve()
    await consuming
  })
})

describe('a submission', () => {
  it('that is given up while its sender pauses is refused, and leaves nothing', async () => {
    const [sent, release] = [gate(), gate()]
    async function* slow() {
      for (let n = 0; n < 3; n++) {
        if (n === 2) {
          sent.resolve()
          await release.promise
        }
        const line = n * 2000
        yield Array.from({ length: 2000 }, (_, i) => ({
          line: line + i + 1,
          item_id: null,
          partition_key: null,
          input: '1',
        }))
      }
    }
    const order = { project_id: engine.project_id, agent_id: engine.agent_id, name: null, budget_cents: null }
    const rest = { concurrency: null, timeout_seconds: null, callback_url: null, idempotency: null }
    const submitting = submitRun(engine.ctx, { ...order, ...rest }, slow())
    const refused = expect(submitting).rejects.toMatchObject({ code: 'invalid_request' })
    await sent.promise
    // Runs only the first statement of giving up, as a tick does before it removes the items.
    const [run] = await engine.sql`select id from runs`
    await closeMaterializing(engine.sql, engine.key(run!.id))
    release.resolve()
    await refused
    const [left] =
      await engine.sql`select (select count(*)::int from runs) + (select count(*)::int from items) as n`
    expect(left).toEqual({ n: 0 })
  })

  it('with a duplicate item_id is refused with both line numbers, whether short or long, and leaves nothing', async () => {
    const twice = (n: number) =>
      engine.submit(
        Array.from({ length: n }, (_, i) => ({ item_id: i === n - 1 ? 'item-2' : `item-${i + 1}` })),
      )
    await expect(twice(5)).rejects.toMatchObject({
      code: 'duplicate_item_id',
      message: expect.stringContaining('lines 2 and 5'),
    })
    await expect(twice(4500)).rejects.toMatchObject({ message: expect.stringContaining('lines 2 and 4500') })
    const [left] =
      await engine.sql`select (select count(*) from runs)::int as runs, (select count(*) from items)::int as items`
    expect(left).toEqual({ runs: 0, items: 0 })
  })

  it('of 101,000 ids, more than are checked in memory, is still checked for duplicates', async () => {
    const ids = Array.from({ length: 101_000 }, (_, i) => ({ item_id: `id-${i}` }))
    ids[100_999] = { item_id: 'id-7' }
    await expect(engine.submit(ids)).rejects.toMatchObject({
      message: expect.stringContaining('lines 8 and 101000'),
    })
  })

  it('that fails halfway through a long stream leaves nothing', async () => {
    async function* broken() {
      for (let i = 0; i < 5; i++)
        yield Array.from({ length: 1000 }, (_, j) => ({
          line: i * 1000 + j + 1,
          item_id: null,
          partition_key: null,
          input: '1',
        }))
      throw new Error('line 5001 is bad')
    }
    const { submitRun } = await import('../../../shared/submission/verbs/submit.ts')
    const order = { ...(await orderOf()), idempotency: null }
    await expect(submitRun(engine.ctx, order, broken())).rejects.toThrow('line 5001 is bad')
    const [left] =
      await engine.sql`select (select count(*) from runs)::int as runs, (select count(*) from items)::int as items`
    expect(left).toEqual({ runs: 0, items: 0 })
  })

  it('whose process died halfway is removed by the tick and never dispatched [lifecycle.materializing]', async () => {
    const runId = await engine.submit(3)
    await engine.sql`update runs set materializing = true, touched_at = now() - interval '16 minutes' where id = ${runId}`
    await consume(engine.ctx)
    expect(engine.requests).toEqual([])
    await sweep(engine.ctx)
    expect(await engine.sql`select 1 from runs where id = ${runId}`).toHaveLength(0)
    expect(await engine.items(runId)).toHaveLength(0)
  })

  it('cannot be cancelled before all its items are there, and the error says so', async () => {
    const run_id = await engine.submit(3)
    await engine.sql`update runs set materializing = true where id = ${run_id}`
    const order = { project_id: engine.project_id, run_id }
    await expect(cancelRun(engine.ctx, order)).rejects.toMatchObject({
      code: 'run_already_ended',
      message: expect.stringContaining('is still being submitted'),
      hint: expect.stringContaining('Cancel it again'),
    })
    await engine.sql`update runs set materializing = false where id = ${run_id}`
    await cancelRun(engine.ctx, order)
    expect(await engine.run(run_id)).toMatchObject({ status: 'cancelled', cancelled: 3 })
  })

  it('sent 50 times at once under one idempotency key starts one run', async () => {
    const idempotency = { key: 'nightly', fingerprint: async () => 'the same body' }
    const ids = await Promise.all(Array.from({ length: 50 }, () => engine.submit(3, { idempotency })))
    expect(new Set(ids).size).toBe(1)
    expect(await engine.sql`select 1 from runs`).toHaveLength(1)
    expect(await engine.sql`select 1 from items`).toHaveLength(3)
  })

  it('under an idempotency key that was used with another body is refused', async () => {
    await engine.submit(1, { idempotency: { key: 'k', fingerprint: async () => 'one' } })
    const other = engine.submit(1, { idempotency: { key: 'k', fingerprint: async () => 'two' } })
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  })

  it('under an idempotency key older than a day starts a new run [runs.idempotent]', async () => {
    const idempotency = { key: 'k', fingerprint: async () => 'same' }
    const first = await engine.submit(1, { idempotency })
    await engine.sql`update idempotency_keys set created_at = now() - interval '25 hours'`
    expect(await engine.submit(1, { idempotency })).not.toBe(first)
  })

  it('to a suspended account is refused', async () => {
    await engine.sql`update accounts set status = 'suspended'`
    await expect(engine.submit(1)).rejects.toMatchObject({ code: 'account_suspended', status: 402 })
  })
})

async function orderOf() {
  const { project_id, agent_id } = engine
  return {
    project_id,
    agent_id,
    name: null,
    budget_cents: null,
    concurrency: null,
    timeout_seconds: null,
    callback_url: null,
  }
}

describe('caps', () => {
  /** Plays an agent that records how many items it has in hand at once. */
  function counting(keyOf: (item: ItemLine) => string) {
    const now = new Map<string, number>()
    const most = new Map<string, number>()
    const add = (key: string, n: number) => {
      now.set(key, (now.get(key) ?? 0) + n)
      most.set(key, Math.max(most.get(key) ?? 0, now.get(key)!))
    }
    engine.play(async function* (items) {
      for (const item of items) add(keyOf(item), 1)
      for (const item of items) {
        await new Promise(resolve => setImmediate(resolve))
        add(keyOf(item), -1)
        yield result(item)
      }
    })
    return most
  }

  it('of a run are never exceeded [runs.concurrency]', async () => {
    const most = counting(() => 'run')
    const runId = await engine.submit(200, { concurrency: 7 })
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ ok: 200 })
    expect(most.get('run')).toBeLessThanOrEqual(7)
  })

  it('of a project and of an agent are never exceeded, over all runs and consumers [runs.concurrency]', async () => {
    await engine.sql`update projects set settings = settings || '{"concurrency": 5}'`
    const most = counting(() => 'project')
    const ids = [await engine.submit(60), await engine.submit(60), await engine.submit(60)]
    await Promise.all([consume(engine.ctx), consume(engine.ctx), consume(engine.ctx)])
    // A consumer that saw no room leaves; the last one drains the batch.
    await consume(engine.ctx)
    for (const id of ids) expect(await engine.run(id)).toMatchObject({ ok: 60, running: 0 })
    expect(most.get('project')).toBeLessThanOrEqual(5)
    await engine.deploy({ concurrency: 3 })
    most.clear()
    await engine.submit(30)
    await consume(engine.ctx)
    expect(most.get('project')).toBeLessThanOrEqual(3)
  })

  it('of a partition are never exceeded while other partitions continue', async () => {
    await engine.sql`update projects set settings = settings || '{"partition_concurrency": 2}'`
    const most = counting(item => item.partition_key ?? 'none')
    const keys = Array.from({ length: 120 }, (_, i) => (i % 10 === 0 ? 'small' : 'big'))
    const runId = await engine.submit(keys.map(partition_key => ({ partition_key })))
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 120 })
    expect(most.get('big')).toBeLessThanOrEqual(2)
    expect(most.get('small')).toBeLessThanOrEqual(2)
    expect(await conservation(engine, runId)).toEqual([])
  })
})

describe('an attempt', () => {
  it('whose consumer died is retried, and its late result changes nothing', async () => {
    const runId = await engine.submit(1)
    const [asked, answer] = [gate(), gate()]
    const dying = engine.other(async function* ([item]) {
      asked.resolve()
      if (item!.attempt === 1) await answer.promise
      yield result(item!, item!.attempt === 1 ? 'late' : 'in time')
    })
    const first = consume(dying)
    await asked.promise
    await engine.expireLeases()
    await sweep(engine.ctx)
    engine.play(items => items.map(item => result(item, 'in time')))
    await consume(engine.ctx)
    answer.resolve()
    await first
    const [item] = await engine.items(runId)
    expect(item).toMatchObject({ status: 'completed', attempt: 2, output: '"in time"' })
    expect(await engine.sql`select attempt, code from attempts`).toMatchObject([
      { attempt: 1, code: 'lease_lost' },
    ])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('whose answer is cut is made again, and fails for good after three, each of which may have been paid for', async () => {
    const runId = await engine.submit(1)
    engine.play(() => {
      throw new Error('connection reset')
    })
    await consume(engine.ctx)
    const [item] = await engine.items(runId)
    expect(item).toMatchObject({
      status: 'failed',
      outcome: 'failed',
      attempt: 3,
      error_code: 'agent_unreachable',
      outcome_reason: 'transport_error',
    })
    expect(await engine.sql`select 1 from attempts`).toHaveLength(2)
    expect(await engine.sql`select lane, reason from triage`).toMatchObject([
      { lane: 'dlq', reason: 'transport_error' },
    ])
  })

  it('that ends in an agent error is retried only if the declaration says so', async () => {
    engine.play(items => items.map(item => failure(item, 'agent_error')))
    const once = await engine.submit(1)
    await consume(engine.ctx)
    expect((await engine.items(once))[0]).toMatchObject({
      status: 'failed',
      attempt: 1,
      error_code: 'agent_error',
    })
    await engine.deploy({ retries: 2 })
    const thrice = await engine.submit(1)
    for (let i = 0; i < 3; i++) {
      await engine.skipBackoff()
      await consumeToBackoff(engine)
    }
    expect((await engine.items(thrice))[0]).toMatchObject({ status: 'failed', attempt: 3 })
  })

  it('passes its succeeded steps on to the next attempt, and each step is counted and paid once', async () => {
    const runId = await engine.submit(1)
    engine.play(async function* ([item]) {
      if (item!.attempt === 1) {
        yield step(item!, 'fetch')
        yield step(item!, 'broken', { error: { code: 'step_error', message: 'no' } })
        throw new Error('connection reset')
      }
      yield step(item!, 'second')
      yield result(item!)
    })
    await consume(engine.ctx)
    expect(engine.requests.at(-1)![0]!.recorded).toEqual([{ key: 'fetch', output: { of: 'fetch' } }])
    const steps =
      await engine.sql`select step_no, attempt, key from steps where run_id = ${runId} order by step_no`
    expect(steps).toMatchObject([
      { step_no: 1, attempt: 1, key: 'fetch' },
      { step_no: 2, attempt: 1, key: 'broken' },
      { step_no: 3, attempt: 2, key: 'second' },
    ])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('that yields continues in a later request with its recorded steps', async () => {
    const runId = await engine.submit(1)
    engine.play(async function* ([item]) {
      if (item!.recorded.length < 3) {
        yield step(item!, `part-${item!.recorded.length + 1}`)
        yield { type: 'yield', seq: item!.seq, attempt: item!.attempt }
      } else yield result(item!, item!.recorded.length)
    })
    await consume(engine.ctx)
    expect((await engine.items(runId))[0]).toMatchObject({
      status: 'completed',
      attempt: 4,
      output: '3',
      transport_failures: 0,
    })
  })

  it('that takes too long fails with step_timeout [items.error-codes]', async () => {
    const runId = await engine.submit(2, { timeout_seconds: 1 })
    engine.play(async function* (items) {
      if (items[0]!.seq === 1) yield result(items[0]!)
      await new Promise(() => {})
    })
    await consume(engine.ctx)
    expect(engine.requests.map(items => items.map(({ seq }) => seq))).toEqual([[1, 2], [2]])
    expect(await engine.items(runId)).toMatchObject([
      { status: 'completed' },
      { status: 'failed', error_code: 'step_timeout', outcome_reason: 'limit_exceeded' },
    ])
  })

  it('that is still reporting steps does not keep its consumer from stopping', async () => {
    await engine.deploy({ max_steps: 10_000 })
    const runId = await engine.submit(1)
    const asked = gate()
    engine.play(async function* ([item]) {
      for (let i = 0; ; i++) {
        yield step(item!, `step-${i}`)
        if (i === 5) asked.resolve()
        await new Promise(resolve => setTimeout(resolve, 1))
      }
    })
    const stop = new AbortController()
    const consuming = consume(engine.ctx, { stop: stop.signal })
    await asked.promise
    stop.abort()
    await consuming
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'queued', attempt: 1 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('that is unfinished when its consumer stops is left to the next consumer', async () => {
    const runId = await engine.submit(1)
    const asked = gate()
    engine.play(async function* () {
      asked.resolve()
      await new Promise(() => {})
    })
    const stop = new AbortController()
    const consuming = consume(engine.ctx, { stop: stop.signal })
    await asked.promise
    stop.abort()
    await consuming
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'queued', attempt: 1 })
    engine.play(items => items.map(item => result(item)))
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed' })
  })
})

describe('a verdict', () => {
  it('is degraded if the item returned without having worked, and the item waits in triage [service.ran-and-worked, items.verdict, items.degraded-reason, lifecycle.partial]', async () => {
    engine.play(items => [
      result(items[0]!, ''),
      { ...result(items[1]!), degraded: 'not sure' } as never,
      result(items[2]!),
    ])
    const runId = await engine.submit(3)
    await consume(engine.ctx)
    expect(await engine.items(runId)).toMatchObject([
      { status: 'completed', outcome: 'degraded', outcome_reason: 'empty_output' },
      {
        status: 'completed',
        outcome: 'degraded',
        outcome_reason: 'agent_degraded',
        degraded_reason: 'not sure',
      },
      { status: 'completed', outcome: 'ok', outcome_reason: null },
    ])
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', ok: 1, degraded: 2, undecided: 2 })
    expect(await engine.sql`select seq from triage where lane = 'dlq' order by seq`).toMatchObject([
      { seq: 1 },
      { seq: 2 },
    ])
  })

  it('is not given to a held item, which waits in quarantine', async () => {
    engine.play(([item]) => [
      { type: 'hold', seq: item!.seq, attempt: item!.attempt, reason: 'looks like fraud' },
    ])
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    expect((await engine.items(runId))[0]).toMatchObject({
      status: 'paused',
      outcome: null,
      degraded_reason: 'looks like fraud',
    })
    expect(await engine.run(runId)).toMatchObject({
      status: 'running',
      paused: 1,
      running: 0,
      finished_at: null,
    })
    expect(await engine.sql`select lane from triage`).toMatchObject([{ lane: 'quarantine' }])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('of an item is recorded once, however often the agent sends it', async () => {
    engine.play(([item]) => [result(item!, 'first'), result(item!, 'second'), failure(item!, 'agent_error')])
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', output: '"first"' })
    expect(await engine.run(runId)).toMatchObject({ ok: 1, failed: 0 })
  })
})

describe('a cancelled run', () => {
  it('dispatches no more items, lets those in flight finish, and then ends [lifecycle.cancelled]', async () => {
    const [asked, answer] = [gate(), gate()]
    engine.play(async function* (items) {
      asked.resolve()
      await answer.promise
      for (const item of items) yield result(item)
    })
    const runId = await engine.submit(12_000, { concurrency: 10 })
    const consuming = consume(engine.ctx)
    await asked.promise
    await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: runId })
    expect(await engine.run(runId)).toMatchObject({ status: 'cancelled', finished_at: null })
    answer.resolve()
    await consuming
    expect(await engine.run(runId)).toMatchObject({
      status: 'cancelled',
      ok: 10,
      cancelled: 11_990,
      running: 0,
    })
    expect((await engine.run(runId)).finished_at).not.toBeNull()
    expect(await conservation(engine, runId)).toEqual([])
    await expect(
      cancelRun(engine.ctx, { project_id: engine.project_id, run_id: runId }),
    ).rejects.toMatchObject({
      code: 'run_already_ended',
      message: expect.stringContaining('has ended already'),
    })
  })
})

const OK = { outcome_reason: null, degraded_reason: null, error_code: null, error_message: null, output: '1' }
const okVerdict = { status: 'completed', outcome: 'ok', ...OK } as const

describe('a lease', () => {
  it('taken during a heartbeat is not reported as lost', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const [started, release, locked, unlock] = [gate(), gate(), gate(), gate()]
      engine.play(async function* (items) {
        started.resolve()
        await release.promise
        for (const item of items) yield result(item)
      })
      await engine.submit(1)
      let wake = () => {}
      const consuming = consume(engine.ctx, { onWake: wakes => (wake = wakes) })
      await started.promise
      const locking = engine.sql.begin(async tx => {
        await tx`select from claims where project_id = ${engine.project_id} for update`
        locked.resolve()
        await unlock.promise
      })
      await locked.promise
      vi.advanceTimersByTime(LIMITS.heartbeat_ms)
      await engine.submit(1)
      wake()
      await eventually(() => expect(engine.requests).toHaveLength(2))
      unlock.resolve()
      await locking
      await eventually(async () => {
        const rows = await engine.sql`select from claims where lease_until > now() + interval '24 seconds'`
        expect(rows).not.toHaveLength(0)
      })
      release.resolve()
      expect(await consuming).toMatchObject({ settled: 2 })
      expect(engine.log.filter(line => line.includes('lease_lost'))).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is not closed by a verdict while steps of its item could not be written, so that the item is retried [log.settle_failed]', async () => {
    const runId = await engine.submit(1)
    const { claim } = await claimItems(engine.ctx, engine.key(runId), 1)
    const lease = { claim_id: claim!.id, taken_ms: 0, open: 1, closing: false, abort: new AbortController() }
    const inFlight = beginItem(claim!.items[0]!, lease)
    let [away, late_ms] = [true, 0]
    const sql = new Proxy(engine.sql, {
      apply(target, self, args) {
        if (away && String(args[0]).includes('with entry')) return Promise.reject(new Error('away'))
        return Reflect.apply(target as never, self, args)
      },
      get(target, name) {
        if (away && name === 'begin') return () => Promise.reject(new Error('away')) // a flush on a cluster
        return Reflect.get(target, name)
      },
    })
    const ctx = { ...engine.ctx, sql, now: () => Date.now() + late_ms }
    const { project_id, agent_id } = engine
    const run = { run_id: runId, project_id, agent_id, max_consecutive_failures: 100 }
    const namers = { causes: new CauseNamer(ctx), versions: new VersionNamer(ctx) }
    const writer = new ResultWriter(ctx, run, namers, { onSettled: () => {} })
    const line = step({ seq: 1, attempt: 1 } as ItemLine, 'a')
    if (line.type !== 'step') throw new Error('not a step')
    writer.addStep(
      inFlight,
      stepRow(
        readStep(line.step, JSON.stringify(line.step)),
        { seq: 1, attempt: 1, step_no: 1 },
        LIST_PRICES,
      ),
    )
    await eventually(() => expect(engine.log.join()).toContain('settle_failed'))
    writer.end(inFlight, okVerdict)
    late_ms = 3 * LIMITS.lease_ms
    await eventually(() => expect(lease.abort.signal.aborted).toBe(true))
    away = false
    await writer.drained()
    await engine.expireLeases()
    await sweep(engine.ctx)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
    expect(await conservation(engine, runId)).toEqual([])
  })
})

it('a flush that is repeated after the run has finished changes nothing and sends no second callback', async () => {
  const runId = await engine.submit(1, { callback_url: 'http://example.test' })
  await consume(engine.ctx)
  const before = await engine.run(runId)
  const counts = { newly_unpriced: false, model_calls: 0, unread_calls: 0, suspected_calls: 0 }
  const sums = { cost_micro: 0, input_tokens: 0, output_tokens: 0, ...counts }
  await settle(engine.sql, {
    run_id: runId,
    project_id: engine.project_id,
    agent_id: engine.agent_id,
    entries: [
      {
        seq: 1,
        attempt: 1,
        steps_before: 0,
        steps_after: 0,
        ...sums,
        unchanged: false,
        prompt: null,
        cause: null,
        code_version: null,
        verdict: okVerdict,
      },
    ],
    steps: [],
    claims: { held: [], closed: [] },
    failure_streak: 0,
    streak_broken: true,
    unpriced_model: null,
    max_consecutive_failures: 100,
  })
  expect(await engine.run(runId)).toEqual(before)
  expect(await engine.sql`select from deliveries`).toHaveLength(1)
})

describe('unusual output of an agent', () => {
  it.each([
    ['a step without a name', { name: '' }],
    ['a time that only JavaScript accepts', { started_at: '2026' }],
    ['a separator in a time', { started_at: '2026-01-01 (\x1e)' }],
  ])('is stored: %s', async (_, more) => {
    engine.play(items => items.flatMap(item => [step(item, 'a', more), result(item)]))
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ ok: 1 })
    expect(engine.log.filter(line => line.includes('settle_failed'))).toEqual([])
  })

  it.each(['', 'a\u0000b', 'a\u001eb'])('is stored: the error code %j of an attempt', async code => {
    await engine.deploy({ retries: 1 })
    engine.play(items => items.map(item => failure(item, code)))
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ failed: 1 })
    expect(await engine.sql`select from attempts`).toHaveLength(1)
    expect(engine.log.filter(line => line.includes('settle_failed'))).toEqual([])
  })

  it('is stored: more tokens in one flush than an integer holds', async () => {
    const usage = { input_tokens: LIMITS.step_tokens, output_tokens: 0 }
    const steps = Array.from({ length: 150 }, (_, i) => `step-${i}`)
    engine.play(items =>
      items.flatMap(item => [...steps.map(key => step(item, key, { usage })), result(item)]),
    )
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ ok: 2, input_tokens: 300 * LIMITS.step_tokens })
  })

  it('is retried with a delay if it is one yield after another', async () => {
    engine.play(items => items.map(item => ({ type: 'yield', seq: item.seq, attempt: item.attempt })))
    const runId = await engine.submit(1)
    const stop = new AbortController()
    const consuming = consume(engine.ctx, { stop: stop.signal })
    await eventually(() => expect(engine.requests).toHaveLength(2))
    stop.abort()
    await consuming
    const [due] = await engine.sql`select due_at > now() as later from due_items where run_id = ${runId}`
    expect(due).toEqual({ later: true })
  })
})

it('a verdict is based on the steps of earlier attempts too', async () => {
  engine.play(function* (items) {
    for (const item of items) {
      if (item.recorded.length > 0) yield result(item, { answer: 'an answer' })
      else {
        yield step(item, 'ask', { kind: 'llm_call', output: "I'm sorry, but I can't help with that." })
        yield { type: 'yield', seq: item.seq, attempt: item.attempt }
      }
    }
  })
  const runId = await engine.submit(1)
  await consume(engine.ctx)
  expect((await engine.items(runId))[0]).toMatchObject({ outcome: 'degraded', outcome_reason: 'refusal' })
})

it.each([
  [undefined, ['refusal', 'suspected_refusal'], ['degraded', 'ok']],
  ['balanced', ['refusal', 'refusal'], ['degraded', 'degraded']],
  ['off', [null, null], ['ok', 'ok']],
] as const)(
  'an agent that declares refusals %s has sure and suspected refusals graded accordingly [steps.suspected, runs.suspected, agents.refusals]',
  async (refusals, reasons, outcomes) => {
    const answers = ["I'm sorry, but I can't help with that.", 'I must decline.']
    await engine.deploy(refusals === undefined ? {} : { refusals })
    engine.play(function* (items) {
      for (const item of items) {
        yield step(item, 'ask', { kind: 'llm_call', output: answers[item.seq - 1] })
        yield result(item, { done: true })
      }
    })
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    const steps = await engine.sql`select outcome_reason from steps where run_id = ${runId} order by seq`
    expect(steps.map(row => row.outcome_reason)).toEqual(reasons)
    expect((await engine.items(runId)).map(({ outcome }) => outcome)).toEqual(outcomes)
    const suspected_calls = Number((reasons as readonly unknown[]).includes('suspected_refusal'))
    expect(await engine.run(runId)).toMatchObject({ suspected_calls })
    expect(await conservation(engine, runId)).toEqual([])
  },
)

it('a deployment without declared checks uses the defaults of its deploy time, and a refusal is always detected [agents.default-checks]', async () => {
  const answers = [
    '{"label": "billing"',
    "[/INST] I'm sorry, but I can't help with that.",
    '```json\n{}\n```',
  ]
  const judged = async () => {
    engine.play(function* (items) {
      for (const item of items) {
        yield step(item, 'ask', { kind: 'llm_call', output: answers[item.seq - 1] })
        yield result(item, { done: true })
      }
    })
    const runId = await engine.submit(3)
    await consume(engine.ctx)
    return (await engine.items(runId)).map(({ outcome_reason }) => outcome_reason)
  }
  expect(await judged()).toEqual([null, 'refusal', null])
  await engine.sql`update deployments set default_checks = ${[...DEFAULT_CHECKS]}`
  expect(await judged()).toEqual(['cut_json', 'refusal', null])
  await engine.deploy({ checks: [] })
  expect(await judged()).toEqual([null, 'refusal', null])
})

it('an agent that declares checks has its answers graded by those checks and no others [agents.checks]', async () => {
  const answers = ['{"label": "billing"', '```json\n{"label": "billing"}\n```', 'Dear [Your Name],']
  await engine.deploy({ checks: ['cut_json', 'fenced_json'] })
  engine.play(function* (items) {
    for (const item of items) {
      yield step(item, 'ask', { kind: 'llm_call', output: answers[item.seq - 1] })
      yield result(item, { done: true })
    }
  })
  const runId = await engine.submit(3)
  await consume(engine.ctx)
  const judged = (await engine.items(runId)).map(({ outcome, outcome_reason }) => [outcome, outcome_reason])
  expect(judged).toEqual([
    ['degraded', 'cut_json'],
    ['degraded', 'fenced_json'],
    ['ok', null],
  ])
})

it('due items keep to the cap of their partition', async () => {
  await engine.sql`update projects set settings = settings || '{"partition_concurrency": 2}'`
  let [atWork, most] = [0, 0]
  engine.play(async function* (items) {
    atWork += items.length
    most = Math.max(most, atWork)
    await new Promise(resolve => setTimeout(resolve, 5))
    atWork -= items.length
    for (const item of items) yield result(item)
  })
  const runId = await engine.submit(
    Array.from({ length: 12 }, (_, i) => ({ partition_key: i < 10 ? 'p' : 'q' })),
  )
  await engine.sql`insert into due_items (project_id, run_id, seq, due_at)
    select project_id, run_id, seq, now() from items where run_id = ${runId} and partition_key = 'p'`
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 12 })
  expect(most).toBeLessThanOrEqual(4)
})

it('run_status_of in SQL and runStatus in the rules agree on every combination of counters', async () => {
  const { runStatus } = await import('../../../shared/items/rules/lifecycle.ts')
  const [small, flags] = [
    [0, 1, 2],
    [false, true],
  ]
  const rows = []
  for (const materializing of flags)
    for (const started of flags)
      for (const stop_reason of [null, 'cancelled', 'budget_exceeded', 'consecutive_failures'] as const)
        for (const total_items of small)
          for (const ok of small)
            for (const degraded of small)
              for (const failed of small)
                for (const undecided of [0, 1])
                  rows.push({
                    materializing,
                    started,
                    stop_reason,
                    total_items,
                    ok,
                    degraded,
                    failed,
                    undecided,
                    budget_exceeded: failed,
                    cancelled: ok,
                  })
  const statuses = await engine.sql<{ status: string }[]>`
    select run_status_of((r->>'materializing')::boolean, (r->>'started')::boolean, (r->>'stop_reason')::stop_reason,
      (r->>'total_items')::int, (r->>'ok')::int, (r->>'degraded')::int, (r->>'failed')::int,
      (r->>'budget_exceeded')::int, (r->>'cancelled')::int, (r->>'undecided')::int) as status
    from jsonb_array_elements(${engine.sql.json(rows)}) r`
  expect(statuses.map(row => row.status)).toEqual(
    rows.map(row => runStatus({ ...row, running: 0, paused: 0 })),
  )
})
