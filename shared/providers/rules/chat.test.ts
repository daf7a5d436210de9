// Reads answers made after the references of their providers: what each says, how it ended, and what it is billed by.

import { describe, expect, it } from 'vitest'
import { type Completion, readCompletion } from './completion.ts'
import { readAnswer } from './conversation.ts'

const read = (output: unknown): Completion => {
  const completion = readCompletion(output)
  if (completion === undefined) throw new Error('not recognised')
  return completion
}
const tokens = (input_tokens: number, output_tokens: number, cached_input_tokens = 0, more = {}) => ({
  input_tokens,
  output_tokens,
  cached_input_tokens,
  ...more,
})

const bedrock = (
  content: object[],
  stopReason: string,
  usage: object = { inputTokens: 20, outputTokens: 8 },
) => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage,
  metrics: { latencyMs: 700 },
})

describe('an answer of Bedrock Converse', () => {
  it('is read with its text and its tokens, with cached tokens counted as input', () => {
    const usage = { inputTokens: 20, outputTokens: 8, cacheReadInputTokens: 500, cacheWriteInputTokens: 30 }
    expect(readCompletion(bedrock([{ text: 'bill' }, { text: 'ing' }], 'end_turn', usage))).toEqual({
      provider: 'bedrock_converse',
      host: 'aws',
      text: 'billing',
      has_tool_calls: false,
      has_data: false,
      finish: 'stop',
      usage: tokens(550, 8, 500, { cache_write_tokens: 30 }),
    })
  })

  it.each([
    ['max_tokens', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['model_context_window_exceeded', 'length'],
    ['malformed_model_output', 'interrupted'],
  ])('that stopped for %s has the finish %s', (reason, finish) => {
    expect(read(bedrock([{ text: 'x' }], reason)).finish).toBe(finish)
  })

  it('is read with its tool calls, and shown as a message', () => {
    const used = bedrock([{ toolUse: { toolUseId: 't', name: 'look', input: { at: 1 } } }], 'tool_use')
    expect(read(used)).toMatchObject({ has_tool_calls: true, finish: 'tool_calls', text: '' })
    expect(readAnswer(used)?.[0]?.parts).toEqual([{ kind: 'call', name: 'look', id: 't', input: { at: 1 } }])
  })
})

const cohere = (content: unknown, finish_reason: string, more: object = {}) => ({
  id: 'c1',
  finish_reason,
  message: { role: 'assistant', content, ...more },
  usage: {
    billed_units: { input_tokens: 12, output_tokens: 7 },
    tokens: { input_tokens: 507, output_tokens: 10 },
    cached_tokens: 448,
  },
})

describe('an answer of Cohere', () => {
  it('is read with its text and the tokens it bills', () => {
    expect(read(cohere([{ type: 'text', text: 'billing' }], 'COMPLETE'))).toMatchObject({
      provider: 'cohere',
      text: 'billing',
      finish: 'stop',
      usage: tokens(12, 7),
    })
  })

  it.each([
    ['MAX_TOKENS', 'length'],
    ['ERROR', 'interrupted'],
    ['ERROR_TOXIC', 'content_filter'],
    ['STOP_SEQUENCE', 'stop'],
  ])('that ended with %s has the finish %s', (reason, finish) => {
    expect(read(cohere([], reason)).finish).toBe(finish)
  })

  it('is read with its tool calls', () => {
    const call = { id: 't', type: 'function', function: { name: 'look', arguments: '{}' } }
    expect(read(cohere(undefined, 'TOOL_CALL', { tool_calls: [call] }))).toMatchObject({
      has_tool_calls: true,
      finish: 'tool_calls',
    })
  })
})

describe('an answer of Ollama', () => {
  const counts = { done: true, prompt_eval_count: 26, eval_count: 9, total_duration: 4_000_000 }
  const base = { model: 'llama3.2', created_at: '2026-01-01T00:00:00Z', ...counts }

  it('is read from both chat and generate', () => {
    const chat = { ...base, message: { role: 'assistant', content: 'billing' }, done_reason: 'stop' }
    expect(read(chat)).toMatchObject({
      text: 'billing',
      finish: 'stop',
      model: 'llama3.2',
      usage: tokens(26, 9),
    })
    const generated = { ...base, response: 'bill', done_reason: 'length' }
    expect(read(generated)).toMatchObject({ text: 'bill', finish: 'length' })
    expect(readAnswer(generated)?.[0]?.parts).toEqual([{ kind: 'text', text: 'bill' }])
  })

  it('is read with its tool calls, although they end with stop', () => {
    const message = {
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'look', arguments: {} } }],
    }
    expect(read({ ...base, message, done_reason: 'stop' }).finish).toBe('tool_calls')
  })
})

