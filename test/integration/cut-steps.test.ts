// Steps that outlast their consumer, of agents that do not answer later. Time is the context's, and jumps.

import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Context } from '../../shared/context.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { consume } from '../../shared/engine/consume.ts'
import { conservation, result, step, type TestEngine, testEngine } from '../support/engine.ts'

let engine: TestEngine
let ctx: Context
let skipped_ms: number
beforeEach(async () => {
  engine = await testEngine()
  skipped_ms = 0
  ctx = { ...engine.ctx, now: () => Date.now() + skipped_ms }
})
afterEach(() => engine.close())

const time_ms = LIMITS.consume_ms

async function untilOver(signal: AbortSignal) {
  await new Promise(resolve => setTimeout(resolve, 2 * LIMITS.step_flush_ms))
  skipped_ms += time_ms
  await new Promise(resolve => signal.addEventListener('abort', resolve))
}

/** An agent whose call lasts until its consumer's time is over, after so many steps that do not. */
function playSlowly(stepsBefore: (attempt: number) => number = () => 0) {
  const calls: number[] = []
  engine.play(async function* ([item], { signal }) {
    for (let n = 1; n <= stepsBefore(item!.attempt); n++) yield step(item!, `step ${item!.attempt}.${n}`)
    calls.push(item!.attempt)
    await untilOver(signal)
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

it('are none where another item of the request got on: one that waits for its turn was not begun [items.cut-steps]', async () => {
  engine.play(async function* (items, { signal }) {
    yield result(items[0]!)
    if (items.length === 1) return
    await untilOver(signal)
  })
  const runId = await engine.submit(4)
  for (let nth = 1; nth <= 4; nth++) await consume(ctx, { time_ms })
  expect(engine.requests.map(items => items.length)).toEqual([4, 3, 2, 1])
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 4 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('are told apart where no item of a request got on: each travels alone from then on [items.cut-steps]', async () => {
  engine.play(async function* ([item], { signal }) {
    if (item!.seq === 1) await untilOver(signal)
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
