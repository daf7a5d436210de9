import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import type { StepReport } from '../../protocol/rules/protocol.ts'
import type { OutcomeReason } from '../vocabulary.ts'
import { type Grade, type GradedStep, gradeItem, gradeStep, type ReturnedItem, usageOf } from './grading.ts'

const REFUSAL = "I'm sorry, but I can't assist with that request."

const step = (some: Partial<StepReport>): StepReport => ({
  key: 'classify',
  kind: 'llm_call',
  name: 'gpt-4o-mini',
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 12.5,
  ...some,
})

const chat = (content: string | null, finish_reason = 'stop', more: object = {}) => ({
  object: 'chat.completion',
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message: { role: 'assistant', content, refusal: null, ...more }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5 },
})

const message = (text: string, stop_reason: string) => ({
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-4-5',
  content: text === '' ? [] : [{ type: 'text', text }],
  stop_reason,
  usage: { input_tokens: 1, output_tokens: 1 },
})

describe('the grade of a model call', () => {
  const graded: [string, unknown, string, string | null][] = [
    ['an answer', chat('billing'), 'ok', null],
    ['a tool call without text', chat(null, 'tool_calls', { tool_calls: [{ id: 'c' }] }), 'ok', null],
    [
      'a tool call with a refusing text beside it',
      chat(REFUSAL, 'tool_calls', { tool_calls: [{ id: 'c' }] }),
      'ok',
      null,
    ],
    ['a refusal marked by OpenAI', chat(null, 'stop', { refusal: 'No.' }), 'degraded', 'refusal'],
    ['a refusal marked by Anthropic', message('Partly', 'refusal'), 'degraded', 'refusal'],
    ['a refusal in words', chat(REFUSAL), 'degraded', 'refusal'],
    ['a filtered answer', chat('Half of it', 'content_filter'), 'degraded', 'content_filter'],
    ['a prompt Gemini blocked', { promptFeedback: { blockReason: 'OTHER' } }, 'degraded', 'content_filter'],
    ['a truncated answer', chat('Half of it', 'length'), 'degraded', 'truncated'],
    ['an answer truncated before its first word', message('', 'max_tokens'), 'degraded', 'truncated'],
    ['an empty answer', chat(''), 'degraded', 'empty_output'],
    ['a null answer', chat(null), 'degraded', 'empty_output'],
    ['an answer of white space', message(' \n\t', 'end_turn'), 'degraded', 'empty_output'],
    ['an unknown finish reason with text', chat('billing', 'eos'), 'ok', null],
    ['an unknown shape', { label: 'billing' }, 'ok', null],
    ['no output at all', undefined, 'ok', null],
    ['a plain text', 'billing', 'ok', null],
    ['a plain empty text', '', 'degraded', 'empty_output'],
    ['a plain refusal', REFUSAL, 'degraded', 'refusal'],
    ["a customer's words", chat("I can't find my card"), 'ok', null],
  ]
  it.each(graded)('is right for %s', (_, output, outcome, reason) => {
    expect(gradeStep(step({ output }))).toEqual({ outcome, reason })
  })

  it('is suspected_refusal for words that may refuse, refusal with refusals: balanced, and ok with refusals: off', () => {
    const output = chat('I must decline.')
    expect(gradeStep(step({ output }))).toEqual({ outcome: 'ok', reason: 'suspected_refusal' })
    expect(gradeStep(step({ output }), { refusals: 'balanced' })).toEqual({
      outcome: 'degraded',
      reason: 'refusal',
    })
    expect(gradeStep(step({ output }), { refusals: 'off' })).toEqual({ outcome: 'ok', reason: null })
  })

  it('is wrong_language for another language than the declared one, and refusal for a refusal in any language [agents.language]', () => {
    const english =
      'The parcel was sent on Monday and should be with you by the end of the week, as you asked.'
    const reasonOf = (text: string, declared: object) =>
      gradeStep(step({ output: chat(text) }), declared).reason
    expect(reasonOf(english, { language: 'de' })).toBe('wrong_language')
    expect(reasonOf(english, { language: 'de', checks: [] })).toBe('wrong_language')
    expect(reasonOf(english, { language: 'en' })).toBeNull()
    expect(reasonOf(`${REFUSAL} ${english}`, { language: 'de' })).toBe('refusal')
    expect(
      gradeItem({ output: english, output_text: '""', steps: [], declared: { language: 'de' } }),
    ).toEqual({
      outcome: 'degraded',
      reason: 'wrong_language',
      degraded_reason: 'The output is in another language than its agent declares.',
    })
  })

  it('is echoes_prompt for a repeated prompt if the agent declares that check and the step has its input', () => {
    const prompt =
      'Classify the ticket below as billing, delivery or other and answer with the label alone. My card!'
    const input = { messages: [{ role: 'user', content: prompt }] }
    const declared = { checks: ['echoes_prompt' as const] }
    expect(gradeStep(step({ input, output: chat(prompt) }), declared).reason).toBe('echoes_prompt')
    expect(gradeStep(step({ input, output: chat(prompt) })).reason).toBeNull()
    expect(gradeStep(step({ output: chat(prompt) }), declared).reason).toBeNull()
    expect(gradeStep(step({ input: null, output: chat(prompt) }), declared).reason).toBeNull()
  })

  it('is refusal for a refusal that the provider marks, even with refusals: off', () => {
    const output = chat(null, 'stop', { refusal: 'No.' })
    expect(gradeStep(step({ output }), { refusals: 'off' })).toEqual({
      outcome: 'degraded',
      reason: 'refusal',
    })
  })

  const error = { code: 'llm_call_error', message: 'x' }
  const refused = { code: 'answer_refused', message: 'no such category' }
  const whole = chat('{"label":1}')
  const cut = chat('{"la', 'length')
  const halfway = { choices: [{ message: { content: 'The cust' } }] }
  const failed = (reason: OutcomeReason): Grade => ({ outcome: 'failed', reason })
  const degraded = (reason: OutcomeReason): Grade => ({ outcome: 'degraded', reason })
  it.each<[string, object, Grade]>([
    ['that failed without an answer', { error, output: undefined }, failed('provider_error')],
    ['whose whole answer could not be used', { error, output: whole }, failed('step_error')],
    ['whose answer stopped halfway', { error, output: halfway }, failed('provider_error')],
    ['whose cut answer could not be used', { error, output: cut }, degraded('truncated')],
    ['whose answer its agent refused', { error: refused, output: whole }, degraded('agent_degraded')],
    ['whose cut answer its agent refused', { error: refused, output: cut }, degraded('truncated')],
  ])('of a call %s', (_, call, grade) => {
    expect(gradeStep(step(call))).toEqual(grade)
  })
})

