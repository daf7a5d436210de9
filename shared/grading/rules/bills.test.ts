// What recorded answers cost, in the shapes that clients return.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { billsTable } from '../../../test/support/bills/bills-table.ts'
import { BILLS } from '../../../test/support/bills/sample-bills.ts'
import { LIST_PRICES, PriceBook } from '../../prices/rules/price-book.ts'
import type { StepReport } from '../../protocol/rules/protocol.ts'
import { readCall, wholeOf } from '../../providers/rules/completion.ts'
import { readStep, stepRow } from './step-row.ts'

const PLACE = { seq: 1, attempt: 1, step_no: 1 }

const reportOf = (output: unknown, more: Partial<StepReport> = {}): StepReport => ({
  key: 'call',
  kind: 'llm_call',
  name: 'call',
  output,
  started_at: '2026-11-28T00:00:00Z',
  duration_ms: 1,
  ...more,
})

const rowOf = (output: unknown, prices: PriceBook = LIST_PRICES, more: Partial<StepReport> = {}) =>
  stepRow(readStep(reportOf(output, more), JSON.stringify(reportOf(output, more))), PLACE, prices)

describe('a call costs what its provider bills', () => {
  it.each(BILLS.map(bill => [bill.client, bill.provider, bill.reports, bill] as const))(
    'by %s, of %s: %s',
    (_, __, ___, { answer, cost, unknown = false, reasoning = 0 }) => {
      const row = rowOf(answer)
      expect({ cost_micro: row.cost_micro, unpriced: row.unpriced }).toEqual({
        cost_micro: Math.max(0, Math.ceil(cost - 1e-6)),
        unpriced: unknown,
      })
      expect(row.output_tokens).toBeGreaterThanOrEqual(reasoning)
    },
  )

  it('as grading.md has it, by client and provider', () => {
    const page = readFileSync(join(import.meta.dirname, '../grading.md'), 'utf8')
    expect(page).toContain(billsTable())
  })
})

const chat = (model: string, usage: object, more: object = {}) => ({
  object: 'chat.completion',
  model,
  choices: [{ message: { role: 'assistant', content: 'billing' }, finish_reason: 'stop' }],
  usage,
  ...more,
})
const TOKENS = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 }

