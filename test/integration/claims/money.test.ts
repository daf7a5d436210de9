// What budgets and credit stop, by how much they may be overshot, and that money is counted once.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { pauseForMoney, resumeFunded } from '../../../shared/items/queries/stop.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import {
  centStep,
  conservation,
  consumeToBackoff,
  failure,
  result,
  step,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting } from '../../support/on-cluster.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Every item takes one model call for a cent. */
const oneCentEach = () =>
  engine.play(async function* (items) {
    for (const item of items) {
      yield centStep(item, 'call')
      yield result(item)
    }
  })

describe('the budget of a run', () => {
  it('ends undispatched items with budget_exceeded, and is overshot by no more than the cost of items in flight [lifecycle.budget, items.error-codes]', async () => {
    oneCentEach()
    const runId = await engine.submit(400, { budget_cents: 30, concurrency: 8 })
    await consume(engine.ctx)
    const run = await engine.run(runId)
    expect(run).toMatchObject({ status: 'budget_exceeded', running: 0 })
    expect(run.cost_micro).toBeGreaterThanOrEqual(300_000)
    expect(run.cost_micro).toBeLessThanOrEqual(300_000 + 8 * 10_000)
    expect(run.ok).toBe(Number(run.cost_micro) / 10_000)
    expect(run.budget_exceeded).toBe(400 - Number(run.ok))
    const [last] = (await engine.items(runId)).slice(-1)
    expect(last).toMatchObject({
      status: 'budget_exceeded',
      outcome: 'failed',
      error_code: 'budget_exceeded',
    })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('of 0 cents is accepted, and nothing is dispatched', async () => {
    const runId = await engine.submit(3, { budget_cents: 0 })
    await consume(engine.ctx)
    expect(engine.requests).toEqual([])
    expect(await engine.run(runId)).toMatchObject({ status: 'budget_exceeded', budget_exceeded: 3 })
  })

  it('is reserved by the expected cost of items in flight, so that expensive items do not all start at once', async () => {
    await engine.deploy({ item_budget_cents: 10 })
    let inHand = 0
    let most = 0
    engine.play(async function* (items) {
      inHand += items.length
      most = Math.max(most, inHand)
      await new Promise(resolve => setImmediate(resolve))
      for (const item of items) {
        yield centStep(item, 'call', 9)
        inHand--
        yield result(item)
      }
    })
    const runId = await engine.submit(50, { budget_cents: 40 })
    await consume(engine.ctx)
    expect(most).toBeLessThanOrEqual(4)
    expect(await engine.run(runId)).toMatchObject({ status: 'budget_exceeded' })
  })

  it('that is reached while all remaining items are in flight leaves the run completed', async () => {
    const [half, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    engine.play(async function* (items) {
      for (const item of items.slice(0, 5)) {
        yield centStep(item, 'call')
        yield result(item)
      }
      half.resolve()
      await release.promise
      for (const item of items.slice(5)) yield result(item)
    })
    const runId = await engine.submit(10, { budget_cents: 5 })
    const consuming = consume(engine.ctx)
    await half.promise
    await eventually(async () => expect(await engine.run(runId)).toMatchObject({ ok: 5 }))
    release.resolve()
    await consuming
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 10, stop_reason: null })
  })

  it('that is reached by the last item leaves the run completed', async () => {
    oneCentEach()
    const runId = await engine.submit(3, { budget_cents: 3 })
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 3, cost_micro: 30_000 })
  })
})

describe('the budget of an item', () => {
  const spendFive = () =>
    engine.play(async function* ([item]) {
      for (let i = 1; i <= 5; i++) yield centStep(item!, `call-${i}`)
      yield result(item!)
    })

  it('ends the item as budget_exceeded', async () => {
    await engine.deploy({ item_budget_cents: 3 })
    spendFive()
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    expect(await engine.items(runId)).toMatchObject([
      { status: 'budget_exceeded', outcome: 'failed', cost_micro: 30_000, step_count: 3 },
      { status: 'budget_exceeded', error_code: 'budget_exceeded', cost_micro: 30_000 },
    ])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('pauses the item at the fence if the declaration says so', async () => {
    await engine.deploy({ item_budget_cents: 3, on_budget: 'pause' })
    spendFive()
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    expect((await engine.items(runId))[0]).toMatchObject({
      status: 'paused',
      outcome: null,
      cost_micro: 30_000,
    })
    expect(await engine.sql`select lane, reason from triage`).toMatchObject([
      { lane: 'quarantine', reason: 'budget_exceeded' },
    ])
    expect(await conservation(engine, runId)).toEqual([])
  })
})

describe("a project's credit", () => {
  it('that returns while items are being paused leaves none of them paused', async () => {
    const { sql } = engine
    await sql`update projects set credit_micro = 1`
    await sql`update project_usage set spent_micro = 1`
    const runId = await engine.submit(10)
    let resuming: Promise<number> | undefined
    await sql.begin(async tx => {
      await pauseForMoney(tx as unknown as typeof sql, engine.key(runId), 100)
      await sql`update projects set credit_micro = null`
      resuming = resumeFunded(sql, engine.key(runId), 100)
      await eventually(async () => expect(await countWaiting(sql)).toBe(1))
    })
    expect(await resuming).toBe(10)
    await sql`update project_usage set spent_micro = 0`
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 10, paused: 0 })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('does not keep a run open that was stopped while its items were paused', async () => {
    const { sql } = engine
    await sql`update projects set credit_micro = 0`
    const runId = await engine.submit(10)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ paused: 10 })
    await sql`update runs set stop_reason = 'consecutive_failures' where id = ${runId}`
    await sweep(engine.ctx)
    await consume(engine.ctx)
    const run = await engine.run(runId)
    expect(run).toMatchObject({ status: 'failed', cancelled: 10, paused: 0 })
    expect(run.finished_at).not.toBeNull()
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('pauses the remaining items when it is exhausted, and they resume by themselves once there is credit again [runs.paused]', async () => {
    await engine.sql`update projects set credit_micro = 100000`
    oneCentEach()
    const runId = await engine.submit(50, { concurrency: 2 })
    await consume(engine.ctx)
    const paused = await engine.run(runId)
    expect(paused).toMatchObject({ status: 'running', running: 0, waits_for_credit: true })
    expect(Number(paused.ok)).toBeGreaterThanOrEqual(10)
    expect(Number(paused.ok)).toBeLessThanOrEqual(12)
    expect(paused.paused).toBe(50 - Number(paused.ok))
    expect(await conservation(engine, runId)).toEqual([])
    await engine.sql`update projects set credit_micro = 10000000`
    await sweep(engine.ctx)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 50, paused: 0 })
    expect(await conservation(engine, runId)).toEqual([])
  })
})

