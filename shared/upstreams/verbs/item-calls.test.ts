import { expect, it } from 'vitest'
import { ItemCalls } from './item-calls.ts'

const NOTHING = { calls: 0, tokens: 0 }
const atWork = () => ({ done: false, lease: { abort: new AbortController() } })

it('an item counts among those that ended once, with all of its calls', () => {
  const asked = new ItemCalls()
  const [first, second] = [atWork(), atWork()]
  asked.add(first, { calls: 1, tokens: 400 })
  asked.add(second, { calls: 1 })
  asked.add(first, { calls: 1 })
  expect(asked.takeEnded()).toEqual(NOTHING)
  expect(asked.ofOpen()).toEqual({ calls: 3, tokens: 400 })
  first.done = true
  expect(asked.takeEnded()).toEqual({ calls: 2, tokens: 400 })
  expect(asked.takeEnded()).toEqual(NOTHING)
  expect(asked.ofOpen()).toEqual({ calls: 1, tokens: 0 })
})

it('an item whose lease is over counts among those that ended', () => {
  const asked = new ItemCalls()
  const item = atWork()
  asked.add(item, { calls: 50 })
  item.lease.abort.abort()
  expect(asked.takeEnded()).toEqual({ calls: 50, tokens: 0 })
  expect(asked.ofOpen()).toEqual(NOTHING)
})

it('calls of an item that is not at work here count at once', () => {
  const asked = new ItemCalls()
  asked.add(null, { calls: 2, tokens: 10 })
  expect(asked.ofOpen()).toEqual(NOTHING)
  expect(asked.takeEnded()).toEqual({ calls: 2, tokens: 10 })
})

it('items that ended are let go of before anybody asks', () => {
  const asked = new ItemCalls()
  const items = Array.from({ length: 5 }, atWork)
  for (const item of items) asked.add(item, { calls: 1 })
  for (const item of items.slice(1)) item.done = true
  asked.keep(1)
  expect(asked.ofOpen()).toEqual({ calls: 1, tokens: 0 })
  expect(asked.takeEnded()).toEqual({ calls: 4, tokens: 0 })
})
