// Limits the number of agents' processes on this machine. Guarantee: there are no more than its memory holds, and no
// account has all of them; an idle process is stopped when its room is wanted, and not before.

import { totalmem } from 'node:os'
import { NotSent } from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { Pool, type PoolBounds } from '../../shared/kernel/pool.ts'

/** Returns the bounds for a machine or container with this much memory. */
export function processBounds(memory_bytes: number): PoolBounds {
  const { min, max } = LIMITS.agent_processes
  const held = Math.floor((memory_bytes * LIMITS.agent_processes_of_memory) / LIMITS.agent_process_bytes)
  const size = Math.max(min, Math.min(max, held))
  return { size, share: Math.ceil(size * LIMITS.agent_processes_of_account) }
}

export class ProcessRoom {
  readonly #pool: Pool
  readonly #size: number
  readonly #share: number
  readonly #waiting = new Map<string, number>()
  readonly #isClosed = Promise.withResolvers<undefined>()
  /** Called whenever a request has to wait for room. */
  readonly #onWait: () => void

  constructor(onWait: () => void, bounds: PoolBounds = processBounds(memoryHere())) {
    this.#pool = new Pool(bounds, 'agent_processes')
    this.#size = bounds.size
    this.#share = bounds.share as number
    this.#onWait = onWait
  }

  /** Resolves with a function that gives the room back; call it once. @throws NotSent where no room became free */
  async take(account_id: string | null): Promise<() => void> {
    const holder = account_id ?? ''
    const taken = this.#pool.take(holder, 1, LIMITS.agent_process_wait_ms)
    this.#count(holder, 1)
    if (this.#pool.waiting > 0) this.#onWait()
    try {
      const giveBack = await Promise.race([taken, this.#isClosed.promise])
      if (giveBack !== undefined) return giveBack
      void taken.then(late => late?.())
      throw new NotSent('no room for a process of the agent became free')
    } finally {
      this.#count(holder, -1)
    }
  }

  get waiting(): number {
    return this.#pool.waiting
  }

  /** Whether an account would get room at once. */
  isFree(account_id: string | null): boolean {
    const { in_use, waiting } = this.#pool.figures
    return waiting === 0 && in_use < this.#size && this.#pool.heldBy(account_id ?? '') < this.#share
  }

  /**
   * Whether an idle process of an account should be stopped: for its own waiting request if the account is at its
   * share, or for another account below its share if all room is taken.
   */
  isWanted(account_id: string | null): boolean {
    const hasShare = (holder: string) => this.#pool.heldBy(holder) >= this.#share
    const isFull = this.#pool.figures.in_use >= this.#size
    if (isFull && [...this.#waiting.keys()].some(holder => !hasShare(holder))) return true
    const holder = account_id ?? ''
    return this.#waiting.has(holder) && hasShare(holder)
  }

  close(): void {
    this.#isClosed.resolve(undefined)
  }

  #count(holder: string, more: number): void {
    const waiting = (this.#waiting.get(holder) ?? 0) + more
    if (waiting === 0) this.#waiting.delete(holder)
    else this.#waiting.set(holder, waiting)
  }
}

/** The container's memory, where that is less than the machine's. */
const memoryHere = () => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
