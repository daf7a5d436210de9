// Arguments of a tool call that are half a JSON, in the answer of every client.

import { describe, expect, it } from 'vitest'
import { gradeStep } from './grading.ts'

const declared = { default_checks: ['cut_json' as const] }
const step = (output: unknown) => ({
  key: 'k',
  kind: 'llm_call' as const,
  name: 'm',
  started_at: '',
  duration_ms: 0,
  output,
})
const reasonOf = (output: unknown) => gradeStep(step(output), declared).reason

const used = { input_tokens: 9, output_tokens: 3 }
const tokens = { inputTokens: 9, outputTokens: 3 }
const saying = (more: object) => ({ role: 'assistant', content: null, ...more })
const chat = (message: object) => ({ choices: [{ message: saying(message), finish_reason: 'tool_calls' }] })
const langchain = (more: object) => ({ type: 'ai', content: '', response_metadata: {}, ...more })
const half = (given: string) => [given.slice(0, 5), given.slice(5)]

/** An answer of each client that calls a tool with these arguments, as the client has them. */
const CLIENTS: Record<string, (given: string) => unknown> = {
  'OpenAI chat': given => chat({ tool_calls: [{ function: { name: 'save', arguments: given } }] }),
  'OpenAI chat, the second of two': given =>
    chat({
      tool_calls: [
        { function: { name: 'save', arguments: '{}' } },
        { function: { name: 'save', arguments: given } },
      ],
    }),
  'OpenAI chat, older': given => chat({ function_call: { name: 'save', arguments: given } }),
  'Mistral’s client': given => chat({ toolCalls: [{ function: { name: 'save', arguments: given } }] }),
  'OpenAI chat, streamed': given =>
    half(given)
      .map(part => ({ choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: part } }] } }] }))
      .concat([{ choices: [{ delta: {}, finish_reason: 'tool_calls' }] } as never]),
  'OpenAI responses': given => ({
    object: 'response',
    status: 'completed',
    output: [{ type: 'function_call', name: 'save', arguments: given }],
  }),
  'the OpenAI Agents SDK': given => ({
    response_id: 'r',
    usage: used,
    output: [{ type: 'function_call', name: 'save', arguments: given }],
  }),
  'Anthropic, streamed': given => [
    { type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', name: 'save', input: {} } },
    ...half(given).map(partial_json => ({
      type: 'content_block_delta',
      delta: { type: 'input_json_delta', partial_json },
    })),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ],
  'Bedrock, streamed': given => [
    { messageStart: { role: 'assistant' } },
    { contentBlockStart: { start: { toolUse: { toolUseId: 't', name: 'save' } } } },
    ...half(given).map(input => ({ contentBlockDelta: { delta: { toolUse: { input } } } })),
    { messageStop: { stopReason: 'tool_use' } },
  ],
  Cohere: given => ({
    message: saying({ tool_calls: [{ type: 'function', function: { name: 'save', arguments: given } }] }),
    finish_reason: 'TOOL_CALL',
  }),
  'Cohere, streamed': given => [
    { type: 'message-start', delta: { message: { role: 'assistant' } } },
    {
      type: 'tool-call-start',
      delta: { message: { tool_calls: { id: 't', function: { name: 'save', arguments: '' } } } },
    },
    ...half(given).map(part => ({
      type: 'tool-call-delta',
      delta: { message: { tool_calls: { function: { arguments: part } } } },
    })),
    { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
  ],
  'LangChain, which could not read them': given =>
    langchain({ invalid_tool_calls: [{ name: 'save', args: given, error: 'x' }] }),
  'LangChain, as the provider sent them': given =>
    langchain({ additional_kwargs: { tool_calls: [{ function: { name: 'save', arguments: given } }] } }),
  'LangChain, streamed': given =>
    half(given).map((args, at) => ({
      type: 'AIMessageChunk',
      content: '',
      response_metadata: { finish_reason: 'tool_calls' },
      tool_call_chunks: [{ index: 0, args, ...(at === 0 && { name: 'save' }) }],
    })),
  LlamaIndex: given => ({
    message: saying({ content: '' }),
    raw: chat({ tool_calls: [{ function: { name: 'save', arguments: given } }] }),
  }),
  'a provider of the Vercel AI SDK': given => ({
    content: [{ type: 'tool-call', toolName: 'save', input: given }],
    finishReason: 'tool-calls',
    usage: tokens,
  }),
  'the Vercel AI SDK, which could not read them': given => ({
    text: '',
    toolCalls: [{ type: 'tool-call', toolName: 'save', input: given, invalid: true }],
    finishReason: 'tool-calls',
    usage: tokens,
  }),
  'the Vercel AI SDK, streamed': given => [
    { type: 'tool-call', toolName: 'save', input: given },
    { type: 'finish', finishReason: 'tool-calls', totalUsage: tokens },
  ],
  Ollama: given => ({
    model: 'm',
    created_at: '1',
    done: true,
    done_reason: 'stop',
    message: saying({ content: '', tool_calls: [{ function: { name: 'save', arguments: given } }] }),
  }),
}

const WHOLE = '{"label": "billing", "more": [{"a": "}"}]}'
const CUT = [
  '{"label": "bil',
  '{"label": "billing", "more": [{"a": "}"}]',
  '{"label":',
  '{',
  '[{"label": "b"',
]

describe.each(Object.entries(CLIENTS))('%s', (_, answer) => {
  it('is cut_json with arguments that begin and do not end', () => {
    expect(CUT.filter(given => reasonOf(answer(given)) !== 'cut_json')).toEqual([])
  })

  it.each([WHOLE, '{}', '', '[]', 'null', 'billing'])('is ok with the arguments %j', given => {
    expect(reasonOf(answer(given))).toBeNull()
  })
})

it('an answer whose arguments are an object is ok', () => {
  const input = { label: 'bil', text: '{"a' }
  expect(
    [
      {
        type: 'message',
        role: 'assistant',
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', name: 's', input }],
      },
      {
        candidates: [
          { content: { parts: [{ functionCall: { name: 's', args: input } }] }, finishReason: 'STOP' },
        ],
      },
      { output: { message: { content: [{ toolUse: { name: 's', input } }] } }, stopReason: 'tool_use' },
      langchain({ tool_calls: [{ name: 's', args: input }] }),
    ].map(reasonOf),
  ).toEqual([null, null, null, null])
})

it('the free text of a custom tool is no JSON', () => {
  const output = [{ type: 'custom_tool_call', name: 'run', input: '{ echo' }]
  expect(reasonOf({ object: 'response', status: 'completed', output })).toBeNull()
})

it('arguments are checked only where cut_json is, and only if the answer was kept whole', () => {
  const output = CLIENTS['OpenAI chat']!(CUT[0]!)
  expect(gradeStep(step(output)).reason).toBeNull()
  expect(gradeStep(step(output), { checks: ['repeats'], default_checks: ['cut_json'] }).reason).toBeNull()
  expect(gradeStep(step(output), { checks: ['cut_json'] }).reason).toBe('cut_json')
  expect(reasonOf({ cut: true, bytes: 300_000, head: '', outline: output })).toBeNull()
})
