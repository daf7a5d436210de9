// Tests grading recorded answers by other rules than before: differences are reported, in sums that add up.

import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { RecordedAnswers } from './recorded-answers.ts'
import { type RecordedCall, type RecordedItem, RegradeTally, readsInputs } from './regrade.ts'

const REFUSAL = "I'm sorry, but I can't assist with that request."
const SUSPECT = "I'd rather not write that, sorry."

const chat = (content: string, finish_reason = 'stop') => ({
  object: 'chat.completion',
  model: 'gpt-4o-mini',
  choices: [{ message: { role: 'assistant', content }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
})
const call = (answer: unknown, more: Partial<RecordedCall> = {}): RecordedCall => ({
  key: 'classify',
  outcome: 'ok',
  outcome_reason: null,
  unread: null,
  reported: false,
  reused: false,
  error_code: null,
  input: null,
  output: JSON.stringify(answer),
  ...more,
})
const item = (calls: RecordedCall[], more: Partial<RecordedItem> = {}): RecordedItem => ({
  item_id: 't-1',
  record_id: 'r-1',
  outcome: 'ok',
  outcome_reason: null,
  output: '{"label":"billing"}',
  calls,
  ...more,
})
const regraded = (items: RecordedItem[], declared = {}) => {
  const tally = new RegradeTally()
  for (const one of items) tally.item(one, declared)
  return tally.result()
}
const changes = (items: RecordedItem[], declared = {}) =>
  regraded(items, declared).changes.map(({ of, was, now, count }) => [of, was, now, count])

describe('an item that is regraded', () => {
  it('keeps its verdict if the rules have not changed', () => {
    const items = [
      item([call(chat('billing'))]),
      item([call(chat(REFUSAL), { outcome: 'degraded', outcome_reason: 'refusal' })], {
        outcome: 'degraded',
        outcome_reason: 'refusal',
      }),
    ]
    expect(regraded(items)).toEqual({
      items: 2,
      calls: 2,
      calls_left: 0,
      verdicts: [
        { verdict: 'ok', items_was: 1, items_now: 1, calls_was: 1, calls_now: 1 },
        { verdict: 'refusal', items_was: 1, items_now: 1, calls_was: 1, calls_now: 1 },
      ],
      changes: [],
    })
  })

  it('gets another verdict if its agent now declares more or less', () => {
    const suspected = item([call(chat(SUSPECT), { outcome_reason: 'suspected_refusal' })])
    expect(changes([suspected], { refusals: 'balanced' })).toEqual([
      ['call', 'suspected_refusal', 'refusal', 1],
      ['item', 'ok', 'refusal', 1],
    ])
    expect(changes([suspected], { refusals: 'off' })).toEqual([['call', 'suspected_refusal', 'ok', 1]])
    const fenced = item([call(chat('```json\n{"a": 1}\n```'))])
    expect(changes([fenced], { checks: ['fenced_json'] })).toEqual([
      ['call', 'ok', 'fenced_json', 1],
      ['item', 'ok', 'fenced_json', 1],
    ])
  })

  it('is compared with its input if a check requires that', () => {
    const input = {
      messages: [
        {
          role: 'user',
          content:
            'Write a short note about the parcel that never came, and say to whom it should go. '.repeat(4),
        },
      ],
    }
    const echo = call(chat(input.messages[0]!.content), { input: JSON.stringify(input) })
    expect(readsInputs({ checks: ['echoes_prompt'] })).toBe(true)
    expect(readsInputs({ default_checks: ['template_leak'] })).toBe(true)
    expect(readsInputs({ default_checks: ['repeats'] })).toBe(false)
    expect(changes([item([echo])], { checks: ['echoes_prompt'] })).toContainEqual([
      'call',
      'ok',
      'echoes_prompt',
      1,
    ])
  })

  it('is not compared with an input of which only the beginning was kept', () => {
    const input = JSON.stringify({ cut: true, bytes: 300_000, head: 'Write a short note' })
    const echo = call(chat('A note.'), { input, outcome: 'degraded', outcome_reason: 'echoes_prompt' })
    const was = item([echo], { outcome: 'degraded', outcome_reason: 'echoes_prompt' })
    expect(regraded([was], { checks: ['echoes_prompt'] })).toMatchObject({ calls_left: 1, changes: [] })
    expect(regraded([was], { checks: [] })).toMatchObject({ calls_left: 0, changes: [{}, {}] })
  })

  it('stays ok if its last call is ok, whatever its earlier calls are', () => {
    const items = [item([call(chat('Half', 'length')), call(chat('billing'))])]
    expect(changes(items)).toEqual([['call', 'ok', 'truncated', 1]])
  })

  it('keeps a verdict that its agent or its schema gave', () => {
    for (const outcome_reason of ['agent_degraded', 'schema_mismatch'] as const)
      expect(
        changes([item([call(chat(REFUSAL))], { outcome: 'degraded', outcome_reason })], { refusals: 'off' }),
      ).toEqual([])
  })

  it('reports calls that can be read now and could not before', () => {
    expect(changes([item([call(chat('billing'), { unread: 'The output is no answer …' })])])).toEqual([
      ['call', 'unread', 'ok', 1],
    ])
  })

  it('skips calls that failed, were reused, or whose answer the agent reported or was too long to keep', () => {
    const failed = {
      outcome: 'failed',
      outcome_reason: 'provider_error',
      error_code: 'llm_call_error',
    } as const
    const calls = [
      call(chat('billing'), { reported: true, outcome: 'degraded', outcome_reason: 'truncated' }),
      call(REFUSAL, { reported: true }),
      call(REFUSAL, { reported: true, unread: 'Not ours.' }),
      call({ cut: true, bytes: 300_000, head: 'x' }),
      call(chat(REFUSAL), { reused: true }),
      call(null, { ...failed, output: null }),
      call(chat('billing')),
    ]
    expect(regraded([item(calls)])).toMatchObject({ calls: 7, calls_left: 4, changes: [] })
  })

  it('is counted in parts that add up to the whole, with a few examples of each change', () => {
    const many = Array.from({ length: 20 }, (_, at) =>
      item([call(chat('Half', 'length'))], { item_id: `t-${at}` }),
    )
    const [first, second, whole] = [regraded(many.slice(0, 3)), regraded(many.slice(3)), regraded(many)]
    const tally = new RegradeTally()
    tally.add(first)
    tally.add(second)
    expect(tally.result()).toEqual(whole)
    expect(whole.changes[0]).toMatchObject({ of: 'call', was: 'ok', now: 'truncated', count: 20 })
    expect(whole.changes[0]!.examples.map(one => one.item_id)).toEqual(['t-0', 't-1', 't-2', 't-3', 't-4'])
    expect(whole.changes[0]!.examples).toHaveLength(LIMITS.regrade_examples)
  })
})

describe('a file of answers', () => {
  const graded = (lines: unknown[], declared = {}) => {
    const answers = new RecordedAnswers(declared)
    for (const [at, line] of lines.entries())
      answers.line(typeof line === 'string' ? line : JSON.stringify(line), at + 1)
    return answers.result()
  }
  const count = (file: ReturnType<typeof graded>, verdict: string) =>
    file.verdicts.find(row => row.verdict === verdict)

  it('may contain answers of providers as they came, texts, or objects with an answer', () => {
    const file = graded([chat('billing'), JSON.stringify(REFUSAL), { item_id: 't-3', answer: chat('') }])
    expect(file.verdicts.map(row => [row.verdict, row.calls_now])).toEqual([
      ['ok', 1],
      ['refusal', 1],
      ['empty_output', 1],
    ])
    expect(file.changes).toEqual([])
  })

  it('is compared with the verdicts that it contains', () => {
    const file = graded([
      { item_id: 't-1', answer: REFUSAL, verdict: 'ok' },
      { item_id: 't-2', answer: REFUSAL, verdict: 'degraded' },
      { answer: 'billing', verdict: 'refusal' },
    ])
    expect(file.changes.map(({ was, now, examples }) => [was, now, examples[0]!.item_id])).toEqual([
      ['ok', 'refusal', 't-1'],
      ['refusal', 'ok', 'line 3'],
    ])
    expect(count(file, 'refusal')).toMatchObject({ calls_was: 2, calls_now: 2 })
  })

  it('may name verdicts in any words: those beyond the limit are counted together as other', () => {
    const most = LIMITS.regrade_labels
    const file = graded(Array.from({ length: 5 * most }, (_, at) => ({ answer: 'x', verdict: `mine ${at}` })))
    expect(file.verdicts).toHaveLength(most + 2)
    expect(file.changes).toHaveLength(most + 1)
    expect(file.changes[0]).toMatchObject({ was: 'other', now: 'ok', count: 4 * most })
    expect(file.changes[1]).toMatchObject({ was: 'mine 0', now: 'ok', count: 1 })
  })

  it('is reported with how often its labels agree with the verdicts, in whatever words they are', () => {
    const file = graded([
      { answer: REFUSAL, label: 'refusal' },
      { answer: REFUSAL, label: 'degraded' },
      { answer: 'billing', label: 'refusal' },
      { answer: 'billing', label: 'refusal' },
      { answer: 'billing', label: 'fine' },
    ])
    expect(file).toMatchObject({ labelled: 5, agreed: 2 })
    expect(file.labels).toEqual([
      { label: 'degraded', verdict: 'refusal', count: 1 },
      { label: 'fine', verdict: 'ok', count: 1 },
      { label: 'refusal', verdict: 'ok', count: 2 },
      { label: 'refusal', verdict: 'refusal', count: 1 },
    ])
  })

  it('may contain anything: a line without an answer is unread, with the reason', () => {
    const file = graded(['{"a":', 7, null, { says: 'Hi' }, { answer: { says: 'Hi' }, item_id: 5, label: {} }])
    expect(count(file, 'unread')).toMatchObject({ calls_now: 5 })
    expect(file.unread.map(one => `${one.item_id}: ${one.found}`)).toEqual([
      'line 1: The line is not JSON.',
      'line 2: The output is 7.',
      'line 3: The call has no output.',
      'line 4: The output is no answer that is known: an object with "says".',
      'line 5: The output is no answer that is known: an object with "says".',
    ])
  })
})
