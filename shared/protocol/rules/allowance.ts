// Bounds what an agent may send without effect. Guarantee: lines that record nothing, such as prints among the answers
// and blank lines, cost a bounded number of bytes at once and in each second.

import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'

/** Heartbeats, of which one a second says something, in a few words. */
export class Beats {
  #last_ms = Number.NEGATIVE_INFINITY

  /** How many bytes of a heartbeat say nothing. */
  unrecordedOf(bytes: number, now_ms: number): number {
    if (sinceMs(now_ms, this.#last_ms) < 1000) return bytes
    this.#last_ms = now_ms
    return Math.max(0, bytes - LIMITS.answer_heartbeat_bytes)
  }
}

/** The bytes of one request, or of one item, that recorded nothing. */
export class Allowance {
  readonly #started_ms: number
  readonly bytes: number
  #spent = 0

  constructor(started_ms: number, bytes: number = LIMITS.unrecorded_bytes) {
    this.#started_ms = started_ms
    this.bytes = bytes
  }

  /** Counts bytes; returns whether there were too many by now. */
  isSpentBy(bytes: number, now_ms: number): boolean {
    this.#spent += bytes
    if (this.#spent <= this.bytes) return false
    const seconds = sinceMs(now_ms, this.#started_ms) / 1000
    return this.#spent > this.bytes + seconds * LIMITS.unrecorded_bytes_per_second
  }
}
