// Token buckets in Redis, one for each name. A hint: without Redis a caller's requests are all allowed, what must not be is
// counted by each process for itself, and a wiped bucket is full.

import type { Context, Redis } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import { TAKE_TOKENS } from './rate-script.ts'

export interface Bucket {
  name: string
  /** Tokens that come back each second, and how many it holds. */
  per_second: number
  burst: number
}

let restingUntil_ms = 0

/**
 * Takes tokens (a negative number gives them back); returns the milliseconds until there are enough, 0 when they
 * were taken. Never fails and never waits long: when Redis does not answer, it is left alone for a while, and this
 * process counts by itself.
 */
export async function takeTokens(
  redis: Redis,
  bucket: Bucket,
  tokens: number,
  now_ms: number,
): Promise<number> {
  return (await ask(redis, bucket, tokens, now_ms, ''))?.wait_ms ?? takeOwn(bucket, tokens, now_ms)
}

/** Buckets of this process, those used last at the end. */
const own = new Map<string, { tokens: number; at_ms: number }>()

function takeOwn({ name, per_second, burst }: Bucket, tokens: number, now_ms: number): number {
  const before = own.get(name) ?? { tokens: burst, at_ms: now_ms }
  const back = (Math.max(0, now_ms - before.at_ms) / 1000) * per_second
  const there = Math.min(burst, before.tokens + back)
  if (tokens > there) return Math.ceil(((tokens - there) / per_second) * 1000)
  own.delete(name)
  if (own.size >= LIMITS.auth_cached) own.delete(own.keys().next().value!)
  own.set(name, { tokens: Math.min(burst, there - tokens), at_ms: now_ms })
  return 0
}

/** What a bucket had when Redis last answered, less what was asked for since. */
interface Known {
  left: number
  unanswered: number
}
const known = new Map<string, Known>()

/**
 * Takes a token, and goes on beside Redis where more than half of the bucket was left: waiting for its answer took a
 * tenth of a submission. What others have taken meanwhile is owed, and comes back before anybody gets more.
 */
export async function takeToken(
  ctx: Pick<Context, 'redis' | 'now' | 'waitUntil'>,
  bucket: Bucket,
): Promise<number> {
  const last = knownOf(bucket.name)
  const isPlenty = last.left > bucket.burst / 2
  last.left--
  last.unanswered++
  const answered = ask(ctx.redis, bucket, 1, ctx.now(), isPlenty ? 'owes' : '').then(answer => {
    last.unanswered--
    last.left = answer === undefined ? 0 : answer.left - last.unanswered
    return answer?.wait_ms ?? 0
  })
  if (!isPlenty) return answered
  ctx.waitUntil(answered)
  return 0
}

function knownOf(name: string): Known {
  const last = known.get(name) ?? { left: 0, unanswered: 0 }
  if (!known.has(name)) {
    if (known.size >= LIMITS.auth_cached) known.clear() // they are asked for again
    known.set(name, last)
  }
  return last
}

/** Undefined where Redis does not say. */
async function ask(redis: Redis, bucket: Bucket, tokens: number, now_ms: number, how: 'owes' | '') {
  if (now_ms < restingUntil_ms) return undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const late = new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Error('no answer in time'))
      // A process that stood still runs this before it reads the answer that came meanwhile: it reads between the two.
      timer = setTimeout(() => {
        timer = setTimeout(giveUp, LIMITS.rate_read_ms)
      }, LIMITS.rate_answer_ms)
    })
    const { name, per_second, burst } = bucket
    const asked = redis.eval(TAKE_TOKENS, 1, `assay:rate:${name}`, per_second, burst, tokens, how)
    asked.catch(() => {})
    const [wait_ms, left] = (await Promise.race([asked, late])) as [number, number]
    return { wait_ms, left }
  } catch {
    restingUntil_ms = now_ms + LIMITS.rate_rest_ms
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
