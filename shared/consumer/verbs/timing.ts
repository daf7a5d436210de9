// The time of the consumer that executes items, as those who send and read requests see it.

import { sinceMs } from '../../kernel/elapsed.ts'
import type { OpenRequests } from './agent-open-requests.ts'

export interface Timing {
  /** Milliseconds until items should stop at a step boundary. */
  yieldMs(): number
  /** Milliseconds until what has not ended is given back. */
  leftMs(): number
  /** What a step may have of the time of a consumer that has just begun; null where it is asked to stop. */
  wholeMs(): number | null
  /** Cut off when the consumer's time is over: what is unfinished is given back. */
  requests: OpenRequests
}

/** Of one invocation: how much of its time is left, by a clock that may be set meanwhile. */
export class TimeLeft {
  readonly #now: () => number
  readonly #started_ms: number
  readonly #time_ms: number
  readonly #began_ms: number

  /** `began_ms` is when the invocation began, where that was before what asks here did. */
  constructor(now: () => number, time_ms = Number.POSITIVE_INFINITY, began_ms = now()) {
    this.#now = now
    this.#started_ms = now()
    this.#time_ms = time_ms
    this.#began_ms = began_ms
  }

  /** But for so much at its end. */
  but = (spare_ms: number): number =>
    Math.max(0, this.#time_ms - spare_ms - sinceMs(this.#now(), this.#started_ms))

  sinceBegan = (): number => sinceMs(this.#now(), this.#began_ms)

  /** From its beginning to its end. */
  whole = (): number => this.#time_ms + sinceMs(this.#started_ms, this.#began_ms)
}
