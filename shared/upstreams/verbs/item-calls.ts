// What items of this process asked of an upstream. Guarantee: an item counts among those that ended once, with all of its
// calls, so that the mean of an item is right however many are at work; what is kept of those that ended is numbers.

import type { Asking } from '../../pacing/rules/declared-pace.ts'

/** An item at work, as its calls name it: it is over once it has ended, or its lease is another's. */
export interface CallingItem {
  readonly done: boolean
  readonly lease: { readonly abort: AbortController }
}

export class ItemCalls {
  readonly #open = new Map<CallingItem, Asking>()
  #ended = NOTHING

  /** Calls of an item; of one that is not at work in this process, where it ended was counted elsewhere, without them. */
  add(item: CallingItem | null, { calls = 0, tokens = 0 }: Partial<Asking>): void {
    const asked = { calls, tokens }
    if (item === null) this.#ended = sumOf(this.#ended, asked)
    else this.#open.set(item, sumOf(this.#open.get(item) ?? NOTHING, asked))
  }

  /** At most so many items are at work: lets go of the others. */
  keep(items: number): void {
    if (this.#open.size > items) this.#settle()
  }

  /** What those asked that ended since the last time. */
  takeEnded(): Asking {
    this.#settle()
    const ended = this.#ended
    this.#ended = NOTHING
    return ended
  }

  /** What those asked so far that are still at work. */
  ofOpen = (): Asking => sumOf(...this.#open.values())

  #settle(): void {
    for (const [item, asked] of this.#open)
      if (item.done || item.lease.abort.signal.aborted) {
        this.#open.delete(item)
        this.#ended = sumOf(this.#ended, asked)
      }
  }
}

const NOTHING: Asking = { calls: 0, tokens: 0 }

function sumOf(...all: readonly Asking[]): Asking {
  let [calls, tokens] = [0, 0]
  for (const one of all) {
    calls += one.calls
    tokens += one.tokens
  }
  return { calls, tokens }
}
