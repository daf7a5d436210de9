// Cancelling a run now: its items in flight end at once, whichever consumer holds them, at the cost recorded so far.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import { listenForWakes } from '../../../shared/redis/wake.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { centStep, conservation, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

const CENT_MICRO = 10_000

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
  await engine.deploy()
})
afterEach(() => engine.close())

const cancel = (run_id: string) =>
  cancelRun(engine.ctx, { project_id: engine.project_id, run_id, in_flight: 'abort' })

/** The agent does a step that costs a cent, and then nothing until `answer` resolves or its request is closed. */
function playSlowly() {
  const answer = Promise.withResolvers<void>()
  const closed: AbortSignal[] = []
  engine.play(async function* (items, { signal }) {
    closed.push(signal)
    for (const item of items) yield centStep(item, 'first')
    await answer.promise
    for (const item of items) yield result(item)
  })
  return { answer: answer.resolve, signals: closed }
}

const stepsRecorded = (runId: string, wanted: number) =>
  eventually(async () => {
    const [row] = await engine.sql`select sum(step_count)::int as steps from items where run_id = ${runId}`
    expect(row).toEqual({ steps: wanted })
  })

it("aborting a run ends its items in flight with their steps and cost, closes their requests, and frees the project's room [runs.cancel-now]", async () => {
  const agent = playSlowly()
  const runId = await engine.submit(300, { concurrency: 40 })
  let wake: (aborted?: string) => void = () => {}
  const stopListening = listenForWakes(engine.ctx.redis, aborted => wake(aborted))
  const consuming = consume(engine.ctx, { onWake: wakes => (wake = wakes) })
  await stepsRecorded(runId, 40)

  expect(await cancel(runId)).toEqual({ items: 40, cost_micro: 40 * CENT_MICRO })
  const run = await engine.run(runId)
  expect(run).toMatchObject({ status: 'cancelled', cancelled: 300, running: 0, cost_micro: 40 * CENT_MICRO })
  expect(run.finished_at).not.toBeNull()
  expect((await engine.items(runId))[0]).toMatchObject({
    status: 'cancelled',
    outcome: null,
    step_count: 1,
    cost_micro: CENT_MICRO,
    error_message: expect.stringContaining('aborted'),
  })
  expect(await conservation(engine, runId)).toEqual([])
  const [usage] = await engine.sql`select running, spent_micro from project_usage`
  expect(usage).toEqual({ running: 0, spent_micro: 40 * CENT_MICRO })

  await eventually(() => expect(agent.signals.every(signal => signal.aborted)).toBe(true))
  await consuming
  expect(await conservation(engine, runId)).toEqual([])
  stopListening()
})

it('a result that arrives after the abort is ignored, and no item is retried [runs.cancel-now]', async () => {
  const agent = playSlowly()
  const runId = await engine.submit(20)
  const consuming = consume(engine.ctx)
  await stepsRecorded(runId, 20)
  await cancel(runId)
  agent.answer()
  await consuming
  await engine.expireLeases()
  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'cancelled', cancelled: 20, ok: 0 })
  expect(await conservation(engine, runId)).toEqual([])
  expect(engine.requests).toHaveLength(1)
})

it('a cancelled run whose items in flight still finish can be aborted, once', async () => {
  const agent = playSlowly()
  const runId = await engine.submit(20, { concurrency: 5 })
  const consuming = consume(engine.ctx)
  await stepsRecorded(runId, 5)
  await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: runId })
  expect(await engine.run(runId)).toMatchObject({ status: 'cancelled', running: 5, cancelled: 15 })
  expect(await cancel(runId)).toMatchObject({ items: 5 })
  await expect(cancel(runId)).rejects.toMatchObject({ code: 'run_already_ended' })
  agent.answer()
  await consuming
  expect(await conservation(engine, runId)).toEqual([])
})