describe('an answer of LangChain', () => {
  const kwargs = {
    content: 'billing',
    additional_kwargs: { refusal: null },
    response_metadata: {
      token_usage: { prompt_tokens: 20, completion_tokens: 3 },
      model_name: 'gpt-5-mini-2025-08-07',
      finish_reason: 'length',
    },
    tool_calls: [],
    usage_metadata: {
      input_tokens: 20,
      output_tokens: 3,
      input_token_details: { cache_read: 16, cache_creation: 2 },
    },
  }
  const message = { ...kwargs, type: 'ai', id: 'run-1' }
  const expected = {
    provider: 'langchain',
    model: 'gpt-5-mini-2025-08-07',
    text: 'billing',
    finish: 'length',
    usage: tokens(20, 3, 16, { cache_write_tokens: 2 }),
  }

  it.each([
    ['as Python dumps it', message],
    ['as message_to_dict returns it', { type: 'ai', data: message }],
    [
      'as JavaScript writes it',
      { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessage'], kwargs },
    ],
    ['within a parsed answer', { raw: message, parsed: { label: 'billing' }, parsing_error: null }],
    ['within the result of generate', { generations: [[{ text: 'billing', message }]], llm_output: {} }],
  ])('is read %s', (_, output) => expect(read(output)).toMatchObject(expected))

  it('from a graph has the tokens of all its calls, and the text of the last one', () => {
    const first = { ...message, content: '', tool_calls: [{ name: 'look', args: {}, id: 't' }] }
    const graph = {
      messages: [{ type: 'human', content: 'Hi' }, first, { type: 'tool', content: '2' }, message],
    }
    expect(read(graph)).toMatchObject({
      text: 'billing',
      usage: tokens(40, 6, 32, { cache_write_tokens: 4, calls: 2, longest_input_tokens: 20 }),
    })
  })

  it.each([
    [{ stop_reason: 'end_turn' }, 'stop'],
    [{ stop_reason: 'refusal' }, 'refusal'],
    [{ finish_reason: 'SAFETY' }, 'content_filter'],
    [{ done_reason: 'length' }, 'length'],
    [{ stopReason: 'guardrail_intervened' }, 'content_filter'],
  ])('that ended with %j has the finish %s', (metadata, finish) => {
    expect(read({ ...message, response_metadata: metadata }).finish).toBe(finish)
  })

  it('is read without usage_metadata', () => {
    const { usage_metadata: _, ...older } = message
    expect(read(older).usage).toEqual(tokens(20, 3))
    const response_metadata = { tokenUsage: { promptTokens: 4, completionTokens: 5 }, finish_reason: 'stop' }
    expect(read({ ...older, response_metadata }).usage).toEqual(tokens(4, 5))
  })
})

describe('other frameworks', () => {
  const items = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'billing' }] }]

  it('OpenAI Agents: a response, and a run of several, are read', () => {
    const response = {
      output: items,
      usage: { requests: 1, input_tokens: 30, output_tokens: 5 },
      response_id: 'r',
    }
    expect(read(response)).toMatchObject({ text: 'billing', finish: 'stop', usage: tokens(30, 5) })
    const run = { final_output: 'billing', raw_responses: [response, response] }
    expect(read(run)).toMatchObject({ text: 'billing' })
    expect(read(run).usage).toEqual(tokens(60, 10, 0, { calls: 2, longest_input_tokens: 30 }))
    const added = { ...response, usage: { ...response.usage, requests: 3 } }
    expect(read(added).usage).toEqual(tokens(30, 5, 0, { calls: 3, longest_input_tokens: 10 }))
    const absurd = { ...response, usage: { ...response.usage, requests: 1e15 } }
    expect(read(absurd).usage).toEqual(tokens(30, 5))
    const usage = { requests: 1, inputTokens: 3, outputTokens: 4, inputTokensDetails: [{ cached_tokens: 2 }] }
    expect(read({ output: items, usage, responseId: 'r' }).usage).toEqual(tokens(3, 4, 2))
  })

  it('LlamaIndex: its text is read, with the finish and tokens of the provider’s answer within it', () => {
    const raw = {
      object: 'chat.completion',
      model: 'gpt-5',
      choices: [{ message: { role: 'assistant', content: 'billing' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 9, completion_tokens: 2 },
    }
    const message = { role: 'assistant', blocks: [{ block_type: 'text', text: 'billing' }] }
    expect(read({ message, raw, delta: null })).toMatchObject({
      provider: 'llamaindex',
      model: 'gpt-5',
      text: 'billing',
      finish: 'length',
      usage: tokens(9, 2),
    })
    const counted = { prompt_tokens: 1, completion_tokens: 2 }
    expect(read({ text: 'x', raw: null, delta: null, additional_kwargs: counted }).usage).toEqual(
      tokens(1, 2),
    )
  })

  it('Gemini interactions: both outputs and the steps of the model are read', () => {
    const usage = {
      total_input_tokens: 7,
      total_output_tokens: 5,
      total_thought_tokens: 40,
      total_cached_tokens: 2,
    }
    const outputs = [{ type: 'thought' }, { type: 'text', text: 'billing' }]
    const expected = { text: 'billing', finish: 'stop', usage: tokens(7, 45, 2) }
    expect(read({ model: 'gemini-3', status: 'completed', outputs, usage })).toMatchObject(expected)
    const steps = [
      { type: 'thought' },
      { type: 'model_output', content: [{ type: 'text', text: 'billing' }] },
    ]
    const stepwise = { object: 'interaction', status: 'completed', steps, usage }
    expect(read(stepwise)).toMatchObject(expected)
    expect(read({ ...stepwise, status: 'incomplete' }).finish).toBe('length')
    const calls = [{ type: 'function_call', name: 'look', arguments: {} }]
    expect(read({ ...stepwise, steps: calls, status: 'requires_action' }).finish).toBe('tool_calls')
  })

  it('the Vercel AI SDK: the answer that a provider passes to it is read', () => {
    const usage = { inputTokens: { total: 50, cacheRead: 10, cacheWrite: 5 }, outputTokens: { total: 8 } }
    const finishReason = { unified: 'length', raw: 'max_tokens' }
    expect(read({ content: [{ type: 'text', text: 'bill' }], finishReason, usage })).toMatchObject({
      text: 'bill',
      finish: 'length',
      usage: tokens(50, 8, 10, { cache_write_tokens: 5 }),
    })
  })

  it('the Vercel AI SDK: several steps are read as several calls, with the input tokens of the longest one', () => {
    const step = (inputTokens: number, text: string) => ({
      content: [{ type: 'text', text }],
      finishReason: 'stop',
      usage: { inputTokens, outputTokens: 2, cachedInputTokens: 1 },
    })
    const steps = [step(150_000, 'Looking.'), step(160_000, 'billing')]
    const usage = tokens(310_000, 4, 2, { calls: 2, longest_input_tokens: 160_000 })
    const totalUsage = { inputTokens: 310_000, outputTokens: 4, cachedInputTokens: 2 }
    expect(read({ steps, totalUsage })).toMatchObject({ text: 'billing', usage })
    expect(read({ steps })?.usage).toEqual(usage)
    expect(read({ text: 'billing', finishReason: 'stop', usage: steps[1]!.usage, steps })?.usage).toEqual(
      usage,
    )
    expect(read({ steps: [steps[0]] })?.usage).toEqual(tokens(150_000, 2, 1))
  })

  it('Mistral’s client: answers in camel case are read', () => {
    const message = { role: 'assistant', content: '', toolCalls: [{ function: { name: 'look' } }] }
    const usage = { promptTokens: 5, completionTokens: 6 }
    const output = { model: 'mistral-large', choices: [{ message, finishReason: 'tool_calls' }], usage }
    expect(read(output)).toMatchObject({ has_tool_calls: true, finish: 'tool_calls', usage: tokens(5, 6) })
  })

  it('legacy completions, from before chat, are read', () => {
    const choices = [{ text: 'bill', index: 0, finish_reason: 'length' }]
    const usage = { prompt_tokens: 5, completion_tokens: 1 }
    const output = { object: 'text_completion', model: 'gpt-3.5-turbo-instruct', choices, usage }
    expect(read(output)).toMatchObject({ text: 'bill', finish: 'length', usage: tokens(5, 1) })
    expect(readAnswer(output)?.[0]?.parts).toEqual([{ kind: 'text', text: 'bill' }])
  })
})

