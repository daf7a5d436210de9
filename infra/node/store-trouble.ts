// What to do about a store that cannot be talked to, where what the driver says of it leaves that open. Redis holds
// hints, so nothing fails without it and only the log tells: once for each trouble, not for each try.

import type { Context, Redis } from '../../shared/context.ts'
import { type StoreName, sayFault, storeFault } from '../../shared/kernel/store-errors.ts'
import { Refusal } from '../local/refusal.ts'
import { reasonOf } from './redis.ts'

/** What a person can mend; undefined for a store that is merely away, and for what nobody knows how to mend. */
export function refusalOf(error: unknown, store: StoreName = 'DATABASE'): Refusal | undefined {
  if (error instanceof Refusal) return error
  const fault = storeFault(error, store)
  return fault === undefined || fault.passes ? undefined : new Refusal(fault.code, sayFault(store, fault))
}

/** A sentence with what is wrong and what to do next; undefined where the error says all there is to say. */
function adviceOf(error: unknown, store: StoreName): string | undefined {
  const fault = storeFault(error, store)
  return fault && sayFault(store, fault)
}

/** Tells the log what keeps Redis away. */
export function watchRedis(redis: Redis, log: Context['log']): void {
  let told: string | undefined
  redis.on('error', async (error: Error) => {
    const reason = await reasonOf(redis, error)
    const text = adviceOf(reason, 'REDIS') ?? String(reason)
    if (text === told) return
    told = text
    log('warn', 'redis_unreachable', { error: text })
  })
  redis.on('ready', async () => {
    told = undefined
    if ('slots' in redis || !(await isNodeOfCluster(redis))) return
    log('error', 'redis_is_a_cluster', {
      error:
        'REDIS_URL names one node of a cluster, which refuses most of what it is asked: add ?cluster=true',
    })
  })
}

async function isNodeOfCluster(redis: Redis): Promise<boolean> {
  const answer = await redis.info('cluster').catch(() => '')
  return answer.includes('cluster_enabled:1')
}
