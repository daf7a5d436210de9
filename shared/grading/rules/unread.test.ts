// Tests model calls whose answer is unknown or malformed: the row says so, and never takes them for free or for graded.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { LIST_PRICES } from '../../prices/rules/price-book.ts'
import type { StepReport } from '../../protocol/rules/protocol.ts'
import { readCall } from '../../providers/rules/completion.ts'
import { outlineOf, payloadOf } from '../../sdk/payload.ts'
import { gradeStep } from './grading.ts'
import { readStep, stepRow } from './step-row.ts'

const PLACE = { seq: 1, attempt: 1, step_no: 1 }
const report = (of: Partial<StepReport>): StepReport => ({
  key: 'call',
  kind: 'llm_call',
  name: 'gpt-4o',
  started_at: '2026-01-01T00:00:00Z',
  duration_ms: 1,
  ...of,
})
const rowOf = (of: Partial<StepReport>) => rowOfText(JSON.stringify(report(of)))
const rowOfText = (text: string) => stepRow(readStep(JSON.parse(text), text), PLACE, LIST_PRICES)
const chat = (usage: unknown, content: unknown = 'billing') => ({
  object: 'chat.completion',
  model: 'gpt-4o',
  choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage,
})

describe('an answer that cannot be read', () => {
  it.each<[string, unknown, RegExp]>([
    ['of an unknown shape', { says: 'Hi', in: 3 }, /an object with "says", "in"\.$/],
    ['that is undefined', undefined, /no output/],
    ['that is null', null, /no output/],
    ['that is a number', 7, /is 7\.$/],
  ])('%s counts as ok and unpriced, and the row says what was found', (_, output, words) => {
    const row = rowOf({ output })
    expect(row).toMatchObject({ outcome: 'ok', graded: false, unpriced: true, cost_micro: 0 })
    expect(row.unread).toMatch(words)
  })

  it('is described by few of its keys, however many it has', () => {
    const many = Object.fromEntries(
      Array.from({ length: 5000 }, (_, at) => [`key ${at} ${'x'.repeat(500)}`, 1]),
    )
    expect(rowOf({ output: many }).unread!.length).toBeLessThanOrEqual(LIMITS.unread_characters)
  })

  it('is not reported for a failed step, a tool call or a plain text', () => {
    expect(rowOf({ error: { code: 'x', message: 'y' } })).toMatchObject({ unread: null, graded: false })
    expect(rowOf({ kind: 'tool_call', output: { a: 1 } })).toMatchObject({ unread: null, graded: false })
    expect(rowOf({ output: 'billing' })).toMatchObject({ unread: null, graded: true })
  })
})

describe('an answer that the agent reports', () => {
  it('takes precedence over the output', () => {
    const answer = { text: '', finish: 'length', usage: { input_tokens: 1000, output_tokens: 10 } } as const
    const row = rowOf({ output: { says: 'Hi' }, answer })
    expect(row).toMatchObject({
      outcome: 'degraded',
      outcome_reason: 'truncated',
      unread: null,
      graded: true,
    })
    expect(row).toMatchObject({ input_tokens: 1000, output_tokens: 10, unpriced: false, cost_micro: 2600 })
  })

  it('may say that it was interrupted', () => {
    const answer = { text: 'The label is', finish: 'interrupted' } as const
    expect(rowOf({ output: { says: 'Hi' }, answer })).toMatchObject({
      outcome: 'degraded',
      outcome_reason: 'interrupted',
    })
  })

  it('is marked as reported by the agent if it has more than tokens or a model, which do not say how the call went', () => {
    const usage = { input_tokens: 9, output_tokens: 3 }
    for (const answer of [{ text: 'x' }, { finish: 'length' }, { unread: 'Not ours.' }, null] as const)
      expect(rowOf({ output: 'Half', answer: answer as never }).told).toBe(true)
    for (const answer of [undefined, {}, { usage }, { model: 'gpt-4o', unread: '' }])
      expect(rowOf({ output: 'Half', ...(answer && { answer }) }).told).toBe(false)
  })

  it('gets its tokens from the output if it has none', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2 }
    expect(rowOf({ output: chat(usage), answer: { text: 'x' } })).toMatchObject({
      input_tokens: 10,
      unread: null,
    })
    const answer = { text: 'x', usage: { input_tokens: 7, output_tokens: 1 } }
    expect(rowOf({ output: chat(usage), answer })).toMatchObject({ input_tokens: 7, model: 'gpt-4o' })
  })

  it('gets everything else from the output if it has only tokens or a model', () => {
    const usage = { input_tokens: 1000, output_tokens: 10 }
    expect(rowOf({ output: chat({ prompt_tokens: '?' }), answer: { usage } })).toMatchObject({
      outcome: 'ok',
      unread: null,
      graded: true,
      input_tokens: 1000,
      model: 'gpt-4o',
    })
    const cut = { choices: [{ message: { content: 'bill' }, finish_reason: 'length' }] }
    expect(rowOf({ output: cut, answer: { usage } }).outcome_reason).toBe('truncated')
    expect(rowOf({ output: chat({ prompt_tokens: 9 }), answer: { model: 'gpt-4.1' } })).toMatchObject({
      model: 'gpt-4.1',
      input_tokens: 9,
    })
    expect(rowOf({ output: { says: 'Hi' }, answer: { usage } })).toMatchObject({
      outcome: 'ok',
      graded: false,
      unread: expect.stringMatching(/an object with "says"/),
    })
  })

  it.each([
    [{ text: 7 }, /text that the agent reports is 7/],
    [{ finish: 'done' }, /"done", and not one of stop, length/],
    ['ok', /not an object/],
    [null, /null, not an object/],
    [{ unread: 'no idea' }, /^no idea$/],
    [{ text: 'x', usage: { input_tokens: -1 } }, /input_tokens is -1/],
  ])('is unread if it is invalid: %j', (answer, words) => {
    expect(rowOf({ output: chat({}), answer: answer as never }).unread).toMatch(words)
  })
})

