// Sums and percentiles of model calls by agent, model and day.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../shared/kernel/ids.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { readModelUsage } from '../../../shared/traces/queries/model-calls.ts'
import { indexSteps } from '../../../shared/traces/queries/step-index.ts'
import { modelUsageOf } from '../../../shared/traces/wire/model-usage.ts'
import { retain } from '../../../shared/upkeep/verbs/retention.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

const DAY_MS = 86_400_000
const NOW = Date.now()

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const dayOf = (daysAgo: number) => new Date(NOW - daysAgo * DAY_MS).toISOString().slice(0, 10)

async function emptyRun(): Promise<string> {
  const { sql, project_id, agent_id } = engine
  const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  const id = `${newId(NOW, random).slice(0, 28)}00000000`
  await sql`insert into runs ${sql({ id, project_id, agent_id, started_at: new Date(NOW), finished_at: new Date(NOW) })}`
  return id
}

interface Call {
  model: string | null
  duration_ms: number
  outcome?: 'ok' | 'degraded' | 'failed'
  kind?: 'llm_call' | 'tool_call'
  reused?: boolean
  unpriced?: boolean
  cost_micro?: number
  days_ago?: number
  input?: string
}

async function write(calls: readonly Call[]): Promise<void> {
  const run_id = await emptyRun()
  const rows = calls.map(({ days_ago = 0, ...call }, at) => ({
    project_id: engine.project_id,
    run_id,
    seq: 1,
    step_no: at + 1,
    attempt: 1,
    key: 'k',
    name: 'ask',
    outcome: 'ok',
    kind: 'llm_call',
    reused: false,
    unpriced: false,
    cost_micro: 10,
    input_tokens: 3,
    input: null as string | null,
    output_tokens: 2,
    started_at: new Date(NOW - days_ago * DAY_MS),
    ...call,
  }))
  for (let first = 0; first < rows.length; first += 500)
    await engine.sql`insert into steps ${engine.sql(rows.slice(first, first + 500))}`
  while ((await indexSteps(engine.sql, 64)) > 0);
}

const usage = async (since = dayOf(29)) =>
  (await readModelUsage(engine.sql, engine.project_id, since)).map(modelUsageOf)

describe('calls of models', () => {
  it('are summed by agent and model, the most expensive first, without tool calls and reused steps', async () => {
    await write([
      { model: 'small', duration_ms: 100 },
      { model: 'small', duration_ms: 100, outcome: 'degraded' },
      { model: 'small', duration_ms: 100, outcome: 'failed', cost_micro: 0 },
      { model: 'large', duration_ms: 100, cost_micro: 500_000 },
      { model: null, duration_ms: 100, unpriced: true, cost_micro: 0 },
      { model: null, duration_ms: 100, outcome: 'failed', cost_micro: 0, input: '{"model": "small"}' },
      { model: 'small', duration_ms: 100, reused: true },
      { model: 'small', duration_ms: 100, kind: 'tool_call' },
    ])
    await write([{ model: 'small', duration_ms: 100 }])
    expect(await usage()).toMatchObject([
      { model: 'large', calls: 1, cost_usd: 0.5, cost_cents: 50, agent_id: engine.agent_id },
      { model: 'small', calls: 5, degraded: 1, failed: 2, input_tokens: 15, output_tokens: 10, unpriced: 0 },
      { model: null, calls: 1, unpriced: 1, cost_usd: 0 },
    ])
  })

  it('have a median and a 95th percentile that are exact within 9 %, however far the durations are apart', async () => {
    const times = Array.from({ length: 2000 }, (_, at) => 3 * 1.004 ** at)
    await write(times.map(duration_ms => ({ model: 'm', duration_ms })))
    const [found] = await usage()
    for (const [reported, exact] of [
      [found!.p50_ms, times[999]!],
      [found!.p95_ms, times[1899]!],
    ] as const) {
      expect(reported / exact).toBeGreaterThan(1 / 1.091)
      expect(reported / exact).toBeLessThan(1.091)
    }
  })

  it('that took no time are counted', async () => {
    await write([{ model: 'm', duration_ms: 0 }])
    expect(await usage()).toMatchObject([{ calls: 1, p50_ms: 1 }])
  })

  it('can be read since a given day, and are removed when they are too old for any such day', async () => {
    const { max } = LIMITS.model_usage_days
    await write([0, 1, 2, max, max + 1].map(days_ago => ({ model: 'm', duration_ms: 5, days_ago })))
    expect(await usage(dayOf(0))).toMatchObject([{ calls: 1 }])
    expect(await usage(dayOf(1))).toMatchObject([{ calls: 2 }])
    expect(await usage(dayOf(1000))).toMatchObject([{ calls: 5 }])
    await retain(engine.ctx)
    expect(await usage(dayOf(1000))).toMatchObject([{ calls: 4 }])
  })

  it('count for today if the clock of their agent is years ahead', async () => {
    await write([1, 400, 4000].map(days => ({ model: 'm', duration_ms: 5, days_ago: -days })))
    const days = await engine.sql`select day::text, calls from model_calls`
    expect([...days]).toEqual([{ day: dayOf(0), calls: 3 }])
  })

  it('with a new model name in each call are summed as other models once model_call_rows rows are used', async () => {
    const [times, models] = [LIMITS.model_call_rows + 500, LIMITS.model_call_rows]
    await write([{ model: 'known', duration_ms: 5 }])
    await write(Array.from({ length: times }, (_, n) => ({ model: `m${n}`, duration_ms: 5 })))
    await write([{ model: 'known', duration_ms: 70 }])
    const [kept] = await engine.sql`select count(*)::int as rows, sum(calls)::int as calls from model_calls`
    expect(kept).toEqual({ rows: models + 2, calls: times + 2 })
    const [other] = await engine.sql`select calls from model_calls where model = 'other models'`
    expect(other!.calls).toBe(times + 1 - models)
    expect(await engine.sql`select from model_calls where model = 'known'`).toHaveLength(2)
  })

  it('are visible to their own project only, and are removed with their agent', async () => {
    await write([{ model: 'm', duration_ms: 5 }])
    expect(await readModelUsage(engine.sql, crypto.randomUUID(), dayOf(1))).toHaveLength(0)
    await engine.sql`delete from agents where id = ${engine.agent_id}`
    expect(await engine.sql`select from model_calls`).toHaveLength(0)
  })
})
