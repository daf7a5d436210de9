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

/** An agent whose call lasts until its consumer's time is over, after so many steps that do not. */
function playSlowly(stepsBefore: (attempt: number) => number = () => 0) {
  const calls: number[] = []
  engine.play(async function* ([item], { signal }) {
    for (let n = 1; n <= stepsBefore(item!.attempt); n++) yield step(item!, `step ${item!.attempt}.${n}`)
    calls.push(item!.attempt)
    await new Promise(resolve => setTimeout(resolve, 2 * LIMITS.step_flush_ms))
    skipped_ms += time_ms
    await new Promise(resolve => signal.addEventListener('abort', resolve))
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
