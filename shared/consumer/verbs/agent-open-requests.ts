// Keeps a consumer's open requests. Guarantee: the requests of a claim are cut off when its lease is lost, and all
// requests when the consumer's time is over; a request that begins after that is cut off at once.

import type { Lease } from '../../settling/verbs/in-flight-item.ts'

/** One for each consumer: composing a signal for each request cost more than sending the request. */
export class OpenRequests {
  readonly #leases = new Map<AbortController, Lease>()
  #isOver = false

  /** Whether the consumer's time is over. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Adds a request; returns the controller that cuts it off. */
  begin(lease: Lease): AbortController {
    const cut = new AbortController()
    this.#leases.set(cut, lease)
    if (this.#isOver || lease.abort.signal.aborted) cut.abort()
    return cut
  }

  end(cut: AbortController): void {
    this.#leases.delete(cut)
  }

  cutClaim(lease: Lease): void {
    for (const [cut, own] of this.#leases) if (own === lease) cut.abort()
  }

  cutAll(): void {
    this.#isOver = true
    for (const cut of this.#leases.keys()) cut.abort()
  }
}
