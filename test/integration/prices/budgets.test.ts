// Daily and monthly budgets, and models without a price under a budget: what is paused, by how much a budget may be
// overshot, and that everything resumes by itself.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { whyItem } from '../../../shared/claims/verbs/why.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { findUsedModels, readPrices } from '../../../shared/prices/queries/used-models.ts'
import { priceState } from '../../../shared/prices/rules/price-check.ts'
import { setBudgets } from '../../../shared/prices/verbs/budgets.ts'
import { setPrice } from '../../../shared/prices/verbs/prices.ts'
import { resumeItem } from '../../../shared/recovery/verbs/replay.ts'
import { endWaiting } from '../../../shared/triage/queries/decisions.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { setClock } from '../../support/clock.ts'
import { centStep, conservation, result, step, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

let engine: TestEngine
beforeEach(async () => {
  // Half an hour before a day of 23 hours begins in Berlin.
  engine = await testEngine({ clock: '2026-03-28T22:30:00Z' })
  engine.play(async function* (items) {
    for (const item of items) {
      yield centStep(item, 'call')
      yield result(item)
    }
  })
})
afterEach(() => engine.close())

const ofProject = () => ({ project_id: engine.project_id, agent_id: null })
const ofAgent = () => ({ project_id: engine.project_id, agent_id: engine.agent_id })

const budgets = () => engine.sql`
  select period, agent_id is not null as of_agent, spent_micro from budgets order by agent_id nulls first, period`

it('a spent daily budget pauses the remaining items and says until when, and they resume by themselves the next day [budgets.pause]', async () => {
  await engine.sql`update projects set settings = '{"timezone": "Europe/Berlin"}'`
  await setBudgets(engine.ctx, ofAgent(), { day_budget_cents: 30 })
  const runId = await engine.submit(100, { concurrency: 8 })
  await consume(engine.ctx)
  const paused = await engine.run(runId)
  expect(paused).toMatchObject({ status: 'running', running: 0 })
  expect(paused.ok).toBeGreaterThanOrEqual(30)
  expect(paused.ok).toBeLessThanOrEqual(30 + 8)
  expect(paused.paused).toBe(100 - Number(paused.ok))
  const why = await whyItem(engine.ctx, engine.item(runId, 100))
  expect(why).toMatchObject({ token: 'period_budget' })
  expect(why!.message).toMatch(
    /^The day's budget of agent played \(\$0\.30\) is spent; .* at 2026-03-29 00:00 Europe\/Berlin/,
  )
  expect(await conservation(engine, runId)).toEqual([])

  await setClock(engine.sql, '2026-03-28T22:59:59Z')
  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ paused: paused.paused })
  await setClock(engine.sql, '2026-03-28T23:00:00Z')
  await sweep(engine.ctx)
  expect(await engine.sql`select spend_day::text, spend_day_ends_at from project_usage`).toEqual([
    { spend_day: '2026-03-29', spend_day_ends_at: new Date('2026-03-29T22:00:00Z') },
  ])
  expect(await budgets()).toMatchObject([{ spent_micro: 0 }])
  await consume(engine.ctx)
  const [before, after] = [Number(paused.ok), Number((await engine.run(runId)).ok)]
  expect(after - before).toBeGreaterThanOrEqual(30)
  expect(after - before).toBeLessThanOrEqual(30 + 8)
  expect(await conservation(engine, runId)).toEqual([])
})

it('raising or removing a budget resumes the items that it paused', async () => {
  await setBudgets(engine.ctx, ofProject(), { month_budget_cents: 5 })
  const runId = await engine.submit(40, { concurrency: 2 })
  await consume(engine.ctx)
  expect((await engine.run(runId)).paused).toBeGreaterThan(0)
  await setBudgets(engine.ctx, ofProject(), { month_budget_cents: 10 })
  await sweep(engine.ctx)
  await consume(engine.ctx)
  const { ok } = await engine.run(runId)
  expect(Number(ok)).toBeGreaterThanOrEqual(10)
  await setBudgets(engine.ctx, ofProject(), { month_budget_cents: null })
  await sweep(engine.ctx)
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 40 })
  const [usage] = await engine.sql`select spend_day from project_usage`
  expect(usage).toEqual({ spend_day: null })
})

