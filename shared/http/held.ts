// Reads, with a cache, whether the installation is held.

import { readInstallationRow } from '../accounts/queries/installation.ts'
import type { Context } from '../context.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { LIMITS } from '../kernel/limits.ts'

const known = new WeakMap<Context['sql'], { since: Date | null; asked_ms: number }>()

/** When the hold began, null without one; at most LIMITS.held_cache_ms old, unless read `anew`. */
export async function heldSince(ctx: Context, anew = false): Promise<Date | null> {
  const last = known.get(ctx.sql)
  if (!anew && last !== undefined && sinceMs(ctx.now(), last.asked_ms) < LIMITS.held_cache_ms)
    return last.since
  const { held_since: since } = await readInstallationRow(ctx.sql)
  known.set(ctx.sql, { since, asked_ms: ctx.now() })
  return since
}
