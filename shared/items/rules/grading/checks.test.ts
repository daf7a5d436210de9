import { describe, expect, it } from 'vitest'
import { CHECK_CASES, type CheckCase } from '../../../../test/bench/verdicts/check-cases.ts'
import { CHECKS } from '../../vocabulary.ts'
import { checkWords, failedCheck } from './checks.ts'

describe.each(CHECKS)('%s', name => {
  const { found, passed } = CHECK_CASES[name]
  const says = ({ text, asked }: CheckCase) => failedCheck(text, [name], asked) === name
  const right = found.filter(says)
  const wrong = passed.filter(says)

  it('is measured on some hundred texts of either kind', () => {
    expect(found.length).toBeGreaterThanOrEqual(200)
    expect(passed.length).toBeGreaterThanOrEqual(200)
  })

  it('finds nine in ten', () => {
    expect(right.length / found.length).toBeGreaterThanOrEqual(0.9)
  })

  it('is right in 98 of 100 that it finds', () => {
    expect(right.length / (right.length + wrong.length)).toBeGreaterThanOrEqual(0.98)
  })
})

it('what is not declared is not looked for, and the first in order names the answer', () => {
  expect(failedCheck('{"a": "b"<|im_end|>', [])).toBeUndefined()
  expect(failedCheck('{"a": "b"<|im_end|>', ['cut_json'])).toBe('cut_json')
  expect(failedCheck('{"a": "b"<|im_end|>', ['cut_json', 'template_leak'])).toBe('template_leak')
})

it.each([
  ['template_leak', 'On its way.<|im_end|>\n', '<|im_end|>'],
  [
    'asks_back',
    'Sure! Please provide the text you’d like me to sum up.',
    'Please provide the text you’d like',
  ],
  ['cannot_look_up', 'Sorry, but I cannot browse the web.', 'I cannot browse'],
  ['placeholders', 'Dear [Your Name], hello', '[Your Name]'],
  ['repeats', 'On its way. '.repeat(40), 'On its way.'],
  ['cut_json', '{"label": "billing", "why', '{"label": "billing", "why'],
  ['wrong_language', 'The parcel was sent.', 'The parcel was sent.'],
] as const)('%s says by which words it goes', (name, text, words) => {
  expect(checkWords(text, name)).toContain(words)
})

it.each([
  '{',
  '[[',
  '"',
  '{"a":',
  '```json\n',
  '<|',
  '[Your ',
  'please provide the ',
  'i cannot ',
  '\n{',
  'a',
])('a text of nothing but %j is read like any other', piece => {
  const text = piece.repeat(300_000)
  const name = failedCheck(text, CHECKS, { input: text, language: 'de' })
  expect(name === undefined || CHECKS.includes(name)).toBe(true)
})
