// Token buckets in Redis, one for each name. A hint: without Redis everything is allowed, and a wiped bucket is full.

import type { Redis } from '../context.ts'
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
 * were taken. Never fails and never waits long: when Redis does not answer, it is left alone for a while.
 */
export async function takeTokens(
  redis: Redis,
  bucket: Bucket,
  tokens: number,
  now_ms: number,
): Promise<number> {
  if (now_ms < restingUntil_ms) return 0
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
    const asked = redis.eval(TAKE_TOKENS, 1, `assay:rate:${name}`, per_second, burst, tokens)
    asked.catch(() => {})
    return Number(await Promise.race([asked, late]))
  } catch {
    restingUntil_ms = now_ms + LIMITS.rate_rest_ms
    return 0
  } finally {
    clearTimeout(timer)
  }
}
