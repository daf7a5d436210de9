// Token buckets and fixed windows. Guarantee: a request is refused exactly if it exceeds a limit, and takes nothing from
// the others then.

import type { Limit } from './settings.ts'
import { type FactorAt, type Spent, spentOf, Taken } from './spent.ts'

export type Use = Record<Limit['of'], number>

/** A limit as headers and bodies show it. */
export interface Level {
  limit: Limit
  /** After all changes. */
  amount: number
  left: number
  /** Until it is full again. */
  reset_ms: number
}

export interface Exceeded extends Level {
  requested: number
  /** Until the same request would pass. */
  wait_ms: number
  /** It never would: it asks for more than the limit holds. */
  isTooLarge: boolean
}

interface State {
  limit: Limit
  /** Below 0 if answers used more than was counted before them. */
  left: number
  taken: Taken
  /** The time of the last refill, or the number of the window. */
  at: number
}

export class Limits {
  readonly #states: State[]
  readonly #startedAt: number
  #factor = 1

  constructor(limits: readonly Limit[], now: number) {
    this.#startedAt = now
    this.#states = limits.map(limit => ({
      limit,
      left: limit.kind === 'window' ? limit.amount : (limit.burst ?? limit.amount),
      taken: new Taken(),
      at: limit.kind === 'window' ? 0 : now,
    }))
  }

  /** Multiplies all limits; what is left of a bucket stays, as far as the smaller one holds it. */
  change(factor: number): void {
    this.#factor = factor
  }

  /** Takes what a request uses. @returns the first limit that it exceeds; nothing is taken then */
  take(use: Use, now: number): Exceeded | null {
    for (const state of this.#states) this.#refill(state, now)
    const exceeded = this.#states.find(({ limit, left }) => left < use[limit.of])
    if (exceeded === undefined) {
      for (const state of this.#states) this.#count(state, use[state.limit.of], now)
      return null
    }
    const found = this.#exceededBy(exceeded, use[exceeded.limit.of], now)
    for (const state of this.#states)
      if (state.limit.counts_refused) state.left = Math.max(0, state.left - use[state.limit.of])
    return found
  }

  /** Counts what an answer used instead of what was taken before it; a window that has ended since stays as it was. */
  settle(before: Use, after: Use, takenAt: number, now: number): void {
    for (const state of this.#states) {
      const { limit } = state
      this.#refill(state, now)
      if (limit.kind === 'window' && this.#windowAt(limit, takenAt) !== state.at) continue
      this.#count(state, after[limit.of] - before[limit.of], now)
      if (limit.kind === 'bucket') state.left = Math.min(state.left, this.#holds(limit))
    }
  }

  /** What was taken of each limit, and what it allowed. */
  spent(now: number, factorAt: FactorAt): Spent[] {
    const until_s = (now - this.#startedAt) / 1000
    return this.#states.map(({ limit, taken }) => spentOf(limit, taken, until_s, factorAt))
  }

  levels(now: number): Level[] {
    for (const state of this.#states) this.#refill(state, now)
    return this.#states.map(state => this.#level(state, now))
  }

  #count(state: State, amount: number, now: number): void {
    state.left -= amount
    const second = Math.floor((now - this.#startedAt) / 1000)
    state.taken.add(state.limit.kind === 'window' ? state.at : second, amount)
  }

  #holds({ burst, amount }: Limit): number {
    return (burst ?? amount) * this.#factor
  }

  #refill(state: State, now: number): void {
    const { limit } = state
    if (limit.kind === 'window') {
      const window = this.#windowAt(limit, now)
      if (window !== state.at) state.left = limit.amount * this.#factor
      state.at = window
    } else {
      const gained = (now - state.at) * this.#perMs(limit)
      state.left = Math.min(this.#holds(limit), state.left + gained)
      state.at = now
    }
  }

  /** Since the start of the window that the first call came in. */
  #since = ({ offset_s = 0 }: Limit, now: number) => now - this.#startedAt + offset_s * 1000
  #windowAt = (limit: Limit, now: number) => Math.floor(this.#since(limit, now) / (limit.per_s * 1000))
  #perMs = ({ amount, per_s }: Limit) => (amount * this.#factor) / (per_s * 1000)

  /** Until the next window. */
  #rest(limit: Limit, now: number): number {
    return (this.#windowAt(limit, now) + 1) * limit.per_s * 1000 - this.#since(limit, now)
  }

  #level(state: State, now: number): Level {
    const { limit, left } = state
    const reset_ms =
      limit.kind === 'window' ? this.#rest(limit, now) : (this.#holds(limit) - left) / this.#perMs(limit)
    return { limit, amount: limit.amount * this.#factor, left: Math.max(0, Math.floor(left)), reset_ms }
  }

  #exceededBy(state: State, requested: number, now: number): Exceeded {
    const { limit, left } = state
    const wait_ms = limit.kind === 'window' ? this.#rest(limit, now) : (requested - left) / this.#perMs(limit)
    const most = limit.kind === 'window' ? limit.amount * this.#factor : this.#holds(limit)
    return { ...this.#level(state, now), requested, wait_ms, isTooLarge: requested > most }
  }
}
