// Logs strangers' refused attempts in the audit log of the account they aimed at. Guarantee: however often they try,
// the log grows by a bounded number of entries an hour, per target and per account, and nobody waits for them.

import { NOBODY_ID, noteAuditEntry } from '../../accounts/queries/audit.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { takeTokens } from '../../redis/rate.ts'

export interface RefusedAttempt {
  account_id: string
  project_id?: string
  /** The operation that was tried. */
  operation_id: 'createSession' | 'fireTrigger'
  /** The member or the trigger. */
  target_id: string
  /** Null if the host does not know it. */
  address: string | null
}

/** Adds an entry in the background, unless there are many already. */
export function noteRefusal(ctx: Context, refusal: RefusedAttempt): void {
  ctx.waitUntil(note(ctx, refusal))
}

async function note(ctx: Context, { operation_id, address, ...where }: RefusedAttempt): Promise<void> {
  const buckets = [
    bucketOf(where.target_id, LIMITS.refusals_noted),
    bucketOf(where.account_id, LIMITS.refusals_noted_per_account),
  ]
  for (const bucket of buckets) if ((await takeTokens(ctx.redis, bucket, 1, ctx.now())) > 0) return
  const actor = {
    actor_kind: 'stranger' as const,
    actor_id: NOBODY_ID,
    actor_name: address ?? 'unknown address',
  }
  await noteAuditEntry(ctx.sql, { id: ctx.newId(), ...where, ...actor, action: `${operation_id}.refused` })
}

const bucketOf = (of: string, { burst, per_hour }: { burst: number; per_hour: number }) => ({
  name: `refusals:${of}`,
  burst,
  per_second: per_hour / 3600,
})
