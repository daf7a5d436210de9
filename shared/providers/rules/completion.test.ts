import { describe, expect, it } from 'vitest'
import { type Completion, readCompletion } from './completion.ts'

const read = (output: unknown): Completion => {
  const completion = readCompletion(output)
  if (completion === undefined) throw new Error('not recognised')
  return completion
}

describe('an OpenAI chat completion', () => {
  const chat = (message: object | undefined, finish_reason: string, more: object = {}) => ({
    id: 'chatcmpl-b7x',
    object: 'chat.completion',
    created: 1_750_000_000,
    model: 'gpt-4o-mini-2024-07-18',
    choices: message === undefined ? [] : [{ index: 0, message, logprobs: null, finish_reason }],
    usage: {
      prompt_tokens: 1200,
      completion_tokens: 40,
      total_tokens: 1240,
      prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    system_fingerprint: 'fp_1',
    ...more,
  })
  const says = (content: unknown) => ({ role: 'assistant', content, refusal: null, annotations: [] })

  it('is read with its text, model and tokens', () => {
    expect(readCompletion(chat(says('billing'), 'stop'))).toEqual({
      provider: 'openai_chat',
      model: 'gpt-4o-mini-2024-07-18',
      text: 'billing',
      has_tool_calls: false,
      has_data: false,
      finish: 'stop',
      usage: { input_tokens: 1200, output_tokens: 40, cached_input_tokens: 1024 },
    })
  })

  it('is read with its tool calls, in the new and the old format', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'lookup', arguments: '{}' } }
    const modern = read(chat({ ...says(null), tool_calls: [call] }, 'tool_calls'))
    expect(modern).toMatchObject({ text: '', has_tool_calls: true, finish: 'tool_calls' })
    const older = read(
      chat({ ...says(null), function_call: { name: 'lookup', arguments: '{}' } }, 'function_call'),
    )
    expect(older).toMatchObject({ has_tool_calls: true, finish: 'tool_calls' })
    expect(read(chat({ ...says('x'), tool_calls: [] }, 'stop')).has_tool_calls).toBe(false)
  })

  it('is read with a marked refusal, which takes precedence over the finish reason', () => {
    const refused = read(chat({ role: 'assistant', content: null, refusal: 'I must pass.' }, 'stop'))
    expect(refused).toMatchObject({ finish: 'refusal', refusal: 'I must pass.' })
    const inParts = read(chat(says([{ type: 'refusal', refusal: 'No.' }]), 'stop'))
    expect(inParts).toMatchObject({ finish: 'refusal', refusal: 'No.' })
  })

  it('is read from text parts', () => {
    expect(
      read(
        chat(
          says([
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ]),
          'stop',
        ),
      ).text,
    ).toBe('ab')
  })

  it.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['something_new', 'other'],
    ['constructor', 'other'],
  ])('that finished with %s has the finish %s', (reason, finish) => {
    expect(read(chat(says('x'), reason)).finish).toBe(finish)
  })

  it('is recognised without choices, usage or model', () => {
    expect(read(chat(undefined, 'stop'))).toMatchObject({ text: '', finish: 'other' })
    const bare = read({ choices: [{ message: says('hi'), finish_reason: 'stop' }] })
    expect(bare).not.toHaveProperty('usage')
    expect(bare).not.toHaveProperty('model')
  })

  it('of an audio model has data', () => {
    expect(read(chat({ ...says(null), audio: { id: 'a', data: 'AAAA' } }, 'stop')).has_data).toBe(true)
  })

  it('counts no tokens for a count that is not a whole number of at least zero', () => {
    const usage = { prompt_tokens: -5, completion_tokens: '7', prompt_tokens_details: null }
    expect(read(chat(says('x'), 'stop', { usage })).usage).toEqual({
      input_tokens: 0,
      output_tokens: 0,
      cached_input_tokens: 0,
      is_partial: true,
    })
  })
})