describe('the grade of any other step', () => {
  it.each(['tool_call', 'tool_result', 'step'] as const)('%s is failed with an error, else ok', kind => {
    const error = { code: 'timeout', message: 'no answer' }
    expect(gradeStep(step({ kind, error }))).toEqual({ outcome: 'failed', reason: 'step_error' })
    expect(gradeStep(step({ kind, output: REFUSAL }))).toEqual({ outcome: 'ok', reason: null })
    expect(gradeStep(step({ kind, output: chat('') }))).toEqual({ outcome: 'ok', reason: null })
  })
})

const call = (grade: Partial<GradedStep>): GradedStep => ({
  kind: 'llm_call',
  key: 'classify',
  outcome: 'ok',
  reason: null,
  ...grade,
})
const refused = call({ key: 'first', outcome: 'degraded', reason: 'refusal' })
const failedTool: GradedStep = { kind: 'tool_call', key: 'lookup', outcome: 'failed', reason: 'step_error' }

const returned = (output: unknown, some: Partial<ReturnedItem> = {}): ReturnedItem => ({
  output,
  output_text: JSON.stringify(output),
  steps: [],
  ...some,
})
const ok = { outcome: 'ok', reason: null, degraded_reason: null }

describe('an item that returned is ok', () => {
  it.each([
    ['an object', { label: 'billing' }],
    ['a word', 'billing'],
    ['zero', 0],
    ['false', false],
    ['a list', [null]],
    ['an object of empty things', { text: '' }],
    ['a model’s answer', chat('billing')],
  ])('with %s as its output', (_, output) => {
    expect(gradeItem(returned(output))).toEqual(ok)
  })

  it('when the agent recovered from a refusal, a truncated call, a failed call and a failed tool', () => {
    const truncated = call({ outcome: 'degraded', reason: 'truncated' })
    const broken = call({ outcome: 'failed', reason: 'provider_error' })
    const steps = [refused, truncated, broken, failedTool, call({ key: 'last' })]
    expect(gradeItem(returned({ a: 1 }, { steps }))).toEqual(ok)
  })

  it('when a tool failed after the last model call', () => {
    expect(gradeItem(returned({ a: 1 }, { steps: [call({}), failedTool] }))).toEqual(ok)
  })

  it('when its output was too large to parse', () => {
    expect(gradeItem(returned(undefined, { output_text: '"…"' }))).toEqual(ok)
  })
})

