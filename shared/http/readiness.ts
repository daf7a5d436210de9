// Asks both stores for a sign of life, and what moves the work when it last did. Guarantee: an answer within LIMITS.ready_ms, whatever the stores do.

import type { Context } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import { readTurns, type Turn, type Turner } from '../hints/turns.ts'
import { heldSince } from './held.ts'

export interface Dependency {
  status: 'ok' | 'unreachable'
  latency_ms: number
}

export type Readiness = {
  dependencies: { postgres: Dependency; redis: Dependency }
  /** Beside the verdict: what stands still here is no store, and another process may be at it. */
  turns: Record<Turner, Turn>
  /** For information: a held installation is ready, and does nothing of itself. */
  held_since: string | null
} & (
  | { status: 'ready' }
  | { status: 'unavailable'; error: { code: 'dependency_unreachable'; message: string } }
)

export async function probeStores(ctx: Context): Promise<Readiness> {
  let held_since: string | null = null
  const [postgres, redis, turns] = await Promise.all([
    probe(ctx, async () => {
      held_since = (await heldSince(ctx, true))?.toISOString() ?? null
    }),
    probe(ctx, () => ctx.redis.ping()),
    readTurns(ctx.redis), // within Redis's own time
  ])
  const dependencies = { postgres, redis }
  const missing = Object.entries(dependencies).flatMap(([name, { status }]) =>
    status === 'ok' ? [] : [name],
  )
  const told = { dependencies, turns, held_since }
  if (missing.length === 0) return { status: 'ready', ...told }
  const message = `${missing.join(' and ')} did not answer within ${LIMITS.ready_ms / 1000} s.`
  return { status: 'unavailable', ...told, error: { code: 'dependency_unreachable', message } }
}

async function probe(ctx: Context, ask: () => PromiseLike<unknown>): Promise<Dependency> {
  const started_ms = ctx.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), LIMITS.ready_ms)
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
