// What agents behind URLs take and return is checked against the schemas that they declare, whatever language they are in.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerItems } from '../../../functions/runs/answer-items.ts'
import { deploy } from '../../../shared/agents/verbs/deploy.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import {
  type AgentDeclaration,
  type AgentLine,
  ANSWER_URL_HEADER,
} from '../../../shared/protocol/rules/protocol.ts'
import { replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { conservation, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const INPUT = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } }
const OUTPUT = { type: 'object', required: ['label'], properties: { label: { enum: ['a', 'b'] } } }
const GOOD = { input: '{"text":"x"}' }
const BAD = { input: '{"wrong":1}' }

async function runOf(declaration: Partial<AgentDeclaration>, items: { input: string }[], order = {}) {
  await engine.deploy(declaration)
  const runId = await engine.submit(items, order)
  await consume(engine.ctx)
  expect(await conservation(engine, runId)).toEqual([])
  return { run: await engine.run(runId), rows: await engine.items(runId) }
}

describe('an input that does not match', () => {
  it('ends its item before any call, with the place and what was expected [items.declared-schemas]', async () => {
    engine.play(items => items.map(item => result(item, { label: 'a' })))
    const { run, rows } = await runOf({ input_schema: INPUT, retries: 3 }, [
      BAD,
      GOOD,
      { input: '{"text":7}' },
    ])
    expect(rows).toMatchObject([
      {
        status: 'failed',
        outcome: 'failed',
        error_code: 'invalid_input',
        error_message: 'input.text: is required',
        attempt: 1,
        output: null,
      },
      { status: 'completed', outcome: 'ok' },
      { error_code: 'invalid_input', error_message: 'input.text: expected string, received 7' },
    ])
    expect(engine.requests.map(items => items.map(({ seq }) => seq))).toEqual([[2]])
    expect(run).toMatchObject({ status: 'partial', failed: 2, ok: 1, cost_micro: 0 })
  })

  it('calls no agent at all where every input is wrong', async () => {
    const { rows } = await runOf({ input_schema: INPUT }, [BAD, BAD])
    expect(rows.map(row => row.error_code)).toEqual(['invalid_input', 'invalid_input'])
    expect(engine.requests).toEqual([])
  })

  it('ends its replay in the same way, unless the replay has an input that matches', async () => {
    engine.play(items => items.map(item => result(item, { label: 'a' })))
    const { run } = await runOf({ input_schema: INPUT }, [BAD])
    const item = engine.item(run.id as string, 1)
    const replay = await replayItem(engine.ctx, item, {})
    await consume(engine.ctx)
    expect(await engine.items(replay.run_id)).toMatchObject([{ error_message: 'input.text: is required' }])
    expect(engine.requests).toEqual([])
  })
})

