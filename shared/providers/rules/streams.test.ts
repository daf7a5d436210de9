// Reads streams that were recorded piece by piece, as they are or with neighbouring pieces of text joined.

import { describe, expect, it } from 'vitest'
import { recorded } from '../../sdk/stream.ts'
import { readCall } from './completion.ts'
import { readAnswer } from './conversation.ts'

/** A value that throws when it is made a string. */
const NO_TEXT = { toString: 1, valueOf: 1 }

/** Yields a copy of the value for each of its parts, with that part spoiled. */
function* spoiled(value: unknown): Generator<unknown> {
  yield NO_TEXT
  if (typeof value !== 'object' || value === null) return
  for (const [name, part] of Object.entries(value))
    for (const bad of spoiled(part))
      yield Array.isArray(value) ? value.with(Number(name), bad) : { ...value, [name]: bad }
}

const call = (output: unknown) =>
  readCall({ key: 'k', kind: 'llm_call', name: 'm', started_at: '', duration_ms: 0, output })

async function* streamed(pieces: readonly object[]) {
  for (const piece of pieces) yield piece
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  object: 'chat.completion.chunk',
  model: 'gpt-5',
  choices: [{ index: 0, delta, finish_reason }],
})
const lookup = (args: string, more = {}) => ({
  tool_calls: [{ index: 0, ...more, function: { arguments: args, ...('id' in more && { name: 'look' }) } }],
})

const STREAMS: [string, object[], object][] = [
  [
    'OpenAI',
    [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'bill' }),
      chunk({ content: 'in' }),
      chunk({ content: 'g' }),
      chunk({}, 'length'),
      { object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } },
    ],
    {
      provider: 'openai_chat',
      text: 'billing',
      finish: 'length',
      usage: { input_tokens: 9, output_tokens: 3 },
    },
  ],
  [
    'OpenAI, calling a tool',
    [chunk(lookup('', { id: 't' })), chunk(lookup('{"a"')), chunk(lookup(':1}')), chunk({}, 'tool_calls')],
    { has_tool_calls: true, finish: 'tool_calls' },
  ],
  [
    'OpenAI’s responses',
    [
      { type: 'response.created', response: { object: 'response', status: 'in_progress', output: [] } },
      { type: 'response.output_text.delta', delta: 'bill', sequence_number: 1 },
      { type: 'response.output_text.delta', delta: 'ing', sequence_number: 2 },
      {
        type: 'response.completed',
        response: {
          object: 'response',
          status: 'completed',
          output: [{ type: 'message', content: [{ type: 'output_text', text: 'billing' }] }],
          usage: { input_tokens: 9, output_tokens: 3 },
        },
      },
    ],
    { provider: 'openai_responses', text: 'billing', finish: 'stop', usage: { input_tokens: 9 } },
  ],
  [
    'Anthropic',
    [
      {
        type: 'message_start',
        message: {
          type: 'message',
          role: 'assistant',
          content: [],
          usage: { input_tokens: 9, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'bill' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ing' } },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 3 } },
    ],
    { text: 'billing', finish: 'length', usage: { input_tokens: 9, output_tokens: 3 } },
  ],
  [
    'Gemini',
    [
      { candidates: [{ content: { parts: [{ text: 'bill' }] } }], usageMetadata: { promptTokenCount: 9 } },
      {
        candidates: [{ content: { parts: [{ text: 'ing' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 },
      },
    ],
    { text: 'billing', finish: 'stop', usage: { input_tokens: 9, output_tokens: 3 } },
  ],
  [
    'Bedrock',
    [
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'bill' } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'ing' } } },
      { messageStop: { stopReason: 'guardrail_intervened' } },
      { metadata: { usage: { inputTokens: 9, outputTokens: 3 } } },
    ],
    { text: 'billing', finish: 'content_filter', usage: { input_tokens: 9 } },
  ],
  [
    'Cohere',
    [
      { type: 'message-start', delta: { message: { role: 'assistant' } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'bill' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'ing' } } } },
      {
        type: 'message-end',
        delta: {
          finish_reason: 'MAX_TOKENS',
          usage: { billed_units: { input_tokens: 9, output_tokens: 3 } },
        },
      },
    ],
    { text: 'billing', finish: 'length', usage: { input_tokens: 9 } },
  ],
  [
    'Ollama',
    [
      { model: 'm', created_at: '1', message: { role: 'assistant', content: 'bill' }, done: false },
      { model: 'm', created_at: '2', message: { role: 'assistant', content: 'ing' }, done: false },
      {
        model: 'm',
        created_at: '3',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 9,
        eval_count: 3,
      },
    ],
    { text: 'billing', finish: 'stop', usage: { input_tokens: 9, output_tokens: 3 } },
  ],
  [
    'LangChain',
    [
      { type: 'AIMessageChunk', content: 'bill', response_metadata: {} },
      { type: 'AIMessageChunk', content: 'ing', response_metadata: { finish_reason: 'stop' } },
      {
        type: 'AIMessageChunk',
        content: '',
        response_metadata: {},
        usage_metadata: { input_tokens: 9, output_tokens: 3 },
      },
    ],
    { text: 'billing', finish: 'stop', usage: { input_tokens: 9 } },
  ],
  [
    'the Vercel AI SDK',
    [
      { type: 'text-delta', id: '0', delta: 'bill' },
      { type: 'text-delta', id: '0', delta: 'ing' },
      { type: 'finish', finishReason: 'length', totalUsage: { inputTokens: 9, outputTokens: 3 } },
    ],
    { text: 'billing', finish: 'length', usage: { input_tokens: 9 } },
  ],
]

