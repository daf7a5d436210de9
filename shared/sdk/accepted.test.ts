// Answers that are none, that an agent's check refuses, or that the code that reads them cannot use.

import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type ItemResult, type RunItemOptions, runItem } from '../testing/run-item.ts'
import { type ScriptedAnswer, scripted } from '../testing/scripted.ts'
import { agent } from './agent.ts'
import type { AgentOptions } from './agent-options.ts'
import type { Context } from './context.ts'

function agentOf(run: (ctx: Context) => unknown, options: Partial<AgentOptions> = {}) {
  class Test {
    run(ctx: Context) {
      return run(ctx)
    }
  }
  agent({ name: 'test', ...options })(Test, { kind: 'class', name: 'Test' } as never)
  return Test
}

const REQUEST = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Which category?' }] }
const client = () => new OpenAI({ apiKey: 'k', maxRetries: 0 })
const ask = () => client().chat.completions.create(REQUEST)
const textOf = (answer: OpenAI.ChatCompletion) => answer.choices[0]?.message.content
const Label = z.object({ label: z.string() })

async function ran(
  run: (ctx: Context) => unknown,
  answers: ScriptedAnswer[],
  { options, ...more }: Partial<RunItemOptions> & { options?: Partial<AgentOptions> } = {},
): Promise<ItemResult> {
  return runItem(agentOf(run, options), { input: 1, model: scripted(answers), ...more })
}

const steps = (result: ItemResult) =>
  result.steps.map(({ key, outcome, error, output_tokens }) => [
    key,
    outcome.status,
    outcome.reason,
    error?.code ?? null,
    output_tokens > 0,
  ])

describe('an answer that is none', () => {
  const NO_CHOICE = { id: 'c', object: 'chat.completion', model: 'gpt-4o', choices: [] }
  it.each<[string, ScriptedAnswer, string]>([
    [
      'an error with the status 200',
      { body: { error: { code: 502, message: 'Upstream error' } } },
      'Upstream error',
    ],
    ['no choice', { body: NO_CHOICE }, 'no choice in the answer'],
    ['an error in a text', { body: { error: { message: 'slow down', type: 'x' } } }, 'slow down (x)'],
  ])('%s is asked again by declared retries', async (_, none, words) => {
    const run = async (ctx: Context) => textOf(await ctx.llm('c', REQUEST, ask))
    const result = await ran(run, [none, 'billing'], { options: { retries: 1, itemBudgetCents: 100 } })
    expect(result).toMatchObject({
      status: 'completed',
      outcome: { status: 'ok' },
      output: 'billing',
      attempts: 2,
    })
    expect(result.steps[0]).toMatchObject({
      error: { code: 'llm_call_error', message: words },
      outcome: { status: 'failed', reason: 'provider_error' },
    })
    expect(result.cost.unpriced).toBe(false)
  })

  it('ends the item with the provider’s words where there are no retries', async () => {
    const result = await ran(
      ctx => ctx.llm('c', REQUEST, ask),
      [{ body: { error: { code: 502, message: 'Upstream error' } } }],
    )
    expect(result).toMatchObject({
      status: 'failed',
      outcome: { status: 'failed', reason: 'provider_error' },
      error: { code: 'llm_call_error', message: 'Upstream error' },
    })
  })

  it('degrades the result of an agent that goes on', async () => {
    const run = async (ctx: Context) => {
      const answer = await ctx.llm('c', REQUEST, ask).catch(() => undefined)
      return { label: answer === undefined ? 'other' : textOf(answer) }
    }
    const result = await ran(run, [{ body: { error: { code: 502, message: 'x' } } }], {
      options: { retries: 3 },
    })
    expect(result).toMatchObject({
      status: 'completed',
      outcome: { status: 'degraded', reason: 'provider_error' },
      attempts: 1,
    })
  })

  it('is asked once if it says that the request is wrong', async () => {
    const wrong = { body: { error: { code: 400, message: 'no such model' } } }
    const result = await ran(ctx => ctx.llm('c', REQUEST, ask), [wrong], { options: { retries: 3 } })
    expect(result).toMatchObject({ status: 'failed', attempts: 1 })
  })

  it('is named although its client fails in words of its own', async () => {
    const run = (ctx: Context) =>
      ctx.llm('c', REQUEST, async () => ({ text: (await ask()).choices[0]!.message.content }))
    const result = await ran(run, [{ body: { error: { code: 502, message: 'Upstream error' } } }])
    expect(result.error?.message).toMatch(/^Upstream error: Cannot read/)
  })

  it('is a page of a gateway, also where a page was asked for', async () => {
    const page = () => fetch('https://api.openai.com/x').then(answer => answer.text())
    const run = (ctx: Context) => ctx.llm('c', { model: 'gpt-4o', prompt: 'Write a page in HTML' }, page)
    const html = new Response('<html><body>Sign in</body></html>', {
      headers: { 'content-type': 'text/html' },
    })
    const result = await runItem(agentOf(run), { input: 1, fetch: () => html })
    expect(result).toMatchObject({ status: 'failed', error: { message: 'a page instead of an answer' } })
  })
})

