// Plain JSON agents that report what they did: the content-type application/vnd.assay+json.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { REPORT_TYPE } from '../../../shared/protocol/rules/protocol.ts'
import { conservation, failure, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const CALL = {
  key: 'classify',
  kind: 'llm_call',
  name: 'test-model',
  output: 'refund',
  usage: { model: 'test-model', input_tokens: 1_000_000, output_tokens: 0 },
  started_at: '2026-03-29T02:00:00Z',
  duration_ms: 812,
}

/** Has an agent answer one item with this, and returns the item. */
async function answered(report: object | string, contentType: string = REPORT_TYPE) {
  let requests = 0
  await engine.sql`update deployments set protocol = 'json'`
  const ctx: Context = {
    ...engine.ctx,
    async invokeAgent() {
      requests++
      const text = typeof report === 'string' ? report : JSON.stringify(report)
      return {
        status: 200,
        contentType,
        body: (async function* () {
          yield new TextEncoder().encode(text)
        })(),
      }
    },
  }
  const runId = await engine.submit(1)
  await consume(ctx)
  const [item] = await engine.items(runId)
  expect(await conservation(engine, runId)).toEqual([])
  const steps =
    await engine.sql`select key, kind, output, cost_micro::int, outcome from steps order by step_no`
  return { item: item!, runId, requests, steps, run: await engine.run(runId) }
}

describe('a plain answer with a report', () => {
  it('has its calls priced and graded, and its output kept to the letter', async () => {
    const given = JSON.stringify({ steps: [CALL] }).slice(0, -1)
    const { item, run, steps } = await answered(`${given},\n "output": {"label": "refund",  "score": 1.0}}`)
    expect(item).toMatchObject({
      status: 'completed',
      outcome: 'ok',
      output: '{"label": "refund",  "score": 1.0}',
    })
    expect(steps).toMatchObject([{ key: 'classify', kind: 'llm_call', cost_micro: 10_000, outcome: 'ok' }])
    expect(run).toMatchObject({ cost_micro: 10_000, model_calls: 1, input_tokens: 1_000_000 })
  })

  it('is degraded by a refusal in a call, in words of its own, or by its schema', async () => {
    const refusal = { ...CALL, answer: { refusal: 'I cannot help with that.' } }
    expect((await answered({ output: 'Sorry', steps: [refusal] })).item).toMatchObject({
      outcome_reason: 'refusal',
    })
    expect((await answered({ output: 1, degraded: 'too short' })).item).toMatchObject({
      outcome: 'degraded',
      degraded_reason: 'too short',
    })
    expect((await answered({ output: 1, schema_error: 'output: not an object' })).item).toMatchObject({
      outcome: 'degraded',
      outcome_reason: 'schema_mismatch',
    })
  })

  it('fails with an error, is held, and names its version', async () => {
    const error = { code: 'no_such_page', message: 'page 7 is gone' }
    expect((await answered({ error, steps: [CALL] })).item).toMatchObject({
      status: 'failed',
      error_code: 'no_such_page',
      cost_micro: 10_000,
    })
    // As a function that always has both names them.
    expect((await answered({ error, output: null })).item).toMatchObject({ error_code: 'no_such_page' })
    expect((await answered({ hold: 'over 500 euros' })).item).toMatchObject({
      status: 'paused',
      degraded_reason: 'over 500 euros',
    })
    const { item } = await answered({
      output: 1,
      version: 'a3f',
      error: null,
      hold: null,
      steps: null,
      degraded: null,
    })
    expect(item).toMatchObject({ status: 'completed', code_version: 1 })
  })

  it.each([
    ['{"label": 42}', 'the report has the key "label"; there are output, error, hold, steps'],
    ['{"steps": []}', 'the report has none of output, error, hold'],
    ['{"output": 1, "hold": "x"}', 'the report has output and hold, and an item ends once'],
    ['{"output": 1, "output": 2}', 'the report has a key twice'],
    ['{"output": 1, "steps": {}}', 'steps must be a list'],
    ['{"output": 1, "steps": [5]}', 'step must be an object'],
    [`{"output": 1, "steps": [${JSON.stringify({ ...CALL, kind: 'chat' })}]}`, 'step.kind must be one of'],
    ['{"output": 1, "degraded": 5}', 'degraded must be a string'],
    ['{"output": 1, "version": 5}', 'version must be a string'],
    ['{"error": "boom"}', 'error must have a code and a message'],
    ['[1]', 'the report is not a JSON object'],
    ['null', 'the report is not a JSON object'],
    ['nonsense', 'the report is not a JSON object'],
    ['', 'the report is not a JSON object'],
  ])('%s ends its item at once, as its calls may have been paid for', async (report, words) => {
    const { item, requests } = await answered(report)
    expect(item).toMatchObject({ status: 'failed', error_code: 'protocol_error' })
    expect(item.error_message).toContain(words)
    expect(requests).toBe(1)
  })

  it('is asked for by the content-type alone: the same text as application/json is the output', async () => {
    const { item, steps } = await answered({ output: 1, steps: [] }, 'application/json')
    expect(item).toMatchObject({ status: 'completed', output: '{"output":1,"steps":[]}' })
    expect(steps).toEqual([])
    expect((await answered({ output: 1 }, `${REPORT_TYPE}; charset=utf-8`)).item).toMatchObject({
      output: '1',
    })
  })
})

it('an error that says when another attempt may help is attempted then, and not before', async () => {
  await engine.deploy({ retries: 2 })
  const runId = await engine.submit(4)
  engine.play(items =>
    items.map(item => {
      const line = failure(item, 'agent_error') as Extract<ReturnType<typeof failure>, { type: 'error' }>
      const retry_after_ms = [120_000, 9e12, null, '60'][item.seq - 1] as number
      return { ...line, error: { ...line.error, retry_after_ms } }
    }),
  )
  await consume(engine.ctx)
  const due = await engine.sql`
    select seq, round(extract(epoch from due_at - now()) / 10)::int * 10 as seconds from due_items
    where run_id = ${runId} order by seq`
  expect(due).toEqual([
    { seq: 1, seconds: 120 },
    { seq: 2, seconds: 900 },
  ])
  const [, , third, fourth] = await engine.items(runId)
  expect([third!.error_code, fourth!.error_code]).toEqual(['agent_error', 'protocol_error'])
})
