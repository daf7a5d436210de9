// Asks both stores for a sign of life. Guarantee: an answer within PROBE_MS, whatever the stores do.

import { sql } from 'drizzle-orm'
import type { Context } from '../context.ts'

const PROBE_MS = 2000

export interface Dependency {
  status: 'ok' | 'unreachable'
  latency_ms: number
}

export type Readiness = { dependencies: { postgres: Dependency; redis: Dependency } } & (
  | { status: 'ready' }
  | { status: 'unavailable'; error: { code: 'dependency_unreachable'; message: string } }
)

export async function probeStores(ctx: Context): Promise<Readiness> {
  const [postgres, redis] = await Promise.all([
    probe(ctx, () => ctx.db.execute(sql`select 1`)),
    probe(ctx, () => ctx.redis.ping()),
  ])
  const dependencies = { postgres, redis }
  const missing = Object.entries(dependencies).flatMap(([name, { status }]) =>
    status === 'ok' ? [] : [name],
  )
  if (missing.length === 0) return { status: 'ready', dependencies }
  const message = `${missing.join(' and ')} did not answer within ${PROBE_MS / 1000} s.`
  return { status: 'unavailable', dependencies, error: { code: 'dependency_unreachable', message } }
}

async function probe(ctx: Context, ask: () => PromiseLike<unknown>): Promise<Dependency> {
  const started_ms = ctx.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), PROBE_MS)
  })
  const answer = Promise.resolve(ask())
  answer.catch(() => {}) // may still fail after the time is over
  try {
    await Promise.race([answer, late])
    return { status: 'ok', latency_ms: ctx.now() - started_ms }
  } catch {
    return { status: 'unreachable', latency_ms: ctx.now() - started_ms }
  } finally {
    clearTimeout(timer)
  }
}
