// Computes how long a run waited and ran, how fast it is, and what is usual for its agent. Pure.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { perRanItem } from '../../../shared/view/worked-share.ts'

type Run = Schemas['Run']

export interface Pace {
  /** From its submission to its first item's start. */
  waited_ms: number | null
  /** From its first item's start to its end, or to now. */
  ran_ms: number | null
  items_per_s: number | null
  /** Until all items are done, at the pace so far; null where that cannot be estimated. */
  left_ms: number | null
}

export const endedOf = (run: Run): number => run.completed + run.failed + run.cancelled

export function paceOf(run: Run, now: number): Pace {
  if (run.started_at === null)
    return {
      waited_ms: endOf(run, now) - Date.parse(run.created_at),
      ran_ms: null,
      items_per_s: null,
      left_ms: null,
    }
  const started = Date.parse(run.started_at)
  const ran_ms = Math.max(0, endOf(run, now) - started)
  const done = run.completed + run.failed
  const items_per_s = done > 0 && ran_ms > 0 ? (1000 * done) / ran_ms : null
  const isMoving = run.finished_at === null && run.stop_reason === null
  const left = run.queued + run.running
  const left_ms = isMoving && items_per_s !== null && left > 0 ? (1000 * left) / items_per_s : null
  return { waited_ms: Math.max(0, started - Date.parse(run.created_at)), ran_ms, items_per_s, left_ms }
}

const endOf = (run: Run, now: number) => (run.finished_at === null ? now : Date.parse(run.finished_at))

const TIMES_AS_LARGE = 3

/** Whether two runs are close enough in size to compare figures that depend on size. */
export const isAboutAsLarge = (run: Run, other: Run): boolean =>
  Math.max(run.total_items, other.total_items) <=
  TIMES_AS_LARGE * Math.min(run.total_items, other.total_items)

/**
 * Medians over earlier runs of the agent; null where no run has the figure. `ran_ms` and `items_per_s` use only runs of
 * about the same size.
 */
export interface Usual {
  waited_ms: number | null
  ran_ms: number | null
  items_per_s: number | null
  /** Of the items that ran. */
  cost_per_item: number | null
}

const USUAL_RUNS = 20

export function usualOf(run: Run, earlier: readonly Run[], now: number): Usual {
  const latest = earlier.slice(0, USUAL_RUNS)
  const similar = earlier.filter(one => isAboutAsLarge(run, one)).slice(0, USUAL_RUNS)
  const paces = similar.map(one => paceOf(one, now))
  return {
    waited_ms: median(latest.map(one => paceOf(one, now).waited_ms)),
    ran_ms: median(paces.map(pace => pace.ran_ms)),
    items_per_s: median(paces.map(pace => pace.items_per_s)),
    cost_per_item: median(latest.map(one => perRanItem(one.cost_usd, one))),
  }
}

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter(value => value !== null).sort((a, b) => a - b)
  if (known.length === 0) return null
  const middle = Math.floor(known.length / 2)
  return known.length % 2 === 1 ? known[middle]! : (known[middle - 1]! + known[middle]!) / 2
}
