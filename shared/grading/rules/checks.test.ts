import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHECK_CASES, type CheckCase } from '../../../test/bench/verdicts/check-cases.ts'
import { CHECKS, DECLARED_CHECKS } from '../vocabulary.ts'
import { checkWords, DEFAULT_CHECKS, failedCheck } from './checks.ts'

describe.each(CHECKS)('%s', name => {
  const { found, passed } = CHECK_CASES[name]
  const says = ({ text, asked }: CheckCase) => failedCheck(text, [name], asked) === name
  const right = found.filter(says)
  const wrong = passed.filter(says)

  it('is measured on at least 200 texts that it should find and 200 that it should pass', () => {
    expect(found.length).toBeGreaterThanOrEqual(200)
    expect(passed.length).toBeGreaterThanOrEqual(200)
  })

  it('finds nine in ten of the texts that it should find', () => {
    expect(right.length / found.length).toBeGreaterThanOrEqual(0.9)
  })

  it('is right in 98 of 100 texts that it finds', () => {
    expect(right.length / (right.length + wrong.length)).toBeGreaterThanOrEqual(0.98)
  })
})

it('only declared checks are run, and the first failing one in the order of CHECKS is reported', () => {
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
] as const)('%s reports the words that triggered it', (name, text, words) => {
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
])('a text that only repeats %j is checked like any other', piece => {
  const text = piece.repeat(300_000)
  const name = failedCheck(text, CHECKS, { input: text, language: 'de' })
  expect(name === undefined || CHECKS.includes(name)).toBe(true)
})

describe('documentation', () => {
  const pageOf = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')

  it('of grading has a row for each check, and says which are on by default', () => {
    const rows = [
      ...pageOf('../grading.md').matchAll(/^\| `(\w+)` \| (?:\\\||[^|\n])* \| ((?:\\\||[^|\n])*)/gm),
    ]
    const said = new Map(rows.map(([, name, standard]) => [name!, standard!.startsWith('**on**')]))
    const expected = [...DECLARED_CHECKS, 'wrong_language'].map(name => [
      name,
      (DEFAULT_CHECKS as readonly string[]).includes(name),
    ])
    expect(expected.map(([name]) => [name, said.get(name as string)])).toEqual(expected)
  })

  it('of an agent’s options names every check, and those on by default', () => {
    const [, about] = /(Checks of models' answers[\s\S]*?)\*\//.exec(pageOf('../../sdk/agent-options.ts'))!
    const [all, standard] = about!.split('The defaults are')
    expect(DECLARED_CHECKS.filter(name => !all!.includes(`\`${name}\``))).toEqual([])
    expect([...standard!.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(DEFAULT_CHECKS)
  })
})
