// Takes what projects keep no longer, a bounded part of it each tick.

import type { Context } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  markSpentRuns,
  purgePiece,
  removeExpired,
  removeOldLogs,
  removeOldVerdicts,
} from '../store/retention.ts'

/** Returns how many runs, pieces of runs and rows of logs there were. */
export async function retain(ctx: Context): Promise<number> {
  let taken = await markSpentRuns(ctx.sql, ctx.now(), LIMITS.purge_runs)
  const endsAt = ctx.now() + LIMITS.purge_ms
  for (let piece = 0; piece < LIMITS.purges_per_sweep && ctx.now() < endsAt; piece++) {
    if (!(await purgePiece(ctx.sql, ctx.now()))) break
    taken++
  }
  const limit = LIMITS.log_removals_per_sweep
  taken += await removeExpired(ctx.sql, ctx.now(), limit)
  return taken + (await removeOldLogs(ctx.sql, limit)) + (await removeOldVerdicts(ctx.sql, limit))
}
