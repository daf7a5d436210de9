// Limits how often a caller may send requests. Guarantee: one place decides, before anything else is done for a known
// caller, and while Redis is away nobody is refused.

import type { Context } from '../context.ts'
import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import { limitOf, quotaError, type SetQuotas } from '../quotas/rules/quotas.ts'
import { takeToken, takeTokens } from '../redis/rate.ts'
import type { Principal } from './principal.ts'

/** @throws ApiError `rate_limited` */
export async function checkRate(ctx: Context, principal: Principal): Promise<void> {
  const per_second = principal.kind === 'key' ? principal.requests_per_second : undefined
  const name = principal.kind === 'key' ? `key:${principal.key_id}` : `session:${principal.session_id}`
  await Promise.all([takeOfAccount(ctx, principal), takeOne(ctx, principal.kind, name, per_second)])
}

/** A trigger may be fired as often as a key of its project may send requests. @throws ApiError `rate_limited` */
export async function checkFireRate(
  ctx: Context,
  trigger: Payer & { id: string; settings: { requests_per_second?: number } },
): Promise<void> {
  const { id, settings } = trigger
  await Promise.all([
    takeOfAccount(ctx, trigger),
    takeOne(ctx, 'trigger', `trigger:${id}`, settings.requests_per_second),
  ])
}

/**
 * What an installation sends may fire its own trigger: a run's callback that starts the next. A run that starts itself
 * again so would go on for ever. @throws ApiError `rate_limited`
 */
export async function checkOwnFires(ctx: Context, { id }: { id: string }): Promise<void> {
  const { burst, per_hour } = LIMITS.own_fires
  const bucket = { name: `own-fires:${id}`, per_second: per_hour / 3600, burst }
  const wait_ms = await takeTokens(ctx.redis, bucket, 1, ctx.now())
  if (wait_ms === 0) return
  throw new ApiError(
    'rate_limited',
    `Messages of Assay fired this trigger ${burst} times in a row; ${per_hour} an hour may.`,
    'Look whether a run of it starts the next: by its callback, an alert channel, a digest or its agent.',
    Math.ceil(wait_ms / 1000),
  )
}

interface Payer {
  account_id: string
  plan: SetQuotas
}

/** Runs while the caller's own bucket is asked, and only if the operator set a quota, so nobody waits longer for it. */
async function takeOfAccount(ctx: Context, { account_id, plan }: Payer): Promise<void> {
  const name = 'requests_per_second'
  const limit = limitOf(plan, name)
  if (limit === null) return
  const wait_ms = await takeToken(ctx, bucketOf(`account:${account_id}`, limit))
  if (wait_ms === 0) return
  throw quotaError({ account_id, name, limit, used: null, retry_after_s: Math.ceil(wait_ms / 1000) })
}

const bucketOf = (name: string, per_second: number) => ({
  name,
  per_second,
  burst: per_second * LIMITS.request_burst_seconds,
})

async function takeOne(
  ctx: Context,
  who: Principal['kind'] | 'trigger',
  name: string,
  per_second: number = LIMITS.project_requests_per_second,
): Promise<void> {
  const wait_ms = await takeToken(ctx, bucketOf(name, per_second))
  if (wait_ms === 0) return
  throw new ApiError(
    'rate_limited',
    `This ${who} sends more than ${per_second} requests a second.`,
    'Wait as long as Retry-After says; send many items as one batch.',
    Math.ceil(wait_ms / 1000),
  )
}
