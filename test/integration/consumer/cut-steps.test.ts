// Steps that outlast their consumer, of agents that do not answer later. The tests advance the context's clock.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { NotSent } from '../../../shared/agents/rules/invoke-agent.ts'
import { findOpenRuns, isAnyLeftToFresh } from '../../../shared/claims/queries/open-runs.ts'
import { claimItems } from '../../../shared/claims/verbs/claim.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { conservation, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

let engine: TestEngine
let ctx: Context
let skipped_ms: number
beforeEach(async () => {
  engine = await testEngine()
  skipped_ms = 0
  // Without a base_url agents cannot answer later.
  const config = { ...engine.ctx.config, base_url: '' }
  ctx = { ...engine.ctx, config, now: () => Date.now() + skipped_ms }
})
afterEach(() => engine.close())

const time_ms = LIMITS.consume_ms

/** Waits until `stored` is in the database, lets the consumer's time run out, and waits for the abort. */
async function untilOver(signal: AbortSignal, stored: { steps?: number; ended?: number } = {}) {
  await eventually(async () => {
    const [found] = await engine.sql`
      select (select count(*)::int from steps) as steps, (select count(*)::int from items where outcome is not null) as ended`
    expect(found).toMatchObject(stored)
  })
  skipped_ms += time_ms
  await new Promise(resolve => signal.addEventListener('abort', resolve))
}

/** Plays an agent that reports `stepsBefore(attempt)` steps and then makes a call that outlasts its consumer. */
function playSlowly(stepsBefore: (attempt: number) => number = () => 0) {
  const calls: number[] = []
  let steps = 0
  engine.play(async function* ([item], { signal }) {
    for (let n = 1; n <= stepsBefore(item!.attempt); n++, steps++)
      yield step(item!, `step ${item!.attempt}.${n}`)
    calls.push(item!.attempt)
    await untilOver(signal, { steps })
  })
  return calls
}

it('a step that outlasts its consumer is retried once by a fresh consumer, and then its item fails with step_outlasts_consumer [items.cut-steps]', async () => {
  const calls = playSlowly()
  const runId = await engine.submit(1)
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 1, more: true })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'queued' })

  // A consumer that has been running for a while leaves the item, and asks for a fresh consumer.
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  expect(await consume(ctx, { time_ms, began_ms })).toMatchObject({ claimed: 0, more: true })
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 1 })
  expect(calls).toEqual([1, 2])
  expect((await engine.items(runId))[0]).toMatchObject({
    status: 'failed',
    error_code: 'step_outlasts_consumer',
    error_message: expect.stringContaining('cut off twice, here after 48 s'),
  })
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 0, more: false })
  expect(await conservation(engine, runId)).toEqual([])
})

it('a step does not count as cut off if the request waited for a connection all the time and was never sent [items.cut-steps]', async () => {
  let tries = 0
  ctx.invokeAgent = async (target, request) => {
    if (++tries > 2) return engine.ctx.invokeAgent(target, request)
    await untilOver(request.signal)
    throw new NotSent()
  }
  engine.play(async function* ([item]) {
    yield result(item!)
  })
  const runId = await engine.submit(1)
  for (let nth = 1; nth <= 3; nth++) await consume(ctx, { time_ms })
  expect(tries).toBe(3)
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
})

