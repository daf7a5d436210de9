// Steps that outlast their consumer, of agents that do not answer later. Time is the context's, and jumps.

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
  // Nobody knows how to reach the installation, so nobody answers later.
  const config = { ...engine.ctx.config, base_url: '' }
  ctx = { ...engine.ctx, config, now: () => Date.now() + skipped_ms }
})
afterEach(() => engine.close())

const time_ms = LIMITS.consume_ms

/** Once what was said before is stored. */
async function untilOver(signal: AbortSignal, stored: { steps?: number; ended?: number } = {}) {
  await eventually(async () => {
    const [found] = await engine.sql`
      select (select count(*)::int from steps) as steps, (select count(*)::int from items where outcome is not null) as ended`
    expect(found).toMatchObject(stored)
  })
  skipped_ms += time_ms
  await new Promise(resolve => signal.addEventListener('abort', resolve))
}

/** An agent whose call lasts until its consumer's time is over, after so many steps that do not. */
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

it('are begun once more, by a consumer that has its time before it, and then end their item with a code that says so [items.cut-steps]', async () => {
  const calls = playSlowly()
  const runId = await engine.submit(1)
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 1, more: true })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'queued' })

  // One that has been at work for a while leaves it, and asks for one that begins now.
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

it('are none where the request waited for a connection until then: nothing of it was sent [items.cut-steps]', async () => {
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

it('are none where another item of the request got on: one that waits for its turn was not begun [items.cut-steps]', async () => {
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

it('are told apart where no item of a request got on: each travels alone from then on [items.cut-steps]', async () => {
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

it('are no reason for another consumer while something else keeps them back, and nor is what waits for its turn', async () => {
  playSlowly()
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  const isLeft = async () => (await consume(ctx, { time_ms, began_ms })).more
  expect(await isLeft()).toBe(true)
  await engine.sql`update projects set settings = settings || '{"concurrency": 0}'`
  expect(await isLeft()).toBe(false)
  await engine.sql`update due_items set cuts = null where run_id = ${runId}`
  expect(await isLeft()).toBe(false)
})

it('have a place kept for them where whatever has room would fill it: what was cut off is not left for ever [items.cut-steps]', async () => {
  playSlowly()
  const runId = await engine.submit(1)
  await consume(ctx, { time_ms })
  // Another run of the project, whose items are more than there are places.
  await engine.sql`update projects set settings = settings || '{"concurrency": 1}'`
  engine.play(items => items.map(item => result(item)))
  const quick = await engine.submit(5)
  const began_ms = ctx.now() - LIMITS.consumer_fresh_ms
  expect(await consume(ctx, { time_ms, began_ms })).toMatchObject({ claimed: 0, more: true })
  expect(await consume(ctx, { time_ms })).toMatchObject({ more: false })
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
  expect(await engine.run(quick)).toMatchObject({ status: 'completed', ok: 5 })
})

it('have no place kept where the project has others, of another run, or where they could not be begun', async () => {
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

it('have a place of their own run kept for them, too [items.cut-steps]', async () => {
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

it('are not begun where the agent declares that they take longer than any consumer has [items.cut-steps]', async () => {
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
  // One without an end has the time for any.
  engine.play(items => items.map(item => result(item)))
  const other = await engine.submit(1)
  await consume(ctx)
  expect(await engine.run(other)).toMatchObject({ status: 'completed', ok: 1 })
})

it('are not begun by what an agent behind a URL declares, unless it is known to answer later [items.cut-steps]', async () => {
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
  // Nor does it wait for a consumer with more time.
  await engine.deploy({ step_seconds: 45, answers_later: true })
  await engine.submit(1)
  const late = { time_ms: 40_000, began_ms: ctx.now() - 10_000 }
  expect(await consume(reachable, late)).toMatchObject({ claimed: 1, more: false })
})

it('wait for the next consumer where they outlast what this one has left, and are begun there [items.cut-steps]', async () => {
  await engine.deploy({ step_seconds: 45 })
  engine.play(items => items.map(item => result(item)))
  const runId = await engine.submit(3)
  const late = () => ({ time_ms: 40_000, began_ms: ctx.now() - 10_000 })
  // Nothing is taken to be given back, of what was never offered and of what is due.
  expect(await consume(ctx, late())).toMatchObject({ claimed: 0, more: true })
  await engine.sql`insert into due_items (run_id, seq, due_at) select ${runId}, n, now() from generate_series(1, 3) n`
  await engine.sql`update runs set next_seq = 4 where id = ${runId}`
  expect(await consume(ctx, late())).toMatchObject({ claimed: 0, more: true })
  expect(await consume(ctx, { time_ms })).toMatchObject({ claimed: 3, more: false })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', attempt: 1 })
  expect(await consume(ctx, late())).toMatchObject({ claimed: 0, more: false })
  expect(await conservation(engine, runId)).toEqual([])
})

it('are taken by nobody who saw more time before the run was locked than is left now', async () => {
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

it('have a place kept for them before any was begun, where the run has none in flight [items.cut-steps]', async () => {
  await engine.deploy({ step_seconds: 45 })
  const slow = await engine.submit(2)
  await engine.sql`update projects set settings = settings || '{"concurrency": 1}'`
  await engine.deploy()
  const quick = await engine.submit(1)
  await engine.sql`update runs set deployment_id = (select id from deployments where version = 2) where id = ${slow}`
  const late = { left_ms: 40_000, whole_ms: 48_000, base_url: '' }
  expect((await claimItems(ctx, engine.key(quick), 1, late)).claim).toBeNull()
  await engine.sql`update runs set running = 1 where id = ${slow}`
  expect((await claimItems(ctx, engine.key(quick), 1, late)).claim!.items).toHaveLength(1)
})

it('are no reason to wait twice where the item has recorded them: they are not made again [items.cut-steps]', async () => {
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

it('are known by the longest step that the item has recorded where the next was cut off, too [items.cut-steps]', async () => {
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

it('count anew where the item got on between: it was another step [items.cut-steps]', async () => {
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
