import { expect, it } from 'vitest'
import { codeVersionOf } from '../agents/rules/code-version.ts'
import { shorten } from '../sdk/item-lines.ts'
import { messageHead } from '../triage/wire/triage.ts'
import { LIMITS } from './limits.ts'
import { headOf, shortened } from './text-head.ts'

it('a text within the bound stays as it is', () => {
  expect([headOf('four', 4), shortened('four', 4), shortened('', 4)]).toEqual(['four', 'four', ''])
})

it('a longer text is cut between characters, and marked', () => {
  expect([headOf('abcdef', 4), shortened('abcdef', 4)]).toEqual(['abcd', 'abc…'])
  expect([headOf('abc😀', 4), shortened('ab😀cd', 4)]).toEqual(['abc', 'ab…'])
})

it('a text is cut and marked from one character past the bound on, wherever texts are shortened', () => {
  const bounds: [(text: string) => string, number][] = [
    [text => shortened(text, 40), 40],
    [text => messageHead(text)!, LIMITS.triage_message_characters],
    [text => codeVersionOf(text)!, LIMITS.code_version_characters],
    [shorten, LIMITS.error_message_characters],
  ]
  for (const [cut, most] of bounds) {
    const [less, exact, more] = [-1, 0, 1].map(by => 'x'.repeat(most + by)) as [string, string, string]
    expect([cut(less), cut(exact)]).toEqual([less, exact])
    expect(cut(more)).toBe(`${'x'.repeat(most - 1)}…`)
  }
})
