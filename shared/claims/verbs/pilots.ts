// Looks at runs whose first items go ahead of the others. Guarantee: the others are offered when one of the first was ok,
// and never when none was.

import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { endPilots } from '../queries/pilots.ts'

/** The chore. Returns how many runs were decided about. */
export async function judgePilots(ctx: Context): Promise<number> {
  const judged = await endPilots(ctx.sql, LIMITS.pilots_per_sweep)
  if (judged > 0) ctx.notify()
  return judged
}
