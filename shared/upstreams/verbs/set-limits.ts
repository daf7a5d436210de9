// Sets and unsets limits of upstreams for people. Guarantee: what changed is returned in words, old and new, for the audit log.

import type { Context } from '../../context.ts'
import { type DeclaredLimits, limitsText, RATED } from '../../pacing/rules/declared-limits.ts'
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
  return [nameText(name), ...changesOf(before?.limits ?? {}, limits ?? {})]
}

const nameText = ({ host, label }: LimitName) => (label === '' ? host : `${host} (${label})`)

function changesOf(before: DeclaredLimits, after: DeclaredLimits): string[] {
  return [...RATED, 'in_flight' as const].flatMap(part => {
    if (before[part] === after[part]) return []
    const text = (limits: DeclaredLimits) => limitsText({ [part]: limits[part] }) || 'no limit'
    return [`${part}: ${text(before)} → ${text(after)}`]
  })
}