describe('an OpenAI response', () => {
  const response = (output: object[], more: object = {}) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'gpt-5-mini-2025-08-07',
    output,
    usage: {
      input_tokens: 300,
      input_tokens_details: { cached_tokens: 128 },
      output_tokens: 90,
      output_tokens_details: { reasoning_tokens: 64 },
      total_tokens: 390,
    },
    ...more,
  })
  const says = (...content: object[]) => ({
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content,
  })
  const text = (said: string) => ({ type: 'output_text', text: said, annotations: [] })
  const thinks = { type: 'reasoning', id: 'rs_1', summary: [] }

  it('is read with its text, model and tokens', () => {
    expect(readCompletion(response([thinks, says(text('bill'), text('ing'))]))).toEqual({
      provider: 'openai_responses',
      model: 'gpt-5-mini-2025-08-07',
      text: 'billing',
      has_tool_calls: false,
      has_data: false,
      finish: 'stop',
      usage: { input_tokens: 300, output_tokens: 90, cached_input_tokens: 128 },
    })
  })

  it('is read with calls for the agent, and without those that the provider ran', () => {
    const called = read(response([{ type: 'function_call', call_id: 'c', name: 'lookup', arguments: '{}' }]))
    expect(called).toMatchObject({ has_tool_calls: true, finish: 'tool_calls' })
    const searched = read(response([{ type: 'web_search_call', id: 'ws', status: 'completed' }]))
    expect(searched).toMatchObject({ has_tool_calls: false, text: '' })
  })

  it('is read with a marked refusal', () => {
    expect(read(response([says({ type: 'refusal', refusal: 'No.' })]))).toMatchObject({
      finish: 'refusal',
      refusal: 'No.',
    })
  })

  it.each([
    ['incomplete', { reason: 'max_output_tokens' }, 'length'],
    ['incomplete', { reason: 'content_filter' }, 'content_filter'],
    ['incomplete', null, 'interrupted'],
    ['failed', null, 'interrupted'],
  ])('with status %s and %j has the finish %s', (status, incomplete_details, finish) => {
    expect(read(response([], { status, incomplete_details })).finish).toBe(finish)
  })

  it('is read from the SDK’s output_text when it has no items', () => {
    expect(read(response([], { output_text: 'billing' })).text).toBe('billing')
    expect(read(response([says(text('a'))], { output_text: 'a' })).text).toBe('a')
  })
})

describe('an Anthropic message', () => {
  const message = (content: object[], stop_reason: string) => ({
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content,
    stop_reason,
    stop_sequence: null,
    usage: {
      input_tokens: 20,
      cache_creation_input_tokens: 300,
      cache_read_input_tokens: 5000,
      output_tokens: 60,
      service_tier: 'standard',
    },
  })

  it('is read with its text, and with cached tokens counted as input', () => {
    const content = [
      { type: 'thinking', thinking: 'A card…', signature: 's' },
      { type: 'text', text: 'billing' },
    ]
    expect(readCompletion(message(content, 'end_turn'))).toEqual({
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      text: 'billing',
      has_tool_calls: false,
      has_data: false,
      finish: 'stop',
      usage: {
        input_tokens: 5320,
        output_tokens: 60,
        cached_input_tokens: 5000,
        cache_write_tokens: 300,
      },
    })
  })

  it('is read with its tool calls', () => {
    const used = read(message([{ type: 'tool_use', id: 'toolu_1', name: 'lookup', input: {} }], 'tool_use'))
    expect(used).toMatchObject({ has_tool_calls: true, finish: 'tool_calls', text: '' })
  })

  it.each([
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['stop_sequence', 'stop'],
    ['refusal', 'refusal'],
    ['pause_turn', 'interrupted'],
  ])('that stopped for %s has the finish %s', (reason, finish) => {
    expect(read(message([], reason)).finish).toBe(finish)
  })
})

describe('a Gemini response', () => {
  const gemini = (parts: object[] | undefined, finishReason: string) => ({
    candidates: [
      { ...(parts && { content: { role: 'model', parts } }), finishReason, index: 0, safetyRatings: [] },
    ],
    usageMetadata: {
      promptTokenCount: 100,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 12,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 64,
      totalTokenCount: 147,
    },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'r1',
  })

  it('is read without its thoughts, but with their tokens', () => {
    expect(
      readCompletion(gemini([{ text: 'A card…', thought: true }, { text: 'bill' }, { text: 'ing' }], 'STOP')),
    ).toEqual({
      provider: 'gemini',
      model: 'gemini-2.5-flash',
      text: 'billing',
      has_tool_calls: false,
      has_data: false,
      finish: 'stop',
      usage: { input_tokens: 105, output_tokens: 42, cached_input_tokens: 64 },
    })
  })

  it('is read with its function calls and images', () => {
    const called = read(gemini([{ functionCall: { name: 'lookup', args: {} } }], 'STOP'))
    expect(called).toMatchObject({ has_tool_calls: true, finish: 'tool_calls' })
    expect(read(gemini([{ inlineData: { mimeType: 'image/png', data: 'AA' } }], 'STOP')).has_data).toBe(true)
  })

  it.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'interrupted'],
  ])('that ended with %s has the finish %s', (reason, finish) => {
    expect(read(gemini(undefined, reason)).finish).toBe(finish)
  })

  it('to a blocked prompt is read without candidates', () => {
    const blocked = read({
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 9 },
    })
    expect(blocked).toMatchObject({
      finish: 'content_filter',
      text: '',
      usage: { input_tokens: 9, output_tokens: 0, cached_input_tokens: 0 },
    })
  })
})

