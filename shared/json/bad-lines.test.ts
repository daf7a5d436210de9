import { expect, it } from 'vitest'
import { describeLines } from './bad-lines.ts'

it('lines with the same problem are reported together, as ranges', () => {
  const bad = [3, 4, 5, 9].map(line => ({ line, problem: 'input is missing' }))
  expect(describeLines([{ line: 1, problem: 'is not JSON' }, ...bad], 'line')).toEqual([
    'line 1: is not JSON',
    'lines 3–5, 9: input is missing',
  ])
})
