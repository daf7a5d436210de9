// Checks how the bench reads what was used of a limit, how fast a run could have been, and how evenly runs got on.

import { describe, expect, it } from 'vitest'
import type { Limit, Spent } from '../../support/provider.ts'
import { limited } from './limited.ts'
import { fairness, leastSeconds, shareUsed } from './share.ts'
import { linesOf, meanTokens, textOf } from './texts.ts'

/** What was taken in each span of so many seconds, where each allowed as much. */
function spent(taken: number[], allowed: number, rest: Partial<Spent> & { from_s?: number } = {}): Spent {
  const { kind = 'bucket', per_s = 1, held = 0, from_s = 0 } = rest
  const spans = taken.map((of, at) => {
    const from = from_s + at * per_s
    return { from_s: from, to_s: from + per_s, taken: of, allowed }
  })
  return { of: 'requests', kind, per_s, held, spans }
}

describe('the share of a limit', () => {
  const from = { share_from_s: 2 }

  it('is what was taken of what it allowed, in whole seconds from one moment to another', () => {
    expect(shareUsed([spent([9, 9, 5, 10, 3, 0], 10)], from, 4.9)).toBe(0.75)
  })

  it('is that of the limit that was used most', () => {
    expect(shareUsed([spent([1, 1, 5, 5], 100), spent([1, 1, 5, 4], 5)], from, 4)).toBe(0.9)
  })

  it('counts whole windows only, and is unknown without one', () => {
    const windows = spent([100, 90, 10], 100, { kind: 'window', per_s: 10, from_s: -3 })
    expect(shareUsed([windows], from, 20)).toBe(0.9)
    expect(shareUsed([windows], from, 16)).toBe(null)
  })

  it('leaves out an outage, and the time in which the pace is found again', () => {
    const taken = [...Array(10).fill(4), ...Array(20).fill(0), ...Array(5).fill(8)]
    const away = { from_s: 10, to_s: 15 }
    expect(shareUsed([spent(taken, 10)], { share_from_s: 0, away }, 35)).toBeCloseTo((40 + 40) / 150)
  })
})

describe('the least time', () => {
  it('is when the limits would have allowed all that was taken', () => {
    expect(leastSeconds([spent([5, 5, 0, 10], 10)])).toBe(2)
    expect(leastSeconds([spent([5, 5, 0, 10], 10, { held: 10 })])).toBe(1)
    expect(leastSeconds([spent([5, 5], 10, { held: 10 }), spent([5, 5], 3)])).toBe(2)
    expect(leastSeconds([])).toBe(0)
  })

  it('is the start of the window that has the last of it', () => {
    const windows = { kind: 'window' as const, per_s: 10, from_s: -4 }
    expect(leastSeconds([spent([10, 10, 5], 10, windows)])).toBe(16)
    expect(leastSeconds([spent([4, 4, 2], 10, windows)])).toBe(0)
  })
})

describe('fairness', () => {
  it('is the smallest part beside an equal one, while all had items', () => {
    expect(
      fairness(
        [
          [1, 2, 3, 4, 5],
          [1, 3],
        ],
        0,
      ),
    ).toBe(0.8)
    expect(
      fairness(
        [
          [1, 2, 3, 4],
          [3, 9],
        ],
        2,
      ),
    ).toBeCloseTo(2 / 3)
    expect(fairness([[1, 2], [5]], 0)).toBe(0)
    expect(fairness([[1, 2]], 0)).toBe(null)
  })
})

describe('scenarios of limits', () => {
  const all = [...limited(true), ...limited(false)]

  it('have whole numbers of items, and names that the word limits chooses', () => {
    for (const { name, runs } of all) {
      expect(name).toMatch(/^limits: /)
      for (const { items } of runs) expect(Number.isInteger(items)).toBe(true)
    }
    expect(new Set(limited(false).map(({ name }) => name)).size).toBe(limited(false).length)
  })

  it('have limits of whole numbers, none of which refuses one call for ever', () => {
    const limits = all.flatMap(({ provider, letters }) =>
      (provider.limits ?? []).map((limit): [Limit, number] => [limit, letters]),
    )
    for (const [{ amount, burst = amount, of }, letters] of limits) {
      expect([amount, burst].every(Number.isInteger)).toBe(true)
      expect(burst).toBeGreaterThan(of === 'requests' ? 1 : 4 * meanTokens(letters))
    }
  })
})

describe('texts of items', () => {
  it('have different lengths with a known mean, and the names that the double knows items by', async () => {
    const lines = (await new Response(linesOf(1, 2000, 600)).text()).trim().split('\n')
    const inputs = lines.map(one => JSON.parse(one) as { item_id: string; input: { text: string } })
    expect(inputs[7]).toMatchObject({ item_id: 'item-1-7', input: { text: textOf(1, 7, 600) } })
    expect(inputs[7]!.input.text).toMatch(/^item-1-7: /)
    const letters = inputs.reduce((sum, { input }) => sum + input.text.length, 0) / inputs.length
    expect(Math.abs((385 + letters) / 4 / meanTokens(600) - 1)).toBeLessThan(0.04)
    expect(new Set(inputs.map(({ input }) => input.text.length)).size).toBeGreaterThan(300)
  })
})