describe('a malformed or oversized answer', () => {
  it.each<[string, unknown, RegExp]>([
    ['a count that is a text', chat({ prompt_tokens: '12', completion_tokens: 3 }), /prompt_tokens is "12"/],
    ['a negative count', chat({ prompt_tokens: -5, completion_tokens: 3 }), /prompt_tokens is -5/],
    ['a fractional count', chat({ prompt_tokens: 1.5 }), /prompt_tokens is 1\.5/],
    ['an impossibly large count', chat({ prompt_tokens: 1e15 }), /prompt_tokens is 1000000000000000/],
    ['a count that is a list', chat({ prompt_tokens: [1] }), /prompt_tokens is a list/],
    [
      'a model that is an object',
      { ...chat({ prompt_tokens: 1 }), model: { id: 'x' } },
      /model is an object/,
    ],
  ])('with %s is unread with the reason, unpriced, and never has a negative cost', (_, output, words) => {
    const row = rowOf({ output })
    expect(row.unread).toMatch(words)
    expect(row).toMatchObject({ unpriced: true, graded: false })
    expect(row.cost_micro).toBeGreaterThanOrEqual(0)
    expect(row.input_tokens).toBeLessThanOrEqual(LIMITS.step_tokens)
  })

  it('that contains a refusal is still a refusal', () => {
    const output = {
      ...chat({ prompt_tokens: '1' }),
      choices: [{ message: { content: null, refusal: 'No.' } }],
    }
    expect(rowOf({ output })).toMatchObject({ outcome: 'degraded', outcome_reason: 'refusal' })
  })

  it('is unread if a reported count of tokens is wrong', () => {
    const usage = { input_tokens: '12', output_tokens: 1 } as never
    expect(rowOf({ output: chat({}), usage }).unread).toMatch(/input_tokens is "12"/)
    expect(rowOf({ output: chat({}), usage: 7 as never }).unread).toBeNull()
  })

  it('of a tool does not become a model call by a wrong usage', () => {
    const usage = { input_tokens: '12', output_tokens: 1 } as never
    expect(rowOf({ kind: 'tool_call', output: { a: 1 }, usage })).toMatchObject({
      unread: null,
      graded: false,
    })
  })

  it('that is nested 100,000 levels deep is unread', () => {
    const rowOfOutput = (output: string) =>
      rowOfText(JSON.stringify(report({ output: 0 })).replace('"output":0', `"output":${output}`))
    const deep = rowOfOutput(`${'{"raw":'.repeat(100_000)}1${'}'.repeat(100_000)}`)
    expect(deep.unread).toMatch(/an object with "raw"/)
    expect(JSON.parse(deep.output!)).toMatchObject({
      cut: true,
      problem: expect.stringContaining('64 levels'),
    })
    expect(rowOfOutput(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).unread).toMatch(/a list/)
  })

  it('of ten megabytes is read from its outline', () => {
    const output = chat({ prompt_tokens: 9, completion_tokens: 4 }, 'word '.repeat(2_000_000))
    const cut = JSON.parse(payloadOf(output, 'the output')!)
    expect(JSON.stringify(cut).length).toBeLessThan(LIMITS.step_payload_bytes)
    expect(rowOf({ output: cut })).toMatchObject({
      input_tokens: 9,
      output_tokens: 4,
      unread: null,
      graded: true,
    })
    expect(rowOf({ output }).output!.length).toBeLessThan(LIMITS.step_payload_bytes)
  })

  it('of which only the beginning was kept is not graded as cut or as a repetition for that reason', () => {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, why: 'as the note says' }))
    const long = [
      JSON.stringify(rows),
      'On its way. '.repeat(400),
      `Here it is:\n{"a": "${'x'.repeat(1_900)}"}${' and so on'.repeat(400)}`,
    ]
    const checks = ['cut_json', 'repeats', 'fenced_json'] as const
    for (const text of long) {
      expect(text.length).toBeGreaterThan(3_000)
      const answer = { ...chat({ prompt_tokens: 9 }, text), logprobs: 'x'.repeat(300 * 1024) }
      const step = report({ output: JSON.parse(payloadOf(answer, 'the output')!) })
      expect(readCall(step)).toMatchObject({ text: text.slice(0, 2_000), is_beginning: true })
      expect(gradeStep(step, { checks: [...checks] })).toEqual({ outcome: 'ok', reason: null })
    }
    const reported = '{"rows": ['.padEnd(LIMITS.reported_text_characters, '1,')
    const says = (text: string) =>
      gradeStep(report({ output: 'x', answer: { text } }), { checks: [...checks] })
    expect(says(reported)).toEqual({ outcome: 'ok', reason: null })
    expect(says(reported.slice(0, -1)).reason).toBe('cut_json')
    const refusal = { ...chat({ prompt_tokens: 9 }, 'I am sorry, but I cannot help with that request.') }
    const step = { output: JSON.parse(payloadOf({ ...refusal, logprobs: 'x'.repeat(300 * 1024) }, 'x')!) }
    expect(gradeStep(report(step)).reason).toBe('refusal')
  })

  it('of which only the beginning was kept is reported as such', () => {
    const cut = JSON.parse(payloadOf({ says: 'x'.repeat(300_000) }, 'the output')!)
    expect(rowOf({ output: cut }).unread).toMatch(/^The beginning that was kept of 300011 bytes/)
    expect(rowOf({ output: { cut: true, bytes: 5, head: '{' } }).unread).toMatch(/neither text nor tokens/)
    expect(rowOf({ output: { cut: true, bytes: { toString: 1, valueOf: 1 } } }).unread).toMatch(/an object/)
  })

  it('that throws while it is read is reported as unreadable', () => {
    const gone = () => {
      throw new Error('gone')
    }
    const output = new Proxy({}, { has: gone, get: gone })
    expect(readCall(report({ output }))).toEqual({ unread: 'The output could not be read.' })
  })
})

