import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import Summarize from '../../examples/summarize-anthropic/agent.ts'
import TicketTriage from '../../examples/ticket-triage/agent.ts'
import { agent } from '../sdk/agent.ts'
import type { Context } from '../sdk/context.ts'
import { ItemError } from '../sdk/errors.ts'
import { runItem, scripted } from './index.ts'

const input = { text: 'Where is my card?', tenant: 'acme' }
const sorting = { category: 'card_delivery', priority: 'high', confidence: 0.9 }

@agent({ name: 'Careless', retries: 2, network: ['api.openai.com'] })
class Careless {
  openai = new OpenAI({ maxRetries: 0 })
  async run(ctx: Context, { text }: typeof input) {
    const order = { model: 'gpt-5-mini', messages: [{ role: 'user' as const, content: text }] }
    const answer = await ctx.llm('classify', order, one => this.openai.chat.completions.create(one))
    return JSON.parse(answer.choices[0]!.message.content!)
  }
}

describe('an item run in memory', () => {
  it('has the verdict, steps and output of a real run, with an unchanged client', async () => {
    const model = scripted([{ json: sorting }, 'It is on its way.'])
    const result = await runItem(TicketTriage, { input, model })
    expect(result).toMatchObject({
      status: 'completed',
      outcome: { status: 'ok', reason: null, message: null },
      error: null,
      output: { category: 'card_delivery', reply: 'It is on its way.' },
      attempts: 1,
    })
    expect(result.steps.map(({ kind, key }) => [kind, key])).toEqual([
      ['llm_call', 'classify'],
      ['tool_call', 'lookup_policy'],
      ['llm_call', 'draft'],
    ])
    expect(model.requests[0]!.prompt).toContain('Where is my card?')
    expect(process.env.OPENAI_API_KEY).not.toBe('not-needed-in-a-test')
  })

  it('costs what the tokens of its answers cost, to the micro-dollar', async () => {
    const prices = { 'assay-demo-small': { input_per_mtok: 2, output_per_mtok: 10 } }
    const model = scripted([
      { json: sorting, input_tokens: 1000, output_tokens: 20 },
      { text: 'On its way.', input_tokens: 300, output_tokens: 30 },
    ])
    const { cost } = await runItem(TicketTriage, { input, model, prices })
    expect(cost).toEqual({
      micro: 2 * 1300 + 10 * 50,
      usd: 0.0031,
      unpriced: false,
      input_tokens: 1300,
      output_tokens: 50,
    })
    const message = { role: 'assistant', content: JSON.stringify({ ...sorting, category: 'other' }) }
    const body = { object: 'chat.completion', model: 'nobody-knows-it', choices: [{ message }] }
    const unknown = await runItem(TicketTriage, { input, model: scripted([{ body }, { body }]) })
    expect(unknown.cost).toMatchObject({ micro: 0, unpriced: true })
  })

  it.each([
    ['a refusal', { refusal: 'I cannot help with that.' }, 'refusal'],
    ['an answer cut short', { text: '{"category":', finish: 'length' as const }, 'truncated'],
    ['an empty answer', '', 'empty_output'],
    ['an answer stopped by a filter', { finish: 'content_filter' as const }, 'content_filter'],
  ])('is degraded by %s', async (_, answer, reason) => {
    const result = await runItem(TicketTriage, { input, model: scripted([answer]) })
    expect(result).toMatchObject({ status: 'completed', outcome: { status: 'degraded', reason } })
  })

  it.each([
    [
      'an answer cut short',
      { text: '{"category":', finish: 'length' as const },
      'was cut off at a token limit.',
    ],
    ['an empty answer', '', 'has neither text nor tool calls.'],
    ['a refusal in words', "I'm sorry, but I can't help with that request.", 'is a refusal.'],
  ])(
    'that parses %s fails with an error that names it, and asks once for all attempts',
    async (_, answer, said) => {
      const model = scripted([answer])
      const result = await runItem(Careless, { input, model })
      expect(result).toMatchObject({ status: 'failed', error: { code: 'agent_error' }, attempts: 3 })
      expect(result.error!.message).toMatch(/JSON.*\. The last model call \(classify\) /s)
      expect(result.error!.message).toContain(said)
      expect(model.requests).toHaveLength(1)
    },
  )

  it('is degraded by an empty summary', async () => {
    const result = await runItem(Summarize, { input: { text: ' ' }, model: scripted(['']) })
    expect(result).toMatchObject({ status: 'completed', outcome: { reason: 'empty_output' } })
  })

  it('is retried as declared, without the steps that succeeded, and fails when the attempts are used up', async () => {
    const model = scripted([{ json: sorting }, { status: 500 }, { status: 500 }, 'There.'])
    const result = await runItem(TicketTriage, { input, model })
    expect(result).toMatchObject({ status: 'completed', outcome: { status: 'ok' }, attempts: 3 })
    expect(result.steps.filter(step => step.key === 'classify')).toHaveLength(1)

    const failed = await runItem(TicketTriage, { input, model: scripted(() => ({ status: 500 })) })
    expect(failed).toMatchObject({
      status: 'failed',
      outcome: { status: 'failed', reason: 'provider_error' },
      error: { code: 'llm_call_error', message: expect.stringContaining('500') },
      output: null,
      attempts: 3,
    })
  })

  it('is held for a person, and continues when resumed', async () => {
    const script = [{ json: { ...sorting, category: 'fraud' } }, 'We called you.']
    const held = await runItem(TicketTriage, { input, model: scripted(script) })
    expect(held).toMatchObject({
      status: 'paused',
      outcome: { status: null, message: expect.stringContaining('fraud') },
    })
    const resumed = await runItem(TicketTriage, { input, model: scripted(script), resume: true })
    expect(resumed).toMatchObject({ status: 'completed', outcome: { status: 'ok' }, attempts: 2 })
  })

  it('is refused before a model is called if its input does not match the agent’s schema', async () => {
    const result = await runItem(TicketTriage, { input: { text: ' ' }, model: scripted([]) })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'invalid_input' }, steps: [] })
  })

  it('is held when its budget is spent, as the agent declares', async () => {
    const prices = { 'assay-demo-small': { input_per_mtok: 1, output_per_mtok: 1 } }
    const model = scripted([{ json: sorting, input_tokens: 50_000 }])
    const result = await runItem(TicketTriage, { input, model, prices })
    expect(result).toMatchObject({ status: 'paused', outcome: { reason: 'budget_exceeded' } })
  })

  it('also works with Anthropic’s client', async () => {
    const model = scripted(({ prompt }) => ({ text: `${prompt.length} characters.` }))
    const result = await runItem(Summarize, { input: { text: 'x'.repeat(9000) }, model })
    expect(result).toMatchObject({ status: 'completed', outcome: { status: 'ok' }, output: { pieces: 2 } })
    expect(result.steps.map(step => step.key)).toEqual(['summarize', 'summarize#2', 'summarize#3'])
  })
})