it('no step counts as cut off while another item of the request makes progress: the others had not started [items.cut-steps]', async () => {
  engine.play(async function* (items, { signal }) {
    yield result(items[0]!)
    if (items.length === 1) return
    await untilOver(signal, { ended: 5 - items.length })
  })
  const runId = await engine.submit(4)
  for (let nth = 1; nth <= 4; nth++) await consume(ctx, { time_ms })
  expect(engine.requests.map(items => items.length)).toEqual([4, 3, 2, 1])
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 4 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('items of a cut request in which none made progress are retried in a request each, which shows whose step it was [items.cut-steps]', async () => {
  engine.play(async function* ([item], { signal }) {
    if (item!.seq === 1) await untilOver(signal, { ended: item!.attempt === 1 ? 0 : 2 })
    yield result(item!)
  })
  const runId = await engine.submit(3)
  await consume(ctx, { time_ms })
  await consume(ctx, { time_ms })
  expect(engine.requests.map(items => items.length)).toEqual([3, 1, 1, 1])
  expect((await engine.items(runId)).map(item => item.error_code)).toEqual([
    'step_outlasts_consumer',
    null,
    null,
  ])
  expect(await conservation(engine, runId)).toEqual([])
})

it('a cut item is no reason to call a fresh consumer while a cap of 0 holds it back', async () => {
  playSlowly()
  await engine.submit(1)
  await consume(ctx, { time_ms })
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  const isLeft = async () => (await consume(ctx, { time_ms, began_ms })).more
  expect(await isLeft()).toBe(true)
  await engine.sql`update projects set settings = settings || '{"concurrency": 0}'`
  expect(await isLeft()).toBe(false)
})

it('a place is kept for a cut item while another run could fill it, so that the item does not starve [items.cut-steps]', async () => {
  playSlowly()
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  // Another run of the project has more items than there are places.
  await engine.sql`update projects set settings = settings || '{"concurrency": 1}'`
  engine.play(items => items.map(item => result(item)))
  const quick = await engine.submit(5)
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  expect(await consume(ctx, { time_ms, began_ms })).toMatchObject({ claimed: 0, more: true })
  expect(await consume(ctx, { time_ms })).toMatchObject({ more: false })
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
  expect(await engine.run(quick)).toMatchObject({ status: 'completed', ok: 5 })
})

it('no place is kept for a cut item if the project has another one free, or if its run has no room for the item', async () => {
  playSlowly()
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  await engine.sql`update projects set settings = settings || '{"concurrency": 2}'`
  engine.play(items => items.map(item => result(item)))
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  const quick = await engine.submit(5, { concurrency: 1 })
  expect(await consume(ctx, { time_ms, began_ms })).toMatchObject({ claimed: 5, more: true })
  expect(await engine.run(quick)).toMatchObject({ status: 'completed', ok: 5 })

  await engine.sql`update projects set settings = settings || '{"concurrency": 1}'`
  await engine.sql`update runs set concurrency = 1, running = 1 where id = ${runId}`
  await engine.submit(5)
  expect(await consume(ctx, { time_ms, began_ms })).toMatchObject({ claimed: 5, more: false })
})

it('a place is also kept for a cut item while other items of its own run could fill it [items.cut-steps]', async () => {
  playSlowly()
  const runId = await engine.submit(5)
  await consume(ctx, { time_ms })
  engine.play(items => items.map(item => result(item)))
  // One item was cut off, four came back for other reasons, and one may be in flight.
  await engine.sql`update due_items set cuts = null where run_id = ${runId} and seq > 1`
  await engine.sql`update due_items set due_at = now() - interval '1 hour' where run_id = ${runId} and seq = 1`
  await engine.sql`update runs set concurrency = 1 where id = ${runId}`
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  expect(await consume(ctx, { time_ms, began_ms })).toMatchObject({ claimed: 0, more: true })
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 5, more: false })
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 5 })
})

it('an item is never started if its agent declares a longer step than any consumer has time for [items.cut-steps]', async () => {
  await engine.deploy({ step_seconds: 60 })
  const calls = playSlowly()
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  expect(calls).toEqual([])
  expect((await engine.items(runId))[0]).toMatchObject({
    status: 'failed',
    error_code: 'step_outlasts_consumer',
    error_message: expect.stringContaining('A step of the agent may take 60 s, and a consumer has 46 s'),
  })
  expect(await conservation(engine, runId)).toEqual([])
  // A consumer without a deadline has time for any step.
  engine.play(items => items.map(item => result(item)))
  const other = await engine.submit(1)
  await consume(ctx)
  expect(await engine.run(other)).toMatchObject({ status: 'completed', ok: 1 })
})

it('an item behind a URL is never started if a declared step is too long, unless its agent is known to answer later [items.cut-steps]', async () => {
  const reachable = { ...ctx, config: engine.ctx.config }
  engine.play(items => items.map(item => result(item)))
  const ends = async (declaration: object) => {
    await engine.deploy({ step_seconds: 60, ...declaration })
    const runId = await engine.submit(1)
    await consume(reachable, { time_ms })
    return (await engine.items(runId))[0]!.error_code
  }
  expect(await ends({})).toBe('step_outlasts_consumer')
  expect(engine.requests).toEqual([])
  expect(await ends({ answers_later: true })).toBeNull()
  // Nor does the item of such an agent wait for a consumer with more time.
  await engine.deploy({ step_seconds: 45, answers_later: true })
  await engine.submit(1)
  const late = { time_ms: 40_000, began_ms: ctx.now() - 10_000 }
  expect(await consume(reachable, late)).toMatchObject({ claimed: 1, more: false })
})

