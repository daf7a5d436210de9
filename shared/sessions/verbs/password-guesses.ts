// Limits how often a password may be guessed. Guarantee: guesses are counted by address, by address and e-mail, and by
// e-mail over all addresses, whether or not it is a member's. Guesses from a few addresses lock out nobody who comes
// from another one; guesses from many lock out nobody who has signed in from their place before. Each process also
// counts by itself, whatever Redis says.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { sha256, toHex } from '../../kernel/secrets.ts'
import { recall, remember } from '../../redis/cache.ts'
import { type Bucket, takeTokens } from '../../redis/rate.ts'

export interface Guess {
  /** Returns the guess's token and remembers the place. */
  wasRight(): Promise<void>
}

/**
 * Counts an attempt to sign in before the password is checked.
 *
 * @param email in lower case
 * @param address null if the host does not know it
 * @throws ApiError `rate_limited`
 */
export async function countGuess(ctx: Context, email: string, address: string | null): Promise<Guess> {
  const member = `email:${toHex(await sha256(email))}`
  const place = address === null ? undefined : `sign-in:${member}:${address}`
  const isKnown = place !== undefined && (await recall<true>(ctx.redis, place)) === true
  // The address first: a refused address must not use up the attempts of the members it guesses at.
  const buckets = [
    ...(address === null ? [] : [bucketOf(`address:${address}`, LIMITS.sign_ins_per_address)]),
    bucketOf(`${member}:${address}`, LIMITS.sign_ins_per_email_and_address),
    ...(isKnown ? [] : [bucketOf(member, LIMITS.sign_ins_per_email)]),
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

/**
 * Counts adding a member before it is done, since the answer reveals whether somebody signs in with that e-mail: an
 * account could ask about everybody. @throws ApiError `rate_limited`
 */
export async function countTaken(ctx: Context, account_id: string): Promise<{ wasFree(): Promise<unknown> }> {
  const bucket = bucketOf(`taken:${account_id}`, LIMITS.emails_taken)
  const wait_ms = await takeTokens(ctx.redis, bucket, 1, ctx.now())
  if (wait_ms > 0) throw tooMany(wait_ms, 'e-mails that somebody signs in with already')
  return { wasFree: () => takeTokens(ctx.redis, bucket, -1, ctx.now()) }
}

const bucketOf = (name: string, { burst, per_minute }: { burst: number; per_minute: number }): Bucket => ({
  name: `sign-in:${name}`,
  burst,
  per_second: per_minute / 60,
})

function tooMany(wait_ms: number, of = 'failed sign-ins'): ApiError {
  const wait_s = Math.ceil(wait_ms / 1000)
  const seconds = wait_s === 1 ? 'a second' : `${wait_s} seconds`
  return new ApiError('rate_limited', `Too many ${of}.`, `Try again in ${seconds}.`, wait_s)
}
