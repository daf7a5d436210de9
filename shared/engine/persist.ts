// Sends a write until it is through. Guarantee: it ends within about twice a lease; until then PostgreSQL may be away.

import type { Context } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import { isRefusal } from '../kernel/bisect.ts'

/**
 * False after twice the lease, when there is no point any more: the items are offered again. Rejects when PostgreSQL
 * refuses what is sent, and always would.
 */
export async function persist(ctx: Context, run_id: string, send: () => Promise<unknown>): Promise<boolean> {
  const until = ctx.now() + 2 * LIMITS.lease_ms
  for (let tries = 0; ; tries++) {
    try {
      await send()
      return true
    } catch (error) {
      if (isRefusal(error)) throw error
      const over = ctx.now() > until
      ctx.log(over ? 'error' : 'warn', 'settle_failed', { run_id, tries, error: String(error) })
      if (over) return false
      const { base, max } = LIMITS.settle_backoff_ms
      await new Promise(resolve => setTimeout(resolve, Math.min(base * 2 ** tries, max)))
    }
  }
}
