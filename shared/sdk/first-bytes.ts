// Learns how long the answers of a step take to begin, and so for how long a call is worth waiting. Guarantee: no call is
// given up before many were answered, nor within a minute; and each that is given up makes the next ones wait longer.

/** Answers that must have come before any call is given up. */
const LEAST = 200
const LEAST_MS = 60_000
/** A bucket's bounds differ by a fifth. */
const GROWTH = 1.2
const BUCKETS = 96 // up to 1.2^96 ms, which is eleven hours

export class FirstBytes {
  /** What is declared, which needs not be learned. */
  declared_ms: number | undefined
  readonly #counts = new Uint32Array(BUCKETS)
  #answers = 0
  #factor = 4

  answered(after_ms: number): void {
    const bucket = Math.floor(Math.log(Math.max(1, after_ms)) / Math.log(GROWTH))
    this.#counts[Math.min(bucket, BUCKETS - 1)]!++
    this.#answers++
  }

  /** A call was given up after this bound: the next may take twice as long. Many may be at once. */
  gaveUp(bound_ms: number): void {
    if (bound_ms === this.bound_ms()) this.#factor *= 2
  }

  /** Milliseconds after which a call without an answer is given up; undefined while that is not known. */
  bound_ms(): number | undefined {
    if (this.declared_ms !== undefined) return this.declared_ms
    if (this.#answers < LEAST) return undefined
    let above = this.#answers / 100
    let bucket = BUCKETS - 1
    while (bucket > 0 && above >= this.#counts[bucket]!) above -= this.#counts[bucket--]!
    return Math.max(LEAST_MS, this.#factor * GROWTH ** (bucket + 1))
  }
}
