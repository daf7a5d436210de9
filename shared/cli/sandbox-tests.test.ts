// `assay test` in Node and in the sandbox, over the same project.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { ROOT } from './own-files.ts'

const AGENT = `
import { agent, type Context, items } from 'assay'
import OpenAI from 'openai'
import prompt from './prompt.md'
import labels from './labels.toml' with { type: 'text' }
import limits from './limits.json'
import typed from './limits.json' with { type: 'json' }

const YEAR = new Date().getFullYear()

@agent({ name: 'Both', network: ['api.openai.com', 'example.com', 'localhost:81'], retries: 1 })
export default class Both {
  openai = new OpenAI({ maxRetries: 0 })
  async run(ctx: Context, input: any) {
    if (input.do === 'eval') return eval('1')
    if (input.do === 'exit') process.exit(3)
    if (input.do === 'print') console.log('printed by the agent')
    if (input.do === 'call') return (await fetch(input.url, { method: 'POST', body: 'é' })).json()
    if (input.do !== 'ask') return { prompt, labels, limits, typed, YEAR, who: navigator.userAgent, own: process.env.OWN }
    const request = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: prompt + input.text }] }
    const answer = await ctx.llm('ask', request, q => this.openai.chat.completions.create(q, { signal: ctx.signal }))
    return answer.choices[0]!.message.content
  }
  @items async *rows() { yield { from: navigator.userAgent } }
}`

const TESTS = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runGenerator, runItem, scripted } from 'assay/testing'
import Both from './agent.ts'

const sandboxed = process.argv.length > 0 && process.env.EXPECTED === 'sandbox'
const who = sandboxed ? /Cloudflare-Workers/ : /Node/

test('imports are what they are in a deploy', async () => {
  process.env.OWN = 'of the tester'
  const { output } = await runItem(Both, { input: {} })
  const { who: runtime, ...rest } = output
  assert.match(runtime, who)
  const limits = { most: 3 }
  assert.deepEqual(rest, { prompt: 'Sort this: ', labels: 'a = 1', limits, typed: limits, YEAR: new Date().getFullYear(), own: 'of the tester' })
})

test('the model is scripted, tried again, and priced', async () => {
  const model = scripted([{ status: 500 }, 'billing'])
  const result = await runItem(Both, { input: { do: 'ask', text: 'é' }, model })
  assert.deepEqual([result.error, result.output, result.outcome.status, result.attempts], [null, 'billing', 'ok', 2])
  assert.ok(result.cost.micro > 0)
  assert.match(JSON.stringify(result.steps[1].input), /Sort this: é/)
})

test('calls come to the test that runs the item, however many run', async () => {
  const each = Array.from({ length: 4 }, (_, n) =>
    runItem(Both, {
      input: { do: 'call', url: 'https://example.com/path?n=' + n },
      fetch: async request => Response.json({ n, url: request.url, body: await request.text() }),
    }))
  for (const [n, { output }] of (await Promise.all(each)).entries())
    assert.deepEqual(output, { n, url: 'https://example.com/path?n=' + n, body: 'é' })
})

test('a call that the test does not foresee is an error of the test', async () => {
  await assert.rejects(runItem(Both, { input: { do: 'call', url: 'https://example.com/' } }), /give runItem fetch/)
})

test('a private host that is declared is answered by the test', async () => {
  const { output } = await runItem(Both, { input: { do: 'call', url: 'http://localhost:81/' }, fetch: () => Response.json(5) })
  assert.equal(output, 5)
})

test('a generator runs there too', async () => {
  process.env.OPENAI_API_KEY = 'none'
  const [row] = await runGenerator(Both, 'rows')
  assert.match(row.from, who)
})

test('what the agent prints is shown', () => runItem(Both, { input: { do: 'print' } }))

if (sandboxed) {
  test('eval fails with the way out', async () => {
    const { error } = await runItem(Both, { input: { do: 'eval' } })
    assert.match(error.message, /compile at module level/)
  })
  test('a host that is not declared is refused', async () => {
    const input = { do: 'call', url: 'https://other.example/' }
    const { error } = await runItem(Both, { input, fetch: () => Response.json(1) })
    assert.match(error.message, /egress denied: other.example:443/)
  })
  test('an exit ends the process of the agent, and the next item has another', async () => {
    await assert.rejects(runItem(Both, { input: { do: 'exit' } }), /called process.exit\\(3\\)/)
    assert.equal((await runItem(Both, { input: {} })).status, 'completed')
  })
}
`

let folder: string
beforeAll(async () => {
  folder = (await tempFolder()).path
  const files = {
    'package.json': '{"type":"module"}',
    'agent.ts': AGENT,
    'agent.test.ts': TESTS,
    'prompt.md': '\u{feff}Sort this: ',
    'labels.toml': 'a = 1',
    'limits.json': '{"most":3}',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})
afterAll(() => rm(folder, { recursive: true }))

async function run(expected: string, ...args: string[]) {
  const command = [join(ROOT, 'shared/cli/main.ts'), 'test', ...args]
  const { NODE_TEST_CONTEXT: _, OPENAI_API_KEY: __, ...env } = process.env
  const child = spawn(process.execPath, command, { cwd: folder, env: { ...env, EXPECTED: expected } })
  let said = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', chunk => (said += chunk))
  const [code] = await once(child, 'close')
  return { code, said }
}

it('the same tests pass in Node and in the sandbox', async () => {
  const inNode = await run('node')
  expect([inNode.code, inNode.said]).toEqual([0, expect.stringMatching(/pass 7\b/)])
  const there = await run('sandbox', '--sandbox')
  expect([there.code, there.said]).toEqual([0, expect.stringMatching(/pass 10\b/)])
  for (const { said } of [inNode, there]) expect(said).toContain('printed by the agent')
})

it('an agent that does not load in the sandbox fails its tests with its line', async () => {
  await writeFile(
    join(folder, 'early.ts'),
    AGENT.replace('const YEAR', 'const ID = crypto.randomUUID()\nconst YEAR'),
  )
  const test =
    "import { test } from 'node:test'\nimport { runItem } from 'assay/testing'\nimport Early from './early.ts'\ntest('runs', () => runItem(Early, { input: {} }))\n"
  await writeFile(join(folder, 'early.test.ts'), test)
  expect((await run('node', 'early.test.ts')).code).toBe(0)
  const { code, said } = await run('sandbox', 'early.test.ts', '--sandbox')
  expect(code).not.toBe(0)
  expect(said).toMatch(/early\.ts:9:19: it does not load in the sandbox: crypto\.randomUUID/)
})
