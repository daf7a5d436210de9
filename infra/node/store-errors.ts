// Says what to do about an unreachable store where the driver's error does not. Redis holds only what may be lost, so
// nothing fails without it and only the log reports the trouble: once for each cause, not for each try.

import type { Context, Redis } from '../../shared/context.ts'
import { type StoreName, sayFault, storeFault } from '../../shared/kernel/store-errors.ts'
import { VERSION } from '../../shared/kernel/version.ts'
import { ExitError } from '../local/exit-error.ts'
import { explained, reasonOf } from './redis.ts'

/**
 * The error for a fault that a person can fix; undefined for a store that is only unreachable and for unknown faults.
 */
export function refusalOf(error: unknown, store: StoreName = 'DATABASE'): ExitError | undefined {
  if (error instanceof ExitError) return error
  const fault = storeFault(error, store)
  return fault === undefined || fault.passes ? undefined : new ExitError(fault.code, sayFault(store, fault))
}

/** PostgreSQL's codes for a table, a column and a function that are not there. */
const NOT_THERE = ['42P01', '42703', '42883']

/** The error for a program that works on the database itself and met the schema of another version. */
export function refusalOfSchema(error: unknown): ExitError | undefined {
  for (let one = error; one instanceof Error; one = one.cause)
    if (NOT_THERE.includes((one as { code?: string }).code ?? ''))
      return new ExitError(
        'schema_behind',
        `the schema of this database is not that of Assay ${VERSION} (${one.message}): run node infra/migrate.ts of this version first, or use the command of the version that made it.`,
      )
  return undefined
}

/** A sentence with what is wrong and what to do next; undefined where the error itself says enough. */
function adviceOf(error: unknown, store: StoreName): string | undefined {
  const fault = storeFault(error, store)
  return fault && sayFault(store, fault)
}

// A working server answers sooner, however far away it is.
const SILENCE_MS = 500

/** Logs why Redis is unreachable; the returned function resolves with the reason as soon as it is known. */
export function watchRedis(redis: Redis, log: Context['log']): () => Promise<unknown> {
  let reported: string | undefined
  let sessions = 0
  let trouble = Promise.withResolvers<unknown>()
  const report = (reason: unknown, session: number) => {
    if (session !== sessions) return // Redis has become ready meanwhile
    trouble.resolve(reason)
    const text = adviceOf(reason, 'REDIS') ?? String(reason)
    if (text === reported) return
    reported = text
    log('warn', 'redis_unreachable', { error: text })
  }
  redis.on('error', async (error: Error) => {
    const session = sessions
    report(await reasonOf(redis, error), session)
  })
  let silence: ReturnType<typeof setTimeout> | undefined
  redis.on('connecting', () => {
    const session = sessions
    silence = setTimeout(async () => {
      const reason = await explained(redis)
      if (reason !== undefined) report(reason, session)
    }, SILENCE_MS)
  })
  redis.on('close', () => clearTimeout(silence))
  redis.on('ready', async () => {
    clearTimeout(silence)
    sessions++
    if (reported !== undefined) trouble = Promise.withResolvers()
    reported = undefined
    if ('slots' in redis || !(await isNodeOfCluster(redis))) return
    log('error', 'redis_is_a_cluster', {
      error:
        'REDIS_URL names one node of a cluster, which refuses most of what it is asked: add ?cluster=true',
    })
  })
  return () => trouble.promise
}

async function isNodeOfCluster(redis: Redis): Promise<boolean> {
  const answer = await redis.info('cluster').catch(() => '')
  return answer.includes('cluster_enabled:1')
}
