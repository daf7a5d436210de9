// Where model calls of a process wait for their turn at one upstream. Guarantee: calls begin in the order in which they came,
// as fast as its limits allow; one that would wait for long is not started, and one that nobody waits for any more takes no turn.

import { LIMITS } from '../kernel/limits.ts'
import type { DeclaredLimits } from '../pacing/rules/declared-limits.ts'
import { type Pacing, paceTurn, startPacing, type Turn } from '../pacing/rules/pacing.ts'
import type { ReportedLimit } from '../pacing/vocabulary.ts'
import type { UpstreamReport } from '../protocol/rules/protocol.ts'

interface Waiting {
  until_ms: number
  /** Whoever called has gone. */
  isGone(): boolean
  /** Whether the call may begin, once that is decided. */
  may: boolean | undefined
}

/** How often a call looks whether it is its turn: the first ones, and those behind them. */
const LOOK_MS = 20
const FAR_MS = 100
const FIRST = 64

export class Gate {
  readonly pacing: Pacing
  /** What people set. */
  declared: DeclaredLimits = {}
  /** A client has tried a call again by itself, after it was refused. */
  clientRetries = false
  readonly #now: () => number
  readonly #waiting: Waiting[] = []
  #reported = 0
  #reported_ms = Number.NEGATIVE_INFINITY

  constructor(now: () => number) {
    this.#now = now
    this.pacing = startPacing(now())
  }

  /** Undefined if the call may begin at once; else resolves with whether it may, after so long at most. */
  enter(isGone: () => boolean, most_ms: number = LIMITS.upstream_held_ms): Promise<boolean> | undefined {
    if (this.#waiting.length === 0 && this.#turn({ wants: 1 }) === 1) return undefined
    const waiting: Waiting = { until_ms: this.#now() + most_ms, isGone, may: undefined }
    this.#waiting.push(waiting)
    return this.#wait(waiting)
  }

  /** By timers of its own: in workerd those of another request end with that. */
  async #wait(waiting: Waiting): Promise<boolean> {
    while (waiting.may === undefined) {
      const isNear = this.#waiting.indexOf(waiting) < FIRST
      await new Promise(resolve => setTimeout(resolve, isNear ? LOOK_MS : FAR_MS))
      this.#look()
      if (waiting.may === undefined && this.#now() > waiting.until_ms) {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        return false
      }
    }
    return waiting.may
  }

  /** A call that had its turn does not begin. */
  giveBack(): void {
    this.#turn({ started: -1 })
  }

  /** A call that does not wait for its turn, since nothing can hold it. */
  pass(): void {
    this.#turn({ started: 1 })
  }

  /** A call was answered well. */
  served(limits: readonly ReportedLimit[], began_ms: number): void {
    const at_ms = this.#now()
    this.#turn({ served: 1, reports: limits.map(limit => ({ ...limit, began_ms, at_ms })) })
  }

  /** A call was refused for the number of calls. */
  refused(): void {
    this.#turn({ refused: 1 })
  }

  /** What the next report says, once: a client that tries again later is seen again. */
  takeSeen(): Pick<UpstreamReport, 'client_retries'> {
    if (!this.clientRetries) return {}
    this.clientRetries = false
    return { client_retries: true }
  }

  /** What the consumer should hear of it, if it should hear again. */
  toReport(): Pick<UpstreamReport, 'served' | 'held' | 'client_retries'> | undefined {
    const now_ms = this.#now()
    if (now_ms - this.#reported_ms < LIMITS.upstream_report_ms) return undefined
    this.#reported_ms = now_ms
    const served = Math.max(0, this.pacing.served - this.#reported)
    this.#reported = this.pacing.served
    return { served, held: this.#waiting.length, ...this.takeSeen() }
  }

  #turn(turn: Partial<Turn>): number {
    const { declared } = this
    return paceTurn(this.pacing, { wants: 0, ahead_ms: 0, declared, ...turn, now_ms: this.#now() })
  }

  /** Decides about those at the head. */
  #look(): void {
    const now_ms = this.#now()
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const isLate = now_ms > first.until_ms
      if (!isLate && !first.isGone() && this.#turn({ wants: 1 }) === 0) return
      this.#waiting.shift()
      first.may = !isLate
    }
  }
}
