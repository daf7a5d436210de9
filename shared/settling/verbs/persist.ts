// Sends a write until it succeeds. Guarantee: it ends within about twice the lease; until then PostgreSQL may be away.

import type { Context } from '../../context.ts'
import { isRefusal } from '../../kernel/bisect.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { noteTrouble } from '../../kernel/unreachable.ts'

/**
 * Returns false after twice the lease, when there is no point any more: the items are offered again. Rejects if
 * PostgreSQL refuses the write, and always would.
 */
export async function persist(ctx: Context, run_id: string, send: () => Promise<unknown>): Promise<boolean> {
  const began_ms = ctx.now()
  for (let tries = 0; ; tries++) {
    try {
      await send()
      return true
    } catch (error) {
      if (isRefusal(error)) throw error
      noteTrouble(ctx.sql, error, ctx.now())
      const over = sinceMs(ctx.now(), began_ms) > 2 * LIMITS.lease_ms
      ctx.log(over ? 'error' : 'warn', 'settle_failed', { run_id, tries, error: String(error) })
      if (over) return false
      const { base, max } = LIMITS.settle_backoff_ms
      await new Promise(resolve => setTimeout(resolve, Math.min(base * 2 ** tries, max)))
    }
  }
}
