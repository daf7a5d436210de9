import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Finish } from './completion.ts'
import { FINISH_WORDS, finishOf, finishTable, knownFinish, STATUS_ROWS } from './finish-words.ts'
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

it.each<[string, Finish]>([
  ['no_error', 'other'],
  ['done_no_errors', 'other'],
  ['completed_without_errors', 'other'],
  ['noError', 'other'],
  ['not_truncated', 'other'],
  ['no_content_filter', 'other'],
  ['no_safety_violation', 'other'],
  ['error_free', 'other'],
  ['no_error_timeout', 'interrupted'],
  ['no_tokens_left_error', 'interrupted'],
  ['no_context_left', 'length'],
  ['piano_error', 'interrupted'],
])('the unknown word %s, which may deny a fault, means %s', (word, finish) => {
  expect(finishOf(word)).toBe(finish)
})
