// What items of this process asked of an upstream. Guarantee: an item counts among those that ended once, with all of its
// calls, so that the mean of an item is right however many are at work.

import type { Asking } from '../../pacing/rules/declared-pace.ts'

/** An item at work, as its calls name it. */
export interface CallingItem {
  readonly done: boolean
}

export class ItemCalls {
  readonly #asked = new Map<CallingItem, Asking>()

  add(item: CallingItem, { calls = 0, tokens = 0 }: Partial<Asking>): void {
    const asked = this.#asked.get(item) ?? { calls: 0, tokens: 0 }
    this.#asked.set(item, { calls: asked.calls + calls, tokens: asked.tokens + tokens })
  }

  /** What those asked that ended since the last time. */
  takeEnded(): Asking {
    const ended = [...this.#asked.keys()].filter(({ done }) => done)
    const asked = sumOf(ended.map(item => this.#asked.get(item)!))
    for (const item of ended) this.#asked.delete(item)
    return asked
  }

  /** What those asked so far that are still at work. */
  ofOpen = (): Asking => sumOf([...this.#asked].flatMap(([{ done }, asked]) => (done ? [] : [asked])))
}

const sumOf = (all: readonly Asking[]): Asking => ({
  calls: all.reduce((sum, { calls }) => sum + calls, 0),
  tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
})
