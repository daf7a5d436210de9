// The time that a consumer has left, for the code that sends requests and reads responses.

import { sinceMs } from '../../kernel/elapsed.ts'
import type { KnownUpstreams } from '../../upstreams/verbs/known-upstreams.ts'
import type { AgentHosts } from './agent-hosts.ts'
import type { OpenRequests } from './agent-open-requests.ts'

export interface Timing {
  /** Milliseconds until items should stop at a step boundary. */
  yieldMs(): number
  /** Milliseconds until unfinished items are given back. */
  leftMs(): number
  /** Milliseconds for a step in a consumer that has just started; null if asked to stop, or without a time limit. */
  wholeMs(): number | null
  /** Cut off when the consumer's time is over; unfinished items are given back. */
  requests: OpenRequests
  /** The agents behind URLs that it has sent to. */
  hosts: AgentHosts
  /** What it knows about what its items need outside. */
  upstreams(): KnownUpstreams
  /** Whether nothing was logged of a run's stray lines lately. */
  isNews(run_id: string): boolean
}

/** How much time an invocation has left, by a clock that may be set meanwhile. */
export class TimeLeft {
  readonly #now: () => number
  readonly #started_ms: number
  readonly #time_ms: number
  readonly #began_ms: number

  /** `began_ms` is when the invocation began, if that was before this object was made. */
  constructor(now: () => number, time_ms = Number.POSITIVE_INFINITY, began_ms = now()) {
    this.#now = now
    this.#started_ms = now()
    this.#time_ms = time_ms
    this.#began_ms = began_ms
  }

  /** Milliseconds left, except `spare_ms` at the end; at least 0. */
  but = (spare_ms: number): number =>
    Math.max(0, this.#time_ms - spare_ms - sinceMs(this.#now(), this.#started_ms))

  sinceBegan = (): number => sinceMs(this.#now(), this.#began_ms)

  /** Milliseconds from the beginning of the invocation to its end. */
  whole = (): number => this.#time_ms + sinceMs(this.#started_ms, this.#began_ms)
}