describe("the provider's own bill", () => {
  it('counts, and the cost by the price stands beside it', () => {
    const billed = rowOf(chat('gpt-4o-mini', { ...TOKENS, cost: 0.0001 }))
    expect(billed).toMatchObject({ cost_micro: 100, billed: true, listed_micro: 450, unpriced: false })
    const unlisted = rowOf(chat('nobodys-model', { ...TOKENS, cost: 0.0001 }))
    expect(unlisted).toMatchObject({ cost_micro: 100, billed: true, listed_micro: null, unpriced: false })
    expect(rowOf(chat('gpt-4o-mini', TOKENS))).toMatchObject({ billed: false, listed_micro: null })
  })

  it('of nothing is a bill', () => {
    expect(rowOf(chat('gpt-4o-mini', { ...TOKENS, cost: 0 }))).toMatchObject({ cost_micro: 0, billed: true })
  })

  it("counts before a project's own price", () => {
    const own = new PriceBook({ 'gpt-4o-mini': { input_per_mtok: 1, output_per_mtok: 1 } })
    const row = rowOf(chat('gpt-4o-mini', { ...TOKENS, cost: 0.0001 }), own)
    expect(row).toMatchObject({ cost_micro: 100, listed_micro: 1500 })
  })

  it.each([[-1], [Number.NaN], [Number.POSITIVE_INFINITY], ['much'], [[]], [{ sum: 1 }], [true], [null]])(
    'of %j is none',
    cost => {
      const row = rowOf(chat('gpt-4o-mini', { ...TOKENS, cost }))
      expect(row).toMatchObject({ cost_micro: 450, billed: false, unpriced: false })
    },
  )

  const claimed = (output: unknown, is_claim: boolean, prices: PriceBook = LIST_PRICES) => {
    const report = reportOf(output)
    return stepRow({ ...readStep(report, JSON.stringify(report)), is_claim }, PLACE, prices)
  }

  it('makes no listed model cheaper where only the host of its agent saw it, and counts where it does not', () => {
    const cheap = chat('gpt-4o-mini', { ...TOKENS, cost: 0 })
    expect(claimed(cheap, true)).toMatchObject({ cost_micro: 450, billed: false, unpriced: false })
    expect(claimed(cheap, false)).toMatchObject({ cost_micro: 0, billed: true, listed_micro: 450 })
    const dear = chat('gpt-4o-mini', { ...TOKENS, cost: 1 })
    expect(claimed(dear, true)).toMatchObject({ cost_micro: 1_000_000, billed: true })
    expect(claimed(chat('house-model', { ...TOKENS, cost: 0 }), true)).toMatchObject({
      cost_micro: 0,
      billed: true,
      unpriced: false,
    })
  })

  it.each([1001, 50_062.5, 1e9, 1e300])('of $%d is no call’s: its call has no price, and says why', cost => {
    for (const model of ['gpt-4o-mini', 'house-model'])
      expect(rowOf(chat(model, { ...TOKENS, cost }))).toMatchObject({
        cost_micro: model === 'house-model' ? 0 : 450,
        billed: false,
        unpriced: true,
        unread: expect.stringContaining('no call costs more than $1,000'),
      })
    expect(rowOf(chat('m', { ...TOKENS, cost: 1000 }))).toMatchObject({ billed: true, unpriced: false })
  })

  it.each([
    ['input', { input_tokens: 10_000_001, output_tokens: 1 }],
    ['output', { input_tokens: 1, output_tokens: 50_000_000_000 }],
    ['both together', { input_tokens: 6_000_000, output_tokens: 6_000_000 }],
  ])('more tokens than a call can have (%s) are unpriced, and cost no more than the rest', (_, usage) => {
    const row = rowOf({ any: 'answer' }, LIST_PRICES, { usage: { model: 'gpt-4o-mini', ...usage } })
    expect(row).toMatchObject({
      unpriced: true,
      unread: expect.stringMatching(/is no count of tokens|no call has/),
    })
    expect(row.cost_micro).toBeLessThanOrEqual(1)
  })

  it('a cost by an own price that no call has is unpriced', () => {
    const prices = new PriceBook({ m: { input_per_mtok: 1e9, output_per_mtok: 1e9 } })
    const usage = { model: 'm', input_tokens: 5_000_000, output_tokens: 1 }
    expect(rowOf({ any: 'answer' }, prices, { usage })).toMatchObject({
      cost_micro: 0,
      unpriced: true,
      unread: expect.stringContaining('no call costs more than $1,000'),
    })
  })

  it('is rounded up, so that no call with a bill is free', () => {
    expect(rowOf(chat('m', { ...TOKENS, cost: 1e-9 })).cost_micro).toBe(1)
    expect(rowOf(chat('m', { ...TOKENS, cost_in_usd_ticks: 1 })).cost_micro).toBe(1)
    expect(rowOf(chat('m', { ...TOKENS, cost: 0.0141 })).cost_micro).toBe(14_100)
  })

  it('of a stream is in its last piece', () => {
    const piece = (delta: object, more: object = {}) => ({
      id: 'gen-1',
      object: 'chat.completion.chunk',
      model: 'some/new-model',
      choices: [{ index: 0, delta, finish_reason: null }],
      ...more,
    })
    const stream = [
      piece({ role: 'assistant', content: 'bill' }),
      piece({ content: 'ing' }, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
      { ...piece({}), choices: [], usage: { ...TOKENS, cost: 0.0141 } },
    ]
    expect(rowOf(stream)).toMatchObject({ cost_micro: 14_100, billed: true })
  })

  it('of several steps of the AI SDK is their sum, if each has one', () => {
    const step = (bill?: number) => ({
      content: [{ type: 'text', text: 'billing' }],
      finishReason: 'stop',
      usage: { inputTokens: 1000, outputTokens: 500, totalTokens: 1500 },
      response: { modelId: 'gpt-4o-mini' },
      providerMetadata: bill === undefined ? {} : { openrouter: { usage: { cost: bill } } },
    })
    const totalUsage = { inputTokens: 2000, outputTokens: 1000, totalTokens: 3000 }
    expect(rowOf({ steps: [step(0.001), step(0.002)], totalUsage })).toMatchObject({ cost_micro: 3000 })
    expect(rowOf({ steps: [step(0.001), step()], totalUsage })).toMatchObject({
      cost_micro: 900,
      billed: false,
    })
  })
})

describe('a host of your own', () => {
  it.each([
    'deepseek-r1:14b',
    'llama3.1:8b',
    'qwen3:32b-q4_K_M',
    'gemma3n:e4b',
    'mixtral:8x7b',
    'mistral:latest',
    'library/mistral:latest',
    'hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF',
    'Qwen3-8B-Q4_K_M.gguf',
    '/models/llama',
    'Qwen/Qwen3-32B',
    'deepseek-ai/DeepSeek-R1',
    'meta-llama/Llama-3.3-70B-Instruct',
    'mistralai/Mistral-7B-Instruct-v0.3',
    'google/gemma-3-27b-it',
    'microsoft/phi-4',
    'openai/gpt-oss-20b',
  ])('or anybody may run %s: its cost is not known, and no list has it', model => {
    expect(rowOf(chat(model, TOKENS))).toMatchObject({ cost_micro: 0, unpriced: true, has_price: false })
  })

  it.each([
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'amazon.nova-lite-v1:0',
    'ft:gpt-4o-mini-2024-07-18:org::id',
    'anthropic/claude-3.7-sonnet:thinking',
    'gpt-4o-mini',
    'meta-llama/llama-3.3-70b-instruct',
  ])('is not meant by %s', model => {
    expect(rowOf(chat(model, TOKENS))).toMatchObject({ has_price: true, unpriced: false })
  })

  it.each([
    ['vLLM', { prompt_logprobs: null }],
    ['llama.cpp', { timings: { prompt_n: 1 } }],
    ['LM Studio', { stats: {}, system_fingerprint: 'gpt-4o-mini' }],
    ['Ollama', { system_fingerprint: 'fp_ollama' }],
    ['SGLang', { choices: [{ message: { content: 'x' }, finish_reason: 'stop', matched_stop: 2 }] }],
    ['Text Generation Inference', { system_fingerprint: '3.0.1-sha-bb9095a' }],
  ])('is read from what %s adds to an answer', (_, more) => {
    expect(rowOf(chat('gpt-4o-mini', TOKENS, more))).toMatchObject({ cost_micro: 0, unpriced: true })
  })

  it('has the price that a project sets, also of nothing, whatever was counted', () => {
    const own = new PriceBook({ 'deepseek-r1:14b': { input_per_mtok: 1, output_per_mtok: 2 } })
    expect(rowOf(chat('deepseek-r1:14b', TOKENS), own)).toMatchObject({ cost_micro: 2000, unpriced: false })
    const free = new PriceBook({ 'deepseek-r1:14b': { input_per_mtok: 0, output_per_mtok: 0 } })
    expect(rowOf(chat('deepseek-r1:14b', { prompt_tokens: 0 }), free)).toMatchObject({ unpriced: false })
  })
})

describe('the host that was called', () => {
  const called = (host: string | null, model: string, more: object = {}) =>
    rowOf(chat(model, TOKENS, more), LIST_PRICES, { host } as never)
  const OWN = [
    '127.0.0.1:8000',
    '127.1.2.3',
    'localhost:11434',
    '[::1]:1234',
    '[fd12:3456::1]:8000',
    '[fe80::1]:8000',
    '[::ffff:7f00:1]',
    '10.0.0.7',
    '172.16.0.1:8000',
    '172.31.255.255',
    '192.168.1.20:1234',
    '169.254.1.1',
    '100.64.0.9',
    'gpu.local',
    'GPU.LOCAL:8000',
    'llm.internal',
    'ollama:11434',
    'host.docker.internal:11434',
    'vllm.default.svc.cluster.local',
    'studio.home.arpa',
  ]

  it.each(OWN)('%s is your own: what anybody may run has no price there', host => {
    for (const model of [
      'llama-3.3-70b-versatile',
      'deepseek-chat',
      'mistral-small-latest',
      'qwen/qwen3-32b',
    ])
      expect(called(host, model)).toMatchObject({ cost_micro: 0, unpriced: true, has_price: false })
  })

  it('of your own passes on the calls of models that only their makers run', () => {
    for (const model of [
      'gpt-4o-mini',
      'claude-sonnet-4-5',
      'gemini-2.5-flash',
      'grok-4',
      'openai/gpt-4o-mini',
    ])
      expect(called('127.0.0.1:4000', model)).toMatchObject({ unpriced: false, has_price: true })
    for (const model of ['openai/gpt-oss-20b', 'gpt-oss-120b', 'google/gemma-3-27b-it', 'gemma-3-27b-it'])
      expect(called('127.0.0.1:4000', model)).toMatchObject({ cost_micro: 0, unpriced: true })
  })

  it('of your own is one, whatever name a server there gives to its model, where the server shows itself', () => {
    expect(called('127.0.0.1:1234', 'gpt-4o-mini', { stats: {} })).toMatchObject({ unpriced: true })
  })

  it.each([
    ['api.openai.com', 'gpt-4o-mini', 450],
    ['api.groq.com', 'openai/gpt-oss-120b', 1000 * 0.15 + 500 * 0.6],
    ['api.together.xyz', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', 1500 * 0.88],
    ['api.mistral.ai:443', 'mistral-small-latest', 1000 * 0.1 + 500 * 0.3],
    ['172.32.0.1', 'gpt-4o-mini', 450],
    ['gateway.example.com', 'gpt-4o-mini', 450],
    ['localhost.example.com', 'gpt-4o-mini', 450],
    [null, 'gpt-4o-mini', 450],
  ])('%s has the price of %s', (host, model, cost) => {
    expect(called(host, model)).toMatchObject({ cost_micro: Math.ceil(cost), unpriced: false })
  })

  it('that is not known leaves the name to decide', () => {
    expect(called('gateway.example.com', 'Qwen/Qwen3-32B')).toMatchObject({ unpriced: true })
    expect(called('127.0.0.1:80', 'meta-llama/llama-3.3-70b-instruct:free')).toMatchObject({
      cost_micro: 0,
      unpriced: false,
    })
  })

  it('of your own has the price that a project sets', () => {
    const own = new PriceBook({ 'deepseek-chat': { input_per_mtok: 1, output_per_mtok: 2 } })
    const row = rowOf(chat('deepseek-chat', TOKENS), own, { host: 'localhost:8000' } as never)
    expect(row).toMatchObject({ cost_micro: 2000, unpriced: false })
  })

  it('is a text, or its item ends', () => {
    expect(() => rowOf(chat('m', TOKENS), LIST_PRICES, { host: 5 } as never)).toThrow('step.host')
    expect(() => rowOf(chat('m', TOKENS), LIST_PRICES, { host: 'x'.repeat(301) } as never)).toThrow(
      'step.host',
    )
  })
})

describe('the bill that an agent reports beside an answer', () => {
  const billed = (cost_usd: unknown, usage: object = TOKENS, more: object = {}) =>
    rowOf(chat('gpt-4o-mini', usage), LIST_PRICES, { cost_usd, ...more } as never)

  it('counts before the price, and before what the answer itself has', () => {
    expect(billed(0.0001)).toMatchObject({
      cost_micro: 100,
      billed: true,
      listed_micro: 450,
      unpriced: false,
    })
    expect(billed(0)).toMatchObject({ cost_micro: 0, billed: true })
    expect(billed(0.003, { ...TOKENS, cost: 0.002 })).toMatchObject({ cost_micro: 3000 })
    expect(billed(0.003, TOKENS, { usage: { input_tokens: 7 } })).toMatchObject({
      cost_micro: 3000,
      input_tokens: 7,
    })
  })

  it('is enough where no tokens are told', () => {
    expect(rowOf('billing', LIST_PRICES, { cost_usd: 0.01 } as never)).toMatchObject({
      cost_micro: 10_000,
      unpriced: false,
    })
  })

  it('of no sum of dollars is none, and of no number ends its item', () => {
    expect(billed(-1)).toMatchObject({ cost_micro: 450, billed: false })
    expect(billed(1e300)).toMatchObject({ cost_micro: 450, billed: false })
    expect(billed(null)).toMatchObject({ cost_micro: 450, billed: false })
    expect(() => billed('0.1')).toThrow('step.cost_usd must be a number')
  })

  it('is of model calls alone', () => {
    expect(billed(0.5, TOKENS, { kind: 'tool_call' })).toMatchObject({ cost_micro: 0, billed: false })
  })
})

describe('what is not known makes the cost a lower bound', () => {
  it('where a stream stopped before its last count', () => {
    const stream = [
      {
        type: 'message_start',
        message: {
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [],
          usage: { input_tokens: 1000, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'billing and' } },
    ]
    expect(rowOf(stream)).toMatchObject({ cost_micro: 3015, unpriced: true })
  })

  it('where a sound or an image has no price of its own', () => {
    const heard = { ...TOKENS, prompt_tokens_details: { audio_tokens: 900 } }
    expect(rowOf(chat('gpt-4o-mini', heard))).toMatchObject({ unpriced: true, has_price: true })
    const drawn = { ...TOKENS, completion_tokens_details: { image_tokens: 400 } }
    expect(rowOf(chat('gpt-4o-mini', drawn))).toMatchObject({ unpriced: true, has_price: true })
  })

  it('where an agent reports zeros of a call with a text', () => {
    const usage = { input_tokens: 0, output_tokens: 0 }
    const row = rowOf(chat('gpt-4o-mini', TOKENS), LIST_PRICES, { usage })
    expect(row).toMatchObject({ cost_micro: 0, unpriced: true })
  })

  it('and not where nothing was said', () => {
    const blocked = {
      promptFeedback: { blockReason: 'SAFETY' },
      modelVersion: 'gemini-2.5-flash',
      usageMetadata: { promptTokenCount: 100, totalTokenCount: 100 },
    }
    expect(rowOf(blocked)).toMatchObject({ cost_micro: 30, unpriced: false })
  })
})

it('the shapes of bills are read from streams and outlines as from whole answers', () => {
  for (const { answer } of BILLS) {
    const outlined = { cut: true, bytes: 1, outline: answer }
    expect(wholeOf(outlined)).toEqual(wholeOf(answer))
    expect(readCall(reportOf(outlined))).toMatchObject(readCall(reportOf(answer)) ?? {})
  }
})
