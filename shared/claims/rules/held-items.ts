// Counts the items that a consumer has in flight: in all, by run and by account. Guarantee: a count that falls to 0 is
// dropped, so memory does not grow with the runs and accounts that a consumer sees.

import type { HeldHere } from './fair-share.ts'

export class HeldItems implements HeldHere {
  #all = 0
  readonly #runs = new Map<string, number>()
  readonly #accounts = new Map<string | null, number>()

  get all(): number {
    return this.#all
  }

  ofRun(run_id: string): number {
    return this.#runs.get(run_id) ?? 0
  }

  ofAccount(account_id: string | null): number {
    return this.#accounts.get(account_id) ?? 0
  }

  /** Adds `items` to the counts; a negative number when items leave. */
  change(run_id: string, account_id: string | null, items: number): void {
    this.#all += items
    add(this.#runs, run_id, items)
    add(this.#accounts, account_id, items)
  }
}

function add<K>(counts: Map<K, number>, key: K, items: number): void {
  const now = (counts.get(key) ?? 0) + items
  if (now === 0) counts.delete(key)
  else counts.set(key, now)
}
