// Answers of every known shape with something else in place of a part of them: read or said not to be, never thrown at,
// and never a cost below nothing.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIST_PRICES } from '../../../accounts/rules/price-book.ts'
import { readAnswer } from '../../../domain/conversation.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { stepRow } from '../../../domain/step-row.ts'
import { SHAPES } from './shapes.ts'

const text = [{ type: 'text', text: 'billing' }]
const tokens = { input_tokens: 9, output_tokens: 3 }
const said = { role: 'assistant', content: 'billing' }

const ANSWERS: Record<string, object> = {
  'OpenAI chat': {
    object: 'chat.completion',
    model: 'gpt-4o',
    service_tier: 'default',
    choices: [{ index: 0, message: { ...said, refusal: null, tool_calls: [] }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 1, audio_tokens: 1 },
      completion_tokens_details: { audio_tokens: 1 },
    },
  },
  'OpenAI completion': {
    object: 'text_completion',
    model: 'gpt-3.5-turbo-instruct',
    choices: [{ text: 'billing', finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 3 },
  },
  'OpenAI responses': {
    object: 'response',
    model: 'gpt-5',
    status: 'completed',
    incomplete_details: { reason: null },
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'billing' }] },
      { type: 'web_search_call', status: 'completed' },
    ],
    usage: { ...tokens, input_tokens_details: { cached_tokens: 1 } },
  },
  Anthropic: {
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: text,
    stop_reason: 'end_turn',
    usage: {
      ...tokens,
      cache_read_input_tokens: 1,
      cache_creation_input_tokens: 1,
      server_tool_use: { web_search_requests: 1 },
    },
  },
  Gemini: {
    modelVersion: 'gemini-2.5-flash',
    promptFeedback: {},
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'billing' }] },
        finishReason: 'STOP',
        groundingMetadata: { webSearchQueries: ['q'] },
      },
    ],
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 1,
      cachedContentTokenCount: 1,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 1 }],
    },
  },
  'Gemini interactions': {
    object: 'interaction',
    model: 'gemini-3-pro-preview',
    status: 'completed',
    steps: [{ type: 'model_output', content: text }],
    usage: { total_input_tokens: 9, total_output_tokens: 3, total_thought_tokens: 1 },
  },
  Bedrock: {
    output: { message: { role: 'assistant', content: [{ text: 'billing' }] } },
    stopReason: 'end_turn',
    serviceTier: { type: 'flex' },
    trace: { promptRouter: { invokedModelId: 'amazon.nova-lite-v1:0' } },
    usage: { inputTokens: 9, outputTokens: 3, cacheReadInputTokens: 1, cacheWriteInputTokens: 1 },
  },
  Cohere: {
    model: 'command-a-03-2025',
    message: { role: 'assistant', content: text, tool_calls: [] },
    finish_reason: 'COMPLETE',
    usage: { billed_units: { ...tokens, search_units: 1 }, tokens },
  },
  Ollama: {
    model: 'llama3.1',
    created_at: '2026-01-01T00:00:00Z',
    message: said,
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 9,
    eval_count: 3,
  },
  LangChain: {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'messages', 'AIMessage'],
    kwargs: {
      content: 'billing',
      tool_calls: [],
      additional_kwargs: {},
      response_metadata: { model_name: 'gpt-4o', finish_reason: 'stop' },
      usage_metadata: { ...tokens, input_token_details: { cache_read: 1 } },
    },
  },
  LangGraph: {
    messages: [
      { type: 'ai', content: 'billing', response_metadata: { model_name: 'gpt-4o' }, usage_metadata: tokens },
    ],
  },
  LlamaIndex: {
    message: { role: 'assistant', blocks: [{ block_type: 'text', text: 'billing' }] },
    delta: null,
    raw: { object: 'chat.completion', model: 'gpt-5', choices: [{ message: said, finish_reason: 'stop' }] },
  },
  'OpenAI Agents': {
    response_id: 'r',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'billing' }] }],
    usage: { requests: 2, ...tokens, input_tokens_details: { cached_tokens: 1 } },
  },
  'Vercel AI SDK': {
    text: 'billing',
    finishReason: 'stop',
    response: { modelId: 'gpt-5' },
    steps: [
      { content: text, finishReason: 'stop', usage: { inputTokens: 4, outputTokens: 1 } },
      { content: text, finishReason: 'stop', usage: { inputTokens: 5, outputTokens: 2 } },
    ],
    totalUsage: { inputTokens: 9, outputTokens: 3, inputTokenDetails: { cacheReadTokens: 1 } },
  },
  'Vercel AI SDK embeddings': {
    embeddings: [[0.1]],
    usage: { tokens: 9 },
    responses: [{ modelId: 'text-embedding-3-small' }],
  },
  'OpenAI embeddings': {
    object: 'list',
    model: 'text-embedding-3-small',
    data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
    usage: { prompt_tokens: 9, total_tokens: 9 },
  },
  'Cohere ranking': {
    id: 'r',
    results: [{ index: 0, relevance_score: 0.9 }],
    meta: { billed_units: { search_units: 1 } },
  },
  'OpenAI transcript': {
    text: 'billing',
    usage: { type: 'tokens', ...tokens, input_token_details: { audio_tokens: 1 } },
  },
  'OpenAI image': { created: 1, data: [{ b64_json: 'aGk=' }], usage: tokens },
}