describe('data that are read out of a good answer are no error of its provider:', () => {
  const read = async () => JSON.parse(textOf(await ask())!)
  it.each<object>([
    { error: 'not an invoice' },
    { error: 'quota exceeded, says the customer' },
    { error: { type: 'TypeError', message: 'x is undefined' }, severity: 'high' },
    { error: { code: 'E42', message: 'Paper jam' } },
    { type: 'billing', code: 'B12', message: 'Customer wants a refund' },
    { candidates: [] },
    { choices: [] },
    {},
  ])('%j', async value => {
    const result = await ran(ctx => ctx.llm('c', REQUEST, read), [{ json: value }], {
      options: { retries: 2 },
    })
    expect(result).toMatchObject({ status: 'completed', output: value, attempts: 1 })
    expect(result.steps[0]?.error ?? null).toBeNull()
  })

  it('a page, whatever the request says', async () => {
    const page = '<!DOCTYPE html><html><head><title>Bakery</title></head><body>hi</body></html>'
    const result = await ran(ctx => ctx.llm('c', REQUEST, async () => textOf(await ask())), [page])
    expect(result).toMatchObject({ status: 'completed', output: page })
  })

  it('data of a client whose calls are not seen', async () => {
    const result = await ran(ctx => ctx.llm('c', REQUEST, () => ({ error: 'not an invoice' })), [])
    expect(result).toMatchObject({ status: 'completed', output: { error: 'not an invoice' } })
  })

  it('what its agent has in place of an error', async () => {
    const run = (ctx: Context) =>
      ctx.llm('c', REQUEST, async () => ({ label: (await ask()).choices?.[0]?.message.content ?? 'other' }))
    const result = await ran(run, [{ body: { error: { code: 502, message: 'x' } } }])
    expect(result).toMatchObject({ status: 'completed', output: { label: 'other' } })
  })
})

describe('what a provider sent decides where', () => {
  it.each<[string, ScriptedAnswer, string]>([
    ['an error', { body: { error: { code: 502, message: 'Upstream error' } } }, 'Upstream error'],
    ['nothing', { body: {} }, 'an empty object instead of an answer'],
  ])('its agent finds nothing in %s', async (_, none, words) => {
    const run = (ctx: Context) =>
      ctx.llm('c', REQUEST, async () => ({ label: (await ask()).choices?.[0]?.message.content }))
    const result = await ran(run, [none, 'billing'], { options: { retries: 1 } })
    expect(result).toMatchObject({ status: 'completed', output: { label: 'billing' }, attempts: 2 })
    expect(result.steps[0]?.error).toMatchObject({ code: 'llm_call_error', message: words })
  })

  it('a client asked again by itself', async () => {
    const read = async () => {
      await ask()
      return JSON.parse(textOf(await ask())!)
    }
    const none = { body: { error: { code: 502, message: 'Upstream error' } } }
    const result = await ran(ctx => ctx.llm('c', REQUEST, read), [none, { json: { error: 'no date' } }])
    expect(result).toMatchObject({ status: 'completed', output: { error: 'no date' } })
  })
})

