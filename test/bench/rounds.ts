// Rounds of a measurement that nobody else disturbed. Guarantee: a figure was measured on a machine whose processors others
// left alone, and on a stack that had nothing left to do; or it is not printed, unless the caller asked for it anyway.

import { setTimeout as pause } from 'node:timers/promises'
import { median } from './batch.ts'
import { type Cores, watchCores } from './proc.ts'
import type { Bench } from './stack.ts'
import type { Figures, Measure } from './workloads.ts'

/** Of two processors: with more, figures of the same commit differ by more than what a commit changes. */
const MOST_OF_OTHERS = 0.3
/** Rounds that are done again, for each that was asked for. */
const AGAIN = 2

export interface Round {
  figures: Figures
  cores: Cores
}

export const isQuiet = ({ cores }: Round) => cores.others <= MOST_OF_OTHERS

/** One round, begun and ended with a stack at rest. */
export async function measured(bench: Bench, measure: Measure): Promise<Round> {
  await atRest(bench)
  const watch = watchCores()
  const figures = await measure()
  const cores = watch.end()
  await atRest(bench)
  return { figures, cores }
}

/** So many rounds that are good; fewer where the machine was not left alone, and then what was measured instead. */
export async function quietRounds<T>(
  count: number,
  round: () => Promise<T>,
  isGood: (round: T) => boolean,
): Promise<{ good: T[]; disturbed: T[] }> {
  const good: T[] = []
  const disturbed: T[] = []
  while (good.length < count && disturbed.length < count * AGAIN) {
    const one = await round()
    ;(isGood(one) ? good : disturbed).push(one)
  }
  return { good, disturbed }
}

export function medians(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(names.map(name => [name, median(rounds.map(round => round[name]!))]))
}

const two = (cores: number) => cores.toFixed(2)

/** What Assay used of the processors, on average, and what others did. */
export function coresOf(rounds: readonly Round[]): string {
  const of = (who: 'ours' | 'others') => two(median(rounds.map(({ cores }) => cores[who])))
  return `${of('ours')} cores busy, ${of('others')} by others`
}

/** Who was in the way of a round. */
export function inTheWay({ cores }: Round): string {
  const named = cores.busiest.map(({ name, cores }) => `${name} ${two(cores)}`)
  return `${two(cores.others)} cores by others (${named.join(', ')})`
}

const REST = { look_ms: 250, cores: 0.1, at_most_ms: 60_000 }

/** Resolves when nothing waits to be indexed and Assay does no more than it does when idle, or after a minute. */
export async function atRest({ sql }: Bench): Promise<void> {
  for (const end = performance.now() + REST.at_most_ms; performance.now() < end; ) {
    const watch = watchCores()
    await pause(REST.look_ms)
    const { ours } = watch.end()
    const waiting = await sql`select from unindexed_steps limit 1`
    if (waiting.length === 0 && ours <= REST.cores) return
  }
}
