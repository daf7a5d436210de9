// Secrets of a deployment's environment, wherever an agent writes them.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { giveEnv } from '../../support/deployment-env.ts'
import { centStep, failure, result, step, type TestEngine, testEngine } from '../../support/engine.ts'

const SECRET = 'sk-live-1234567890"abc'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
  await giveEnv(engine.ctx, {
    NUMBER_KEY: '123456789012',
    OPENAI_API_KEY: SECRET,
    CRM: 'https://u:p@crm/x',
    ASSAY_SECRETS: 'CRM',
  })
})
afterEach(() => engine.close())

const said = ({ item_id }: ItemLine) => `401 for key ${SECRET} of ${item_id}`

/** What an agent may write, each with the secret in it. */
const LINES: [string, (item: ItemLine) => AgentLine[]][] = [
  [
    'its output',
    item => [result(item, { header: `Bearer ${SECRET}`, body: JSON.stringify({ key: SECRET }) })],
  ],
  ['its error', item => [failure(item, 'broke', said(item))]],
  ['a reason', item => [{ ...result(item), degraded: said(item) } as AgentLine]],
  ['a mismatch of its schema', item => [{ ...result(item), schema_error: said(item) } as AgentLine]],
  [
    'a hold',
    item => [step(item, 'hold'), { ...result(item), type: 'hold', reason: said(item) } as AgentLine],
  ],
  [
    'the input of a step',
    item => [step(item, 'a', { input: { url: `http://x?k=${encodeURIComponent(SECRET)}` } }), result(item)],
  ],
  ['the output of a step', item => [step(item, 'a', { output: said(item) }), result(item)]],
  [
    'a long output of a step',
    item => [step(item, 'a', { output: `${'x'.repeat(2040)}${SECRET}${'x'.repeat(300_000)}` }), result(item)],
  ],
  [
    'the error of a step',
    item => [step(item, 'a', { error: { code: 'broke', message: said(item) } }), result(item)],
  ],
  ['a number', item => [step(item, 'a', { output: { n: 123456789012 } }), result(item, { n: 123456789012 })]],
  ['the name and the key of a step', item => [step(item, `call ${SECRET}`), result(item)]],
  ['a code', item => [failure(item, `code ${SECRET}`)]],
  [
    'what could not be read',
    item => [step(item, 'a', { kind: 'llm_call', answer: { unread: said(item) } }), result(item)],
  ],
  [
    'what is no answer',
    item => [
      step(item, 'a', { kind: 'llm_call', output: { error: { code: 502, message: said(item) } } }),
      result(item),
    ],
  ],
  ['a secret that is listed', item => [result(item, { at: 'https://u:p@crm/x' })]],
]

/** The text of all rows of all tables. */
async function everything(sql: TestEngine['sql']): Promise<string> {
  const tables = await sql`select table_name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`
  const texts = await Promise.all(
    tables.map(({ table_name }) => sql`select t::text as row from ${sql(table_name)} t`),
  )
  expect(texts.length).toBeGreaterThan(20)
  return JSON.stringify(texts)
}

it('secrets are in nothing that is stored of what agents write [agents.secrets]', async () => {
  const runId = await engine.submit(LINES.length)
  engine.play(items => items.flatMap(item => LINES[item.seq - 1]![1](item)))
  await consume(engine.ctx)
  const stored = await everything(engine.sql)
  expect(stored).toContain('[secret OPENAI_API_KEY] of item-2')
  for (const part of ['sk-live', '1234567890', 'u:p@crm']) expect(stored).not.toContain(part)
  const rows = await engine.items(runId)
  for (const [at, [what]] of LINES.entries())
    expect(rows[at]!.status, what).toMatch(/completed|failed|paused/)
  expect(rows[0]!.output).toBe(
    '{"header":"Bearer [secret OPENAI_API_KEY]","body":"{\\"key\\":\\"[secret OPENAI_API_KEY]\\"}"}',
  )
  expect(engine.log.join()).not.toContain('sk-live')
})

it('a model is read and priced before what is kept is masked', async () => {
  await giveEnv(engine.ctx, { MODEL_KEY: 'test-model-1' })
  await engine.sql`update prices set model = 'test-model-1'`
  const runId = await engine.submit(1)
  engine.play(items => items.flatMap(item => [centStep(item, 'a', 1, 'test-model-1'), result(item)]))
  await consume(engine.ctx)
  expect(Number((await engine.run(runId)).cost_micro)).toBe(10_000)
})
