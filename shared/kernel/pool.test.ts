import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Pool, poolFigures } from './pool.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Requests an amount; `isOver` says that the request was answered. */
function ask(pool: Pool, holder: string, amount: number, wait_ms = 1000) {
  const asked = { holder, amount, giveBack: undefined as (() => void) | undefined, isOver: false }
  void pool.take(holder, amount, wait_ms).then(giveBack => {
    asked.giveBack = giveBack
    asked.isOver = true
  })
  return asked
}
const settled = () => vi.advanceTimersByTimeAsync(0)

it('a pool gives what is free, and the rest when something is given back', async () => {
  const pool = new Pool({ size: 10, share: 10 })
  const [first, second] = [ask(pool, 'a', 6), ask(pool, 'b', 5)]
  await settled()
  expect([first.isOver, second.isOver, pool.waiting]).toEqual([true, false, 1])
  first.giveBack!()
  await settled()
  expect([second.isOver, pool.waiting]).toEqual([true, 0])
})

it('a holder at its share waits, and other holders pass it', async () => {
  const pool = new Pool({ size: 10, share: 4 })
  const [first, second, other] = [ask(pool, 'a', 3), ask(pool, 'a', 3), ask(pool, 'b', 3)]
  await settled()
  expect([first.isOver, second.isOver, other.isOver]).toEqual([true, false, true])
})

it('the holder with the least is served next, however long others have waited', async () => {
  const pool = new Pool({ size: 4, share: 4 })
  const held = [ask(pool, 'a', 2), ask(pool, 'a', 2)]
  await settled()
  const [again, other] = [ask(pool, 'a', 2), ask(pool, 'b', 2)]
  held[0]!.giveBack!()
  await settled()
  expect([again.isOver, other.isOver]).toEqual([false, true])
})

it('a small request does not overtake a large one that is next', async () => {
  const pool = new Pool({ size: 10, share: 10 })
  const held = ask(pool, 'a', 6)
  await settled()
  const [large, small] = [ask(pool, 'b', 8), ask(pool, 'c', 1)]
  await settled()
  expect(small.isOver).toBe(false)
  held.giveBack!()
  await settled()
  expect([large.isOver, small.isOver]).toEqual([true, true])
})

it('a request that cannot be met in time resolves with nothing, and then blocks nobody', async () => {
  const pool = new Pool({ size: 10, share: 10 })
  ask(pool, 'a', 6)
  const [late, small] = [ask(pool, 'b', 8, 500), ask(pool, 'c', 1, 5000)]
  await vi.advanceTimersByTimeAsync(500)
  expect([late.isOver, late.giveBack, small.giveBack]).toEqual([true, undefined, expect.any(Function)])
  expect(pool.waiting).toBe(0)
})

it('a holder has a share at each of its levels, and the same name at two levels is counted separately', () => {
  const pool = new Pool({ size: 10, share: [4, 3, 2] })
  expect(pool.tryTake(['x', 'p', 'k'], 2)).toBeDefined()
  expect(pool.tryTake(['x', 'p', 'k'], 1)).toBeUndefined() // the key has its share
  expect(pool.tryTake(['x', 'p', 'l'], 1)).toBeDefined()
  expect(pool.tryTake(['x', 'p', 'm'], 1)).toBeUndefined() // so has the project
  expect(pool.tryTake(['x', 'x', 'x'], 1)).toBeDefined()
  expect(pool.tryTake(['x', 'q', 'n'], 1)).toBeUndefined() // and the account
  expect(pool.tryTake(['y', 'r', 'o'], 2)).toBeDefined()
  expect(pool.figures).toEqual({ size: 10, in_use: 6, waiting: 0, refused: 3 })
})

it('tryTake gives only what nobody waits for', async () => {
  const pool = new Pool({ size: 4, share: 4 })
  const held = ask(pool, 'a', 2)
  await settled()
  const waits = ask(pool, 'b', 3)
  expect(pool.tryTake('c', 1)).toBeUndefined()
  held.giveBack!()
  await settled()
  expect(waits.isOver).toBe(true)
  expect(pool.tryTake('c', 1)).toBeDefined()
})

it('the figures of a pool are listed under its name', async () => {
  const pool = new Pool({ size: 3, share: 2 }, 'of a test')
  ask(pool, 'a', 2)
  ask(pool, 'a', 1, 10)
  await settled()
  expect(new Map(poolFigures()).get('of a test')).toEqual({ size: 3, in_use: 2, waiting: 1, refused: 0 })
  await vi.advanceTimersByTimeAsync(10)
  expect(pool.figures).toMatchObject({ waiting: 0, refused: 1 })
})

it('a pool never gives out more than its size, nor a holder more than its share, and meets every request in the end', async () => {
  const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: 1, max: 6 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.infiniteStream(fc.nat()), async (steps, picks) => {
      const pool = new Pool({ size: 10, share: 6 })
      const asked = steps.map(({ holder, amount }) => ask(pool, holder, amount, 1e6))
      for (;;) {
        await settled()
        const out = asked.filter(one => one.giveBack !== undefined)
        const sum = (ones: typeof out) => ones.reduce((total, { amount }) => total + amount, 0)
        expect(sum(out)).toBeLessThanOrEqual(10)
        for (const holder of 'abc')
          expect(sum(out.filter(one => one.holder === holder))).toBeLessThanOrEqual(6)
        if (out.length === 0) break
        const back = out[picks.next().value! % out.length]!
        back.giveBack!()
        back.giveBack = undefined
      }
      expect([asked.every(one => one.isOver), pool.waiting]).toEqual([true, 0])
    }),
  )
})
