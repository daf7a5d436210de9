// Runs requests with a suspect among their items in processes apart from the deployment's other requests. Guarantee: such a
// process never has more items than may be sent together, and ends with them; an item alone has a new one to itself.

import {
  type AgentRequest,
  type AgentResponse,
  type AgentTarget,
  NotSent,
} from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { Pool } from '../../shared/kernel/pool.ts'
import { BundlePool, type PoolContext } from './bundle-pool.ts'
import { abortable } from './waits.ts'

/** Requests that share a process: where each item has a request of its own, all that may be sent together. */
interface Group {
  items: number
  /** Until then it takes more. */
  until_ms: number
  opening: Promise<BundlePool>
  pool: BundlePool | undefined
}

export class ProcessesApart {
  readonly #context: PoolContext
  /** Those that run, among the other pools, by a key of their own. */
  readonly #pools: Map<string, BundlePool>
  readonly #places = new Pool(LIMITS.agent_processes_apart)
  /** The latest of each deployment and number of items; none outlives its process. */
  readonly #groups = new Map<string, Group>()
  #started = 0

  constructor(context: PoolContext, pools: Map<string, BundlePool>) {
    this.#context = context
    this.#pools = pools
  }

  async invoke(target: AgentTarget, request: AgentRequest): Promise<AgentResponse> {
    const { opening } = this.#groupOf(target, request.itemsOpen?.() ?? 1)
    // Given up or not, the process learns of the request: with the last one it ends.
    const sent = () => opening.then(pool => pool.invoke(request))
    try {
      await abortable(opening, request.signal)
    } catch (error) {
      if (!request.signal.aborted) throw error
      sent().catch(() => {})
      throw new NotSent('the request was given up before it had a process')
    }
    return sent()
  }

  #groupOf(target: AgentTarget, items: number): Group {
    const key = `${target.deployment_id} ${target.together}`
    const known = this.#groups.get(key)
    if (known && this.#isOpen(known) && known.items + items <= target.together!) {
      known.items += items
      return known
    }
    const until_ms = this.#context.now() + LIMITS.agent_apart_join_ms
    const forget = () => this.#groups.get(key) === group && this.#groups.delete(key)
    const group: Group = { items, until_ms, opening: this.#open(target, forget), pool: undefined }
    const opened = (pool: BundlePool) => {
      group.pool = pool
    }
    group.opening.then(opened, forget)
    this.#groups.set(key, group)
    return group
  }

  #isOpen({ until_ms, pool }: Group): boolean {
    return this.#context.now() <= until_ms && pool?.isClosed !== true
  }

  async #open(target: AgentTarget, ended: () => void): Promise<BundlePool> {
    const { account_id, deployment_id } = target
    const leave = await this.#places.take([account_id ?? '', deployment_id], 1, LIMITS.agent_apart_wait_ms)
    if (leave === undefined) throw new NotSent('other items of the agent took their turns')
    const key = `${deployment_id} apart ${++this.#started}`
    const pool = new BundlePool(this.#context, target, () => {
      this.#pools.delete(key)
      leave()
      ended()
    })
    this.#pools.set(key, pool)
    return pool
  }
}
