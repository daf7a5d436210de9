import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outlookOf, spreadOver } from './pilot.ts'

const taken = (rows: number, wanted: number) => {
  const takes = spreadOver(rows, wanted)
  return Array.from({ length: rows }, (_, row) => row).filter(takes)
}

describe('the rows of a pilot', () => {
  it('are as many as requested: the first row, and one from each stretch of the file', () => {
    const sizes = fc
      .integer({ min: 1, max: 20 })
      .chain(wanted => fc.tuple(fc.integer({ min: wanted, max: 5000 }), fc.constant(wanted)))
    fc.assert(
      fc.property(sizes, ([rows, wanted]) => {
        const chosen = taken(rows, wanted)
        expect(chosen).toHaveLength(wanted)
        expect(chosen[0]).toBe(0)
        for (const [at, row] of chosen.entries()) {
          expect(row).toBeGreaterThanOrEqual(Math.floor((at * rows) / wanted))
          expect(row).toBeLessThan(Math.floor(((at + 1) * rows) / wanted))
        }
      }),
    )
  })

  it('cover every kind of row in a file whose kinds alternate', () => {
    for (const kinds of [2, 3, 4, 5]) {
      const seen = new Set(taken(50_000, 20).map(row => row % kinds))
      expect(seen.size, `${kinds} kinds`).toBe(kinds)
    }
  })
})

describe('the outlook after a pilot', () => {
  const run = {
    id: 'run',
    total_items: 20,
    completed: 18,
    degraded_count: 3,
    failed: 2,
    budget_exceeded_count: 0,
    cost_usd: 0.101,
    unpriced_item_count: 0,
    started_at: '2026-01-01T00:00:00Z',
    finished_at: '2026-01-01T00:00:10Z',
  }

  it('assumes that the rest is like the pilot', () => {
    expect(outlookOf(run, 980, undefined, 0)).toMatchObject({
      cost_usd: expect.closeTo(4.949, 6),
      took_ms: 490_000,
      ok_share: 0.75,
      budget_cents: null,
      affordable: null,
    })
  })

  it('is of the items that ran, where a budget ended the others', () => {
    const cut = { ...run, completed: 9, degraded_count: 3, failed: 11, budget_exceeded_count: 10 }
    expect(outlookOf(cut, 1000, undefined, 0)).toMatchObject({
      cost_usd: expect.closeTo(10.1, 6),
      took_ms: 1_000_000,
      ok_share: 0.6,
    })
  })

  it('subtracts the pilot’s cost from the budget, and says for how many items the rest is enough', () => {
    expect(outlookOf(run, 980, 100, 0)).toMatchObject({ budget_cents: 89, affordable: 176 })
    expect(outlookOf(run, 980, 5, 0)).toMatchObject({ budget_cents: 0, affordable: 0 })
  })
})
