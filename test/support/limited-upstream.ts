// Processes that call one limited upstream, in simulated time. Guarantee: nothing in it depends on a clock or on chance, so a
// minute of calls takes milliseconds and always ends alike.

import { type Pacing, paceTurn, startPacing } from '../../shared/pacing/rules/pacing.ts'
import type { LimitReport } from '../../shared/pacing/rules/tracked-limit.ts'
import type { ReportedLimit } from '../../shared/pacing/vocabulary.ts'

export interface SimulatedLimit {
  of: ReportedLimit['of']
  /** So much in so many milliseconds. */
  amount: number
  per_ms: number
  kind: 'bucket' | 'window'
  /** What a full bucket holds; by default as much as it lets through in its time. */
  holds?: number
  /** What a bucket holds at first; by default it is full. */
  start?: number
}

export interface Simulated {
  limits: readonly SimulatedLimit[]
  seconds: number
  /** What answers tell: nothing, the figures of when they come, or those of when their call began. */
  reports: 'nothing' | 'at the answer' | 'at the call'
  /** Resets are reported in whole seconds. */
  isRounded?: boolean
  processes?: number
  /** Calls of one item, one after the other; only the first asks. */
  calls?: number
  /** From then on all limits are multiplied. */
  change?: { at_s: number; factor: number }
  /** Only so many are under way at once. */
  places?: number
}

export interface Outcome {
  /** Calls of which something was taken, by second. */
  served: number[]
  refused: number[]
  sent: number
}

const STEP_MS = 10
const MEDIAN_MS = 800
const SIGMA = 0.99
const TOKENS = 290
/** After a refusal its process begins nothing for so long, and twice as long after each that follows. */
const COOLING_MS = 1000
const MOST_DOUBLINGS = 6

interface Process {
  pacing: Pacing
  started: number
  served: number
  refused: number
  reports: LimitReport[]
  open: number
  cools_until_ms: number
  /** Refusals since a call was served, but for those that were under way. */
  refusals: number
}

/** A generator of numbers between 0 and 1: the smallest that is known to do. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

class Upstream {
  readonly outcome: Outcome = { served: [], refused: [], sent: 0 }
  readonly #of: Simulated
  readonly #left: number[]
  readonly #number = numbers(7)
  #factor = 1
  #filled_ms = 0

  constructor(of: Simulated) {
    this.#of = of
    this.#left = of.limits.map(({ amount, holds, start }) => start ?? holds ?? amount)
  }

  #normal = () => Math.sqrt(-2 * Math.log(this.#number() + 1e-12)) * Math.cos(2 * Math.PI * this.#number())

  latency = () => MEDIAN_MS * Math.exp(SIGMA * this.#normal())

  change(factor: number): void {
    this.#factor = factor
  }

  /** @returns whether the call was served */
  call(now_ms: number): boolean {
    this.#fill(now_ms)
    const tokens = Math.round(TOKENS * Math.exp(0.3 * this.#normal() - 0.045))
    const uses = this.#of.limits.map(({ of }) => (of === 'requests' ? 1 : tokens))
    const isServed = uses.every((use, i) => this.#left[i]! >= use)
    const seconds = isServed ? this.outcome.served : this.outcome.refused
    const second = Math.floor(now_ms / 1000)
    seconds[second] = (seconds[second] ?? 0) + 1
    this.outcome.sent++
    if (isServed) for (const [i, use] of uses.entries()) this.#left[i]! -= use
    return isServed
  }

  report(now_ms: number): ReportedLimit[] {
    this.#fill(now_ms)
    const whole = this.#of.isRounded ? 1000 : 1
    return this.#of.limits.map(({ of, amount, holds = amount, per_ms, kind }, i) => {
      const all = amount * this.#factor
      const reset_ms =
        kind === 'bucket'
          ? ((holds * this.#factor - this.#left[i]!) * per_ms) / all
          : per_ms - (now_ms % per_ms)
      const left = Math.max(0, Math.floor(this.#left[i]!))
      return { of, amount: all, left, reset_ms: Math.ceil(reset_ms / whole) * whole, window_ms: null }
    })
  }

  #fill(now_ms: number): void {
    for (const [i, { amount, holds = amount, per_ms, kind }] of this.#of.limits.entries()) {
      const all = amount * this.#factor
      if (kind === 'bucket')
        this.#left[i] = Math.min(
          holds * this.#factor,
          this.#left[i]! + ((now_ms - this.#filled_ms) * all) / per_ms,
        )
      else if (Math.floor(now_ms / per_ms) > Math.floor(this.#filled_ms / per_ms)) this.#left[i] = all
    }
    this.#filled_ms = now_ms
  }
}

/** Lets the processes call for as long as it says. */
export function simulate(of: Simulated): Outcome {
  const { processes = 1, places = 256, calls = 1, change } = of
  const upstream = new Upstream(of)
  const all: Process[] = Array.from({ length: processes }, () => ({
    pacing: startPacing(0),
    started: 0,
    served: 0,
    refused: 0,
    reports: [],
    open: 0,
    cools_until_ms: 0,
    refusals: 0,
  }))
  const due = new Map<number, (() => void)[]>()
  const later = (at_ms: number, then: () => void) => {
    const at = Math.ceil(at_ms / STEP_MS) * STEP_MS
    due.set(at, [...(due.get(at) ?? []), then])
  }
  const call = (one: Process, began_ms: number, nth: number): void => {
    if (!upstream.call(began_ms)) {
      if (began_ms >= one.cools_until_ms) {
        one.cools_until_ms = began_ms + COOLING_MS * 2 ** one.refusals
        one.refusals = Math.min(one.refusals + 1, MOST_DOUBLINGS)
      }
      one.refused++
      one.open--
      return
    }
    one.refusals = 0
    const at_call = upstream.report(began_ms)
    const ms = upstream.latency()
    later(began_ms + ms, () => {
      const at_ms = Math.ceil((began_ms + ms) / STEP_MS) * STEP_MS
      const reports =
        of.reports === 'at the call' ? at_call : of.reports === 'nothing' ? [] : upstream.report(at_ms)
      one.reports.push(...reports.map(limit => ({ ...limit, began_ms, at_ms })))
      one.served++
      if (nth === calls) one.open--
      else {
        one.started++
        call(one, at_ms, nth + 1)
      }
    })
  }
  for (let now_ms = 0; now_ms < of.seconds * 1000; now_ms += STEP_MS) {
    if (change && now_ms === change.at_s * 1000) upstream.change(change.factor)
    for (const then of due.get(now_ms) ?? []) then()
    due.delete(now_ms)
    for (const one of all) {
      const { started, served, refused, reports, cools_until_ms, open } = one
      Object.assign(one, { started: 0, served: 0, refused: 0, reports: [] })
      const free = one.refusals > 0 ? Math.min(1, places) : Math.floor(places / processes) - open
      const wants = cools_until_ms > now_ms ? 0 : Math.max(0, free)
      const permits = paceTurn(one.pacing, { now_ms, started, served, refused, reports, wants, ahead_ms: 20 })
      one.open += permits
      for (let i = 0; i < permits; i++) call(one, now_ms, 1)
    }
  }
  return upstream.outcome
}
