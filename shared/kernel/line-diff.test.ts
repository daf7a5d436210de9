import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

const marks = { same: ' ', added: '+', removed: '-' }
const shown = (before: string, after: string) =>
  lineDiff(before, after)?.map(({ change, text }) => marks[change] + text)

it('shows what was removed and what was added, in place', () => {
  expect(shown('a\nb\nc\nd', 'a\nx\nc\ny\nd')).toEqual([' a', '-b', '+x', ' c', '+y', ' d'])
  expect(shown('a', 'a')).toEqual([' a'])
})

it('makes either text again', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 20 }).map(lines => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after)!
      const without = (left: string) => lines.filter(one => one.change !== left).map(one => one.text)
      expect(without('added').join('\n')).toBe(before)
      expect(without('removed').join('\n')).toBe(after)
    }),
  )
})

it('does not try what is too long, unless all but a little is the same', () => {
  const long = (word: string) => Array.from({ length: 3000 }, (_, n) => `${word}${n}`).join('\n')
  expect(lineDiff(long('a'), long('b'))).toBeUndefined()
  expect(lineDiff(long('a'), long('a').replace('a1500\n', 'z\n'))).toHaveLength(3001)
})