it('an item whose declared step is longer than the time left waits for the next consumer, and is started there [items.cut-steps]', async () => {
  await engine.deploy({ step_seconds: 45 })
  engine.play(items => items.map(item => result(item)))
  const runId = await engine.submit(3)
  const late = () => ({ time_ms: 40_000, began_ms: ctx.now() - 10_000 })
  // Items are not claimed only to be given back, whether they are new or due.
  expect(await consume(ctx, late())).toMatchObject({ claimed: 0, more: true })
  await engine.sql`insert into due_items (project_id, run_id, seq, due_at)
    select ${engine.project_id}, ${runId}, n, now() from generate_series(1, 3) n`
  await engine.sql`update runs set next_seq = 4 where id = ${runId}`
  expect(await consume(ctx, late())).toMatchObject({ claimed: 0, more: true })
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 3, more: false })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', attempt: 1 })
  expect(await consume(ctx, late())).toMatchObject({ claimed: 0, more: false })
  expect(await conservation(engine, runId)).toEqual([])
})

it('the poll for open runs and the claim under the lock apply the same bound to the time left', async () => {
  await engine.deploy({ step_seconds: 45 })
  const runId = await engine.submit(1)
  const left = (left_ms: number) => ({ left_ms, whole_ms: 48_000, base_url: '' })
  expect(await findOpenRuns(engine.sql, 1, left(45_000))).toHaveLength(1)
  expect(await findOpenRuns(engine.sql, 1, left(44_999))).toEqual([])
  expect(await isAnyLeftToFresh(engine.sql, left(45_000))).toBe(false)
  expect(await isAnyLeftToFresh(engine.sql, left(44_999))).toBe(true)
  expect(await claimItems(ctx, engine.key(runId), 1, left(44_999))).toEqual({
    claim: null,
    waiting_for: null,
  })
  expect((await claimItems(ctx, engine.key(runId), 1, left(45_000))).claim!.items).toHaveLength(1)
})

it('a place is kept for a run whose steps need a fresh consumer, before its first item was started, if it has none in flight [items.cut-steps]', async () => {
  await engine.deploy({ step_seconds: 45 })
  const slow = await engine.submit(2)
  await engine.sql`update projects set settings = settings || '{"concurrency": 1}'`
  await engine.deploy()
  const quick = await engine.submit(1)
  await engine.sql`update runs set deployment_id = (select id from deployments where project_id = ${engine.project_id} and version = 2)
    where project_id = ${engine.project_id} and id = ${slow}`
  const late = { left_ms: 40_000, whole_ms: 48_000, base_url: '' }
  expect((await claimItems(ctx, engine.key(quick), 1, late)).claim).toBeNull()
  await engine.sql`update runs set running = 1 where id = ${slow}`
  expect((await claimItems(ctx, engine.key(quick), 1, late)).claim!.items).toHaveLength(1)
})

it('an item with a long recorded step waits once for a fresh consumer, which starts it: recorded steps are not repeated [items.cut-steps]', async () => {
  playSlowly(() => 1)
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  await engine.sql`update steps set duration_ms = 100000 where run_id = ${runId}`
  await engine.sql`update due_items set cuts = null where run_id = ${runId}`
  engine.play(items => items.map(item => result(item)))
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  expect(await consume(ctx, { time_ms: 40_000, began_ms })).toMatchObject({ claimed: 1, more: true })
  expect(engine.requests).toHaveLength(1)
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 1 })
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
})

it('an item whose step was cut off is not started again if a recorded step took longer than any consumer has [items.cut-steps]', async () => {
  const calls = playSlowly(() => 1)
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  await engine.sql`update steps set duration_ms = 100000 where run_id = ${runId}`
  await consume(ctx, { time_ms })
  expect(calls).toEqual([1])
  expect((await engine.items(runId))[0]).toMatchObject({
    status: 'failed',
    error_code: 'step_outlasts_consumer',
    error_message: expect.stringContaining('A step of the item took 100 s'),
  })
})

it('cut steps are counted from zero once the item made progress: the next cut is of another step [items.cut-steps]', async () => {
  const calls = playSlowly(attempt => (attempt < 3 ? 1 : 0))
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  await consume(ctx, { time_ms })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'queued', step_count: 2 })
  engine.play(items => items.map(item => result(item)))
  await consume(ctx, { time_ms })
  expect(calls).toEqual([1, 2])
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
  expect(await conservation(engine, runId)).toEqual([])
})
