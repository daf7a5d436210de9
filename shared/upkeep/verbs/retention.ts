// Removes what projects no longer keep, a bounded part of it each tick.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import {
  markSpentRuns,
  purgePiece,
  removeExpired,
  removeOldDays,
  removeOldLogs,
} from '../queries/retention.ts'

/** Returns how many runs it marked, and pieces of runs and rows of logs it removed, in all. */
export async function retain(ctx: Context): Promise<number> {
  let taken = await markSpentRuns(ctx.sql, ctx.now(), LIMITS.purge_runs)
  const began_ms = ctx.now()
  for (
    let piece = 0;
    piece < LIMITS.purges_per_sweep && sinceMs(ctx.now(), began_ms) < LIMITS.purge_ms;
    piece++
  ) {
    if (!(await purgePiece(ctx.sql, ctx.now()))) break
    taken++
  }
  const limit = LIMITS.log_removals_per_sweep
  taken += await removeExpired(ctx.sql, ctx.now(), limit)
  return taken + (await removeOldLogs(ctx.sql, limit)) + (await removeOldDays(ctx.sql, limit))
}
