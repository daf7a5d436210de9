// Whether a budget is enforced, as runs say it: by what their items, and those of runs before, recorded of model calls.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { findRun } from '../../../shared/items/queries/runs.ts'
import { runOf } from '../../../shared/items/wire/runs.ts'
import { findCallFacts } from '../../../shared/prices/queries/call-facts.ts'
import { modelCallsOf } from '../../../shared/prices/rules/held-budget.ts'
import { centStep, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

async function said(runId: string) {
  const [{ account_id } = {}] =
    await engine.sql`select account_id from projects where id = ${engine.project_id}`
  const { model_calls, budget_enforced, budget_gap } = runOf(
    (await findRun(engine.ctx.db, account_id, runId, null))!,
  )
  return { model_calls, budget_enforced, budget_gap }
}

async function ran(order: Parameters<TestEngine['submit']>[1] = { budget_cents: 500 }) {
  const runId = await engine.submit(2, order)
  await consume(engine.ctx)
  return said(runId)
}

const next = async () => modelCallsOf(await findCallFacts(engine.sql, engine))
const callsAModel = () =>
  engine.play(function* (items) {
    for (const item of items) yield* [centStep(item, 'call'), result(item)]
  })

const HELD = { model_calls: 'recorded', budget_enforced: true, budget_gap: null }
const VOID = { model_calls: 'not_recorded', budget_enforced: false, budget_gap: 'not_recorded' }

it('is enforced while a run records model calls, and not while its items return without one [runs.budget-enforced]', async () => {
  expect(await next()).toBe('unknown')
  expect(await said(await engine.submit(1, { budget_cents: 500 }))).toEqual({
    model_calls: 'unknown',
    budget_enforced: true,
    budget_gap: null,
  })
  expect(await ran()).toEqual(VOID)
  expect(await next()).toBe('not_recorded')
  callsAModel()
  expect(await ran()).toEqual(HELD)
  expect(await next()).toBe('recorded')
  // The code behind a URL changes without a deploy: the newest run decides.
  engine.play(items => items.map(item => result(item)))
  expect(await ran()).toEqual(VOID)
})

it('steps of other kinds are no model calls, and neither is an item that failed before its first call', async () => {
  engine.play(items =>
    items.flatMap(item => [step(item, 'parse'), step(item, 'look', { kind: 'tool_call' }), result(item)]),
  )
  expect(await ran()).toEqual(VOID)
  await engine.deploy()
  engine.play(items => items.map(item => failure(item, 'agent_error')))
  expect(await ran()).toMatchObject({ model_calls: 'unknown', budget_enforced: true })
})

it('holds for an agent that declares to call no model, and says nothing of a run without a budget', async () => {
  expect(await ran({})).toEqual({ model_calls: 'not_recorded', budget_enforced: null, budget_gap: null })
  await engine.deploy({ model_calls: 'none' })
  expect(await ran()).toEqual({ model_calls: 'none', budget_enforced: true, budget_gap: null })
  callsAModel()
  expect(await ran()).toEqual(HELD)
})

it('is not enforced for a plain JSON agent before it has reported a call', async () => {
  await engine.sql`update deployments set protocol = 'json'`
  expect(await next()).toBe('not_reported')
  expect(await said(await engine.submit(1, { budget_cents: 500 }))).toEqual({
    model_calls: 'not_reported',
    budget_enforced: false,
    budget_gap: 'not_reported',
  })
})

it('counts budgets of items, and those of a day or month, too', async () => {
  await engine.deploy({ item_budget_cents: 50 })
  expect(await ran({})).toEqual(VOID)
  await engine.deploy()
  const runId = await engine.submit(1)
  await consume(engine.ctx)
  expect(await said(runId)).toMatchObject({ budget_enforced: null })
  const budget = { project_id: engine.project_id, agent_id: null, period: 'day', limit_micro: 5_000_000 }
  await engine.sql`insert into budgets ${engine.sql(budget)}`
  expect(await said(runId)).toEqual(VOID)
})

it('is not enforced where calls without a price are allowed and made', async () => {
  engine.play(function* (items) {
    for (const item of items) yield* [centStep(item, 'call', 1, 'nobody-knows-it'), result(item)]
  })
  expect(await ran({ budget_cents: 500, unpriced: 'allow' })).toEqual({
    model_calls: 'recorded',
    budget_enforced: false,
    budget_gap: 'unpriced_calls',
  })
})
