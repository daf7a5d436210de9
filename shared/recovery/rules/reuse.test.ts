import { describe, expect, it } from 'vitest'
import type { EndedItem, ReuseOrder, StepHead } from './reuse.ts'
import { isFaultOfAnswer, reuseOf } from './reuse.ts'

const AUTO: ReuseOrder = { reuse: 'auto', from_step: null }
const ended = (outcome_reason: string, error_code: string | null = null): EndedItem => ({
  status: error_code === null ? 'completed' : 'failed',
  outcome_reason,
  error_code,
})

/** A step; `recorded` lets each last 900 ms and start one second after the one before it, unless given otherwise. */
const step = (kind: StepHead['kind'], key: string, more: Partial<StepHead> = {}) => ({ kind, key, ...more })
function recorded(...given: ReturnType<typeof step>[]): StepHead[] {
  return given.map((one, i) => ({
    step_no: i + 1,
    outcome: 'ok',
    started_ms: i * 1000,
    duration_ms: 900,
    has_output: true,
    has_input: one.kind !== 'step',
    ...one,
  }))
}
const llm = (key: string, more?: Partial<StepHead>) => step('llm_call', key, more)
const tool = (key: string, more?: Partial<StepHead>) => step('tool_call', key, more)
const plain = (key: string, more?: Partial<StepHead>) => step('step', key, more)

function outlined(item: EndedItem, steps: StepHead[], order = AUTO) {
  const { rule, reused, offered, again } = reuseOf(item, steps, order)
  const keys = (of: StepHead[]) => of.map(one => one.key).join(' ')
  return [rule, keys(reused), keys(offered), keys(again)]
}

describe('the cause of an item that did not work', () => {
  it.each([
    ['schema_mismatch', null, true],
    ['refusal', null, true],
    ['empty_output', null, true],
    ['truncated', null, true],
    ['interrupted', null, true],
    ['content_filter', null, true],
    ['agent_degraded', null, true],
    ['agent_error', 'agent_error', true],
    ['agent_error', 'a_code_of_its_own', true],
    ['limit_exceeded', 'output_too_large', true],
    ['limit_exceeded', 'step_limit_exceeded', true],
    ['limit_exceeded', 'step_timeout', false],
    ['limit_exceeded', 'too_many_attempts', false],
    ['agent_error', 'agent_crashed', false],
    ['agent_error', 'agent_unresponsive', false],
    ['provider_error', 'llm_call_error', false],
    ['provider_error', null, false],
    ['step_error', 'tool_call_error', false],
    ['transport_error', 'lease_lost', false],
    ['budget_exceeded', 'budget_exceeded', false],
  ])('%s (%s) lies in an answer: %s', (reason, code, inAnswer) => {
    expect(isFaultOfAnswer(ended(reason, code))).toBe(inAnswer)
  })
})

describe('in a replay of an item that did not work because of an answer', () => {
  const offSchema = ended('schema_mismatch')

  it.each([
    ['the last model call is asked again', [tool('find'), llm('ask')], ['find', '', 'ask']],
    [
      'earlier model calls and what lies between are reused',
      [llm('plan'), tool('find'), llm('write')],
      ['plan find', '', 'write'],
    ],
    [
      'a later tool call is offered for the same input',
      [llm('ask'), tool('send'), tool('log')],
      ['', 'send log', 'ask'],
    ],
    [
      'a later step without an input runs again: nothing says what it rests on',
      [llm('ask'), plain('parse'), tool('send', { has_input: false })],
      ['', '', 'ask parse send'],
    ],
    ['what has no model call begins at its last step', [plain('a'), tool('b')], ['a', '', 'b']],
    ['what recorded nothing begins at the start', [], ['', '', '']],
    [
      'a person is asked again about what another answer led to',
      [plain('hold', { has_input: true }), llm('ask'), plain('hold#2', { has_input: true })],
      ['hold', '', 'ask hold#2'],
    ],
    [
      'a refused model call is asked again as well, and what followed it is offered',
      [llm('plan', { outcome: 'degraded' }), tool('find'), llm('write')],
      ['', 'find', 'plan write'],
    ],
    [
      'an output that was cut cannot be reused',
      [tool('read', { has_output: false }), llm('ask')],
      ['', '', 'read ask'],
    ],
  ])('%s', (_, steps, [reused, offered, again]) => {
    expect(outlined(offSchema, recorded(...steps))).toEqual([
      steps.length === 0 ? 'goes_on' : 'asks_again',
      reused,
      offered,
      again,
    ])
  })
})

