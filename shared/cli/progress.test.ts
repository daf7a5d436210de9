import { stripVTControlCharacters, styleText } from 'node:util'
import { describe, expect, it } from 'vitest'
import { sampleRun, screen } from '../../test/support/cli-samples.ts'
import { widthOf } from './format.ts'
import { paceMeter, progressLine } from './progress.ts'

const half = sampleRun({
  queued: 40,
  running: 10,
  completed: 45,
  degraded_count: 5,
  failed: 5,
  cost_usd: 1.234,
  total_items: 100,
})
const pace = { per_second: 12.34, left_ms: 65_000 }

describe('the progress line', () => {
  it('shows what ran and what worked, then rate, time left and cost', () => {
    expect(progressLine(half, pace, screen(120))).toBe(
      'ran ███████████░░░░░░░░░░░ 50/100  worked ██████████████████▓▓▒▒ 40 ok 5 degraded 5 failed  12/s  1:05 left  $1.23',
    )
  })

  it.each([40, 60, 80, 100, 120, 200])('fits %i columns', columns => {
    const big = sampleRun({
      ...half,
      total_items: 1_000_000,
      completed: 400_000,
      degraded_count: 50_000,
      paused: 9,
    })
    for (const run of [half, big, sampleRun()]) {
      expect(widthOf(progressLine(run, pace, screen(columns)))).toBeLessThan(columns)
    }
  })

  it('drops the bars first, then the rate, and keeps the counts', () => {
    expect(progressLine(half, pace, screen(80))).toBe(
      'ran 50/100  worked 40 ok 5 degraded 5 failed  12/s  1:05 left  $1.23',
    )
    expect(progressLine(half, pace, screen(60))).toBe('ran 50/100  worked 40 ok 5 degraded 5 failed  $1.23')
    expect(progressLine(half, pace, screen(30))).toBe('50/100 ran, 40 ok')
  })

  it('fills a bar only when everything is done, and shows a single failure among many', () => {
    const almost = sampleRun({ total_items: 10_000, completed: 9_998, failed: 1, queued: 0, running: 1 })
    const line = progressLine(almost, pace, screen(140))
    expect(line).toMatch(/^ran █+░ 9,999/)
    expect(line).toMatch(/worked █+▒ /)
    const done = sampleRun({ total_items: 10_000, completed: 10_000, queued: 0 })
    expect(progressLine(done, pace, screen(140))).toMatch(/^ran █+ 10,000\/10,000 {2}worked █+ 10,000 ok/)
  })

  it('marks the cost as a lower bound when items are unpriced', () => {
    expect(progressLine({ ...half, unpriced_item_count: 1 }, pace, screen(120))).toMatch(/≥\$1\.23$/)
  })

  it('has the same text with colours as without', () => {
    const colored = {
      ...screen(120),
      paint: (style: 'red', text: string) => styleText(style, text, { validateStream: false }),
    }
    const line = progressLine(half, pace, colored as never)
    expect(line).not.toBe(stripVTControlCharacters(line))
    expect(stripVTControlCharacters(line)).toBe(progressLine(half, pace, screen(120)))
  })
})

describe('the pace', () => {
  it('is unknown at first, and then the average of the last ten seconds', () => {
    const meter = paceMeter()
    const at = (seconds: number, completed: number) =>
      meter(sampleRun({ completed, queued: 100 - completed }), seconds * 1000)
    expect(at(0, 0)).toEqual({ per_second: null, left_ms: null })
    expect(at(5, 0)).toEqual({ per_second: 0, left_ms: null })
    expect(at(10, 50)).toEqual({ per_second: 5, left_ms: 10_000 })
    at(11, 60)
    // The slow beginning no longer counts.
    expect(at(21, 80)).toEqual({ per_second: 2, left_ms: 10_000 })
  })
})
