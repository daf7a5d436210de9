// The requests of a consumer that are under way. Guarantee: those of a claim are cut off when its lease is lost, and all of
// them when the consumer's time is over; a request that begins later is cut off already.

import type { Lease } from '../../settling/verbs/in-flight-item.ts'

/** One for each consumer: a signal composed for each request cost more than sending it. */
export class OpenRequests {
  readonly #leases = new Map<AbortController, Lease>()
  #isOver = false

  /** The consumer's time is over. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** What cuts the request off. */
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
