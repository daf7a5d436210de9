// Runs requests with a suspect among their items in processes apart from the deployment's other requests. Guarantee: such a
// process never has more items than may be sent together, and ends with them; an item alone has a new one to itself.

import { type AgentTarget, type InvokeAgent, NotSent } from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { Pool } from '../../shared/kernel/pool.ts'
import { BundlePool, type PoolContext } from './bundle-pool.ts'
import { abortable } from './waits.ts'

/** Requests that share a process: where each item has a request of its own, all that may be sent together. */
interface Group {
  items: number
  pool: Promise<BundlePool>
  /** It takes no more: its process has ended, or its time to be joined is over. */
  isClosed(): boolean
}

/** @param pools gets those that run, by a key of their own */
export function apartFrom(context: PoolContext, pools: Map<string, BundlePool>): InvokeAgent {
  const places = new Pool(LIMITS.agent_processes_apart)
  /** The latest group by deployment and number of items; as many as there are places. */
  const groups = new Map<string, Group>()
  let started = 0

  async function openPool(target: AgentTarget, ended: () => void): Promise<BundlePool> {
    const { account_id, deployment_id } = target
    const leave = await places.take([account_id ?? '', deployment_id], 1, LIMITS.agent_apart_wait_ms)
    if (leave === undefined) {
      ended()
      throw new NotSent('other items of the agent took their turns')
    }
    const key = `${deployment_id} apart ${++started}`
    const pool = new BundlePool(context, target, () => {
      pools.delete(key)
      leave()
      ended()
    })
    pools.set(key, pool)
    return pool
  }

  function groupOf(target: AgentTarget, items: number): Group {
    const key = `${target.deployment_id} ${target.together}`
    const known = groups.get(key)
    if (known && !known.isClosed() && known.items + items <= target.together!) {
      known.items += items
      return known
    }
    const until_ms = context.now() + LIMITS.agent_apart_join_ms
    let pool: BundlePool | undefined
    const group: Group = {
      items,
      pool: openPool(target, () => groups.get(key) === group && groups.delete(key)),
      isClosed: () => pool?.isClosed === true || context.now() > until_ms,
    }
    group.pool.then(
      opened => {
        pool = opened
      },
      () => {},
    )
    groups.set(key, group)
    return group
  }

  return async (target, request) => {
    const group = groupOf(target, request.itemsOpen?.() ?? 1)
    // Given up or not, the process learns of the request: with the last one it ends.
    const sent = () => group.pool.then(pool => pool.invoke(request))
    try {
      await abortable(group.pool, request.signal)
    } catch (error) {
      if (!request.signal.aborted) throw error
      sent().catch(() => {})
      throw new NotSent('the request was given up before it had a process')
    }
    return sent()
  }
}
