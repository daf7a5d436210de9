// Providers' own bills and costs that are not known in full, against budgets and recoveries, on real stores.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { setPrice } from '../../../shared/prices/verbs/prices.ts'
import { planRecovery, startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import { type StepRow, stepOf } from '../../../shared/traces/wire/steps.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import {
  centStep,
  conservation,
  failure,
  result,
  step,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'
import { recovered, recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const chat = (model: string, usage: object) => ({
  object: 'chat.completion',
  model,
  choices: [{ message: { role: 'assistant', content: 'billing' }, finish_reason: 'stop' }],
  usage,
})
const TOKENS = { prompt_tokens: 500_000, completion_tokens: 500_000, total_tokens: 1_000_000 }

/** Every item makes one call with this answer. */
const answers = (output: object) =>
  engine.play(async function* (items) {
    for (const item of items) {
      yield step(item, 'ask', { kind: 'llm_call', output })
      yield result(item)
    }
  })

it('the bill in an answer is what an item costs and a budget is charged, beside what its price makes of it [steps.billed]', async () => {
  answers(chat('test-model', { ...TOKENS, cost: 0.04 }))
  const runId = await engine.submit(5, { budget_cents: 8, concurrency: 1 })
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'budget_exceeded', cost_micro: 80_000, ok: 2 })
  const [row] = await engine.sql<StepRow[]>`
    select s.*, '' as item_id, to_timestamp(0) as started_at from steps s where run_id = ${runId} limit 1`
  expect(stepOf(row!)).toMatchObject({ cost_usd: 0.04, billed: true, listed_cost_usd: 0.01, unpriced: false })
  expect(await conservation(engine, runId)).toEqual([])
})

it('a bill of a model that nobody lists needs no price', async () => {
  answers(chat('nobodys-model', { ...TOKENS, cost: 0.04 }))
  const runId = await engine.submit(2, { budget_cents: 100 })
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({
    status: 'completed',
    unpriced_items: 0,
    cost_micro: 80_000,
  })
})

it.each([
  ['zeros beside a text', 'test-model', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ['only a sum', 'test-model', { total_tokens: 120 }],
  ['no counts', 'test-model', {}],
  ["a model of one's own host", 'deepseek-r1:14b', TOKENS],
])('%s hold a budget, and without one the cost is a lower bound', async (_, model, usage) => {
  answers(chat(model, usage))
  const held = await engine.submit(1, { budget_cents: 100 })
  await consume(engine.ctx)
  expect(await engine.run(held)).toMatchObject({ paused: 1, ok: 0, unpriced_items: 1 })
  expect((await engine.items(held))[0]).toMatchObject({ outcome_reason: 'unpriced_model' })
  const free = await engine.submit(1)
  await consume(engine.ctx)
  expect(await engine.run(free)).toMatchObject({
    status: 'completed',
    ok: 1,
    unpriced_items: 1,
    cost_micro: 0,
  })
})

it("a price of nothing for a host of one's own lets its run go on", async () => {
  answers(chat('deepseek-r1:14b', TOKENS))
  const runId = await engine.submit(1, { budget_cents: 100 })
  await consume(engine.ctx)
  await setPrice(engine.ctx, engine.project_id, {
    model: 'deepseek-r1:14b',
    input_per_mtok: 0,
    output_per_mtok: 0,
  })
  await sweep(engine.ctx)
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1, cost_micro: 0 })
})

it('a recovery costs at most what its dry run says, also where calls never ran the first time', async () => {
  let isBroken = true
  engine.play(async function* (items) {
    for (const item of items) {
      const isRecorded = (key: string) => item.recorded.some(step => step.key === key)
      if (!isRecorded('read')) yield centStep(item, 'read', 1)
      if (isBroken && item.seq % 2 === 0) {
        yield step(item, 'write', { kind: 'llm_call', error: { code: 'step_error', message: 'it broke' } })
        yield failure(item, 'step_error')
        continue
      }
      yield centStep(item, 'write', 3)
      yield centStep(item, 'check', 2)
      yield result(item)
    }
  })
  const runId = await engine.submit(10)
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ ok: 5, failed: 5 })
  const plan = await planRecovery(engine.ctx, recoveryOrder(engine, { filter: { run_id: runId } }))
  expect(plan.forecast?.max_cost_micro).toBe(5 * 50_000)
  isBroken = false
  const row = await recovered(
    engine,
    await startRecovery(engine.ctx, recoveryOrder(engine, { filter: { run_id: runId } })),
  )
  const run = await engine.run(row.run_ids[0])
  expect(run).toMatchObject({ ok: 5 })
  expect(Number(run.cost_micro)).toBe(5 * 50_000)
})
