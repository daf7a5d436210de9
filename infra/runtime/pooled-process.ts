// One process of a deployment and the requests in it. Guarantee: a request counts until it is over, and until the death that
// cut it is known, so that the death names all the items that were in the process.

import type { AgentRequest } from '../../shared/agents/rules/invoke-agent.ts'
import { sinceMs } from '../../shared/kernel/elapsed.ts'
import type { WorkerdProcess } from './workerd-process.ts'

/** Starts the process; calls back as soon as there is one, before it listens. */
export type Start = (
  spawned: (process: WorkerdProcess) => void,
  itemsOpen: () => number,
) => Promise<WorkerdProcess>

export class PooledProcess {
  /** Resolves when the process listens. */
  readonly started: Promise<WorkerdProcess>
  readonly #now: () => number
  readonly #requests = new Set<AgentRequest>()
  #process: WorkerdProcess | undefined
  #isReady = false
  #isStopped = false
  #lastUsed: number

  /** @param ended called once, when the process is gone or was never there */
  constructor(start: Start, now: () => number, ended: () => void) {
    this.#now = now
    this.#lastUsed = now()
    const spawned = (process: WorkerdProcess) => {
      this.#process = process
      void process.died.then(ended)
      if (this.#isStopped) void process.stop()
    }
    this.started = start(spawned, () => this.items).then(process => {
      this.#isReady = true
      return process
    })
    this.started.catch(() => {
      if (this.#process === undefined) ended()
    })
  }

  /** The process, if it listens. */
  get ready(): WorkerdProcess | undefined {
    return this.#isReady && this.#process?.alive ? this.#process : undefined
  }

  /** Whether it takes requests: it listens, or is about to. */
  get isTaking(): boolean {
    return !this.#isStopped && (this.#process?.alive ?? true)
  }

  /** Items that have not ended. */
  get items(): number {
    let items = 0
    for (const { itemsOpen } of this.#requests) items += itemsOpen?.() ?? 1
    return items
  }

  /** Whether it has no request. */
  get isIdle(): boolean {
    return this.#requests.size === 0
  }

  /** Whether it has a single request. */
  get isAlone(): boolean {
    return this.#requests.size === 1
  }

  /** Milliseconds since the last request ended. */
  get idle_ms(): number {
    return this.isIdle ? sinceMs(this.#now(), this.#lastUsed) : 0
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  get rss_bytes(): number {
    return this.#process?.usage()?.rss_bytes ?? 0
  }

  enter(request: AgentRequest): void {
    this.#requests.add(request)
  }

  leave(request: AgentRequest): void {
    this.#requests.delete(request)
    this.#lastUsed = this.#now()
  }

  /** Checks the process once. */
  look(): void {
    this.ready?.look()
  }

  /** Ends the process, also one that is still starting. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#process?.stop()
    await this.started.then(process => process.stop()).catch(() => {})
  }
}
