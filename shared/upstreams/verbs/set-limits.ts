// Sets and unsets limits of upstreams for people. Guarantee: what changed is returned in words, old and new, for the audit log.

import type { Context } from '../../context.ts'
import type { DeclaredLimits } from '../../pacing/rules/declared-limits.ts'
import { limitChanges } from '../../pacing/rules/named-limits.ts'
import { findLimits, type LimitName, setLimits, unsetLimits } from '../queries/upstream-limits.ts'

/** Without limits, those that there are end. Returns what changed. @throws ApiError `too_many_limits` */
export async function changeLimits(
  ctx: Context,
  name: LimitName,
  limits: DeclaredLimits | null,
): Promise<string[]> {
  const before = await findLimits(ctx.db, name)
  if (limits === null) await unsetLimits(ctx.db, name)
  else
    await setLimits(ctx.db, name, {
      id: before?.id ?? ctx.newId(),
      limits,
      set_at: new Date(ctx.now()),
    })
  return [nameText(name), ...limitChanges(before?.limits ?? {}, limits ?? {})]
}

const nameText = ({ host, label }: LimitName) => (label === '' ? host : `${host} (${label})`)