describe('cost', () => {
  it('of an unknown model is counted as unpriced and never as free [runs.cost-is-a-lower-bound]', async () => {
    engine.play(async function* ([item, other]) {
      const usage = { model: 'nobody-knows-it', input_tokens: 10, output_tokens: 10 }
      yield step(item!, 'call', { kind: 'llm_call', output: 'text', usage })
      yield step(item!, 'again', { kind: 'llm_call', output: 'text', usage })
      yield centStep(other!, 'call')
      yield result(item!)
      yield result(other!)
    })
    const runId = await engine.submit(2)
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({
      unpriced_items: 1,
      cost_micro: 10_000,
      input_tokens: 1_000_020,
    })
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('of a call that cannot be read comes from the answer that the agent reports, and each unread call is counted once [runs.calls-read, steps.told]', async () => {
    await engine.deploy({ retries: 1 })
    engine.play(async function* ([item]) {
      const output = { says: 'billing' }
      const answer = { text: 'billing', usage: { input_tokens: 1_000_000 }, model: 'gpt-4o' }
      yield step(item!, `unread-${item!.attempt}`, { kind: 'llm_call', output })
      yield step(item!, `reported-${item!.attempt}`, { kind: 'llm_call', output, answer })
      yield step(item!, `cut-${item!.attempt}`, {
        kind: 'llm_call',
        output,
        answer: { text: 'b', finish: 'length' },
      })
      yield item!.attempt === 1 ? failure(item!, 'agent_error') : result(item!)
    })
    const runId = await engine.submit(1)
    await consumeToBackoff(engine)
    await engine.skipBackoff()
    await consume(engine.ctx)
    const figures = { model_calls: 6, unread_calls: 2, cost_micro: 5_000_000 }
    expect((await engine.items(runId))[0]).toMatchObject({
      status: 'completed',
      outcome: 'degraded',
      ...figures,
    })
    expect(await engine.run(runId)).toMatchObject(figures)
    const verdicts = await engine.sql`
      select outcome_reason, unread is not null as unread from steps where run_id = ${runId} order by step_no limit 3`
    expect(verdicts.map(row => [row.outcome_reason, row.unread])).toEqual([
      [null, true],
      [null, false],
      ['truncated', false],
    ])
    expect(await conservation(engine, runId)).toEqual([])
  })

  it('of a failed attempt is counted, and only once', async () => {
    await engine.deploy({ retries: 1 })
    engine.play(async function* ([item]) {
      yield centStep(item!, `call-${item!.attempt}`)
      yield item!.attempt === 1 ? failure(item!, 'agent_error') : result(item!)
    })
    const runId = await engine.submit(1)
    await consumeToBackoff(engine)
    await engine.skipBackoff()
    await consume(engine.ctx)
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', cost_micro: 20_000 })
    expect(await conservation(engine, runId)).toEqual([])
  })
})

it('a run stops after too many consecutive failures, and a success in between resets their count [lifecycle.failures-in-a-row]', async () => {
  await engine.deploy({ max_consecutive_failures: 5, concurrency: 1 })
  engine.play(items => items.map(item => (item.seq % 5 === 0 ? result(item) : failure(item, 'agent_error'))))
  const fine = await engine.submit(20)
  await consume(engine.ctx)
  expect(await engine.run(fine)).toMatchObject({ status: 'partial', failed: 16, ok: 4 })
  engine.play(items => items.map(item => failure(item, 'agent_error')))
  const stopped = await engine.submit(20)
  await consume(engine.ctx)
  expect(await engine.run(stopped)).toMatchObject({
    status: 'failed',
    stop_reason: 'consecutive_failures',
    failed: 5,
    cancelled: 15,
  })
  expect(await conservation(engine, stopped)).toEqual([])
})
