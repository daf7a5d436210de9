// One key of the double: what its settings make of a call.

import type { Call } from './calls.ts'
import { COSTS, useAfter } from './cost.ts'
import { type Exceeded, Limits } from './limits.ts'
import { limitHeaders, momentHeaders, WAYS, withoutResets } from './moments.ts'
import { draw, lognormal } from './random.ts'
import {
  type Answered,
  DEFAULTS,
  type Failure,
  type Settings,
  UNANSWERED,
  type Unanswered,
  type Way,
} from './settings.ts'
import { PlacesUsed, type Spent } from './spent.ts'
import { type Counts, Tally } from './tally.ts'
import type { Words } from './words/row.ts'
import { WORDS } from './words.ts'

/** What becomes of a call, before it is known how long its answer takes. */
export type Fate =
  | { is: 'answered'; kind: string; words: Words; after_ms: number }
  | { is: 'worked on'; ms: number; ending: Unanswered | null; error: Words | null }
  | { is: 'reset' }

/** Faults of the answer, not of the request: such a call is worked on and counts in the limits. */
const AFTER_WORK: string[] = ['reset_after', 'stuck', 'stream_end', 'error_in_200']
const SECOND_MS = 1000

export class Key {
  readonly tally = new Tally()
  readonly name: string
  settings: Settings
  #limits: Limits | null = null
  #refusals: number[] = []
  #penaltyUntil = 0
  #working = 0
  #placesUsed = new PlacesUsed()
  #line: (() => void)[] = []

  constructor(name: string, settings: Partial<Settings>) {
    this.name = name
    this.settings = { ...DEFAULTS, ...settings }
  }

  /** Keeps what was counted, and what is left of limits that do not change. */
  change(settings: Partial<Settings>): void {
    if (settings.limits !== undefined) this.#limits = null
    this.settings = { ...this.settings, ...settings }
  }

