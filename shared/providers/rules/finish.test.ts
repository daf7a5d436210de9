// How answers of every client say that they ended, by a word of their provider or beside it.

import { describe, expect, it } from 'vitest'
import { type Finish, readCall } from './completion.ts'
import { FINISH_WORDS, finishOfStatus, STATUS_ROWS } from './finish-words.ts'

/** Every word that any provider may pass on, with its meaning. */
const shared = Object.entries(FINISH_WORDS)
  .filter(([row]) => !(STATUS_ROWS as readonly string[]).includes(row))
  .flatMap(([, { of: _, ...words }]) => Object.entries(words as Partial<Record<Finish, readonly string[]>>))
  .flatMap(([finish, list]) => list.map(word => [word, finish as Finish] as const))

const text = 'The parcel was delivered to the wrong addr'
const said = { role: 'assistant', content: text }
const parts = [{ type: 'text', text }]
const tokens = { inputTokens: 9, outputTokens: 3 }
const tiny = { inputTokens: { total: 9 }, outputTokens: { total: 3 } }
const langchain = (response_metadata: object, more: object = {}) => ({
  type: 'ai',
  content: text,
  tool_calls: [],
  response_metadata,
  ...more,
})

/** An answer of each client with a finish word, wherever the client puts it. */
const CLIENTS: Record<string, (word: unknown) => unknown> = {
  'OpenAI chat': finish_reason => ({ choices: [{ message: said, finish_reason }] }),
  'OpenAI completions': finish_reason => ({ object: 'text_completion', choices: [{ text, finish_reason }] }),
  'Mistral’s client': finishReason => ({ choices: [{ message: said, finishReason }] }),
  'a gateway that keeps the provider’s word': native_finish_reason => ({
    choices: [{ message: said, finish_reason: 'stop', native_finish_reason }],
  }),
  Anthropic: stop_reason => ({ type: 'message', role: 'assistant', content: parts, stop_reason }),
  Gemini: finishReason => ({ candidates: [{ content: { parts: [{ text }] }, finishReason }] }),
  'Gemini’s client for Python': finish_reason => ({
    candidates: [{ content: { parts: [{ text }] }, finish_reason }],
  }),
  Bedrock: stopReason => ({ output: { message: { content: [{ text }] } }, stopReason }),
  Cohere: finish_reason => ({ message: { role: 'assistant', content: parts }, finish_reason }),
  Ollama: done_reason => ({ model: 'm', created_at: '1', done: true, done_reason, message: said }),
  'LangChain over OpenAI': finish_reason => langchain({ finish_reason }),
  'LangChain over Anthropic': stop_reason => langchain({ stop_reason }),
  'LangChain over Anthropic, streamed': stop_reason => langchain({}, { additional_kwargs: { stop_reason } }),
  'LangChain over Gemini': finishReason => langchain({ finishReason }),
  'LangChain over Bedrock': stopReason => langchain({ stopReason }),
  'LangChain over Bedrock, streamed': stopReason => langchain({ messageStop: { stopReason } }),
  'LangChain over Ollama': done_reason => langchain({ done_reason }),
  'a generation of LangChain': finish_reason => ({
    generations: [[{ text, message: langchain({}), generation_info: { finish_reason } }]],
  }),
  'a graph of LangGraph': finish_reason => ({ messages: [langchain({ finish_reason })] }),
  LlamaIndex: finish_reason => ({
    message: { role: 'assistant', content: text },
    raw: { choices: [{ message: said, finish_reason }] },
  }),
  'the OpenAI Agents SDK': finish_reason => ({
    response_id: 'r',
    usage: { input_tokens: 9 },
    output: [{ type: 'message', content: [{ type: 'output_text', text }] }],
    providerData: { object: 'chat.completion', choices: [{ message: said, finish_reason }] },
  }),
  'a provider of the Vercel AI SDK': raw => ({
    content: parts,
    finishReason: { unified: 'other', raw },
    usage: tiny,
  }),
  'the Vercel AI SDK': rawFinishReason => ({
    steps: [{ content: parts, finishReason: 'other', rawFinishReason, usage: tokens }],
    totalUsage: tokens,
  }),
  'the Vercel AI SDK with the provider’s answer': finish_reason => ({
    text,
    finishReason: 'unknown',
    usage: tokens,
    response: { modelId: 'm', body: { choices: [{ message: said, finish_reason }] } },
  }),
}

const finishIn = (output: unknown) => {
  const read = readCall({ key: 'k', kind: 'llm_call', name: 'm', started_at: '', duration_ms: 0, output })
  return read !== undefined && 'finish' in read ? read.finish : read
}

describe.each(Object.entries(CLIENTS))('%s', (client, answer) => {
  it('is read with every word that names a fault', () => {
    const faults = shared.filter(([, finish]) => !['stop', 'tool_calls', 'other'].includes(finish))
    const read = faults.map(([word]) => [word, finishIn(answer(word))])
    expect(read).toEqual(faults.map(([word, finish]) => [word, finish]))
  })

  it('is not at fault with any word for a good end', () => {
    const good = shared.filter(([, finish]) => ['stop', 'tool_calls', 'other'].includes(finish))
    for (const [word] of good) expect(['stop', 'tool_calls', 'other'], word).toContain(finishIn(answer(word)))
  })

  it('that says nothing of its end is not at fault', () => {
    const silent = client === 'Bedrock' || client === 'Cohere' ? [''] : [null, undefined, '', 'unknown']
    // A client that says `other` for want of a better word says that it is not a good one.
    if (client === 'the Vercel AI SDK') return
    for (const word of silent) expect(['other', 'stop'], String(word)).toContain(finishIn(answer(word)))
  })
})