@agent({ name: 'Probe', timeoutSeconds: 1, output: z.object({ status: z.number() }) })
class Probe {
  async run(ctx: Context, { url }: { url: string }) {
    const response = await ctx.tool('get', { url }, async ({ url }) => {
      const { status } = await fetch(url, { signal: ctx.signal })
      return { status }
    })
    if (response.status === 404) throw new ItemError('there is nothing there', { code: 'gone' })
    return response
  }
}

describe('a request of an agent under test', () => {
  const probed = { input: { url: 'http://service.test/orders/7' } }

  it('is answered by the test', async () => {
    const answering = (status: number) => ({
      ...probed,
      fetch: () => new Response('', { status }),
    })
    expect(await runItem(Probe, answering(200))).toMatchObject({ output: { status: 200 } })
    expect(await runItem(Probe, answering(404))).toMatchObject({
      outcome: { status: 'failed', reason: 'agent_error', message: 'there is nothing there' },
      error: { code: 'gone' },
    })
  })

  it('never reaches the network, and without an answer the error names the request', async () => {
    await expect(runItem(Probe, probed)).rejects.toMatchObject({
      code: 'unexpected_request',
      message: expect.stringContaining('GET http://service.test/orders/7'),
    })
    await expect(runItem(TicketTriage, { input })).rejects.toThrow(/give runItem model: scripted/)
    const one = scripted([{ json: sorting }])
    await expect(runItem(TicketTriage, { input, model: one })).rejects.toThrow(
      /one answer, and this is request 2: POST .*Where is my card/s,
    )
  })

  it('ends with the time limit of the agent', async () => {
    const result = await runItem(Probe, { ...probed, fetch: () => new Promise(() => {}) })
    expect(result).toMatchObject({ status: 'failed', error: { code: 'step_timeout' } })
  })

  it('gets its own answer when items run at the same time', async () => {
    const texts = Array.from({ length: 8 }, (_, at) => `text ${at}`)
    const results = await Promise.all(
      texts.map(text => runItem(Summarize, { input: { text }, model: scripted([`of ${text}`]) })),
    )
    expect(results.map(result => result.output?.summary)).toEqual(texts.map(text => `of ${text}`))
  })
})