describe('what is billed in addition to text', () => {
  const chat = (usage: object, more = {}) =>
    read({
      choices: [{ message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
      usage,
      ...more,
    }).usage

  it('includes audio, of OpenAI and of Gemini', () => {
    const details = {
      prompt_tokens_details: { audio_tokens: 60 },
      completion_tokens_details: { audio_tokens: 20 },
    }
    const sound = { input_audio_tokens: 60, output_audio_tokens: 20 }
    expect(chat({ prompt_tokens: 80, completion_tokens: 30, ...details })).toEqual(tokens(80, 30, 0, sound))
    const usageMetadata = {
      promptTokenCount: 80,
      candidatesTokenCount: 30,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 20 },
        { modality: 'AUDIO', tokenCount: 60 },
      ],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 20 }],
    }
    const gemini = { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }], usageMetadata }
    expect(read(gemini).usage).toEqual(tokens(80, 30, 0, sound))
  })

  it('includes searches, and the service tier of the call', () => {
    expect(chat({ prompt_tokens: 1, completion_tokens: 1, num_search_queries: 3 })?.searches).toBe(3)
    expect(chat({ prompt_tokens: 1 }, { service_tier: 'flex' })?.service_tier).toBe('flex')
    expect(chat({ prompt_tokens: 1 }, { service_tier: 'default' })).not.toHaveProperty('service_tier')
    const usage = { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 2 } }
    expect(read({ type: 'message', role: 'assistant', content: [], usage }).usage?.searches).toBe(2)
    const output = [{ type: 'web_search_call' }, { type: 'message', content: [] }]
    expect(read({ object: 'response', output, usage: { input_tokens: 1 } }).usage?.searches).toBe(1)
  })
})
