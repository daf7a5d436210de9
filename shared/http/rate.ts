// How often a caller may ask. Guarantee: one place decides, before anything else is done for a known caller, and a
// Redis that is away refuses nobody.

import type { Context } from '../context.ts'
import { ApiError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { takeToken } from '../hints/rate.ts'
import type { Principal } from './auth.ts'

/** @throws ApiError `rate_limited` */
export function checkRate(ctx: Context, principal: Principal): Promise<void> {
  const per_second = principal.kind === 'key' ? principal.requests_per_second : undefined
  const name = principal.kind === 'key' ? `key:${principal.key_id}` : `session:${principal.session_id}`
  return takeOne(ctx, principal.kind, name, per_second)
}

/** A trigger may be fired as often as a key of its project may ask. @throws ApiError `rate_limited` */
export function checkFireRate(
  ctx: Context,
  trigger: { id: string; settings: { requests_per_second?: number } },
): Promise<void> {
  return takeOne(ctx, 'trigger', `trigger:${trigger.id}`, trigger.settings.requests_per_second)
}

async function takeOne(
  ctx: Context,
  who: Principal['kind'] | 'trigger',
  name: string,
  per_second: number = LIMITS.project_requests_per_second,
): Promise<void> {
  const bucket = { name, per_second, burst: per_second * LIMITS.request_burst_seconds }
  const wait_ms = await takeToken(ctx, bucket)
  if (wait_ms === 0) return
  throw new ApiError(
    'rate_limited',
    `This ${who} asks more than ${per_second} times a second.`,
    'Wait as long as Retry-After says; send many items as one batch.',
    Math.ceil(wait_ms / 1000),
  )
}