describe('an item that returned is degraded', () => {
  const verdict = (item: ReturnedItem) => {
    const { outcome, reason, degraded_reason } = gradeItem(item)
    expect(outcome).toBe('degraded')
    return [reason, degraded_reason]
  }

  it('with the agent’s own reason when the agent says so', () => {
    expect(verdict(returned({ a: 1 }, { degraded: 'only two pages read' }))).toEqual([
      'agent_degraded',
      'only two pages read',
    ])
    expect(verdict(returned({ a: 1 }, { degraded: ' ' }))[1]).toContain('gave no reason')
  })

  it('when its output does not match the schema', () => {
    expect(verdict(returned({ a: 1 }, { schema_error: 'label: required' }))).toEqual([
      'schema_mismatch',
      'The output does not match its schema: label: required',
    ])
    const silent = { kind: 'llm_call', key: 'classify', outcome: 'degraded', reason: 'empty_output' } as const
    expect(verdict(returned({ label: null }, { schema_error: 'label: got null', steps: [silent] }))).toEqual([
      'schema_mismatch',
      'The output does not match its schema: label: got null. The last model call (classify) has neither text nor tool calls.',
    ])
  })

  it('with a message of bounded length, however long the reported error is', () => {
    const silent = { kind: 'llm_call', key: 'classify', outcome: 'degraded', reason: 'empty_output' } as const
    const schema_error = `${'.'.repeat(2_000_000)}x`
    const [, words] = verdict(returned({ label: null }, { schema_error, steps: [silent] }))
    expect(words!.length).toBeLessThan(LIMITS.error_message_characters + 100)
  })

  it.each([[null], [''], [' \n'], [{}], [[]]])('when its output is %j', output => {
    expect(verdict(returned(output))).toEqual(['empty_output', 'The output is empty.'])
  })

  it('when its output is a refusal', () => {
    expect(verdict(returned(REFUSAL))).toEqual(['refusal', 'The output is a refusal.'])
  })

  it('when its output is a model’s answer that did not work', () => {
    expect(verdict(returned(chat('Half of', 'length')))).toEqual([
      'truncated',
      'The output was cut off at a token limit.',
    ])
    expect(verdict(returned(chat(REFUSAL)))[0]).toBe('refusal')
    expect(verdict(returned(message('', 'end_turn')))[0]).toBe('empty_output')
  })

  it('when its last model call did not work, even if tools ran after it', () => {
    const last = call({ key: 'summarise', outcome: 'degraded', reason: 'truncated' })
    for (const steps of [[last], [call({}), last], [last, failedTool]]) {
      expect(verdict(returned({ a: 1 }, { steps }))).toEqual([
        'truncated',
        'The last model call (summarise) was cut off at a token limit.',
      ])
    }
  })

  it('rather than failed when its last model call failed', () => {
    const last = call({ outcome: 'failed', reason: 'provider_error' })
    expect(verdict(returned({ a: 1 }, { steps: [last] }))).toEqual([
      'provider_error',
      'The last model call (classify) failed, and no later one succeeded.',
    ])
  })

  it('for the first reason in a fixed order when several apply', () => {
    const all = returned(null, { degraded: 'mine', schema_error: 'theirs', steps: [refused] })
    expect(verdict(all)[0]).toBe('agent_degraded')
    const { degraded: _, ...undeclared } = all
    expect(verdict(undeclared)[0]).toBe('schema_mismatch')
    const { schema_error: __, ...unchecked } = undeclared
    expect(verdict(unchecked)[0]).toBe('empty_output')
    expect(verdict({ ...unchecked, output: chat('x', 'length') })[0]).toBe('truncated')
    expect(verdict({ ...unchecked, output: { a: 1 } })[0]).toBe('refusal')
  })
})

