// Remembers what was taken of a limit, second by second or window by window, beside what it allowed.

import type { Limit } from './settings.ts'

/** Seconds since the first call of the key. */
export interface Span {
  from_s: number
  to_s: number
  taken: number
  /** What flowed into a bucket meanwhile, or what the window had. */
  allowed: number
}

export interface Spent {
  of: Limit['of'] | 'places'
  kind: Limit['kind']
  per_s: number
  /** What a bucket held at the first call. */
  held: number
  /** Without gaps, up to the moment of the question. */
  spans: Span[]
}

export class Taken {
  readonly #spans = new Map<number, number>()

  add(span: number, amount: number): void {
    this.#spans.set(span, (this.#spans.get(span) ?? 0) + amount)
  }
  of = (span: number): number => this.#spans.get(span) ?? 0
}

/** By what limits are multiplied at a time. */
export type FactorAt = (second: number) => number

export function spentOf(limit: Limit, taken: Taken, until_s: number, factorAt: FactorAt): Spent {
  const { of, kind, per_s, amount } = limit
  const [length, offset] = kind === 'window' ? [per_s, limit.offset_s ?? 0] : [1, 0]
  const spans: Span[] = []
  for (let at = 0; at * length - offset <= until_s; at++) {
    const from_s = at * length - offset
    const allowed = (amount / per_s) * length * factorAt(Math.max(0, from_s))
    spans.push({ from_s, to_s: from_s + length, taken: taken.of(at), allowed })
  }
  return { of, kind, per_s, held: kind === 'window' ? 0 : (limit.burst ?? amount), spans }
}

/** The use of places, in seconds of places: a call counts in every second in which it held one. */
export class PlacesUsed {
  readonly #taken = new Taken()

  /** Seconds since the first call. */
  add(from_s: number, to_s: number): void {
    for (let at = Math.floor(from_s); at < to_s; at++)
      this.#taken.add(at, Math.min(to_s, at + 1) - Math.max(from_s, at))
  }

  spent(places: number, until_s: number): Spent {
    const limit: Limit = { of: 'requests', kind: 'bucket', per_s: 1, amount: places, burst: 0 }
    return { ...spentOf(limit, this.#taken, until_s, () => 1), of: 'places' }
  }
}
