// What an upstream's latest calls say about it. Guarantee: one item alone closes no upstream that others are served by, and
// only a call that was made after the first failure speaks for it.

import type { Fault } from '../vocabulary.ts'
import { CLOSED_STATES, type ClosedState, stateOf } from './states.ts'

/** A call that failed. */
interface Failed {
  /** Whether the answer says when it serves again. */
  has_moment: boolean
  status: number | null
  began_ms: number
  now_ms: number
}

export class Evidence {
  /** Items that failed since the last success, by the state that their faults lead to. */
  readonly #failed = new Map<string, Set<string>>()
  /** Items that were refused while others were served: the latest. Their next refusals say nothing about others. */
  readonly #suspects = new Set<string>()
  /** Calls that failed since then, and when the first of them was answered. */
  #failures = 0
  #first_ms = Number.POSITIVE_INFINITY
  /** Calls that began no earlier than the first of those that failed. */
  #beside = 0
  /** When the latest calls began, in a ring. */
  readonly #begins: number[] = []
  #at = 0
  #succeeded_ms = Number.NEGATIVE_INFINITY

  /** When a call that began after a failure, or that met none, last went well. */
  get succeeded_ms(): number {
    return this.#succeeded_ms
  }

  /** A call begins. While many others that began with it are unanswered, a few quick refusals say little. */
  began(now_ms: number): void {
    this.#begins[this.#at] = now_ms
    this.#at = (this.#at + 1) % BEGINS
    if (this.#failures > 0) this.#beside++
  }

  succeeded(began_ms: number, now_ms: number): void {
    this.#succeeded_ms = now_ms
    const isSetBack = this.#first_ms > now_ms // the clock: what it says of before means nothing
    if (began_ms < this.#first_ms && !isSetBack) return
    for (const state of OF_INPUTS) for (const item of this.#failed.get(state) ?? []) this.#suspect(item)
    this.#failed.clear()
    this.#failures = 0
    this.#first_ms = Number.POSITIVE_INFINITY
  }

  /** Whether the upstream is closed by this: for all that is known nobody is served. */
  failed(item: string, fault: Fault, call: Failed): boolean {
    const { has_moment, began_ms, now_ms, status } = call
    const state = stateOf(fault)
    if (state === undefined || status === SERVER_ERROR) return false
    if (OF_INPUTS.includes(state) && this.#suspects.has(item)) return false
    if (this.#failures === 0) this.#beside = this.#begins.filter(begin_ms => begin_ms >= began_ms).length
    this.#first_ms = Math.min(this.#first_ms, now_ms)
    this.#failures++
    const items = this.#failed.get(state) ?? new Set()
    this.#failed.set(state, items)
    if (items.size < MOST_ITEMS) items.add(item)
    if (fault === 'rate' && has_moment) return true
    const isQuiet = now_ms - this.#succeeded_ms > QUIET_MS
    if (state === 'away' && fault !== 'cut' && isQuiet) return true
    const isMost = this.#failures * 2 >= this.#beside || this.#failures >= ENOUGH
    return items.size >= CLOSED_STATES[state].items && isMost
  }

  #suspect(item: string): void {
    this.#suspects.add(item)
    if (this.#suspects.size > SUSPECTS) this.#suspects.delete(this.#suspects.keys().next().value!)
  }
}

const MOST_ITEMS = 8
/** States that an input can lead to as well as a credential. */
const OF_INPUTS: readonly ClosedState[] = ['refused', 'out_of_credit']
const SUSPECTS = 1000
/** So many failures without a success close, however many calls are still worked on: each more is one in vain. */
const ENOUGH = 16
/** Calls whose beginning is remembered: as many as a project has at work by default. */
const BEGINS = 256
/** A server breaks for single inputs, the last ones of a run among them, which would wait for it until their patience ends. */
const SERVER_ERROR = 500
/** Where nobody was served for so long, one refusal says as much as three. */
const QUIET_MS = 10_000
