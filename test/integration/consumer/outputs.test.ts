// What an agent in any language may send as an output, and that everything inside reads what was taken.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Runs an item for each text and one that is in order, by an agent that writes its lines itself. */
async function runOf(texts: readonly string[], linesOf: (item: ItemLine, text: string) => string) {
  const all = [...texts, '{"label":"billing"}']
  const runId = await engine.submit(all.map(() => ({})))
  const requests: string[] = []
  const ctx: Context = {
    ...engine.ctx,
    async invokeAgent(_, { body }) {
      requests.push(body)
      const items = body
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as ItemLine)
      const lines = items.map(item => linesOf(item, all[item.seq - 1]!))
      return {
        status: 200,
        contentType: 'application/x-ndjson',
        body: bytesOf(`${lines.join('\n')}\n`),
      }
    },
  }
  while ((await engine.run(runId)).finished_at === null) {
    await engine.skipBackoff()
    await consume(ctx)
  }
  return { runId, requests, rows: await engine.items(runId) }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

async function answer(path: string): Promise<string> {
  const { key } = await mintKey(engine.ctx, engine.project_id, 'outputs')
  const app = createApp(endpoints, () => engine.ctx)
  const response = await app.request(path, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return response.text()
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

/** What one reader would take and another not. */
const REFUSED: [what: string, output: string, code: string, words: string][] = [
  ['a repeated key', '{"label":"x","label":"y"}', 'invalid_output', 'The key "label" is repeated'],
  ['a repeated key, escaped', '{"label":1,"l\\u0061bel":2}', 'invalid_output', 'is repeated'],
  ['a repeated key within', '{"a":[{"b":1,"b":1}]}', 'invalid_output', 'line 1, column 14'],
  ['a number beyond a double', '{"label":1e400}', 'invalid_output', '1e400 is beyond the range of a double'],
  ['a long number beyond it', `[-${'9'.repeat(310)}]`, 'invalid_output', 'beyond the range'],
  ['65 levels', nested(65), 'invalid_output', 'deeper than 64 levels'],
  ['5,000 levels', nested(5000), 'invalid_output', 'deeper than 64 levels'],
  ['too many bytes', JSON.stringify('x'.repeat(LIMITS.item_output_bytes)), 'output_too_large', 'longer than'],
]

/** What is kept byte for byte. */
const TAKEN = [
  nested(64),
  '{"a":12345678901234567890123,"b":9007199254740993,"c":1.10,"d":-0.0,"e":1E2}',
  '{"a":"x\\u0000\\ud800","__proto__":{"constructor":1},"":0}',
  '"\u200b"',
  'null',
  ' {"a" : 1 } ',
]

const head = ({ seq, attempt }: ItemLine) => `"type":"result","seq":${seq},"attempt":${attempt}`
const WAYS: [string, (item: ItemLine, text: string) => string][] = [
  ['last in its line', (item, text) => `{${head(item)},"output":${text}}`],
  ['first in its line', (item, text) => `{"output":${text},${head(item)}}`],
]

describe.each(WAYS)('an output that is %s', (_, lineOf) => {
  it('ends its own item alone where a reader could not take it, with a code that says so [items.outputs]', async () => {
    const { rows } = await runOf(
      REFUSED.map(([, output]) => output),
      lineOf,
    )
    for (const [at, [what, , code, words]] of REFUSED.entries())
      expect(rows[at], what).toMatchObject({
        status: 'failed',
        outcome: 'failed',
        error_code: code,
        error_message: expect.stringContaining(words),
        output: null,
      })
    expect(rows.at(-1)).toMatchObject({ status: 'completed', outcome: 'ok' })
  })

  it('is kept byte for byte where all can [items.outputs]', async () => {
    const { rows } = await runOf(TAKEN, lineOf)
    expect(rows.slice(0, -1).map(row => [row.status, row.output])).toEqual(
      TAKEN.map(text => ['completed', text.trim()]),
    )
  })
})

it('of plain JSON passes the same door', async () => {
  await engine.sql`update deployments set protocol = 'json'`
  const texts = [...REFUSED.map(([, output]) => output), ...TAKEN]
  const runId = await engine.submit(texts.map(() => ({})))
  await consume({
    ...engine.ctx,
    async invokeAgent(_, { headers }) {
      const text = texts[Number(headers['assay-seq']) - 1]!
      return { status: 200, contentType: 'application/json', body: bytesOf(text) }
    },
  })
  const rows = await engine.items(runId)
  expect(rows.map(row => row.error_code ?? row.output)).toEqual([
    ...REFUSED.map(([, , code]) => code),
    ...TAKEN.map(text => text.trim()),
  ])
})

it('all rows of a run are exported with parts of their outputs, whatever was taken [results.every-row]', async () => {
  const { runId, rows } = await runOf([...REFUSED.map(([, output]) => output), ...TAKEN], WAYS[0]![1])
  for (const format of ['ndjson', 'csv', 'json']) {
    const text = await answer(
      `/v1/results?run_id=${runId}&format=${format}&fields=item_id,output.label,output.a`,
    )
    for (const row of rows) expect(text, format).toContain(row.item_id)
  }
})

it.each<[string, (item: ItemLine) => string]>([
  [
    'error',
    ({ seq, attempt }) =>
      `{"type":"error","seq":${seq},"attempt":${attempt},"error":{"code":"a","message":"b"},"seq":2}`,
  ],
  ['hold', ({ seq, attempt }) => `{"type":"hold","seq":${seq},"attempt":${attempt},"reason":"r","seq":2}`],
  [
    'step',
    ({ seq, attempt }) =>
      `{"type":"step","seq":${seq},"attempt":${attempt},"step":{"key":"k","kind":"step","name":"s","started_at":"2026-01-01T00:00:00Z","duration_ms":1},"seq":2}`,
  ],
])('a line that names two items ends the first and leaves the other alone: %s', async (_, lineOf) => {
  const { rows } = await runOf(['{}'], (item, text) =>
    item.seq === 1 ? lineOf(item) : `{${head(item)},"output":${text}}`,
  )
  expect(rows[0]).toMatchObject({ status: 'failed', error_code: 'protocol_error' })
  expect(rows[0]!.error_message).toContain('twice')
  expect(rows[1]).toMatchObject({ status: 'completed', attempt: 1 })
})

describe('a step', () => {
  const stepOf = ({ seq, attempt }: ItemLine, output: string) =>
    `{"type":"step","seq":${seq},"attempt":${attempt},"step":{"key":"k","kind":"tool_call","name":"t","output":${output},"started_at":"2026-01-01T00:00:00Z","duration_ms":1}}`
  const failed = ({ seq, attempt }: ItemLine) =>
    `{"type":"error","seq":${seq},"attempt":${attempt},"error":{"code":"broke","message":"it broke"}}`

  it('is handed to a later attempt with the digits that its agent wrote', async () => {
    await engine.deploy({ retries: 1 })
    const output = '{"price":1.0,"id":12345678901234567890,"zero":-0.0,"list":[1e2, 1.10]}'
    const fails = (item: ItemLine) => item.seq === 1 && item.attempt === 1
    const { requests, runId } = await runOf([output], (item, text) =>
      fails(item) ? `${stepOf(item, text)}\n${failed(item)}` : `{${head(item)},"output":1}`,
    )
    expect(requests.join()).toContain(`"recorded":[{"key":"k","output":${output}}]`)
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', attempt: 2 })
  })

  it('that no reader could take is kept as its beginning, with what is wrong, and its item goes on', async () => {
    const outputs = REFUSED.slice(0, 7).map(([, output]) => output)
    const { runId, rows } = await runOf(
      outputs,
      (item, text) => `${stepOf(item, text)}\n{${head(item)},"output":1}`,
    )
    expect(rows.map(row => row.status)).toEqual(rows.map(() => 'completed'))
    const steps = await engine.sql`select seq, output from steps where run_id = ${runId} order by seq`
    for (const [at, output] of outputs.entries())
      expect(JSON.parse(steps[at]!.output)).toMatchObject({
        cut: true,
        bytes: output.length,
        head: output.slice(0, LIMITS.step_cut_head_bytes),
        problem: expect.any(String),
      })
  })
})