it('an outline keeps the beginning of texts and both ends of lists, and has a bounded size', () => {
  const list = Array.from({ length: 100 }, (_, at) => at)
  expect(outlineOf({ text: 'x'.repeat(10_000), list })).toEqual({
    text: 'x'.repeat(LIMITS.outline_text_characters),
    list: [...list.slice(0, LIMITS.outline_entries - 4), 96, 97, 98, 99],
  })
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), value => {
      expect(JSON.stringify(outlineOf(value)).length).toBeLessThanOrEqual(LIMITS.step_payload_bytes)
    }),
  )
})

it('a call is never both graded and unread, and never has a negative cost, whatever its output', () => {
  const names = [
    'choices',
    'message',
    'content',
    'usage',
    'prompt_tokens',
    'output',
    'stopReason',
    'kwargs',
    'raw',
  ]
  const more = [
    'response_metadata',
    'usage_metadata',
    'data',
    'embedding',
    'results',
    'done',
    'created_at',
    'lc',
  ]
  const key = fc.constantFrom(
    ...names,
    ...more,
    'type',
    'object',
    'role',
    'finish_reason',
    'outputs',
    'steps',
    'model',
  )
  const words = fc.constantFrom(
    'assistant',
    'constructor',
    'response',
    'interaction',
    'completed',
    'ai',
    'message',
  )
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'medium' },
      words,
      fc.constantFrom(null, true, -1, 0, 1.5, 1e300, '', '7'),
      fc.array(tie('value')),
      fc.dictionary(key, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, output => {
      const row = rowOf({ output })
      expect(row.graded && row.unread !== null).toBe(false)
      expect(row.cost_micro).toBeGreaterThanOrEqual(0)
      void readCall(report({ output: [output, output] }))
    }),
    { numRuns: 2000 },
  )
})
