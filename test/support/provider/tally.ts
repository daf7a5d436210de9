// Counts the calls of a key. Guarantee: calls = ok + refused + cut + in flight, at any time.

/** How a call ended: well, with an error as its answer, or without a whole answer. */
export type End = 'ok' | 'refused' | 'cut'

export interface Second {
  /** Since the first call. */
  at: number
  calls: number
  ok: number
  refused: number
  cut: number
}

export interface Counts {
  calls: number
  ok: number
  refused: number
  cut: number
  /** Started after the first failure was answered, and failed as well. */
  useless: number
  in_flight: number
  most_in_flight: number
  /** Different items, and the most calls of one of them. */
  items: number
  most_calls_of_item: number
  /** Calls that were worked on to their end though the same item had been before. */
  paid_again: number
  /** By kind of failure; `given_up` is a caller that closed the connection, `gateway` what is in front. */
  failures: Record<string, number>
  /** Milliseconds since 1970; null before the first call. */
  first_call_at: number | null
  /** Seconds from then until the last call began, and until the last item was called for the first time. */
  last_call_s: number
  last_item_s: number
  /** Half of the good answers took less; null without any. */
  median_ms: number | null
  seconds: Second[]
}

interface OfItem {
  calls: number
  paid: number
}

export class Tally {
  #counts = {
    calls: 0,
    ok: 0,
    refused: 0,
    cut: 0,
    useless: 0,
    in_flight: 0,
    most_in_flight: 0,
    paid_again: 0,
  }
  #failures: Record<string, number> = {}
  #items = new Map<string, OfItem>()
  #seconds = new Map<number, Second>()
  #firstCallAt: number | null = null
  #firstFailureAt: number | null = null
  #lastCallAt = 0
  #lastItemAt = 0
  #took: number[] = []

  get firstCallAt(): number | null {
    return this.#firstCallAt
  }
  get ok(): number {
    return this.#counts.ok
  }

  /** @returns how often the item was called before */
  start(item: string, now: number): number {
    this.#firstCallAt ??= now
    this.#counts.calls++
    this.#counts.in_flight++
    this.#counts.most_in_flight = Math.max(this.#counts.most_in_flight, this.#counts.in_flight)
    this.#second(now).calls++
    const of = this.#items.get(item) ?? { calls: 0, paid: 0 }
    this.#items.set(item, of)
    this.#lastCallAt = now
    if (of.calls === 0) this.#lastItemAt = now
    return of.calls++
  }

  /** Worked on to its end, whether or not the caller gets the answer. */
  paid(item: string): void {
    const of = this.#items.get(item)!
    if (of.paid++ > 0) this.#counts.paid_again++
  }

  end(how: End, { startedAt, now, kind }: { startedAt: number; now: number; kind?: string }): void {
    this.#counts.in_flight--
    this.#counts[how]++
    this.#second(now)[how]++
    if (how === 'ok') {
      this.#took.push(now - startedAt)
      return
    }
    if (kind !== undefined) this.#failures[kind] = (this.#failures[kind] ?? 0) + 1
    if (this.#firstFailureAt !== null && startedAt > this.#firstFailureAt) this.#counts.useless++
    this.#firstFailureAt ??= now
  }

  /** The calls of one item. */
  callsOf(item: string): number {
    return this.#items.get(item)?.calls ?? 0
  }

  counts(): Counts {
    const calls = [...this.#items.values()].map(of => of.calls)
    const first = this.#firstCallAt ?? 0
    const took = this.#took.toSorted((a, b) => a - b)
    return {
      ...this.#counts,
      items: calls.length,
      most_calls_of_item: calls.reduce((most, n) => Math.max(most, n), 0),
      failures: { ...this.#failures },
      first_call_at: this.#firstCallAt,
      last_call_s: Math.max(0, this.#lastCallAt - first) / 1000,
      last_item_s: Math.max(0, this.#lastItemAt - first) / 1000,
      median_ms: took[Math.floor(took.length / 2)] ?? null,
      seconds: [...this.#seconds.values()].sort((a, b) => a.at - b.at),
    }
  }

  #second(now: number): Second {
    const at = Math.floor((now - this.#firstCallAt!) / 1000)
    const second = this.#seconds.get(at) ?? { at, calls: 0, ok: 0, refused: 0, cut: 0 }
    this.#seconds.set(at, second)
    return second
  }
}
