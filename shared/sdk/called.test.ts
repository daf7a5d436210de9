// What a step says of who was called for its model, and of what that bills, whichever client made the call and whatever it keeps.

import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StepReport } from '../protocol/rules/protocol.ts'
import { agent } from './agent.ts'
import type { Context } from './context.ts'
import { serve } from './serve.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const answer = (usage: object) => ({
  id: 'x',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'billing' }, finish_reason: 'stop' }],
  usage: { ...USAGE, ...usage },
})

let answers: ((response: ServerResponse) => void)[] = []
const server = createServer((_, response) => answers.shift()!(response))
let host = ''
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const json =
  (body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const stream = (usage: object) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (piece: object) => response.write(`data: ${JSON.stringify(piece)}\n\n`)
  say({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'billing' } }] })
  say({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  say({ object: 'chat.completion.chunk', choices: [], usage: { ...USAGE, ...usage } })
  response.end('data: [DONE]\n\n')
}

/** The steps that an agent reports which does this with an item, as one without upstreams and as one with them. */
async function reported(run: (ctx: Context) => unknown, by: typeof answers): Promise<StepReport[][]> {
  class Test {
    run(ctx: Context) {
      return run(ctx)
    }
  }
  agent({ name: 'test' })(Test, { kind: 'class', name: 'Test' } as never)
  const seen: StepReport[][] = []
  for (const headers of [{}, { 'assay-upstream-key': '0'.repeat(32) }]) {
    answers = [...by]
    const item = { seq: 1, attempt: 1, item_id: 'i', partition_key: null, timeout_ms: 9e4, yield_ms: 9e4 }
    const body = JSON.stringify({ ...item, budget_micro: null, recorded: [], input: 1 })
    const response = await serve(Test as never)(
      new Request('http://agent/', {
        method: 'POST',
        headers: {
          'content-type': 'application/x-ndjson',
          'assay-protocol': '1',
          'assay-run': 'r',
          ...headers,
        },
        body: `${body}\n`,
      }),
    )
    const lines = (await response.text()).trim().split('\n')
    seen.push(lines.map(line => JSON.parse(line)).flatMap(line => (line.type === 'step' ? [line.step] : [])))
  }
  return seen
}

const client = () => new OpenAI({ apiKey: 'k', baseURL: `http://${host}/v1`, maxRetries: 0 })
const REQUEST = { model: 'm', messages: [{ role: 'user' as const, content: 'Which category?' }] }
const create = () => client().chat.completions.create(REQUEST)
const textOf = async () => (await create()).choices[0]!.message.content
const post = async () =>
  (await fetch(`http://${host}/v1/chat/completions`, { method: 'POST', body: '{}' })).text()

const both = (what: object) => [[expect.objectContaining(what)], [expect.objectContaining(what)]]
const NO_BILL = expect.not.objectContaining({ cost_usd: expect.anything() })

it('a model call says which host it called, and no bill where there is none', async () => {
  const steps = await reported(ctx => ctx.llm('c', REQUEST, create), [json(answer({}))])
  expect(steps).toEqual(both({ host }))
  expect(steps).toEqual([[NO_BILL], [NO_BILL]])
})

it.each<[string, () => unknown, (typeof answers)[number], number]>([
  ['an answer of which the agent keeps the text alone', textOf, json(answer({ cost: 0.0141 })), 0.0141],
  ['an answer that is read as a text', post, json(answer({ cost: 0.0141 })), 0.0141],
  ['ticks', textOf, json(answer({ cost_in_usd_ticks: 37_756_000 })), 0.003776],
  ['an estimate', textOf, json(answer({ estimated_cost: 0.0000123 })), 0.000013],
  ['nothing, which is a bill', textOf, json(answer({ cost: 0 })), 0],
  [
    'a fee beside the bill of a provider whose key is the user’s',
    textOf,
    json(answer({ cost: 0.00002, is_byok: true, cost_details: { upstream_inference_cost: 0.00045 } })),
    0.00047,
  ],
  ['a header of a gateway', textOf, json(answer({}), { 'x-litellm-response-cost': '3.5e-05' }), 0.000035],
  ['the last piece of a stream', post, stream({ cost: 0.0141 }), 0.0141],
])('the bill of the provider is reported where it is %s', async (_, call, by, cost_usd) => {
  const steps = await reported(ctx => ctx.llm('c', REQUEST, call), [by])
  expect(steps).toEqual(both({ host, cost_usd }))
})

it('the bill of several calls in a step is their sum, if each has one', async () => {
  const twice = async () => [await textOf(), await textOf()].join()
  const billed = [json(answer({ cost: 0.001 })), json(answer({ cost: 0.002 }))]
  expect(await reported(ctx => ctx.llm('c', REQUEST, twice), billed)).toEqual(both({ cost_usd: 0.003 }))
  const half = [json(answer({ cost: 0.001 })), json(answer({}))]
  expect(await reported(ctx => ctx.llm('c', REQUEST, twice), half)).toEqual([[NO_BILL], [NO_BILL]])
})

it('a bill that is no sum of dollars is none', async () => {
  for (const cost of ['much', -1, {}, [], true, null]) {
    const steps = await reported(ctx => ctx.llm('c', REQUEST, textOf), [json(answer({ cost }))])
    expect(steps).toEqual([[NO_BILL], [NO_BILL]])
  }
})

it('a call that throws after its answer has the host and the bill too', async () => {
  const unreadable = async () => JSON.parse((await textOf())!)
  const steps = await reported(ctx => ctx.llm('c', REQUEST, unreadable), [json(answer({ cost: 0.0141 }))])
  expect(steps).toEqual(both({ host, cost_usd: 0.0141, error: expect.anything() }))
})

it('the host is seen of calls by node:http, where the consumer asks about upstreams', async () => {
  const call = () =>
    new Promise((resolve, reject) => {
      const sent = request(`http://${host}/v1/chat/completions`, { method: 'POST' }, response => {
        let text = ''
        response.on('data', part => (text += part)).on('end', () => resolve(JSON.parse(text)))
      })
      sent.on('error', reject).end('{}')
    })
  const [, steps] = await reported(ctx => ctx.llm('c', REQUEST, call), [json(answer({}))])
  expect(steps).toEqual([expect.objectContaining({ host })])
})

it('what a tool calls is no model’s', async () => {
  const steps = await reported(ctx => ctx.tool('t', 1, post), [json(answer({ cost: 0.0141 }))])
  for (const [step] of steps) expect(step).not.toHaveProperty('host')
})