describe('an output that does not match', () => {
  it('degrades its item, which keeps it, with the place and what was expected [items.declared-schemas]', async () => {
    engine.play(items => items.map(item => result(item, item.seq === 1 ? { label: 42 } : { label: 'b' })))
    const { rows } = await runOf({ output_schema: OUTPUT }, [GOOD, GOOD])
    expect(rows).toMatchObject([
      {
        status: 'completed',
        outcome: 'degraded',
        outcome_reason: 'schema_mismatch',
        degraded_reason:
          'The output does not match its schema: output.label: expected "a" or "b", received 42',
        output: '{"label":42}',
        attempt: 1,
      },
      { status: 'completed', outcome: 'ok' },
    ])
  })

  it('is reported once where the agent has said so itself, in its own words', async () => {
    const words = 'output.label: Invalid option'
    engine.play(items =>
      items.map(item => ({ ...result(item, { label: 42 }), schema_error: words }) as AgentLine),
    )
    const { rows } = await runOf({ output_schema: OUTPUT }, [GOOD])
    expect(rows[0]!.degraded_reason).toBe(`The output does not match its schema: ${words}`)
  })

  it('gives way to what the agent says of its own result', async () => {
    engine.play(items => items.map(item => ({ ...result(item, {}), degraded: 'no facts' }) as AgentLine))
    const { rows } = await runOf({ output_schema: OUTPUT }, [GOOD])
    expect(rows[0]).toMatchObject({ outcome_reason: 'agent_degraded', degraded_reason: 'no facts' })
  })

  it.each([[null], [''], [[]], [{}], ['I cannot help with that.']])(
    'of %j is a mismatch first',
    async output => {
      engine.play(items => items.map(item => result(item, output)))
      const { rows } = await runOf({ output_schema: OUTPUT }, [GOOD])
      expect(rows[0]).toMatchObject({ outcome: 'degraded', outcome_reason: 'schema_mismatch' })
    },
  )

  it('shows no secret of its agent', async () => {
    const secret = 'sk-0123456789abcdef'
    engine.play(items => items.map(item => result(item, { label: secret })))
    const declaration = { name: 'played', output_schema: OUTPUT }
    const { project_id, agent_id } = engine
    const code = { kind: 'url', url: 'http://played', protocol: 'ndjson' } as const
    const env = { OPENAI_API_KEY: secret }
    await deploy(engine.ctx, { project_id, agent_id, code, declaration, env, external_id: null })
    const runId = await engine.submit([GOOD])
    await consume(engine.ctx)
    const [row] = await engine.items(runId)
    expect(row).toMatchObject({ outcome_reason: 'schema_mismatch' })
    expect(JSON.stringify(row)).not.toContain(secret)
  })

  it('is degraded when its agent answers later, too [items.declared-schemas]', async () => {
    let address = ''
    const ctx: Context = {
      ...engine.ctx,
      async invokeAgent(_, { headers }) {
        address = headers[ANSWER_URL_HEADER]!
        return { status: 202, contentType: 'application/x-ndjson', body: bytesOf('') }
      },
    }
    await engine.deploy({ output_schema: OUTPUT })
    const runId = await engine.submit([GOOD, GOOD])
    await consume(ctx)
    const app = createApp([answerItems], () => engine.ctx)
    const lines = ['{"label":42}', '{"label":"a"}'].map(
      (output, at) => `{"type":"result","seq":${at + 1},"attempt":1,"output":${output}}`,
    )
    const headers = { 'content-type': 'application/x-ndjson' }
    await app.request(address, { method: 'POST', headers, body: lines.join('\n') })
    expect((await engine.items(runId)).map(row => row.outcome_reason)).toEqual(['schema_mismatch', null])
  })

  it('of plain JSON is degraded as well [items.declared-schemas]', async () => {
    const ctx: Context = {
      ...engine.ctx,
      async invokeAgent() {
        return { status: 200, contentType: 'application/json', body: bytesOf('{"label": 42}') }
      },
    }
    const { project_id, agent_id } = engine
    const code = { kind: 'url', url: 'http://played', protocol: 'json' } as const
    const declaration = { name: 'played', input_schema: INPUT, output_schema: OUTPUT }
    await deploy(engine.ctx, { project_id, agent_id, code, declaration, env: {}, external_id: null })
    const runId = await engine.submit([GOOD, BAD])
    await consume(ctx)
    expect(await engine.items(runId)).toMatchObject([
      { outcome_reason: 'schema_mismatch', output: '{"label": 42}' },
      { error_code: 'invalid_input', error_message: 'input.text: is required' },
    ])
  })
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

describe('what matches', () => {
  it('is ok, whatever happened on the way', async () => {
    let tries = 0
    engine.play(items =>
      items.flatMap(item =>
        ++tries === 1 ? [step(item, 'a'), failure(item, 'x')] : [result(item, { label: 'a' })],
      ),
    )
    await engine.deploy({ input_schema: INPUT, output_schema: OUTPUT, retries: 1 })
    const runId = await engine.submit([GOOD])
    while ((await engine.run(runId)).finished_at === null) {
      await engine.skipBackoff()
      await consume(engine.ctx)
    }
    expect(await engine.items(runId)).toMatchObject([{ outcome: 'ok', attempt: 2 }])
  })
})

/** Twice as much work at each of forty levels. */
const LAUGHS: Record<string, unknown> = { a40: {} }
for (let at = 0; at < 40; at++) {
  const next = { $ref: `#/$defs/a${at + 1}` }
  LAUGHS[`a${at}`] = { oneOf: [next, next] }
}

describe('a check without an end', () => {
  it.each(['input_schema', 'output_schema'] as const)(
    'of %s ends its item alone [items.declared-schemas]',
    async name => {
      engine.play(items => items.map(item => result(item, item.input)))
      // As a text: an object with `then` looks like a promise.
      const schema = { ...JSON.parse('{"if":{"const":1},"then":{"$ref":"#/$defs/a0"}}'), $defs: LAUGHS }
      const { rows } = await runOf({ [name]: schema, retries: 2 }, [{ input: '1' }, { input: '2' }])
      expect(rows).toMatchObject([
        {
          status: 'failed',
          outcome_reason: 'limit_exceeded',
          error_code: 'schema_check_limit',
          error_message: expect.stringContaining(`more than ${LIMITS.schema_check_steps} steps`),
          attempt: 1,
        },
        { status: 'completed', outcome: 'ok' },
      ])
    },
  )
})

describe('a schema that cannot be read', () => {
  const order = (declaration: AgentDeclaration) => {
    const { project_id, agent_id } = engine
    const code = { kind: 'url', url: 'http://played', protocol: 'ndjson' } as const
    return { project_id, agent_id, code, declaration, env: {}, external_id: null }
  }
  it.each([
    [
      'input_schema',
      { $ref: 'https://a.test/x.json' },
      'input_schema.$ref: refers to "https://a.test/x.json"',
    ],
    ['output_schema', { properties: { a: { type: 'strin' } } }, 'output_schema.properties.a.type: expected'],
  ])(
    '%s is refused at the deploy, which changes nothing [deployments.schemas]',
    async (name, schema, words) => {
      const declaration = { name: 'played', [name]: schema }
      await expect(deploy(engine.ctx, order(declaration))).rejects.toMatchObject({
        code: 'invalid_schema',
        status: 400,
        message: expect.stringContaining(words),
        hint: expect.any(String),
      })
      const [row] = await engine.sql`select count(*)::int from deployments`
      expect(row!.count).toBe(1)
    },
  )
})