describe('the tokens of a step', () => {
  it('are read from its output', () => {
    expect(usageOf(step({ output: chat('x') }))).toEqual({
      model: 'gpt-4o-mini-2024-07-18',
      input_tokens: 10,
      output_tokens: 5,
      cached_input_tokens: 0,
    })
  })

  it('are the reported ones rather than those of the output', () => {
    const usage = { model: 'own', input_tokens: 3 }
    expect(usageOf(step({ output: chat('x'), usage }))).toEqual({
      model: 'own',
      input_tokens: 3,
      output_tokens: 0,
      cached_input_tokens: 0,
    })
  })

  it('are zero, with a fault, when the reported counts are impossible', () => {
    const usage = { input_tokens: 1e300, output_tokens: -1, cached_input_tokens: Number.NaN }
    expect(usageOf(step({ usage }))).toMatchObject({
      input_tokens: 0,
      output_tokens: 0,
      cached_input_tokens: 0,
      fault: expect.stringContaining('no count of tokens'),
    })
  })

  it('are those of the output when only the model is reported', () => {
    expect(usageOf(step({ output: chat('x'), usage: { model: 'own' } }))).toMatchObject({
      model: 'own',
      input_tokens: 10,
    })
  })

  it('belong to the model in the request, else to the one that the step is named after', () => {
    const output = { ...chat('x'), model: undefined }
    expect(usageOf(step({ output, input: { model: 'asked-for' } }))?.model).toBe('asked-for')
    expect(usageOf(step({ output, input: { modelId: 'amazon.nova' } }))?.model).toBe('amazon.nova')
    expect(usageOf(step({ output, input: 'text' }))?.model).toBe('gpt-4o-mini')
    expect(usageOf(step({ kind: 'step', usage: { input_tokens: 1 } }))?.model).toBeUndefined()
  })

  it('are unknown, not zero, when nothing reports them', () => {
    expect(usageOf(step({ output: 'text' }))).toBeUndefined()
    expect(usageOf(step({ output: { ...chat('x'), usage: undefined } }))).toBeUndefined()
    expect(usageOf(step({ error: { code: 'x', message: '' } }))).toBeUndefined()
  })

  it('are not counted again for a step that passes a model’s answer on', () => {
    expect(usageOf(step({ kind: 'step', output: chat('x') }))).toBeUndefined()
  })
})

it('no output of any shape makes the grader throw', () => {
  const shape = fc.object({
    key: fc.constantFrom(
      'choices',
      'message',
      'content',
      'output',
      'object',
      'type',
      'role',
      'candidates',
      'parts',
      'steps',
      'usage',
      'finishReason',
      'text',
    ),
    values: [
      fc.constantFrom('response', 'message', 'assistant', 'text', 'stop', '', null, 0, 1.5, true),
      fc.constant([]),
    ],
    maxDepth: 4,
  })
  fc.assert(
    fc.property(shape, output => {
      expect(['ok', 'degraded']).toContain(gradeStep(step({ output })).outcome)
      expect(['ok', 'degraded']).toContain(gradeItem(returned(output)).outcome)
      usageOf(step({ output }))
    }),
    { numRuns: 1000 },
  )
})
