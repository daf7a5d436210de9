// The progress line of a run in two halves, how much of it ran and how well that worked, with rate, time left and
// spend. Guarantee: it fits the screen; on a narrow one the bars go first, then the time left.

import type { Run } from './api.ts'
import { clock, count, shorten, spend, widthOf } from './format.ts'
import type { Screen } from './output.ts'
import { OUTCOME_STYLES } from './verdict.ts'

const WINDOW_MS = 10_000
// A few lengths, so that the line does not dance while its numbers grow.
const BARS = [30, 22, 16, 10, 6]

export interface Pace {
  /** Items that ended in a second, of late; null while that is not known. */
  per_second: number | null
  left_ms: number | null
}

export const endedOf = (run: Run) => run.completed + run.failed + run.cancelled

/** What failed, apart from what a budget ended: that did not run, or not to its end. */
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

/** The two halves alone, for where the pace stands beside. */
export const progressBars = (run: Run, screen: Screen) => fitted(run, [[]], screen)

/** Rate and time left; each is empty where it is not known. */
export function paceWords({ per_second, left_ms }: Pace): [rate: string, left: string] {
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

/** Parts of a whole; the smallest part that is there is seen, and only a complete whole is full. */
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
