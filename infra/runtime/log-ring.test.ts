import { expect, it } from 'vitest'
import { LogRing } from './log-ring.ts'

it('the log keeps only its last bytes, up to its limit', () => {
  const log = new LogRing(10)
  for (const line of ['one\n', 'two\n', 'three\n']) log.push(Buffer.from(line))
  expect(log.tail(100)).toBe('two\nthree')
  log.push(Buffer.from('a much longer line'))
  expect(log.tail(100)).toBe('onger line')
})

it('the tail of the log consists of whole lines, without stacks of addresses', () => {
  const log = new LogRing(1000)
  log.push(Buffer.from('first\n\nsecond\nstack: /bin/workerd@1 /bin/workerd@2\nthird\n'))
  expect(log.tail(100)).toBe('first\nsecond\nthird')
  expect(log.tail(11)).toBe('third')
})
