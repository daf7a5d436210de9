// The states of an upstream as a table: which faults lead to each, how many items must have met it, and when it is tried
// again. Guarantee: every state is left in the same way, by one call that goes well.

import { LIMITS } from '../../kernel/limits.ts'
import type { Fault, UpstreamState } from '../vocabulary.ts'

export type ClosedState = Exclude<UpstreamState, 'open'>

interface Rule {
  /** The faults that lead to the state. */
  readonly faults: readonly Fault[]
  /** Whether all models of the credential are refused with it. */
  readonly ofAllModels: boolean
  /** How many different items in a row must have met it, with no other one served meanwhile. */
  readonly items: number
  /** Milliseconds until the next probe, after so many, so long after the state was entered. */
  retry_ms(probes: number, lasted_ms: number): number
}

const doubling = (probes: number, most_ms: number) => Math.min(1000 * 2 ** Math.min(probes, 20), most_ms)

export const CLOSED_STATES: Record<ClosedState, Rule> = {
  cooling: {
    faults: ['rate'],
    ofAllModels: false,
    items: 2,
    retry_ms: probes => doubling(probes, 60_000),
  },
  away: {
    faults: ['away', 'overloaded', 'cut'],
    ofAllModels: true,
    items: 3,
    retry_ms: (probes, lasted_ms) => (lasted_ms >= LIMITS.upstream_long_ms ? 60_000 : doubling(probes, 5000)),
  },
  out_of_credit: {
    faults: ['quota'],
    ofAllModels: true,
    items: 3,
    retry_ms: probes => doubling(probes, 60_000),
  },
  refused: {
    faults: ['refused'],
    ofAllModels: true,
    items: 3,
    retry_ms: probes => doubling(probes, 60_000),
  },
}

/** The state that a fault leads to; undefined if it is the request's own. */
export function stateOf(fault: Fault): ClosedState | undefined {
  const states = Object.keys(CLOSED_STATES) as ClosedState[]
  return states.find(state => CLOSED_STATES[state].faults.includes(fault))
}

/**
 * Milliseconds until a closed upstream is tried. A moment that is more than a minute away is not believed for longer than
 * a few minutes without one call that tries: daily limits name none, and some headers are wrong.
 */
export function waitOf(
  state: ClosedState,
  { probes, lasted_ms, moment_ms }: { probes: number; lasted_ms: number; moment_ms: number | null },
): number {
  if (moment_ms === null) return CLOSED_STATES[state].retry_ms(probes, lasted_ms)
  const { first, max } = LIMITS.upstream_moment_ms
  return Math.min(moment_ms, first * 2 ** Math.min(probes, 20), max)
}
