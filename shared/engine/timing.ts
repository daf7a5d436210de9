// The time of the consumer that executes items, as those who send and read requests see it.

import type { OpenRequests } from '../items/verbs/agent-open-requests.ts'

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
