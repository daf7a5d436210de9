// What to do about a store that cannot be talked to, where what the driver says of it leaves that open. Redis holds
// hints, so nothing fails without it and only the log tells: once for each trouble, not for each try.

import type { Context, Redis } from '../../shared/context.ts'
import { reasonOf } from './redis.ts'

const CA = (store: Store) => `name the file with the certificate of its CA (PEM) by ${store}_CA_FILE`
const ADVICE: Record<string, (store: Store) => string> = {
  SELF_SIGNED_CERT_IN_CHAIN: CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CA,
  UNABLE_TO_GET_ISSUER_CERT: CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CA,
  CERT_SIGNATURE_FAILURE: CA,
  ERR_TLS_CERT_ALTNAME_INVALID: store =>
    `${store}_URL must name the server as its certificate does${store === 'DATABASE' ? '; sslmode=verify-ca does without' : ''}`,
  CERT_HAS_EXPIRED: () => 'renew the certificate of the server, or set the clock here right',
  CERT_NOT_YET_VALID: () => 'set the clock here right',
}
// The driver of PostgreSQL begins TLS even with a server that has said that it has none.
const NO_TLS = /before secure TLS connection was established/
const WITHOUT_TLS = {
  DATABASE: 'switch ssl on there, or leave sslmode out of DATABASE_URL',
  REDIS: 'switch tls-port on there, or begin REDIS_URL with redis://',
}
const NAME = { DATABASE: 'PostgreSQL', REDIS: 'Redis' }
type Store = keyof typeof NAME

/** A sentence with what is wrong and what to do next; undefined where the error says all there is to say. */
export function adviceOf(error: unknown, store: Store): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (NO_TLS.test(one.message)) return `${NAME[store]} takes no TLS there: ${WITHOUT_TLS[store]}.`
    const advice = ADVICE[(one as NodeJS.ErrnoException).code ?? '']
    if (advice) return `${NAME[store]} was not trusted (${one.message}): ${advice(store)}.`
  }
  return undefined
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
