// What is known about the calls of one step of an item. Guarantee: a step that returns has its result, whatever became of
// single calls; one that throws after its last call was refused waits for whoever refused it.

import type { UpstreamReport } from '../protocol/rules/protocol.ts'
import { Interrupt } from './errors.ts'
import type { FirstBytes } from './first-bytes.ts'
import type { Upstreams } from './upstreams.ts'

/** Why an item stops at an upstream. */
export interface Refusal {
  report: UpstreamReport
  status: number | null
  words: string
  retry_after_ms: number | null
}

/** Long enough for an agent's code to call somebody else; clients wait at least twice as long before they try again. */
const IDLE_MS = 200

export interface Scope {
  readonly upstreams: Upstreams
  /** Names the item. */
  readonly item: string
  readonly is_model_call: boolean
  /** The item tries a closed upstream. */
  readonly probes: boolean
  /** Whether the item waits for an upstream that refuses it; if not, its agent gets the refusal. */
  readonly waits: boolean
  readonly firstBytes: FirstBytes | undefined
  /** How long its calls may wait for their turn. */
  readonly most_held_ms: number
}

export class CallScope {
  readonly of: Scope
  #refusal: Refusal | undefined
  #open = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Rejects when a model call was refused, its client does something else than calling, and the step would wait. */
  readonly left: Promise<never>
  #leave!: (error: Error) => void
  /** What a call showed that the consumer has to know although the item goes on. */
  seen: UpstreamReport | undefined
  /** How long its calls waited for their turn. */
  held_ms = 0
  /** A call was sent that may have had an effect. */
  hasEffects = false
  /** The step has ended: calls that it left behind are nobody's. */
  isOver = false
  /** Of the latest call whose answer is not read here. */
  host: string | undefined
  /** Calls whose answer began well, and that nothing else is known of yet. */
  readonly #answered = new Set<() => void>()
  readonly #settling = new Set<Promise<void>>()

  constructor(of: Scope) {
    this.of = of
    this.left = new Promise((_, reject) => {
      this.#leave = reject
    })
    this.left.catch(() => {})
  }

  /** The refusal of the latest call, if that was refused. */
  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  /** A later call shows more. That its client tries again is said once, so it stays. */
  see(report: UpstreamReport): void {
    const { host, key, client_retries } = this.seen ?? {}
    const isSame = host === report.host && key === report.key
    this.seen = isSame && client_retries ? { ...report, client_retries } : report
  }

  /** A call begins; returns what is to be called when it has an answer or an error. */
  enter(): () => void {
    this.#open++
    return () => this.#open--
  }

  /** The latest call was not refused. */
  accept(): void {
    this.#refusal = undefined
  }

  /** The latest call was refused. A client that waits before it tries again holds the item's place no longer. */
  refuse(refusal: Refusal, idle_ms = IDLE_MS): void {
    this.#refusal = refusal
    if (!this.of.is_model_call) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#refusal === refusal && this.#open === 0 && this.waitsNow)
        this.#leave(new Interrupt(refusal.words))
    }, idle_ms)
  }

  /** Whether the step waits if it throws now. What it has sent before would be sent again, so only a model call may have. */
  get waitsNow(): boolean {
    const { waits, is_model_call } = this.of
    return this.refusal !== undefined && waits && (is_model_call || !this.hasEffects)
  }

  /** An answer has started well; `good` is called when the step returns, unless it is dropped before. Returns how. */
  answered(good: () => void): () => boolean {
    this.#answered.add(good)
    return () => this.#answered.delete(good)
  }

  /** What becomes of a call is found out beside its client, which may throw before that. */
  settles(settling: Promise<void>): void {
    const settled = settling.catch(() => {}).finally(() => this.#settling.delete(settled))
    this.#settling.add(settled)
  }

  /** The step has returned, or thrown; resolves when it is known what became of its calls. */
  async end(hasReturned: boolean): Promise<void> {
    if (this.#settling.size > 0) await Promise.all(this.#settling)
    if (hasReturned) for (const good of this.#answered) good()
    clearTimeout(this.#timer)
    this.isOver = true
  }
}
