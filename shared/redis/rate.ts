// Token buckets in Redis, one for each name. A hint: without Redis all requests of a caller are allowed, and a wiped
// bucket is full. Limits that must hold (takeTokens) are counted by each process as well, whether Redis answers, is
// late, away or wiped.

import type { Context, Redis } from '../context.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { LIMITS } from '../kernel/limits.ts'
import { keyOf } from './keys.ts'
import { TAKE_TOKENS } from './rate-script.ts'

export interface Bucket {
  name: string
  /** Tokens that come back each second, and how many it holds. */
  per_second: number
  burst: number
}

/** When Redis last did not answer. */
let silent_ms = Number.NEGATIVE_INFINITY

/**
 * Takes tokens (a negative number gives them back); returns the milliseconds until there are enough, 0 if they were
 * taken. Never fails and never waits long: when Redis does not answer, it is not asked for a while. No process lets
 * more pass than the bucket holds, whatever Redis says.
 */
export async function takeTokens(
  redis: Redis,
  bucket: Bucket,
  tokens: number,
  now_ms: number,
): Promise<number> {
  const own_ms = takeOwn(bucket, tokens, now_ms)
  if (own_ms > 0) return own_ms
  const wait_ms = (await ask(redis, bucket, tokens, now_ms, ''))?.wait_ms ?? 0
  if (wait_ms > 0) takeOwn(bucket, -tokens, now_ms)
  return wait_ms
}

/** Buckets of this process, the most recently used last. */
const own = new Map<string, { tokens: number; at_ms: number }>()

/** For tests: files that share a process are installations of their own, with the same names in them. */
export function forgetBuckets(): void {
  own.clear()
  known.clear()
  silent_ms = Number.NEGATIVE_INFINITY
}

function takeOwn({ name, per_second, burst }: Bucket, tokens: number, now_ms: number): number {
  const before = own.get(name) ?? { tokens: burst, at_ms: now_ms }
  const back = (sinceMs(now_ms, before.at_ms) / 1000) * per_second
  const there = Math.min(burst, before.tokens + back)
  const isEnough = tokens <= there
  own.delete(name)
  if (own.size >= LIMITS.auth_cached) own.delete(own.keys().next().value!)
  own.set(name, { tokens: isEnough ? Math.min(burst, there - tokens) : there, at_ms: now_ms })
  return isEnough ? 0 : Math.ceil(((tokens - there) / per_second) * 1000)
}

/** The tokens left when Redis last answered, minus those requested since. */
interface Known {
  left: number
  unanswered: number
}
const known = new Map<string, Known>()

/**
 * Takes a token; returns the milliseconds to wait, 0 for none. While more than half of the bucket was left it does not
 * wait for Redis: waiting for the answer took a tenth of a submission. Tokens that others took meanwhile become a debt,
 * which is refilled before anybody gets more.
 */
export async function takeToken(
  ctx: Pick<Context, 'redis' | 'now' | 'waitUntil'>,
  bucket: Bucket,
): Promise<number> {
  const last = knownOf(bucket.name)
  const isPlenty = last.left > bucket.burst / 2
  last.left--
  last.unanswered++
  const isFirst = !isPlenty && last.unanswered === 1
  const turn = isFirst ? Promise.resolve() : later() // in the order in which they came
  const asked = turn.then(() => ask(ctx.redis, bucket, 1, ctx.now(), isPlenty ? 'owes' : ''))
  const answered = asked.then(answer => {
    last.unanswered--
    last.left = answer === undefined ? 0 : answer.left - last.unanswered
    return answer?.wait_ms ?? 0
  })
  if (!isPlenty) return answered
  ctx.waitUntil(answered)
  return 0
}

/** Writing to a socket takes 0.1 ms and more: while nobody waits for the answer, the caller's own statement goes first. */
const later = () => new Promise<void>(resolve => setTimeout(resolve))

function knownOf(name: string): Known {
  const last = known.get(name) ?? { left: 0, unanswered: 0 }
  if (!known.has(name)) {
    if (known.size >= LIMITS.auth_cached) known.clear() // Redis is asked for them again
    known.set(name, last)
  }
  return last
}

/** Undefined when Redis does not answer. */
async function ask(redis: Redis, bucket: Bucket, tokens: number, now_ms: number, how: 'owes' | '') {
  if (sinceMs(now_ms, silent_ms) < LIMITS.rate_rest_ms) return undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const late = new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Error('no answer in time'))
      // A process that stood still fires this timer before it reads an answer that is there: it reads between the two.
      timer = setTimeout(() => {
        timer = setTimeout(giveUp, LIMITS.rate_read_ms)
      }, LIMITS.rate_answer_ms)
    })
    const { name, per_second, burst } = bucket
    const asked = redis.eval(TAKE_TOKENS, 1, keyOf(redis, 'rate', name), per_second, burst, tokens, how)
    asked.catch(() => {})
    const [wait_ms, left] = (await Promise.race([asked, late])) as [number, number]
    return { wait_ms, left }
  } catch {
    silent_ms = now_ms
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
