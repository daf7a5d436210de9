import { expect, it } from 'vitest'
import { ItemCalls } from './item-calls.ts'

it('an item counts among those that ended once, with all of its calls', () => {
  const asked = new ItemCalls()
  const [first, second] = [{ done: false }, { done: false }]
  asked.add(first, { calls: 1, tokens: 400 })
  asked.add(second, { calls: 1 })
  asked.add(first, { calls: 1 })
  expect(asked.takeEnded()).toEqual({ calls: 0, tokens: 0 })
  expect(asked.ofOpen()).toEqual({ calls: 3, tokens: 400 })
  first.done = true
  expect(asked.takeEnded()).toEqual({ calls: 2, tokens: 400 })
  expect(asked.takeEnded()).toEqual({ calls: 0, tokens: 0 })
  expect(asked.ofOpen()).toEqual({ calls: 1, tokens: 0 })
})
