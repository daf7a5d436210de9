// Secrets of an agent that runs elsewhere: the server does not know its environment, so its own lines have to be without them.

import { afterAll, describe, expect, it, vi } from 'vitest'
import type { ItemLine } from '../protocol/rules/protocol.ts'
import type { Context } from './context.ts'

const SECRET = 'sk-live-"1234567890'

// The environment is read once for each process, and other files of tests run in this one.
vi.resetModules()
process.env.CRM_TOKEN = SECRET
const { agent } = await import('./agent.ts')
const { ItemError } = await import('./errors.ts')
const { serve } = await import('./serve.ts')

afterAll(() => {
  delete process.env.CRM_TOKEN
  vi.resetModules()
})

async function linesOf(run: (ctx: Context) => unknown, more: Partial<ItemLine> = {}): Promise<string> {
  @agent({ name: 'own' })
  class Own {
    run(ctx: Context) {
      return run(ctx)
    }
  }
  const item: ItemLine = {
    seq: 1,
    attempt: 1,
    item_id: 'a',
    partition_key: null,
    timeout_ms: 5000,
    yield_ms: 5000,
    budget_micro: null,
    recorded: [],
    input: null,
    ...more,
  }
  const response = await serve(Own)(
    new Request('http://agent.test', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', 'assay-run': 'r' },
      body: `${JSON.stringify(item)}\n`,
    }),
  )
  return response.text()
}

const thrown = () =>
  Object.assign(new Error(`of ${SECRET}`), {
    text: `says ${SECRET}`,
    usage: { inputTokens: 1, outputTokens: 1 },
  })

describe('the lines of an agent have none of its secrets', () => {
  it.each<[string, (ctx: Context) => unknown]>([
    ['in the input of a step', ctx => ctx.tool('t', { key: SECRET }, () => 1)],
    ['in the output of a step', ctx => ctx.tool('t', {}, () => ({ key: SECRET }))],
    [
      'in a long output of a step',
      ctx => ctx.step('s', () => `${'x'.repeat(300_000)}${SECRET}${'x'.repeat(9)}`),
    ],
    ['in the beginning of a long input', ctx => ctx.tool('t', [SECRET, 'x'.repeat(300_000)], () => 1)],
    ['in the name of a step', ctx => ctx.step(`call ${SECRET}`, () => 1)],
    ['in the error of a step', ctx => ctx.step('s', () => Promise.reject(new Error(SECRET)))],
    [
      'in the answer of a call that threw',
      ctx => ctx.llm('c', { key: SECRET }, () => Promise.reject(thrown())),
    ],
    ['in its output', () => ({ key: SECRET, body: JSON.stringify({ SECRET }) })],
    ['in its error', () => Promise.reject(new ItemError(SECRET, { code: `no ${SECRET}` }))],
    ['in a reason', ctx => ctx.degrade(`with ${SECRET}`)],
    ['in a hold', ctx => ctx.hold(`with ${SECRET}`)],
  ])('%s', async (_, run) => {
    const text = await linesOf(run)
    expect(text).toContain('[secret CRM_TOKEN]')
    expect(text).not.toContain('1234567890')
    for (const line of text.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  })
})

it('a step with a secret in its name is found again by a later attempt', async () => {
  let runs = 0
  const run = (ctx: Context) => ctx.step(`call ${SECRET}`, () => ({ n: ++runs, key: SECRET }))
  const first = (await linesOf(run))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const { key, output } = first.find(line => line.type === 'step').step
  const again = await linesOf(run, { attempt: 2, recorded: [{ key, output }] })
  expect(runs).toBe(1)
  expect(JSON.parse(again.trim().split('\n').at(-1)!).output).toEqual(first.at(-1).output)
})
