// How often a password may be guessed. Guarantee: guesses are counted by where they come from and by e-mail, whether or not it is
// a member's; those from elsewhere keep nobody out who has signed in from a place before; and they are counted without Redis
// too, by each process for itself.

import type { Context } from '../../context.ts'
import { ApiError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { sha256, toHex } from '../../domain/secrets.ts'
import { recall, remember } from '../../hints/cache.ts'
import { type Bucket, takeTokens } from '../../hints/rate.ts'

export interface Guess {
  /** Gives back what it cost, and remembers the place. */
  wasRight(): Promise<void>
}

/**
 * Counts an attempt to sign in before it is looked at.
 *
 * @param email in lower case
 * @param address null where the host does not know it
 * @throws ApiError `rate_limited`
 */
export async function countGuess(ctx: Context, email: string, address: string | null): Promise<Guess> {
  const member = `email:${toHex(await sha256(email))}`
  const place = address === null ? undefined : `sign-in:${member}:${address}`
  const isKnown = place !== undefined && (await recall<true>(ctx.redis, place)) === true
  // The address first: one that is refused must not use up the attempts of those it pretends to be.
  const buckets = [
    ...(address === null ? [] : [bucketOf(`address:${address}`, LIMITS.sign_ins_per_address)]),
    bucketOf(isKnown ? `${member}:${address}` : member, LIMITS.sign_ins_per_email),
  ]
  for (const bucket of buckets) {
    const wait_ms = await takeTokens(ctx.redis, bucket, 1, ctx.now())
    if (wait_ms > 0) throw tooMany(wait_ms)
  }
  return {
    async wasRight() {
      for (const bucket of buckets) await takeTokens(ctx.redis, bucket, -1, ctx.now())
      if (place !== undefined) await remember(ctx.redis, place, true, LIMITS.sign_in_place_ms)
    },
  }
}

const bucketOf = (name: string, { burst, per_minute }: { burst: number; per_minute: number }): Bucket => ({
  name: `sign-in:${name}`,
  burst,
  per_second: per_minute / 60,
})

function tooMany(wait_ms: number): ApiError {
  const wait_s = Math.ceil(wait_ms / 1000)
  const seconds = wait_s === 1 ? 'a second' : `${wait_s} seconds`
  return new ApiError('rate_limited', 'Too many failed sign-ins.', `Try again in ${seconds}.`, wait_s)
}
