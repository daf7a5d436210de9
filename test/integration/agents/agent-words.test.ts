// Agent answers that JSON allows and nobody means: objects where strings belong, duplicate names, values that no store
// takes. The protocol refuses them, in the response and in later answers, and they stay in their field.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerItems } from '../../../functions/runs/answer-items.ts'
import type { AgentResponse } from '../../../shared/agents/rules/invoke-agent.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { createApp } from '../../../shared/http/app.ts'
import { ANSWER_URL_HEADER, type ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { itemErrorMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { conservation, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const NDJSON = 'application/x-ndjson'
const NO_TEXT = '{"toString":1,"valueOf":1}'
const DEEP = `${'['.repeat(65)}${']'.repeat(65)}`

/** A line about the first item of a run. */
const line = (type: string, rest: string) => `{"type":"${type}","seq":1,"attempt":1,${rest}}`
const stepLine = (rest: string) =>
  line(
    'step',
    `"step":{"kind":"llm_call","name":"ask","started_at":"2026-01-01T00:00:00Z","duration_ms":1,${rest}}`,
  )
const END = line('result', '"output":"done"')

/** Sends one item to an agent that answers `body`, consumes until no retry is left, and returns its answer URL. */
async function answered(body: string, head: Partial<AgentResponse> = {}): Promise<string> {
  await engine.submit(1)
  let address = ''
  const ctx = {
    ...engine.ctx,
    async invokeAgent(_: unknown, request: { body: string; headers: Record<string, string> }) {
      address = request.headers[ANSWER_URL_HEADER]!
      const attempt =
        request.headers['assay-attempt'] ?? (JSON.parse(request.body.split('\n')[0]!) as ItemLine).attempt
      async function* bytes() {
        yield Buffer.from(body.replaceAll('"attempt":1,', `"attempt":${attempt},`))
      }
      return { status: 200, contentType: NDJSON, ...head, body: bytes() }
    },
  }
  let wake = () => {}
  let isOver = false
  const consuming = consume(ctx, { onWake: hear => (wake = hear) }).finally(() => (isOver = true))
  while (!isOver) {
    await engine.skipBackoff()
    wake()
    await Promise.race([consuming, new Promise(resolve => setTimeout(resolve, 50))])
  }
  await consuming
  return address
}

const item = async () => {
  const [row] = await engine.sql`select * from items order by run_id desc limit 1`
  expect(await conservation(engine, row!.run_id)).toEqual([])
  return row!
}

const REFUSED: [what: string, lines: string, code?: string][] = [
  ['a reason that is not a text', line('hold', `"reason":${NO_TEXT}`)],
  ['a mark that is not a text', line('result', `"degraded":${NO_TEXT},"output":1`)],
  ['a mismatch that is not a text', line('result', `"schema_error":${NO_TEXT},"output":1`)],
  ['a repeated output', line('result', '"output":1,"output":2')],
  ['an output with a repeated type', line('result', '"output":1,"type":"result"')],
  [
    'a marked output beyond the range of a double',
    line('result', '"degraded":"no","output":1e999'),
    'invalid_output',
  ],
  [
    'a marked output that is nested too deeply',
    line('result', `"degraded":"no","output":${DEEP}`),
    'invalid_output',
  ],
  ['a step whose key is not a text', stepLine(`"key":${NO_TEXT}`)],
  ['a step whose error is not an object', stepLine('"key":"k","error":0')],
]

describe('a line with', () => {
  it.each(REFUSED)('%s breaks the protocol', async (_, body, error_code = 'protocol_error') => {
    await answered(`${body}\n`)
    expect(await item()).toMatchObject({ status: 'failed', error_code, output: null })
  })

  it.each(REFUSED)(
    '%s ends its item in a later answer too, and one with a number that no item has does not [runs.answer-later]',
    async (_, body, error_code = 'protocol_error') => {
      const address = await answered('{"type":"later"}\n')
      const app = createApp([answerItems], () => engine.ctx)
      const post = async (lines: string) => {
        const init = { method: 'POST', headers: { 'content-type': NDJSON }, body: lines }
        const response = await app.request(address, init)
        return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code]
      }
      for (const seq of [NO_TEXT, '9007199254740991', '-1', '1e999', '"1"']) {
        const nobodys = `{"type":"result","seq":${seq},"attempt":${seq},"output":1}`
        expect(await post(nobodys)).toEqual([400, 'invalid_line'])
        expect(await post(`{"type":"heartbeat"}\n${nobodys}`)).toEqual([200, undefined])
      }
      expect(await item()).toMatchObject({ status: 'running' })
      expect(await post(body)).toEqual([200, undefined])
      expect(await post(END)).toEqual([409, 'claim_ended'])
      expect(await item()).toMatchObject({ status: 'failed', error_code, output: null })
    },
  )
})

it.each(['1,"output":2', '1,"degraded":"No."', '1}', '"a","type":"later"', '{'])(
  'a plain answer %j is invalid JSON, and none of it is used',
  async body => {
    await engine.sql`update deployments set protocol = 'json'`
    await answered(body, { contentType: 'application/json' })
    expect(await item()).toMatchObject({ status: 'failed', error_code: 'protocol_error', output: null })
  },
)

it('null counts as no mark, no schema error and no step error', async () => {
  const step = stepLine('"key":"k","error":null,"output":"An answer."')
  await answered(`${step}\n${line('result', '"degraded":null,"schema_error":null,"output":"An answer."')}\n`)
  expect(await item()).toMatchObject({ status: 'completed', outcome: 'ok', step_count: 1 })
})

it.each([
  ['constructor', 'constructor'],
  ['__proto__', '__proto__'],
  ['', 'agent_error'],
])('an error with the code %j counts as an agent error', async (code, kept) => {
  await answered(`${line('error', `"error":{"code":"${code}","message":"It went wrong."}`)}\n`)
  const [triage] = await engine.sql`select reason from triage`
  expect([await item(), triage]).toMatchObject([
    { status: 'failed', error_code: kept, outcome_reason: 'agent_error' },
    { reason: 'agent_error' },
  ])
  if (kept === code) expect(itemErrorMeaning(code)).toBeUndefined()
})

it('a step that is sent twice counts once, whatever its key holds [runs.answer-later]', async () => {
  const address = await answered('{"type":"later"}\n')
  const app = createApp([answerItems], () => engine.ctx)
  const post = (lines: string) =>
    app.request(address, { method: 'POST', headers: { 'content-type': NDJSON }, body: lines })
  const step = stepLine('"key":"page\\u0000\\ud800","output":"An answer."')
  expect((await post(step)).status).toBe(200)
  expect((await post(`${step}\n${END}`)).status).toBe(200)
  expect(await item()).toMatchObject({ status: 'completed', step_count: 1 })
})