describe('a check of an answer', () => {
  const trims = (answer: { label: string }) => {
    answer.label = answer.label.trim()
    return true as const
  }
  const isKnown = (answer: OpenAI.ChatCompletion) =>
    textOf(answer) === 'billing' || `no category: ${textOf(answer)}`

  it('has the model asked again, and keeps both answers with their price', async () => {
    const run = async (ctx: Context) => textOf(await ctx.llm('c', REQUEST, ask, { accept: isKnown }))
    const result = await ran(run, ['bananas', 'billing'])
    expect(result).toMatchObject({
      status: 'completed',
      outcome: { status: 'ok' },
      output: 'billing',
      attempts: 1,
    })
    expect(steps(result)).toEqual([
      ['c~1', 'degraded', 'agent_degraded', 'answer_refused', true],
      ['c', 'ok', null, null, true],
    ])
    expect(result.steps[0]?.error?.message).toBe('no category: bananas')
    expect(result.cost.micro).toBe(result.steps[0]!.cost_micro + result.steps[1]!.cost_micro)
    expect(result.steps[0]!.cost_micro).toBeGreaterThan(0)
  })

  it('is asked as often as it says, and then the item has an error of its own', async () => {
    const run = (ctx: Context) => ctx.llm('c', REQUEST, ask, { accept: isKnown, asks: 2 })
    const result = await ran(run, ['a', 'b', 'c'])
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'answer_refused', message: 'the answer was not accepted: no category: c' },
      outcome: { reason: 'agent_degraded' },
    })
    expect(steps(result).map(([key]) => key)).toEqual(['c~1', 'c~2', 'c~3'])
  })

  it('may be asked never again', async () => {
    const run = (ctx: Context) => ctx.llm('c', REQUEST, ask, { accept: isKnown, asks: 0 })
    expect(steps(await ran(run, ['a']))).toHaveLength(1)
  })

  it('is not asked for what was accepted before, and asks anew in a retry', async () => {
    const run = async (ctx: Context) => {
      const first = textOf(await ctx.llm('c', REQUEST, ask, { accept: isKnown }))
      const second = textOf(await ctx.llm('d', REQUEST, ask, { accept: isKnown, asks: 0 }))
      return [first, second]
    }
    const result = await ran(run, ['a', 'billing', 'b', 'billing'], { options: { retries: 1 } })
    expect(result).toMatchObject({ output: ['billing', 'billing'], attempts: 2 })
    expect(steps(result).map(([key]) => key)).toEqual(['c~1', 'c', 'd~1', 'd'])
  })

  it('degrades the result of an agent that goes on with a refused answer', async () => {
    const run = async (ctx: Context) =>
      (await ctx.llm('c', REQUEST, ask, { accept: isKnown, asks: 0 }).catch(() => null)) ?? 'other'
    const result = await ran(run, ['a'])
    expect(result).toMatchObject({
      output: 'other',
      outcome: {
        status: 'degraded',
        reason: 'agent_degraded',
        message: 'The last model call (c~1) was answered, and the agent did not accept it.',
      },
    })
  })

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('not JSON')
      },
      'not JSON',
    ],
    ['rejects', () => Promise.reject(new Error('not JSON')), 'not JSON'],
    ['returns nothing', () => undefined, 'accept returned undefined'],
    ['returns false', () => false, 'accept returned false'],
    ['returns an empty reason', () => '', 'accept returned ""'],
    [
      'throws what cannot be read',
      () => {
        throw Object.defineProperty(new Error('x'), 'message', {
          get() {
            throw new Error('evil')
          },
        })
      },
      'the error could not be read',
    ],
  ])('that %s does not accept', async (_, accept, reason) => {
    const run = (ctx: Context) => ctx.llm('c', REQUEST, ask, { accept: accept as never, asks: 0 })
    expect((await ran(run, ['a'])).steps[0]?.error).toEqual({ code: 'answer_refused', message: reason })
  })

  it.each<[string, object]>([
    ['accept', { accept: trims }],
    ['read', { read: (answer: { label: string }) => ({ text: String(trims(answer)) }) }],
  ])('changes nothing in what its agent gets: %s', async (_, options) => {
    const seen: unknown[] = []
    const run = async (ctx: Context) => {
      seen.push(await ctx.llm('c', REQUEST, async () => JSON.parse(textOf(await ask())!), options))
      if (seen.length === 1) throw new Error('once more')
    }
    await ran(run, [{ json: { label: ' x ' } }], { options: { retries: 1 } })
    expect(seen).toEqual([{ label: ' x ' }, { label: ' x ' }])
  })

  it('names a truncated answer for what it is', async () => {
    const run = (ctx: Context) => ctx.llm('c', REQUEST, ask, { accept: () => 'half', asks: 0 })
    expect(steps(await ran(run, [{ text: '{"la', finish: 'length' }]))[0]).toEqual([
      'c~1',
      'degraded',
      'truncated',
      'answer_refused',
      true,
    ])
  })

  it('ends with the item’s budget', async () => {
    const run = (ctx: Context) => ctx.llm('c', REQUEST, ask, { accept: () => 'no', asks: 50 })
    const answers = Array.from({ length: 51 }, () => ({ text: 'a', output_tokens: 2000 }))
    const result = await ran(run, answers, { options: { itemBudgetCents: 5 } })
    expect(result.status).toBe('budget_exceeded')
    expect(result.steps.length).toBeLessThan(6)
  })

  it('counts each answer as a step', async () => {
    const run = (ctx: Context) => ctx.llm('c', REQUEST, ask, { accept: () => 'no', asks: 50 })
    const result = await ran(
      run,
      Array.from({ length: 51 }, () => 'a'),
      { options: { maxSteps: 3 } },
    )
    expect(result).toMatchObject({ error: { code: 'step_limit_exceeded' } })
  })
})

