// The options that a host gives one invocation of the consumer, and the result that it gets.

import type { GivenClaims } from '../../claims/verbs/given-claims.ts'

export interface ConsumeOptions {
  /** Claims that submissions make for it: taken when it begins and whenever it is woken. */
  given?: GivenClaims
  /** Milliseconds that this invocation may take; without it the consumer ends only when there is nothing to do. */
  time_ms?: number
  /** Gets a function that ends the wait for work; the host calls it when there is work, or a run was aborted. */
  onWake?: (wake: (aborted?: string) => void) => void
  /** Called once when the time is over or `stop` fired, before the items in flight are let go. */
  onHandOver?: () => void
  /** When the invocation began; by default now. */
  began_ms?: number
  /** Ends the invocation early: nothing more is claimed; items still in flight after LIMITS.drain_ms are given back. */
  stop?: AbortSignal
}

/** What an invocation did, for its log and for the platform's answer. */
export interface Consumed {
  claimed: number
  settled: number
  /** There is still work, so the next invocation should start at once. */
  more: boolean
}