describe('in a replay of an item that ran out of time or lost its provider or consumer', () => {
  const timedOut = ended('limit_exceeded', 'step_timeout')

  it.each([
    [
      'everything that succeeded is reused',
      [llm('ask'), plain('parse'), tool('send')],
      ['ask parse send', '', ''],
    ],
    ['what failed runs again', [llm('ask'), tool('send', { outcome: 'failed' })], ['ask', '', 'send']],
    [
      'what failed and then succeeded counts as succeeded',
      [tool('send', { outcome: 'failed' }), tool('send'), llm('ask')],
      ['send ask', '', ''],
    ],
    [
      'what began after a failure had ended is offered for the same input, since it may rest on it',
      [tool('find', { outcome: 'failed' }), llm('write'), plain('parse')],
      ['', 'write', 'find parse'],
    ],
    [
      'what ran beside a failure is reused',
      [tool('find', { outcome: 'failed', duration_ms: 1500 }), llm('write')],
      ['write', '', 'find'],
    ],
  ])('%s', (_, steps, [reused, offered, again]) => {
    expect(outlined(timedOut, recorded(...steps))).toEqual(['goes_on', reused, offered, again])
  })
})

describe('in a replay of an item whose model was asked again', () => {
  const refused = (key: string) => llm(key, { outcome: 'degraded' })
  it('an answer that was accepted counts, and not the ones before it', () => {
    const steps = recorded(
      refused('classify~1'),
      llm('classify'),
      tool('save'),
      llm('draft', { outcome: 'degraded' }),
    )
    expect(outlined(ended('truncated'), steps)).toEqual(['asks_again', 'classify save', '', 'draft'])
  })

  it('the step is asked again if no answer was accepted', () => {
    const steps = recorded(tool('find'), refused('classify~1'), refused('classify~2'))
    expect(outlined(ended('agent_degraded', 'answer_refused'), steps)).toEqual([
      'asks_again',
      'find',
      '',
      'classify~1 classify~2',
    ])
  })

  it('a step whose own name ends like that is a step as any', () => {
    const steps = recorded(llm('page'), llm('page~1'), llm('draft', { outcome: 'degraded' }))
    expect(outlined(ended('refusal'), steps)).toEqual(['asks_again', 'page page~1', '', 'draft'])
  })
})

describe('in a replay with an explicit order', () => {
  const steps = recorded(llm('plan'), tool('find'), llm('write'), tool('send'))
  const refused = ended('refusal')

  it.each<[string, ReuseOrder, string[]]>([
    [
      'every step that succeeded',
      { reuse: 'all', from_step: null },
      ['goes_on', 'plan find write send', '', ''],
    ],
    ['no step', { reuse: 'none', from_step: null }, ['from_start', '', '', 'plan find write send']],
    [
      'every step before the given one',
      { reuse: 'auto', from_step: 'find' },
      ['from_step', 'plan', '', 'find write send'],
    ],
    [
      'for a step that never ran, what a replay without an order reuses',
      { reuse: 'auto', from_step: 'elsewhere' },
      ['asks_again', 'plan find', 'send', 'write'],
    ],
  ])('%s is reused', (_, order, expected) => {
    expect(outlined(refused, steps, order)).toEqual(expected)
  })
})