const nested = (depth: number) => JSON.parse(`${'{"content":'.repeat(depth)}1${'}'.repeat(depth)}`)
const BAD: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  '9',
  '',
  [],
  {},
  [null],
  { toString: 1, valueOf: 1 },
  { type: 'text', text: {} },
  nested(1_000),
  '\ud800'.repeat(100),
]

const rowOf = (output: unknown) =>
  stepRow(
    {
      key: 'k',
      kind: 'llm_call',
      name: 'gpt-4o',
      output,
      started_at: '2026-01-01T00:00:00Z',
      duration_ms: 1,
    },
    { seq: 1, attempt: 1, step_no: 1 },
    LIST_PRICES,
  )

const DEEPEST = 8

/** Paths of the parts of a value, itself included. */
function* pathsOf(value: unknown, depth = 0): Generator<string[]> {
  yield []
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return
  for (const [name, part] of Object.entries(value))
    for (const path of pathsOf(part, depth + 1)) yield [name, ...path]
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  if (typeof value !== 'object' || value === null) return value
  const part = replaced((value as Record<string, unknown>)[name], rest, by)
  return Array.isArray(value) ? value.with(Number(name), part) : { ...value, [name]: part }
}

function holds(output: unknown): void {
  const row = rowOf(output)
  expect(row.graded && row.unread !== null).toBe(false)
  expect(row.cost_micro).toBeGreaterThanOrEqual(0)
  for (const count of [row.input_tokens, row.output_tokens]) {
    expect(Number.isInteger(count) && count >= 0).toBe(true)
    // An answer adds up a few counts, each of which is within the bound.
    expect(count).toBeLessThanOrEqual(4 * LIMITS.step_tokens)
  }
  if (row.unread !== null) expect(row.unread.length).toBeGreaterThan(0)
  expect(() => readAnswer(output)).not.toThrow()
}

describe('an answer of a known shape', () => {
  const all = Object.entries(ANSWERS)

  it('stands here of every shape', () => {
    const known = SHAPES.filter(shape => all.some(([, answer]) => shape.read({ ...answer }, () => undefined)))
    // What LlamaIndex hands on is read from the provider's own answer within it.
    expect(SHAPES.length - known.length).toBeLessThanOrEqual(1)
    for (const [name, answer] of all) expect([name, rowOf(answer).unread]).toEqual([name, null])
  })

  it.each(all)('of %s with any part of it spoiled is read, or unread with the reason', (_, answer) => {
    for (const path of pathsOf(answer)) for (const bad of BAD) holds(replaced(answer, path, bad))
  })

  it.each(all)(
    'of %s whose counts are texts, or fewer than none, is unread and has no price',
    (_, answer) => {
      const counts = [...pathsOf(answer)].filter(path => /tokens?(_?count)?$/i.test(path.at(-1) ?? ''))
      const spoiled = counts.filter(path =>
        [-1, '9', 1e300].every(bad => {
          const row = rowOf(replaced(answer, path, bad))
          return row.unread === null || row.unpriced
        }),
      )
      expect(spoiled).toEqual(counts)
    },
  )

  it('of any shape with several parts spoiled at once, or taken from another, is read or unread', () => {
    const answer = fc.constantFrom(...all.map(([, answer]) => answer))
    const part = fc.oneof(fc.constantFrom(...BAD), answer, fc.jsonValue({ maxDepth: 4 }))
    const changes = fc.array(fc.tuple(fc.nat(), part), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(answer, changes, (answer, changes) => {
        let output: unknown = answer
        for (const [nth, by] of changes) {
          const paths = [...pathsOf(output)].slice(0, 200)
          output = replaced(output, paths[nth % paths.length]!, by)
        }
        holds(output)
      }),
      { seed: 13, numRuns: 500 },
    )
  })
})
