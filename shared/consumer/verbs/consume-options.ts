// What a host tells one invocation of the consumer, and what that tells its host.

import type { GivenClaims } from '../../claims/verbs/given-claims.ts'

export interface ConsumeOptions {
  /** Claims that others make for it: looked at as it begins and whenever it is woken. */
  given?: GivenClaims
  /** How long this invocation may take; without it the consumer leaves only when there is nothing to do. */
  time_ms?: number
  /** Resolves the wait for work early; the host calls what `onWake` was given when there is work, or a run was aborted. */
  onWake?: (wake: (aborted?: string) => void) => void
  /** Called once, before what is in flight is let go, when there is still work and the time is over. */
  onHandOver?: () => void
  /** When the invocation began; now unless told. */
  began_ms?: number
  /** Ends the invocation before its time: nothing more is claimed, what is in flight is given back. */
  stop?: AbortSignal
}

/** What an invocation did, for its log and for the platform's answer. */
export interface Consumed {
  claimed: number
  settled: number
  /** There was still work when the time was over: the next invocation should start at once. */
  more: boolean
}