it('two consumers overshoot a budget by no more than the cost of items in flight, over all runs of the project [budgets.overshoot]', async () => {
  await setBudgets(engine.ctx, ofProject(), { day_budget_cents: 50 })
  const others = await engine.agent('other')
  const runs = await Promise.all([
    engine.submit(200, { concurrency: 4 }),
    engine.submit(200, { concurrency: 4 }),
    engine.submit(200, { concurrency: 4, agent_id: others }),
  ])
  await Promise.all([consume(engine.ctx), consume(engine.ctx)])
  const [{ spent_micro }] = (await budgets()) as unknown as [{ spent_micro: number }]
  expect(spent_micro).toBeGreaterThanOrEqual(500_000)
  expect(spent_micro).toBeLessThanOrEqual(500_000 + 12 * 10_000)
  for (const runId of runs) expect(await conservation(engine, runId)).toEqual([])
})

it('an agent’s budget counts only its own spending, and the project’s budget that of all agents', async () => {
  await setBudgets(engine.ctx, ofProject(), { day_budget_cents: 1000, month_budget_cents: 5000 })
  await setBudgets(engine.ctx, ofAgent(), { day_budget_cents: 1000 })
  const other = await engine.agent('other')
  const runs = [await engine.submit(3), await engine.submit(4, { agent_id: other })]
  await consume(engine.ctx)
  expect(await budgets()).toEqual([
    { period: 'day', of_agent: false, spent_micro: 70_000 },
    { period: 'month', of_agent: false, spent_micro: 70_000 },
    { period: 'day', of_agent: true, spent_micro: 30_000 },
  ])
  for (const runId of runs) expect(await conservation(engine, runId)).toEqual([])
})

it('a project without budgets records no spending', async () => {
  const runId = await engine.submit(5)
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ ok: 5 })
  expect(await engine.sql`select from spending`).toHaveLength(0)
})

/** Every item calls a model that has no price, and then a priced one. */
const unpricedCalls = () =>
  engine.play(async function* (items) {
    for (const item of items) {
      if (!item.recorded.some(({ key }) => key === 'strange'))
        yield centStep(item, 'strange', 1, 'strange-model')
      yield centStep(item, 'call')
      yield result(item)
    }
  })

it('a model without a price pauses its item at the first call, and the rest of the run, until its price is set [prices.pause, prices.goes-on]', async () => {
  unpricedCalls()
  const runId = await engine.submit(50, { budget_cents: 1000, concurrency: 2 })
  await consume(engine.ctx)
  const paused = await engine.run(runId)
  expect(paused).toMatchObject({ ok: 0, paused: 50, cost_micro: 0, unpriced_model: 'strange-model' })
  const held = (await engine.items(runId)).filter(item => item.outcome_reason === 'unpriced_model')
  expect(held.length).toBeGreaterThan(0)
  expect(held.length).toBeLessThanOrEqual(10)
  expect(held[0]!.error_message).toContain('assay prices set strange-model --input USD --output USD')
  const why = await whyItem(engine.ctx, engine.item(runId, 50))
  expect(why).toMatchObject({
    token: 'price',
    message: expect.stringContaining('assay prices set strange-model'),
  })
  expect(await conservation(engine, runId)).toEqual([])

  await sweep(engine.ctx)
  await sweep(engine.ctx)
  const alerts = await engine.sql`select rule, run_id, message, command from alerts`
  expect(alerts).toEqual([
    {
      rule: 'unpriced_model',
      run_id: runId,
      message: expect.stringContaining(
        'called model strange-model, which has no price: its items are paused',
      ),
      command: 'assay prices set strange-model --input USD --output USD',
    },
  ])
  const later = new Date(Date.now() + 3_600_000)
  const price = { model: 'strange-model', input_per_mtok: 0.01, output_per_mtok: 0.01 }
  await setPrice(engine.ctx, engine.project_id, { ...price, effective_from: later })
  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ paused: 50 })
  await setPrice(engine.ctx, engine.project_id, price)
  await sweep(engine.ctx)
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 50, unpriced_items: held.length })
  expect(await engine.sql`select from triage where disposition is null`).toHaveLength(0)
  expect(await conservation(engine, runId)).toEqual([])
})

it('a run waits for the price of the model that holds it, and for each further model in turn [prices.pause]', async () => {
  engine.play(async function* (items) {
    for (const item of items) {
      for (const model of ['first-model', 'second-model'])
        if (!item.recorded.some(({ key }) => key === model)) yield centStep(item, model, 1, model)
      yield result(item)
    }
  })
  const runId = await engine.submit(1, { budget_cents: 1000 })
  for (const model of ['first-model', 'second-model']) {
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ paused: 1, unpriced_model: model, waits_for_price: true })
    await setPrice(engine.ctx, engine.project_id, { model, input_per_mtok: 0.01, output_per_mtok: 0.01 })
    await sweep(engine.ctx)
  }
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
  expect(await conservation(engine, runId)).toEqual([])
})