describe('a stream', () => {
  it.each(STREAMS)('of %s is read', (_, pieces, expected) => expect(call(pieces)).toMatchObject(expected))

  it.each(STREAMS)('of %s reads the same with its pieces joined', async (_, pieces) => {
    const joined = await recorded(streamed(pieces))
    expect(joined.length).toBeLessThanOrEqual(pieces.length)
    expect(call(joined)).toEqual(call(pieces))
  })

  // What each provider sends last, without which a stream has not come to its end.
  const isEnd = (piece: object) =>
    /"(?:finish_reason|finishReason|stop_reason|stopReason|done_reason|usage\w*)":(?!null)|completed|message-end/.test(
      JSON.stringify(piece),
    ) && !/message_start|"text":"bill"/.test(JSON.stringify(piece))

  it.each(STREAMS)(
    'of %s that closes before its end is interrupted',
    async (name, pieces, { text }: { text?: string }) => {
      const start = pieces
        .filter(piece => !isEnd(piece))
        // A model of one's own may say nothing of its end to LangChain; that of a provider does.
        .map(piece =>
          name === 'LangChain' ? { ...piece, response_metadata: { model_provider: 'openai' } } : piece,
        )
      expect(start.length).toBeLessThan(pieces.length)
      const read = call(start)
      expect(read).toMatchObject({ finish: 'interrupted' })
      expect(call(await recorded(streamed(start)))).toEqual(read)
      if (text !== undefined) expect(text.startsWith((read as { text: string }).text)).toBe(true)
    },
  )

  it.each([
    ['has an error in it', { type: 'error', error: 'x' }],
    ['was aborted', { type: 'abort' }],
  ])('of the Vercel AI SDK that %s is interrupted, whatever it says at its end', (_, piece) => {
    const end = { type: 'finish', finishReason: 'unknown', totalUsage: { inputTokens: 9 } }
    const pieces = [{ type: 'text-delta', id: '0', delta: 'bill' }, piece]
    for (const stream of [pieces, [...pieces, end]])
      expect(call(stream)).toMatchObject({ finish: 'interrupted' })
  })

  it('of an interaction of Gemini that closes before its end is interrupted', () => {
    const pieces = [
      { event_type: 'interaction.start', interaction: { object: 'interaction', status: 'in_progress' } },
      { event_type: 'step.start', step: { type: 'model_output' } },
      { event_type: 'step.delta', delta: { type: 'text', text: 'bill' } },
    ]
    expect(call(pieces)).toMatchObject({
      provider: 'gemini_interactions',
      text: 'bill',
      finish: 'interrupted',
    })
    expect(call(pieces)).not.toHaveProperty('usage')
  })

  it('of a server that sends its tokens last and never a finish says nothing of its end', () => {
    const pieces = [chunk({ content: 'billing' }), { choices: [], usage: { prompt_tokens: 9 } }]
    expect(call(pieces)).toMatchObject({ text: 'billing', finish: 'other' })
  })

  it.each<[string, object[]]>([
    [
      'Ollama',
      [
        { model: 'm', created_at: '1', message: { role: 'assistant', content: 'bill' }, done: false },
        { error: 'x' },
      ],
    ],
    ['OpenAI', [chunk({ content: 'bill' }), { error: { code: 502, message: 'x' } }]],
    ['OpenAI, with a word', [chunk({ content: 'bill' }), { ...chunk({}, 'error'), error: { code: 502 } }]],
    [
      'Gemini',
      [{ candidates: [{ content: { parts: [{ text: 'bill' }] } }] }, { error: { code: 503, message: 'x' } }],
    ],
    [
      'Bedrock',
      [{ contentBlockDelta: { delta: { text: 'bill' } } }, { modelStreamErrorException: { message: 'x' } }],
    ],
    [
      'Anthropic',
      [
        { type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } },
        { type: 'content_block_start', content_block: { type: 'text', text: 'bill' } },
        { type: 'error', error: { type: 'overloaded_error' } },
      ],
    ],
    [
      'Cohere',
      [
        { type: 'content-delta', delta: { message: { content: { text: 'bill' } } } },
        { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'x' } },
      ],
    ],
  ])('of %s that ends with an error is interrupted', (_, pieces) => {
    expect(call(pieces)).toMatchObject({ text: 'bill', finish: 'interrupted' })
  })

  it('of OpenAI’s responses without their first event is interrupted', () => {
    const pieces = [{ type: 'response.output_text.delta', delta: 'bill' }]
    expect(call(pieces)).toMatchObject({ text: 'bill', finish: 'interrupted' })
  })

  it('of one’s own model in LangChain need say nothing of its end', () => {
    const pieces = ['bill', 'ing'].map(content => ({
      type: 'AIMessageChunk',
      content,
      response_metadata: {},
    }))
    expect(call(pieces)).toMatchObject({ text: 'billing', finish: 'other' })
  })

  it('of thousands of words is recorded in a few pieces, without losing any', async () => {
    const words = Array.from({ length: 5000 }, (_, at) => `word ${at} `)
    const pieces = [...words.map(content => chunk({ content })), chunk({}, 'stop')]
    const joined = await recorded(streamed(pieces))
    expect(joined).toHaveLength(2)
    expect(call(joined)).toMatchObject({ text: words.join('') })
  })

  it('is shown as the message it adds up to', () => {
    expect(readAnswer(STREAMS[0]![1])?.[0]?.parts).toEqual([{ kind: 'text', text: 'billing' }])
  })

  it('that a client puts together is recorded as the final message', async () => {
    const message = { role: 'assistant', content: 'billing' }
    const stream = Object.assign(streamed([]), { finalMessage: async () => message })
    expect(await recorded(stream)).toBe(message)
    expect(await recorded({ finalChatCompletion: async () => message })).toBe(message)
  })

  it('within an answer, as Bedrock’s client has it, is read there and stays there', async () => {
    const pieces = STREAMS.find(([name]) => name === 'Bedrock')![1]
    const answer = await recorded({ $metadata: { requestId: 'r' }, stream: streamed(pieces) })
    expect(answer).toMatchObject({ $metadata: { requestId: 'r' }, stream: expect.any(Array) })
    expect(call(answer)).toEqual(call(pieces))
    expect(readAnswer(answer)?.[0]?.parts).toEqual([{ kind: 'text', text: 'billing' }])
    expect(call({ stream: [{ a: 1 }] })).toHaveProperty('unread')
  })

  it('of the Vercel AI SDK is recorded as its final results', async () => {
    const usage = { inputTokens: 9, outputTokens: 3 }
    class StepResult {
      readonly content = [{ type: 'text', text: 'billing' }]
      readonly finishReason = 'length'
      readonly usage = usage
      get text() {
        return this.content[0]!.text
      }
    }
    const [step, timestamp] = [new StepResult(), new Date('2026-01-01T00:00:00Z')]
    let isRead = false
    class StreamTextResult {
      get fullStream() {
        return (async function* () {
          yield { type: 'text-delta', id: '0', text: 'billing' }
          isRead = true
        })()
      }
      // Results are promises that resolve only at the end of the stream.
      readonly #at = async <T>(value: T) => (isRead ? value : Promise.reject(new Error('too early')))
      get text() {
        return this.#at('billing')
      }
      get finishReason() {
        return this.#at('length' as const)
      }
      get steps() {
        return this.#at([step])
      }
      get totalUsage() {
        return this.#at(usage)
      }
      get response() {
        return this.#at({ modelId: 'gpt-5', timestamp })
      }
    }
    const answer = await recorded(new StreamTextResult())
    const text: string = answer.text
    const response = { modelId: 'gpt-5', timestamp }
    const steps = [{ content: step.content, finishReason: 'length', usage }]
    expect(answer).toEqual({ text, finishReason: 'length', steps, totalUsage: usage, response })
    expect(call(answer)).toMatchObject({ text: 'billing', finish: 'length', usage: { input_tokens: 9 } })
  })

  it('of OpenAI’s client is recorded with model and tokens, which its final message lacks', async () => {
    const message = { role: 'assistant', content: 'billing' }
    const completion = { object: 'chat.completion', choices: [{ message }], usage: { prompt_tokens: 9 } }
    const stream = { finalMessage: async () => message, finalChatCompletion: async () => completion }
    const answer: typeof completion = await recorded(stream)
    expect(answer).toBe(completion)
  })

  it.each(STREAMS)('of %s is read or reported as unread, whatever any part of it contains', (_, pieces) => {
    for (const bad of spoiled(pieces)) {
      expect(call(bad)).toBeDefined()
      expect(() => readAnswer(bad)).not.toThrow()
    }
  })

  const many = <T>(of: (at: number) => T) => Array.from({ length: 200_000 }, (_, at) => of(at))
  it.each<[string, object[]]>([
    [
      'OpenAI',
      [chunk({ tool_calls: many(index => ({ index, function: { name: 'look', arguments: '{}' } })) })],
    ],
    [
      'LangChain',
      [{ type: 'ai', content: '', response_metadata: {}, tool_calls: many(() => ({ name: 'look' })) }],
    ],
    [
      'Ollama',
      [{ model: 'm', created_at: '1', done: true, message: { role: 'x', tool_calls: many(() => ({})) } }],
    ],
    [
      'Gemini',
      [{ candidates: [{ content: { parts: many(() => ({ functionCall: {} })) }, finishReason: 'STOP' }] }],
    ],
  ])('of %s with 200,000 calls in one piece is read', (_, pieces) => {
    expect(call(pieces)).toMatchObject({ has_tool_calls: true })
    expect(readAnswer(pieces)).toHaveLength(1)
  })

  it('of anything else is a list, and reported as unread', () => {
    expect(call([{ a: 1 }, { b: 2 }])).toEqual({
      unread: 'The output is a list, and no stream that is known.',
    })
  })
})
