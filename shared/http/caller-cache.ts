// Remembers callers that were looked up. Guarantee: an entry is LIMITS.auth_cache_ms old at most, never older than a change that
// this process made, and a look-up that must be anew begins after its request has arrived.

import type { Context } from '../context.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { Principal } from './principal.ts'

const cache = new Map<string, { principal: Principal; asked_ms: number; isRenewed: boolean }>()
/** How often callers were forgotten: a look-up that began before may have read what is no longer so. */
let forgotten = 0

/** Looks the account's callers up again, since what they may do has changed. */
export function forgetCallers(account_id: string): void {
  forgotten++
  for (const [name, { principal }] of cache) if (principal.account_id === account_id) cache.delete(name)
}

/** Looks the session up again. */
export function forgetSession(session_id: string): void {
  forgotten++
  cache.delete(session_id)
}

/**
 * Caches only callers that were found, so a new key works at once. An entry used in the second half of its time is
 * renewed in the background, so a steady caller never waits for the look-up.
 */
export async function cached(ctx: Context, name: string, anew: boolean, look: Look) {
  if (anew) return lookedUpAnew(ctx, name, look)
  const known = cache.get(name)
  const left_ms = known === undefined ? 0 : LIMITS.auth_cache_ms - sinceMs(ctx.now(), known.asked_ms)
  if (known === undefined || left_ms <= 0) return renewed(ctx, name, look)
  if (left_ms < LIMITS.auth_cache_ms / 2 && !known.isRenewed) {
    known.isRenewed = true
    ctx.waitUntil(renewed(ctx, name, look).catch(() => {})) // after expiry the next caller looks it up again
  }
  return known.principal
}

type Look = () => Promise<Principal | undefined>

/** Look-ups under way that took no answer from the cache, and the ones that begin when these have ended. */
const looking = new Map<
  string,
  { now: Promise<Principal | undefined>; next?: Promise<Principal | undefined> }
>()

/** Many requests of one caller share a look-up, as long as it begins after each of them has arrived. */
function lookedUpAnew(ctx: Context, name: string, look: Look): Promise<Principal | undefined> {
  const underWay = looking.get(name)
  if (underWay === undefined) return lookedUp(ctx, name, look)
  underWay.next ??= underWay.now.catch(() => {}).then(() => lookedUp(ctx, name, look))
  return underWay.next
}

function lookedUp(ctx: Context, name: string, look: Look): Promise<Principal | undefined> {
  const now = renewed(ctx, name, look).finally(() => {
    if (looking.get(name) === one) looking.delete(name)
  })
  const one = { now }
  looking.set(name, one)
  return now
}

async function renewed(ctx: Context, name: string, look: Look) {
  const began = ctx.now() // the row may be as old as this
  const before = forgotten
  const principal = await look()
  cache.delete(name)
  if (principal === undefined || before !== forgotten) return principal
  if (cache.size >= LIMITS.auth_cached) cache.delete(cache.keys().next().value!)
  cache.set(name, { principal, asked_ms: began, isRenewed: false })
  return principal
}