/** Usage of a model whose price covers hours of audio and no tokens. */
const NOT_COVERED = { model: 'whisper-1', input_tokens: 1000, output_tokens: 0 }
const called = (usage: { model: string }) => ({ kind: 'llm_call', output: 'an answer', usage })

it.each([
  ['for usage that its price does not cover', NOT_COVERED],
  ['with an impossible count', { model: 'gpt-4o', input_tokens: -1, output_tokens: 1 }],
])(
  'a call of a model with a price, %s, holds its item for a person, and no tick resumes it [prices.pause]',
  async (_, usage) => {
    engine.play(async function* (items) {
      for (const item of items) {
        if (!item.recorded.some(({ key }) => key === 'call')) yield step(item, 'call', called(usage))
        yield result(item)
      }
    })
    const runId = await engine.submit(3, { budget_cents: 1000, concurrency: 1 })
    await consume(engine.ctx)
    const waiting = { ok: 0, paused: 3, unpriced_model: '', waits_for_price: true }
    expect(await engine.run(runId)).toMatchObject(waiting)
    await sweep(engine.ctx)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject(waiting)
    const held = (await engine.items(runId)).find(item => item.outcome_reason === 'unpriced_model')!
    expect(held.error_message).toContain(
      `model ${usage.model} has a price, but none for what the call counts`,
    )

    await resumeItem(engine.ctx, engine.item(runId, Number(held.seq)), {})
    await sweep(engine.ctx)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 3 })
    expect(await conservation(engine, runId)).toEqual([])
  },
)

it('an item that waits for a person keeps waiting when the price for another item of its run is set [prices.pause]', async () => {
  engine.play(async function* ([kept, strange]) {
    yield step(kept!, 'call', called(NOT_COVERED))
    await eventually(async () => expect(await engine.run(runId)).toMatchObject({ paused: 1 }))
    yield centStep(strange!, 'strange', 1, 'strange-model')
  })
  const runId = await engine.submit(2, { budget_cents: 1000 })
  await consume(engine.ctx)
  const price = { model: 'strange-model', input_per_mtok: 0.01, output_per_mtok: 0.01 }
  await setPrice(engine.ctx, engine.project_id, price)
  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ paused: 2, unpriced_model: '', waits_for_price: true })
  expect(await conservation(engine, runId)).toEqual([])
})

it('a run with calls that no price covers waits until a person has decided about the last of its held items [prices.pause]', async () => {
  const calling = new Set<string>()
  engine.play(items =>
    items.map(item => {
      if (calling.size < 2) calling.add(item.item_id)
      return calling.has(item.item_id) ? step(item, 'call', called(NOT_COVERED)) : result(item)
    }),
  )
  const runId = await engine.submit(10, { budget_cents: 1000, concurrency: 2 })
  await consume(engine.ctx)
  const held = (await engine.items(runId)).filter(item => item.outcome_reason === 'unpriced_model')
  expect(held).toHaveLength(2)
  for (const [at, { seq }] of held.entries()) {
    await endWaiting(engine.sql, [engine.item(runId, Number(seq))], { as: 'dismissed', one_by_one: true })
    expect(await engine.run(runId)).toMatchObject({ waits_for_price: at === 0 })
    await sweep(engine.ctx)
    await consume(engine.ctx)
  }
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 8, cancelled: 2 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('a price changes no cost that was recorded [prices.recorded-stay]', async () => {
  const runId = await engine.submit(3)
  await consume(engine.ctx)
  const price = { model: 'test-model', input_per_mtok: 5, output_per_mtok: 5 }
  await setPrice(engine.ctx, engine.project_id, { ...price, effective_from: new Date(1) })
  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ cost_micro: 30_000 })
  const next = await engine.submit(1)
  await consume(engine.ctx)
  expect(await engine.run(next)).toMatchObject({ cost_micro: 5_000_000 })
})

