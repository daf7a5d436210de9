// Runs rounds of a measurement and repeats disturbed ones. Guarantee: a printed figure was measured while other programs
// used almost no processor time and the stack had no other work left, unless the caller asked to print it anyway.

import { setTimeout as pause } from 'node:timers/promises'
import { median } from './batch.ts'
import { type Cores, watchCores } from './proc.ts'
import type { Bench } from './stack.ts'
import type { Figures, Measure } from './workloads.ts'

/** On two processors; if others use more, figures of one commit differ by more than the effect of a commit. */
const MOST_OF_OTHERS = 0.3
/** How many disturbed rounds are repeated for each requested one. */
const AGAIN = 2

export interface Round {
  figures: Figures
  cores: Cores
}

export const isQuiet = ({ cores }: Round) => cores.others <= MOST_OF_OTHERS

/** Measures one round; the stack is at rest before and after it. */
export async function measured(bench: Bench, measure: Measure): Promise<Round> {
  await atRest(bench)
  const watch = watchCores()
  const figures = await measure()
  const cores = watch.end()
  await atRest(bench)
  return { figures, cores }
}

/** Returns this many good rounds, or fewer if the machine was not quiet, and the disturbed ones. */
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

/** The average numbers of processors that Assay and other programs used. */
export function coresOf(rounds: readonly Round[]): string {
  const of = (who: 'ours' | 'others') => two(median(rounds.map(({ cores }) => cores[who])))
  return `${of('ours')} cores used, ${of('others')} by other programs`
}

/** The programs that disturbed a round. */
export function inTheWay({ cores }: Round): string {
  const named = cores.busiest.map(({ name, cores }) => `${name} ${two(cores)}`)
  return `other programs used ${two(cores.others)} cores (${named.join(', ')})`
}

const REST = { look_ms: 250, cores: 0.1, at_most_ms: 60_000 }

/** Resolves when no step waits to be indexed and Assay is idle, or after a minute. */
export async function atRest({ sql }: Bench): Promise<void> {
  for (const end = performance.now() + REST.at_most_ms; performance.now() < end; ) {
    const watch = watchCores()
    await pause(REST.look_ms)
    const { ours } = watch.end()
    const waiting = await sql`select from unindexed_steps limit 1`
    if (waiting.length === 0 && ours <= REST.cores) return
  }
}
