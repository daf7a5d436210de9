// Wakes the consumer function by calling it. Guarantee: a poke after the last commit is never swallowed by a call that
// began before it, and one process holds at most one call open however often it is poked.

export interface PokerOptions {
  /** Where the consumer function answers. */
  url: string
  bearer: string
  fetch: typeof fetch
  /** Keeps the invocation alive until the call has ended, where hosts end with their answer. */
  waitUntil(promise: Promise<unknown>): void
  log(level: 'warn', event: string, fields: Record<string, unknown>): void
}

/**
 * The call is held open until the consumer has answered: it works meanwhile, and platforms count the open request as
 * its load. A poke that comes meanwhile may find the consumer already on its way out, so it calls once more at the end.
 */
export function createPoker({ url, bearer, fetch, waitUntil, log }: PokerOptions): () => void {
  let isOpen = false
  let again = false

  async function call(): Promise<void> {
    isOpen = true
    do {
      again = false
      try {
        const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${bearer}` } })
        await response.body?.cancel()
        if (!response.ok) log('warn', 'poke_refused', { url, status: response.status })
      } catch (error) {
        log('warn', 'poke_failed', { url, error: String(error) }) // the tick mends it
      }
    } while (again)
    isOpen = false
  }

  return () => {
    again = true
    if (!isOpen) waitUntil(call())
  }
}
