// What is known about the calls of one step of an item. Guarantee: once one of them was refused by an upstream that the item
// waits for, the step has ended, and no further call of it leaves.

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

/** The calls of one step, or those that an item makes outside its steps. */
export class CallScope {
  readonly upstreams: Upstreams
  /** Names the item. */
  readonly item: string
  readonly is_model_call: boolean
  /** The item tries a closed upstream. */
  readonly probes: boolean
  /** Whether the item waits for an upstream that refuses it; if not, its agent gets the refusal. */
  readonly waits: boolean
  readonly firstBytes: FirstBytes | undefined
  /** Rejects once the item has to wait. */
  readonly stopped: Promise<never>
  readonly #stop: (refusal: Refusal) => void
  #reject!: (error: Interrupt) => void
  refusal: Refusal | undefined
  /** What a call showed that the consumer has to know although the item goes on. */
  seen: UpstreamReport | undefined
  /** A call was sent that may have had an effect. */
  hasEffects = false
  readonly #settling = new Set<Promise<void>>()

  constructor(
    of: Pick<CallScope, 'upstreams' | 'item' | 'is_model_call' | 'probes' | 'waits' | 'firstBytes'>,
    stop: (refusal: Refusal) => void,
  ) {
    this.upstreams = of.upstreams
    this.item = of.item
    this.is_model_call = of.is_model_call
    this.probes = of.probes
    this.waits = of.waits
    this.firstBytes = of.firstBytes
    this.#stop = stop
    this.stopped = new Promise((_, reject) => {
      this.#reject = reject
    })
    this.stopped.catch(() => {})
  }

  /** What becomes of a call is found out beside its client, which may throw before that. */
  settles(settling: Promise<void>): void {
    const settled = settling.catch(() => {}).finally(() => this.#settling.delete(settled))
    this.#settling.add(settled)
  }

  /** Resolves when it is known what became of all calls; undefined if it is. */
  settled(): Promise<unknown> | undefined {
    return this.#settling.size === 0 ? undefined : Promise.all(this.#settling)
  }

  /** The item waits from here on: nothing more of this step is sent. */
  stop(refusal: Refusal): never {
    const error = new Interrupt(refusal.words)
    if (this.refusal === undefined) {
      this.refusal = refusal
      this.#stop(refusal)
      this.#reject(error)
    }
    throw error
  }
}
