import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { CausesOfKind, causesToMake, causeTitle, kindKey, messageOf, stepName, symptomsOf } from './causes.ts'
import { maskedWords } from './masking.ts'

const masked = (message: string, input: string | null = null) => maskedWords(message, input).join(' ')

describe('what varies is taken out of a message', () => {
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
  ])('%s', (message, words) => {
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
  ])('and what says what is wrong stays: %s', (message, words) => {
    expect(masked(message)).toBe(words)
  })

  it('texts of the item’s own input are, whole or by their head', () => {
    const input = JSON.stringify({ name: 'Anna Lee', text: 'My laptop does not start since the last update' })
    expect(masked('Nothing is known of Anna Lee here', input)).toBe('Nothing is known of * here')
    expect(masked('cannot answer: My laptop does not start si…', input)).toBe('cannot answer: *…')
    expect(masked('Annabelle Leeds is not she', JSON.stringify({ name: 'Anna' }))).toBe(
      'Annabelle Leeds is not she',
    )
  })

  it('a long message is read to a bound', () => {
    const words = maskedWords('word '.repeat(LIMITS.cause_words + 10), null)
    expect(words).toHaveLength(LIMITS.cause_words + 1)
    expect(words.at(-1)).toBe('…')
  })
})

describe('messages are alike [causes.alike]', () => {
  const kind = { step: 'ask', error_code: 'a_code', reason: 'agent_error' }
  const group = (messages: readonly string[], room = 1000) => {
    const known = new Map<string, CausesOfKind>()
    const symptoms = messages.map(message => ({ ...kind, words: maskedWords(message, null) }))
    return causesToMake(known, symptoms, room).map(one => messageOf(one.words.join(' '), []))
  }

  it('when one word of five differs in the middle', () => {
    expect(
      group(['Failed password for user root from host', 'Failed password for user daemon from host']),
    ).toHaveLength(1)
  })

  it('but not when their beginnings, their ends or their lengths differ', () => {
    const messages = [
      'The provider has said that it is overloaded',
      'The provider has said that it is away',
      'The agent has said that it is overloaded',
      'The provider has said that it is not overloaded',
    ]
    expect(group(messages)).toEqual(messages)
  })

  it('to the first one whatever comes between, so that a key stays', () => {
    const known = new CausesOfKind()
    const first = maskedWords('The user alice has no account with this shop', null)
    known.add({ id: 'a', words: first, varies: new Set() })
    for (const name of ['bob', 'carol', 'dave'])
      expect(known.find(maskedWords(`The user ${name} has no account with this shop`, null))?.id).toBe('a')
  })

  it('to one for all others, where a kind has too many, and to one of the agent where the project has', () => {
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

  it('is the one that failed, else the model call that was judged, without its index', () => {
    expect(symptomsOf({ ...ended, outcome_reason: 'step_error' }, steps, '1').step).toBe('search')
    expect(symptomsOf({ ...ended, outcome_reason: 'refusal' }, steps, '1').step).toBe('classify')
    expect(symptomsOf({ ...ended, outcome_reason: 'agent_error' }, [], '1').step).toBe('')
    expect(stepName('page-12#3')).toBe('page-*')
  })
})

it('a cause is told in one line, in the words of its reason where its messages say nothing', () => {
  const of = { step: 'classify', error_code: '', reason: 'refusal' }
  expect(causeTitle({ ...of, message: '' })).toBe('classify: refusal: the model refused')
  expect(
    causeTitle({ step: '', error_code: 'agent_error', reason: 'agent_error', message: 'no answer' }),
  ).toBe('agent_error: no answer')
  expect(messageOf('User alice is away', [1])).toBe('User * is away')
  expect(kindKey(of)).toBe(kindKey({ ...of }))
})