  fateOf(call: Call, nth: number, now: number): Fate {
    const { seed, latency } = this.settings
    const failure = this.settings.failures.find(one => this.#applies(one, call, nth, now))
    if (failure?.kind === 'reset_before') return { is: 'reset' }
    if (failure !== undefined && !AFTER_WORK.includes(failure.kind)) return this.#failed(failure, call, now)
    const exceeded = this.#exceeded(call, now)
    if (exceeded !== null) return this.#refused(exceeded, call, now)
    const ending = failure !== undefined && isUnanswered(failure) ? failure.kind : null
    const isError = failure?.kind === 'error_in_200'
    return {
      is: 'worked on',
      ms: failure?.after_ms ?? lognormal(latency.median_ms, latency.sigma, seed, call.item, nth),
      ending,
      error: isError ? this.#words('error_in_200', call, now) : null,
    }
  }

  /** Headers of an answer, as the limits are now. */
  headers(now: number, isRefusal = false): Record<string, string> {
    const names = this.settings.headers ?? this.settings.provider
    return limitHeaders(names, this.#limits?.levels(now) ?? [], { now, isRefusal })
  }

  /** A call was worked on to its end, whether or not its caller gets the answer. */
  paid(call: Call, startedAt: number, now: number): void {
    this.tally.paid(call.item)
    if (!this.#cost.settles || this.#limits === null) return
    const before = call.use(this.#cost)
    this.#limits.settle(before, useAfter(before, this.settings.output_tokens), startedAt, now)
  }

  counts(now: number): Counts & { limits: Spent[] } {
    const { places } = this.settings
    const limits = this.#limits?.spent(now, second => this.#factorAt(second)) ?? []
    if (places !== null) limits.push(this.#placesUsed.spent(places, this.#secondsAt(now)))
    return { ...this.tally.counts(), limits }
  }

  words = (kind: Answered, call: Call, now: number): Words => this.#words(kind, call, now)

  /** Resolves when the call has a place; @returns how to give it back */
  async place(): Promise<() => void> {
    const { places } = this.settings
    if (places !== null && this.#working >= places) await new Promise<void>(next => this.#line.push(next))
    else this.#working++
    const from_s = this.#secondsAt(Date.now())
    return () => {
      this.#placesUsed.add(from_s, this.#secondsAt(Date.now()))
      const next = this.#line.shift()
      if (next === undefined) this.#working--
      else next()
    }
  }

  #applies(failure: Failure, { item }: Call, nth: number, now: number): boolean {
    const {
      from_s = 0,
      to_s = Number.POSITIVE_INFINITY,
      after_ok = 0,
      share = 1,
      of = 'calls',
      items,
    } = failure
    const at = this.#secondsAt(now)
    if (at < from_s || at >= to_s || this.tally.ok < after_ok) return false
    if (items !== undefined && !items.includes(item)) return false
    const names = of === 'items' ? [item] : [item, nth]
    return share >= 1 || draw(this.settings.seed, failure.kind, ...names) < share
  }

  get #cost() {
    return this.settings.cost ?? COSTS[this.settings.provider]
  }
  #factorAt(second: number): number {
    return this.settings.changes.findLast(({ at_s }) => second >= at_s)?.factor ?? 1
  }
  get #ways(): readonly Way[] {
    return this.settings.ways ?? WAYS[this.settings.provider]
  }
  #secondsAt = (now: number) => (now - (this.tally.firstCallAt ?? now)) / SECOND_MS

  #failed(failure: Failure, call: Call, now: number): Fate {
    const kind = failure.kind as Answered
    const rest = ((failure.to_s ?? 0) - this.#secondsAt(now)) * SECOND_MS
    const wait_ms = failure.wait_s === undefined ? Math.max(rest, SECOND_MS) : failure.wait_s * SECOND_MS
    const words = this.#words(kind, call, now, wait_ms)
    if (failure.wait_s !== undefined) Object.assign(words.headers!, momentHeaders(this.#ways, wait_ms, now))
    return { is: 'answered', kind, words, after_ms: failure.after_ms ?? 0 }
  }

  /** A penalty refuses what the limits would let pass. */
  #exceeded(call: Call, now: number): Exceeded | null {
    const { limits, penalty } = this.settings
    this.#limits ??= new Limits(limits, this.tally.firstCallAt ?? now)
    this.#limits.change(this.#factorAt(this.#secondsAt(now)))
    const found = this.#limits.take(call.use(this.#cost), now)
    if (now < this.#penaltyUntil) {
      const wait_ms = this.#penaltyUntil - now
      return { ...(found ?? NO_LIMIT), wait_ms, reset_ms: wait_ms, isTooLarge: false }
    }
    if (found !== null && penalty !== null) {
      this.#refusals = [...this.#refusals.filter(at => at > now - SECOND_MS), now]
      if (this.#refusals.length >= penalty.refusals) this.#penaltyUntil = now + penalty.seconds * SECOND_MS
    }
    return found
  }

  #refused(exceeded: Exceeded, call: Call, now: number): Fate {
    const kind = exceeded.isTooLarge ? 'too_large' : 'rate'
    const words = this.#words(kind, call, now, exceeded.wait_ms, exceeded)
    return { is: 'answered', kind, words, after_ms: 0 }
  }

  #words(kind: Answered, call: Call, now: number, wait_ms = SECOND_MS, exceeded: Exceeded = NO_LIMIT): Words {
    const { provider } = this.settings
    const ways = this.#ways
    const { limit, amount, left, requested } = exceeded
    const facts = {
      model: call.model,
      ways,
      wait_ms,
      now,
      limit: { of: limit.of, per_s: limit.per_s, amount, left, requested },
    }
    const words = WORDS[provider][kind](facts)
    // What no waiting helps names no moment, and neither does an outage.
    const moment = kind === 'rate' ? momentHeaders(ways, wait_ms, now) : {}
    const all = kind === 'rate' || kind === 'too_large' ? this.headers(now, true) : {}
    const limits = ways.includes('reset') ? all : withoutResets(all)
    return { ...words, headers: { ...words.headers, ...limits, ...moment } }
  }
}

const isUnanswered = (failure: Failure): failure is Failure & { kind: Unanswered } =>
  (UNANSWERED as readonly string[]).includes(failure.kind)

/** For refusals that no limit made: the figures of a small tier. */
const NO_LIMIT: Exceeded = {
  limit: { of: 'requests', amount: 500, per_s: 60, kind: 'bucket' },
  amount: 500,
  left: 0,
  requested: 1,
  reset_ms: SECOND_MS,
  wait_ms: SECOND_MS,
  isTooLarge: false,
}