describe('what is thrown after the answer was paid', () => {
  const parse = () =>
    client().chat.completions.parse({ ...REQUEST, response_format: zodResponseFormat(Label, 'label') })

  it.each<[string, () => Promise<unknown>, ScriptedAnswer, string, string]>([
    ['a length that was reached', parse, { text: '{"la', finish: 'length' }, 'degraded', 'truncated'],
    ['a filter', parse, { text: 'x', finish: 'content_filter' }, 'degraded', 'content_filter'],
    ['an answer of another shape', parse, { json: { other: 1 } }, 'failed', 'step_error'],
    [
      'code of its own',
      async () => Label.parse(JSON.parse(textOf(await ask())!)),
      'Sure! Here it is.',
      'failed',
      'step_error',
    ],
    [
      'a refusal that is no JSON',
      async () => JSON.parse(textOf(await ask())!),
      "I'm sorry, but I can't help with that.",
      'degraded',
      'refusal',
    ],
  ])('%s is kept, graded and priced', async (_, fn, answer, outcome, reason) => {
    const result = await ran(ctx => ctx.llm('c', REQUEST, fn), [answer])
    expect(result).toMatchObject({ status: 'failed', error: { code: 'llm_call_error' }, outcome: { reason } })
    expect(steps(result)).toEqual([['c', outcome, reason, 'llm_call_error', true]])
    expect(result.steps[0]?.output).toMatchObject({ object: 'chat.completion' })
    expect(result.cost.micro).toBeGreaterThan(0)
  })

  it('is asked again where the agent checks its answers', async () => {
    const run = (ctx: Context) => ctx.llm('c', REQUEST, parse, { accept: () => true as const })
    const result = await ran(run, [{ json: { other: 1 } }, { json: { label: 'billing' } }])
    expect(result).toMatchObject({ status: 'completed' })
    expect(steps(result).map(([key]) => key)).toEqual(['c~1', 'c'])
  })

  it('costs all answers that came before', async () => {
    const fn = async () => {
      await ask()
      await ask()
      throw new Error('neither')
    }
    const result = await ran(ctx => ctx.llm('c', REQUEST, fn), ['a', 'b'])
    expect(steps(result)).toEqual([
      ['c~1', 'failed', 'step_error', 'llm_call_error', true],
      ['c', 'failed', 'step_error', 'llm_call_error', true],
    ])
  })

  it('is read from a stream', async () => {
    const events = [
      {
        choices: [{ index: 0, delta: { role: 'assistant', content: 'bil' } }],
        model: 'gpt-4o',
        object: 'chat.completion.chunk',
      },
      { choices: [{ index: 0, delta: { content: 'ling' }, finish_reason: 'stop' }], model: 'gpt-4o' },
      { choices: [], model: 'gpt-4o', usage: { prompt_tokens: 9, completion_tokens: 3 } },
    ]
    const body = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
    const fn = async () => {
      const stream = await client().chat.completions.create({ ...REQUEST, stream: true })
      for await (const _ of stream);
      throw new Error('own')
    }
    const model = {
      live: false,
      answer: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    }
    const result = await runItem(
      agentOf(ctx => ctx.llm('c', REQUEST, fn)),
      { input: 1, model },
    )
    expect(steps(result)).toEqual([['c', 'failed', 'step_error', 'llm_call_error', true]])
  })

  /** Clients that do not call through fetch, and what their errors have. */
  const with_ = (parts: object, cause?: unknown) => Object.assign(new Error('own', { cause }), parts)
  const completion = {
    object: 'chat.completion',
    model: 'gpt-4o',
    choices: [{ message: { content: '{"la' }, finish_reason: 'length' }],
    usage: { prompt_tokens: 9, completion_tokens: 3 },
  }
  const ofAiSdk = {
    text: '{"la',
    finishReason: 'length',
    response: { id: 'x', modelId: 'gpt-4o', timestamp: new Date(0) },
    usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 },
  }
  it.each<[string, unknown, string, boolean]>([
    ['a completion', with_({ completion }), 'truncated', true],
    ['a response', with_({ response: completion }), 'truncated', true],
    ['axios’ response', with_({ response: { status: 200, data: completion } }), 'truncated', true],
    ['the body as a text', with_({ responseBody: JSON.stringify(completion) }), 'truncated', true],
    ['AI SDK’s parts', with_(ofAiSdk), 'truncated', true],
    ['AI SDK’s parts in a cause', with_({}, with_({}, with_(ofAiSdk))), 'truncated', true],
    [
      'usage in other words',
      with_({ ...ofAiSdk, usage: { prompt_tokens: 9, completion_tokens: 3 } }),
      'truncated',
      true,
    ],
    ['LangChain’s text', with_({ llmOutput: "I'm sorry, but I can't help with that." }), 'refusal', false],
  ])('is read from an error with %s', async (_, error, reason, hasTokens) => {
    const fn = () => {
      throw error
    }
    const result = await ran(ctx => ctx.llm('c', REQUEST, fn), [])
    expect(steps(result)).toEqual([['c', 'degraded', reason, 'llm_call_error', hasTokens]])
  })

  it('costs what the same answer costs that did not throw, a cache included', async () => {
    const usage = { inputTokens: 9, outputTokens: 3, totalTokens: 5012, cachedInputTokens: 2000 }
    const anthropic = { cacheCreationInputTokens: 3000, cacheReadInputTokens: 2000 }
    const parts = {
      ...ofAiSdk,
      response: { modelId: 'claude-sonnet-4-5' },
      usage,
      providerMetadata: { anthropic },
    }
    const costs = [
      await ran(ctx => ctx.llm('c', REQUEST, () => parts), []),
      await ran(ctx => ctx.llm('c', REQUEST, () => Promise.reject(with_(parts))), []),
    ].map(({ cost }) => cost.usd)
    expect(costs[0]).toBeGreaterThan(0.01)
    expect(costs[1]).toBe(costs[0])
  })

  it.each<[string, unknown]>([
    ['a refused call', with_({ status: 429, response: { status: 429 } })],
    ['an error of a tool', with_({ response: { data: { rows: [] } }, body: '<html>' })],
    ['a text', 'plain'],
    ['nothing', undefined],
    [
      'what cannot be read',
      new Proxy(new Error('x'), {
        get() {
          throw new Error('evil')
        },
      }),
    ],
  ])('is not found in %s', async (_, error) => {
    const fn = () => {
      throw error
    }
    expect(steps(await ran(ctx => ctx.llm('c', REQUEST, fn), []))).toEqual([
      ['c', 'failed', 'provider_error', 'llm_call_error', false],
    ])
  })

  it('is not looked for in steps that call no model', async () => {
    const fn = async () => {
      await fetch('https://orders.example/1').then(answer => answer.json())
      throw new Error('own')
    }
    const result = await runItem(
      agentOf(ctx => ctx.tool('t', {}, fn)),
      { input: 1, fetch: () => Response.json({ usage: 1 }) },
    )
    expect(result.steps[0]).toMatchObject({ outcome: { reason: 'step_error' }, output: null })
  })
})
