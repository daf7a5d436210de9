import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Finish, readCall } from './completion.ts'
import {
  FINISH_WORDS,
  finishOf,
  finishOfStatus,
  finishTable,
  knownFinish,
  STATUS_ROWS,
} from './finish-words.ts'
import { ANSWERS } from './sample-answers.ts'

const ROOT = join(import.meta.dirname, '../../..')
const rows = Object.entries(FINISH_WORDS).map(([row, { of: _, ...words }]) => ({
  row,
  words: Object.entries(words as Partial<Record<Finish, readonly string[]>>).flatMap(([finish, list]) =>
    list.map(word => [word, finish as Finish] as const),
  ),
}))
const isStatusRow = (row: string) => (STATUS_ROWS as readonly string[]).includes(row)
const shared = rows.filter(({ row }) => !isStatusRow(row)).flatMap(({ words }) => words)
const inSomeRow = new Set(rows.flatMap(({ words }) => words.map(([word]) => word)))

describe('the table of finish words', () => {
  it('gives no word two meanings, except statuses, which only their own readers look up', () => {
    const meanings = Map.groupBy(shared, ([word]) => word.toLowerCase().replaceAll('-', '_'))
    const two = [...meanings].filter(([, words]) => new Set(words.map(([, finish]) => finish)).size > 1)
    expect(two).toEqual([])
  })

  it.each(shared)('says of %s, in any case, that it means %s', (word, finish) => {
    expect([word, word.toUpperCase(), word.toLowerCase()].map(finishOf)).toEqual([finish, finish, finish])
    expect(knownFinish(word)).toBe(finish)
  })

  it('stands in grading.md as it is', () => {
    expect(readFileSync(join(ROOT, 'shared/grading/grading.md'), 'utf8')).toContain(finishTable())
  })
})

/** The members of a union of texts that is declared in a file of an installed package. */
function unionIn(file: string, declared: RegExp): string[] {
  const found = [...readFileSync(join(ROOT, 'node_modules', file), 'utf8').matchAll(declared)]
  return [
    ...new Set(found.flatMap(([, union]) => [...union!.matchAll(/'([^']+)'/g)].map(([, word]) => word!))),
  ]
}

describe('every finish word is in a row', () => {
  it.each([
    ['openai/resources/chat/completions/completions.d.ts', /finish_reason: ('[^;]+);/g, 5],
    ['openai/resources/completions.d.ts', /finish_reason: ('[^;]+);/g, 3],
    ['openai/resources/responses/responses.d.ts', /type ResponseStatus = ([^;]+);/g, 6],
    [
      'openai/resources/responses/responses.d.ts',
      /interface IncompleteDetails \{[^}]*reason\?: ([^;]+);/g,
      2,
    ],
    ['@anthropic-ai/sdk/resources/messages/messages.d.ts', /type StopReason = ([^;]+);/g, 6],
    ['@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', /type BetaStopReason = ([^;]+);/g, 6],
  ])('that %s declares at %s', (file, declared, atLeast) => {
    const words = unionIn(file, declared)
    expect(words.length).toBeGreaterThanOrEqual(atLeast)
    expect(words.filter(word => !inSomeRow.has(word))).toEqual([])
  })

  // Read from the packages on 2026-11-29; they are not installed, because nothing else needs them.
  it.each([
    [
      '@google/genai 2.32.0',
      'FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS IMAGE_PROHIBITED_CONTENT NO_IMAGE IMAGE_RECITATION IMAGE_OTHER BLOCKED_REASON_UNSPECIFIED MODEL_ARMOR JAILBREAK',
    ],
    [
      'cohere-ai 8.1.0',
      'COMPLETE STOP_SEQUENCE MAX_TOKENS TOOL_CALL ERROR TIMEOUT ERROR_TOXIC ERROR_LIMIT USER_CANCEL',
    ],
    ['@mistralai/mistralai 2.7.0', 'stop length model_length error tool_calls'],
    [
      '@aws-sdk/client-bedrock-runtime 3.1164.0',
      'content_filtered end_turn guardrail_intervened malformed_model_output malformed_tool_use max_tokens model_context_window_exceeded stop_sequence tool_use',
    ],
    ['@ai-sdk/provider 3.0.19', 'stop length content-filter tool-calls error other unknown'],
    ['groq-sdk 1.6.0', 'stop length tool_calls function_call'],
    ['together-ai 0.52.0', 'stop eos length tool_calls function_call'],
    ['@openrouter/sdk 1.3.19', 'tool_calls stop length content_filter error'],
    ['@cerebras/cerebras_cloud_sdk 1.91.0', 'stop length content_filter tool_calls'],
  ])('that %s declares', (_, words) => {
    expect(words.split(' ').filter(word => !inSomeRow.has(word))).toEqual([])
  })

  it('that a sample answer has', () => {
    const named = JSON.stringify(Object.values(ANSWERS)).matchAll(
      /"(?:finish_reason|finishReason|stop_reason|stopReason|done_reason)":"([^"]+)"/g,
    )
    const words = [...named].map(([, word]) => word!)
    expect(words.length).toBeGreaterThan(5)
    expect(words.filter(word => !inSomeRow.has(word))).toEqual([])
  })
})

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
    // A client that says `other` for want of a better word has told that it is not a good one.
    if (client === 'the Vercel AI SDK') return
    for (const word of silent) expect(['other', 'stop'], String(word)).toContain(finishIn(answer(word)))
  })
})

describe('a word in no row', () => {
  it.each<[string, Finish]>([
    ['engine_crashed', 'interrupted'],
    ['upstream_error', 'interrupted'],
    ['request_aborted', 'interrupted'],
    ['client_disconnected', 'interrupted'],
    ['REQUEST_TIMEOUT', 'interrupted'],
    ['generationFailed', 'interrupted'],
    ['MALFORMED_IMAGE', 'interrupted'],
    ['rate_limited', 'interrupted'],
    ['output_moderated', 'content_filter'],
    ['content_policy_violation', 'content_filter'],
    ['BLOCKED', 'content_filter'],
    ['max_new_tokens', 'length'],
    ['context_length_exceeded', 'length'],
    ['MAX_LENGTH', 'length'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'interrupted'],
    ['content_filter: RECITATION', 'content_filter'],
    ['FinishReason.MAX_TOKENS', 'length'],
    ['refused', 'refusal'],
    ['done', 'other'],
    ['eot_token', 'other'],
    ['something_new', 'other'],
    ['constructor', 'other'],
  ])('%s means %s, by the fault that it names', (word, finish) => {
    expect(finishOf(word)).toBe(finish)
  })

  it.each([[7], [true], [{}], [[]], ['_'.repeat(1_000_000)], ['aA'.repeat(1_000_000)]])(
    'or no word at all says nothing',
    word => expect(finishOf(word)).toBe('other'),
  )
})

it('a word may be the type of an object, as SGLang has it', () => {
  expect(finishOf({ type: 'abort', message: 'x' })).toBe('interrupted')
  expect(finishOf({ type: 'length', length: 9 })).toBe('length')
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
