import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { CausesOfKind, causesToMake, causeTitle, kindKey, messageOf, stepName, symptomsOf } from './causes.ts'
import { maskedWords } from './masking.ts'

const masked = (message: string, input: string | null = null) => maskedWords(message, input).join(' ')

describe('masking a message', () => {
  it.each([
    ['Ticket 4711 of order A-17 was not found', 'Ticket * of order * was not found'],
    ['Timed out after 31.5 s at 2026-01-31T09:00:00Z', 'Timed out after * at *'],
    ['No route to https://api.example.com/v1?a=1, giving up', 'No route to * giving up'],
    ['connect ECONNREFUSED 10.0.0.7:5432', 'connect ECONNREFUSED *'],
    ['cannot open /srv/tickets/7.json (1.2 MB)', 'cannot open *'],
    ['mail to ann.lee@example.org bounced', 'mail to * bounced'],
    [
      `Unexpected token 'I', "I cannot he"... is not valid JSON`,
      'Unexpected token *, *... is not valid JSON',
    ],
    ["it isn't the user's fault", "it isn't the user's fault"],
    ['', ''],
  ])('replaces what varies: %s', (message, words) => {
    expect(masked(message)).toBe(words)
  })

  it.each([
    ['Request failed with status code 429', 'Request failed with status code 429'],
    [
      '503 {"type":"error","error":{"type":"overloaded_error"}}',
      '503 {"type":*,"error":{"type":"overloaded_error"}}',
    ],
    ["the field 'customer_name' is missing", "the field 'customer_name' is missing"],
    ['"POST /v1/messages" failed', '"POST *" failed'],
    ['IPv6 and SHA256 are names', 'IPv6 and SHA256 are names'],
  ])('keeps what says what is wrong: %s', (message, words) => {
    expect(masked(message)).toBe(words)
  })

  it('replaces texts from the item’s own input, in full or cut off', () => {
    const input = JSON.stringify({ name: 'Anna Lee', text: 'My laptop does not start since the last update' })
    expect(masked('Nothing is known of Anna Lee here', input)).toBe('Nothing is known of * here')
    expect(masked('cannot answer: My laptop does not start si…', input)).toBe('cannot answer: *…')
    expect(masked('Annabelle Leeds is not she', JSON.stringify({ name: 'Anna' }))).toBe(
      'Annabelle Leeds is not she',
    )
  })

  it('stops after a limited number of words', () => {
    const words = maskedWords('word '.repeat(LIMITS.cause_words + 10), null)
    expect(words).toHaveLength(LIMITS.cause_words + 1)
    expect(words.at(-1)).toBe('…')
  })
})

describe('the grouping of messages [causes.alike]', () => {
  const kind = { step: 'ask', error_code: 'a_code', reason: 'agent_error' }
  const group = (messages: readonly string[], room = 1000) => {
    const known = new Map<string, CausesOfKind>()
    const symptoms = messages.map(message => ({ ...kind, words: maskedWords(message, null) }))
    return causesToMake(known, symptoms, room).map(one => messageOf(one.words.join(' '), []))
  }

  it('joins messages in which one word of five differs in the middle', () => {
    expect(
      group(['Failed password for user root from host', 'Failed password for user daemon from host']),
    ).toHaveLength(1)
  })

  it('separates messages whose beginnings, ends or lengths differ', () => {
    const messages = [
      'The provider has said that it is overloaded',
      'The provider has said that it is away',
      'The agent has said that it is overloaded',
      'The provider has said that it is not overloaded',
    ]
    expect(group(messages)).toEqual(messages)
  })

  it('compares with the first message of a cause, so that its key stays the same', () => {
    const known = new CausesOfKind()
    const first = maskedWords('The user alice has no account with this shop', null)
    known.add({ id: 'a', words: first, varies: new Set() })
    for (const name of ['bob', 'carol', 'dave'])
      expect(known.find(maskedWords(`The user ${name} has no account with this shop`, null))?.id).toBe('a')
  })

  it('has one cause for all others if a kind has too many, and one for the agent if the project has too many', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const words = letters.flatMap(a => letters.map(b => `${a}${b}`))
    const made = group(words.map(word => `${word} broke`))
    expect(made).toHaveLength(LIMITS.causes_of_kind + 1)
    expect(made.at(-1)).toBe('*')
    expect(
      group(
        words.map(word => `${word} broke`),
        2,
      ),
    ).toEqual(['aa broke', 'ab broke', '*'])
  })
})

describe('the step of a cause', () => {
  const step = (kind: 'llm_call' | 'tool_call', key: string, outcome: 'ok' | 'failed' = 'ok') => ({
    kind,
    key,
    outcome,
    reason: null,
  })
  const steps = [
    step('tool_call', 'search#2', 'failed'),
    step('llm_call', 'classify#3'),
    step('tool_call', 'save'),
  ]
  const ended = { error_message: null, degraded_reason: null, error_code: null }

  it('is the step that failed, else the model call that was judged, without its index', () => {
    expect(symptomsOf({ ...ended, outcome_reason: 'step_error' }, steps, '1').step).toBe('search')
    expect(symptomsOf({ ...ended, outcome_reason: 'refusal' }, steps, '1').step).toBe('classify')
    expect(symptomsOf({ ...ended, outcome_reason: 'agent_error' }, [], '1').step).toBe('')
    expect(stepName('page-12#3')).toBe('page-*')
  })
})

it('the title of a cause is one line, in the words of its reason if it has no message', () => {
  const of = { step: 'classify', error_code: '', reason: 'refusal' }
  expect(causeTitle({ ...of, message: '' })).toBe('classify: refusal: the model refused')
  expect(
    causeTitle({ step: '', error_code: 'agent_error', reason: 'agent_error', message: 'no answer' }),
  ).toBe('agent_error: no answer')
  expect(messageOf('User alice is away', [1])).toBe('User * is away')
  expect(kindKey(of)).toBe(kindKey({ ...of }))
})
