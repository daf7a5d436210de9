// The progress line of a run: one half for how much ran, one for how well it worked, then rate, time left and spend.
// Guarantee: it fits the screen; on a narrow one the bars go first, then the rate, the time left and the spend.

import type { Run } from './api.ts'
import { clock, count, shorten, spend, widthOf } from './format.ts'
import type { Screen } from './output.ts'
import { OUTCOME_STYLES } from './verdict.ts'

const WINDOW_MS = 10_000
// Only a few lengths, so that the line does not jump while its numbers grow.
const BARS = [30, 22, 16, 10, 6]

export interface Pace {
  /** Items that ended per second recently; null while unknown. */
  per_second: number | null
  left_ms: number | null
}

const endedOf = (run: Run) => run.completed + run.failed + run.cancelled

/** Failed items, counted apart from those over budget, which did not run, or not to their end. */
function failures(run: Run, { paint }: Screen): string[] {
  const failed = run.failed - run.budget_exceeded_count
  return [
    ...(failed > 0 ? [paint('red', `${count(failed)} failed`)] : []),
    ...(run.budget_exceeded_count > 0
      ? [paint('red', `${count(run.budget_exceeded_count)} over budget`)]
      : []),
  ]
}

/** Measures the pace over the last seconds. */
export function paceMeter(): (run: Run, now: number) => Pace {
  const seen: { at: number; ended: number }[] = []
  return (run, now) => {
    seen.push({ at: now, ended: endedOf(run) })
    while (seen.length > 2 && seen[1]!.at <= now - WINDOW_MS) seen.shift()
    const first = seen[0]!
    const elapsed = now - first.at
    if (elapsed <= 0) return { per_second: null, left_ms: null }
    const per_second = ((endedOf(run) - first.ended) * 1000) / elapsed
    const left = run.queued + run.running
    return { per_second, left_ms: per_second > 0 ? (left * 1000) / per_second : null }
  }
}

export function progressLine(run: Run, pace: Pace, screen: Screen): string {
  const [rate, left] = paceWords(pace)
  const cost = spend(run.cost_usd, run.unpriced_item_count > 0)
  return fitted(run, [[rate, left, cost], [left, cost], [cost], []], screen)
}

/** Rate and time left as text; each is empty if unknown. */
function paceWords({ per_second, left_ms }: Pace): [rate: string, left: string] {
  return [
    per_second === null ? '' : `${rateText(per_second)}/s`,
    left_ms === null || left_ms === 0 ? '' : `${clock(left_ms)} left`,
  ]
}

function fitted(run: Run, tails: string[][], screen: Screen): string {
  const { paint } = screen
  const ended = endedOf(run)
  const ok = run.completed - run.degraded_count
  const ran = `${count(ended)}/${count(run.total_items)}`
  const worked = [
    paint('green', `${count(ok)} ok`),
    ...(run.degraded_count > 0 ? [paint('yellow', `${count(run.degraded_count)} degraded`)] : []),
    ...failures(run, screen),
    ...(run.cancelled > 0 ? [paint('dim', `${count(run.cancelled)} cancelled`)] : []),
    ...(run.paused > 0 ? [paint('cyan', `${count(run.paused)} held`)] : []),
  ].join(' ')
  const line = (bars: number, tail: string[]) =>
    [
      `${paint('dim', 'ran')}${bars > 0 ? ` ${bar(bars, run.total_items, [[ended, 'cyan']], screen)}` : ''} ${ran}`,
      `${paint('dim', 'worked')}${bars > 0 ? ` ${verdictBar(bars, run, screen)}` : ''} ${worked}`,
      ...tail.filter(Boolean),
    ].join('  ')
  for (const tail of tails) {
    const bare = widthOf(line(0, tail))
    const bars = BARS.find(length => bare + 2 * (length + 1) < screen.columns)
    if (bars !== undefined) return line(bars, tail)
    if (bare < screen.columns) return line(0, tail)
  }
  return shorten(`${ran} ran, ${count(ok)} ok`, screen.columns - 1)
}

const rateText = (value: number) => (value < 10 ? value.toFixed(1) : count(value))

type Part = [amount: number, style: 'cyan' | 'green' | 'yellow' | 'red']

const verdictBar = (columns: number, run: Run, screen: Screen) =>
  bar(
    columns,
    run.completed + run.failed,
    [
      [run.completed - run.degraded_count, OUTCOME_STYLES.ok as 'green'],
      [run.degraded_count, OUTCOME_STYLES.degraded as 'yellow'],
      [run.failed, OUTCOME_STYLES.failed as 'red'],
    ],
    screen,
  )

const FILLS = { cyan: '█', green: '█', yellow: '▓', red: '▒' } as const

/** A bar of parts of a whole. Every part that is not zero is visible, and only a complete whole fills the bar. */
function bar(columns: number, whole: number, parts: Part[], { paint }: Screen): string {
  if (whole === 0) return paint('dim', '░'.repeat(columns))
  const cells = parts.map(([amount]) =>
    amount === 0 ? 0 : Math.max(1, Math.floor((amount / whole) * columns)),
  )
  const sum = parts.reduce((total, [amount]) => total + amount, 0)
  let spare =
    (sum >= whole ? columns : Math.min(columns - 1, Math.floor((sum / whole) * columns))) -
    cells.reduce((a, b) => a + b, 0)
  while (spare !== 0) {
    const largest = cells.indexOf(Math.max(...cells))
    const change = Math.sign(spare)
    if (cells[largest]! + change < 1) break
    cells[largest]! += change
    spare -= change
  }
  const filled = parts.map(([, style], at) => paint(style, FILLS[style].repeat(cells[at]!))).join('')
  const empty = columns - cells.reduce((a, b) => a + b, 0)
  return filled + paint('dim', '░'.repeat(empty))
}
