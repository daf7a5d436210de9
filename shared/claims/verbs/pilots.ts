// Ends the pilots of runs. Guarantee: the other items of a run are offered when its pilot ended with an ok item, and
// never if it ended with none.

import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { endPilots } from '../queries/pilots.ts'

/** The tick's chore; returns how many pilots were ended. */
export async function judgePilots(ctx: Context): Promise<number> {
  const judged = await endPilots(ctx.sql, LIMITS.pilots_per_sweep)
  if (judged > 0) ctx.notify()
  return judged
}
