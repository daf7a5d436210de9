// The time of a request's items. Guarantee: it runs from when the request was sent, not while it waited for a connection, a
// process or its turn; and when it is over, the request is cut.

export class RequestClock {
  readonly #now: () => number
  readonly #time_ms: number
  readonly #cut: AbortController
  readonly #asked_ms: number
  #sent_ms: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(now: () => number, time_ms: number, cut: AbortController) {
    this.#now = now
    this.#time_ms = time_ms
    this.#cut = cut
    this.#asked_ms = now()
  }

  /** The request is sent now, or again; returns whether the time begins with it. */
  start(): boolean {
    const now_ms = this.#now()
    if (now_ms === this.#sent_ms) return false
    this.#sent_ms = now_ms
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#cut.abort(), this.#time_ms)
    return true
  }

  /** How long the request waited before it was sent; until now if it was not. */
  get waited_ms(): number {
    return (this.#sent_ms ?? this.#now()) - this.#asked_ms
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