describe('what is said beside the finish word', () => {
  const chat = (choice: object, more: object = {}) => ({ choices: [{ message: said, ...choice }], ...more })

  it.each<[string, unknown, Finish]>([
    [
      'an error of a gateway',
      chat({ finish_reason: 'stop', error: { code: 502, message: 'x' } }),
      'interrupted',
    ],
    ['an error next to the answer', chat({}, { error: { type: 'server_error' } }), 'interrupted'],
    [
      'a filter’s error',
      chat({ finish_reason: 'error', error: { code: 'content_filter' } }),
      'content_filter',
    ],
    [
      'a filter that came late',
      chat({ finish_reason: 'stop', content_filter_results: { violence: { filtered: true } } }),
      'content_filter',
    ],
    [
      'a filter that found nothing',
      chat({ finish_reason: 'stop', content_filter_results: { violence: { filtered: false } } }),
      'stop',
    ],
    ['MiniMax’s filter', chat({ finish_reason: 'stop' }, { output_sensitive: true }), 'content_filter'],
    ['MiniMax’s status', chat({}, { base_resp: { status_code: 1000 } }), 'interrupted'],
    ['MiniMax’s good status', chat({ finish_reason: 'stop' }, { base_resp: { status_code: 0 } }), 'stop'],
    [
      'a gateway’s error for a blocked answer',
      chat({ finish_reason: 'error', native_finish_reason: 'PROHIBITED_CONTENT' }),
      'content_filter',
    ],
    [
      'an unknown word of the provider',
      chat({ finish_reason: 'stop', native_finish_reason: 'x_error' }),
      'stop',
    ],
    [
      'a blocked prompt in LangChain',
      langchain({ prompt_feedback: { block_reason: 'SAFETY' } }),
      'content_filter',
    ],
    ['an answer that LangChain calls blocked', langchain({ is_blocked: true }), 'content_filter'],
    ['a failed response in LangChain', langchain({ status: 'failed' }), 'interrupted'],
    [
      'a cut response in LangChain',
      langchain({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
      'length',
    ],
    [
      'an Ollama answer that is not done',
      { model: 'm', created_at: '1', done: false, message: said },
      'interrupted',
    ],
    [
      'an item of the Agents SDK that is not whole',
      {
        response_id: 'r',
        usage: { input_tokens: 9 },
        output: [{ type: 'message', status: 'incomplete', content: [{ type: 'output_text', text }] }],
      },
      'interrupted',
    ],
    [
      'the word `other` of version 5 of the Vercel AI SDK',
      { text, finishReason: 'other', usage: tokens },
      'interrupted',
    ],
    [
      'the word `other` of version 6, for silence',
      { text, finishReason: 'other', usage: { ...tokens, inputTokenDetails: {} } },
      'other',
    ],
    [
      'a provider of the Vercel AI SDK in silence',
      { content: parts, finishReason: { unified: 'other' }, usage: tiny },
      'other',
    ],
  ])('%s counts', (_, output, finish) => {
    expect(finishIn(output)).toBe(finish)
  })

  it.each<[string, object, Finish]>([
    ['failed', { status: 'failed', error: { code: 'server_error' } }, 'interrupted'],
    ['failed by a filter', { status: 'failed', error: { code: 'bio_policy' } }, 'content_filter'],
    ['cancelled', { status: 'cancelled' }, 'interrupted'],
    ['queued', { status: 'queued' }, 'interrupted'],
    ['in progress', { status: 'in_progress' }, 'interrupted'],
    ['incomplete', { status: 'incomplete', incomplete_details: null }, 'interrupted'],
    [
      'incomplete by its length',
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'length',
    ],
    [
      'incomplete by a filter',
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      'content_filter',
    ],
    [
      'incomplete for another reason',
      { status: 'incomplete', incomplete_details: { reason: 'steered' } },
      'interrupted',
    ],
    ['completed', { status: 'completed' }, 'stop'],
  ])('a response that is %s', (_, more, finish) => {
    expect(finishIn({ object: 'response', output: [{ type: 'message', content: parts }], ...more })).toBe(
      finish,
    )
  })

  it.each<[string, Finish]>([
    ['failed', 'interrupted'],
    ['cancelled', 'interrupted'],
    ['in_progress', 'interrupted'],
    ['incomplete', 'length'],
    ['budget_exceeded', 'length'],
    ['completed', 'stop'],
  ])('an interaction of Gemini that is %s', (status, finish) => {
    expect(finishIn({ object: 'interaction', status, outputs: [{ type: 'text', text }] })).toBe(finish)
    expect(finishOfStatus('gemini_interactions', status)).toBe(finish)
  })
})