it('resuming one item accepts the missing price for the whole run', async () => {
  unpricedCalls()
  const runId = await engine.submit(20, { budget_cents: 1000, concurrency: 2 })
  await consume(engine.ctx)
  const held = (await engine.items(runId)).find(item => item.outcome_reason === 'unpriced_model')!
  await resumeItem(engine.ctx, engine.item(runId, Number(held.seq)), {})
  await sweep(engine.ctx)
  await consume(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 20, unpriced_items: 20 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('a check names the models that were called without a price, and prices that are older than the list [prices.check]', async () => {
  unpricedCalls()
  await engine.submit(20)
  await consume(engine.ctx)
  await engine.sql`update prices set effective_from = '2020-01-01' where model = 'test-model'`
  const old = {
    model: 'gpt-4o',
    input_per_mtok: 1,
    output_per_mtok: 1,
    effective_from: new Date('2020-01-01'),
  }
  await setPrice(engine.ctx, engine.project_id, old)
  const used = await findUsedModels(engine.sql, engine.project_id, 0)
  expect(used).toMatchObject({ runs: 1, is_whole: true })
  const [first, second] = used.models
  expect([first, second].map(one => one?.model).sort()).toEqual(['strange-model', 'test-model'])
  const strange = used.models.find(({ model }) => model === 'strange-model')
  expect(strange).toMatchObject({ cost_micro: 0, unpriced_calls: strange!.calls })

  const prices = await readPrices(engine.sql, engine.project_id)
  const state = (model: string) => priceState(model, prices, Date.now())
  expect(state('strange-model')).toMatchObject({ state: 'none', source: null, listed_as: null })
  expect(state('test-model')).toMatchObject({ state: 'current', source: 'own', listed_as: null })
  expect(state('gpt-4o')).toMatchObject({
    state: 'older_than_list',
    source: 'own',
    listed_as: 'openai gpt-4o',
  })
  expect(state('gpt-5-mini-2025-08-07')).toMatchObject({ state: 'current', source: 'list' })
  expect(state('assay-demo-small')).toMatchObject({ state: 'current', listed_as: null })
  expect(state('gpt-4.1-minii').nearest).toContain('gpt-4.1')
})

it('a check names a model without a price behind hundreds of later runs, and after its unpriced steps are gone [prices.check]', async () => {
  unpricedCalls()
  const runId = await engine.submit(3, { unpriced: 'allow' })
  await consume(engine.ctx)
  await Promise.all(Array.from({ length: LIMITS.prices_checked_runs }, () => engine.submit(1)))
  const named = async () => {
    const { models, is_whole } = (await findUsedModels(engine.sql, engine.project_id, 0))!
    return { models: models.map(one => [one.model, one.unpriced_calls > 0]).sort(), is_whole }
  }
  expect(await named()).toMatchObject({
    models: expect.arrayContaining([['strange-model', true]]),
    is_whole: true,
  })
  await engine.sql`delete from steps where run_id = ${runId} and unpriced`
  expect(await named()).toMatchObject({ models: expect.arrayContaining([['strange-model', true]]) })
})

it('a submission that allows unpriced models, and one without a budget, pauses nothing [prices.allow]', async () => {
  unpricedCalls()
  const runs = [await engine.submit(3, { budget_cents: 1000, unpriced: 'allow' }), await engine.submit(3)]
  await consume(engine.ctx)
  for (const runId of runs) expect(await engine.run(runId)).toMatchObject({ ok: 3, unpriced_items: 3 })
})

it('a submission under a budget is refused if a used model has no price, and one without a budget is accepted [prices.refuse]', async () => {
  unpricedCalls()
  await engine.submit(1)
  await consume(engine.ctx)
  const refused = engine.submit(1, { budget_cents: 500, unpriced: 'refuse' })
  await expect(refused).rejects.toMatchObject({
    code: 'unpriced_model',
    message: expect.stringContaining('model strange-model'),
    hint: expect.stringContaining('assay prices set strange-model'),
  })
  await engine.submit(1, { unpriced: 'refuse' })
  await engine.submit(1, { budget_cents: 500, unpriced: 'allow' })
  const price = { model: 'strange-model', input_per_mtok: 0.01, output_per_mtok: 0.01 }
  await setPrice(engine.ctx, engine.project_id, price)
  await engine.submit(1, { budget_cents: 500, unpriced: 'refuse' })
})

it('a submission under a budget is refused for a declared model without a price, before the agent ever ran [prices.refuse]', async () => {
  await engine.sql`update deployments set declaration = declaration || '{"models": ["gpt-5-mini", "declared-model"]}'`
  await expect(engine.submit(1, { budget_cents: 500, unpriced: 'refuse' })).rejects.toMatchObject({
    code: 'unpriced_model',
    message: expect.stringContaining('declares model declared-model'),
  })
  const price = { model: 'declared-model', input_per_mtok: 0.01, output_per_mtok: 0.01 }
  await setPrice(engine.ctx, engine.project_id, price)
  await engine.submit(1, { budget_cents: 500, unpriced: 'refuse' })
})
