// Notices that another installation uses the same Redis under the same name. Guarantee: it changes nothing about the
// work; whoever operates either of them gets to know, from its log, its readiness and the check-up.

import { readInstallationId } from '../../accounts/queries/installation.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { isFirstWithin } from '../../redis/throttle.ts'
import { noteTurn } from '../../redis/turns.ts'

export const SAY_SHARED = `is used by another installation too (its tick was here within ${LIMITS.neighbour_ms / 60_000} minutes), so each takes the other's consumers and ticks for its own: set ASSAY_INSTALLATION to a name in one of them, or give it a Redis of its own`

/** @param own the id of this installation; without it nothing is said @param ticked those whose ticks use this Redis */
export const sharesRedis = (own: string | null | undefined, ticked: readonly string[] = []): boolean =>
  own != null && ticked.some(id => id !== own)

/** Notes a turn of this installation's tick, and logs once a day if another's uses the same Redis. */
export async function noteTick(ctx: Context): Promise<void> {
  const id = await readInstallationId(ctx.sql).catch(() => undefined)
  const ticked = await noteTurn(ctx.redis, 'tick', id)
  if (ticked === undefined) return
  if (!sharesRedis(id, ticked)) return
  // The id keeps the two apart, since they share these keys as well; a host without memory has only Redis to count by.
  if (await isFirstWithin(ctx, `redis_shared:${id}`, LIMITS.neighbour_noted_ms))
    ctx.log('warn', 'redis_shared', { error: `Redis ${SAY_SHARED}.` })
}