describe('a Vercel AI SDK result', () => {
  const result = (more: object) => ({
    text: 'billing',
    finishReason: 'stop',
    toolCalls: [],
    toolResults: [],
    usage: { inputTokens: 50, outputTokens: 8, totalTokens: 58, cachedInputTokens: 10 },
    response: { id: 'r', timestamp: '2026-01-01T00:00:00Z', modelId: 'gpt-4.1-mini' },
    ...more,
  })

  it('is read with its text, model and tokens', () => {
    expect(readCompletion(result({}))).toEqual({
      provider: 'vercel_ai',
      model: 'gpt-4.1-mini',
      text: 'billing',
      has_tool_calls: false,
      has_data: false,
      finish: 'stop',
      usage: { input_tokens: 50, output_tokens: 8, cached_input_tokens: 10 },
    })
  })

  it('of an older SDK is read with its older names of tokens', () => {
    const older = read(result({ usage: { promptTokens: 7, completionTokens: 3, totalTokens: 10 } }))
    expect(older.usage).toEqual({ input_tokens: 7, output_tokens: 3, cached_input_tokens: 0 })
  })

  it('counts the tokens of all its steps', () => {
    const usage = { inputTokens: 500, outputTokens: 80, inputTokenDetails: { cacheReadTokens: 100 } }
    expect(read(result({ totalUsage: usage })).usage).toEqual({
      input_tokens: 500,
      output_tokens: 80,
      cached_input_tokens: 100,
    })
  })

  it('sent as JSON is read from the last of its steps', () => {
    const first = {
      ...result({}),
      text: undefined,
      content: [{ type: 'tool-call', toolName: 'x' }],
      finishReason: 'tool-calls',
    }
    const last = { ...result({}), text: undefined, content: [{ type: 'text', text: 'done' }] }
    const sent = JSON.parse(
      JSON.stringify({ steps: [first, last], totalUsage: { inputTokens: 100, outputTokens: 16 } }),
    )
    expect(read(sent)).toMatchObject({
      text: 'done',
      has_tool_calls: false,
      finish: 'stop',
      model: 'gpt-4.1-mini',
    })
    expect(read(sent).usage?.input_tokens).toBe(100)
  })

  it('is read with tool calls, an object, and each way to finish', () => {
    expect(
      read(result({ text: '', toolCalls: [{ toolName: 'x' }], finishReason: 'tool-calls' })).has_tool_calls,
    ).toBe(true)
    expect(read(result({ text: undefined, object: { label: 'x' } })).has_data).toBe(true)
    expect(read(result({ finishReason: 'length' })).finish).toBe('length')
    expect(read(result({ finishReason: 'content-filter' })).finish).toBe('content_filter')
    expect(read(result({ finishReason: 'error' })).finish).toBe('interrupted')
  })
})

describe('a customer’s own output is not a completion', () => {
  it.each([
    null,
    undefined,
    42,
    'text',
    [],
    {},
    { text: 'billing' },
    { text: 'billing', finishReason: 'stop' },
    { choices: ['a', 'b'] },
    { choices: [{ message: 'hello' }] },
    { choices: [{ message: { subject: 'hello' } }] },
    { candidates: [{ name: 'Ada', score: 3 }] },
    { candidates: [] },
    { promptFeedback: 'good' },
    { type: 'message', role: 'user', content: [] },
    { type: 'message', role: 'assistant', content: 'hi' },
    { output: [{ type: 'message' }], status: 'completed' },
    { steps: [{ name: 'a' }], usage: { inputTokens: 1 } },
    { output: [{ row: 1 }, { row: 2 }], usage: { requests: 1, input_tokens: 1 } },
    { output: [{ type: 'message' }], usage: { requests: 1 } },
    { output: [], usage: { requests: 0 } },
    { status: 'done', usage: {}, outputs: [{ page: 1 }] },
    { status: 'done', usage: {}, outputs: [{ type: 'text', page: 1 }] },
    { status: 'done', usage: {}, outputs: [] },
    { done: true, created_at: '2026-01-01', message: { subject: 'Exported' } },
    { done: true, created_at: '2026-01-01', response: '' },
  ])('%j', output => {
    expect(readCompletion(output)).toBeUndefined()
  })
})
