import { expect, it } from 'vitest'
import { gate } from './gate.ts'

it('lets so many in at once, the others in their order, and goes on after a failure', async () => {
  const through = gate(2)
  const began: number[] = []
  const ends: (() => void)[] = []
  const calls = [0, 1, 2].map(n =>
    through(async () => {
      began.push(n)
      await new Promise<void>(resolve => ends.push(resolve))
      if (n === 0) throw new Error('broke')
      return n
    }),
  )
  expect(began).toEqual([0, 1])
  ends[0]!()
  await expect(calls[0]).rejects.toThrow('broke')
  await expect.poll(() => began).toEqual([0, 1, 2])
  for (const end of ends) end()
  expect(await Promise.all(calls.slice(1))).toEqual([1, 2])
  expect(await through(async () => 'later')).toBe('later')
})
