// How many consumers are awake or called for, so that a notification calls one only where one is missing. A hint: when it is
// wrong or gone, a consumer is called in vain, or the tick calls the one that is missing.

import type { Redis } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'

// One slot of a cluster, since a script names both.
const AWAKE = '{assay:consumers}:awake'
const CALLED = '{assay:consumers}:called'

// Times are Redis's own, so that hosts with different clocks agree; a name is kept until its time is over.
const NOW = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)`

const BOOK = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now_ms)
if redis.call('ZCARD', KEYS[1]) + redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[2], now_ms + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`

// Who wakes takes the place of a call, whichever it was: each call wakes one.
const STAY = `${NOW}
if redis.call('ZADD', KEYS[1], now_ms + ARGV[1], ARGV[2]) == 1 then redis.call('ZPOPMIN', KEYS[2]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`

const COUNT = `${NOW}
return redis.call('ZCOUNT', KEYS[1], now_ms, '+inf')`

/** True when fewer than `most` consumers are awake or called for: the caller has to call one now. */
export async function reserveCall(redis: Redis, call: string, most: number): Promise<boolean> {
  try {
    return (await redis.eval(BOOK, 2, AWAKE, CALLED, most, LIMITS.call_ms, call)) === 1
  } catch {
    return true // nobody knows: better one too many
  }
}

/** Takes back a call that woke nobody. */
export async function releaseCall(redis: Redis, call: string): Promise<void> {
  await redis.zrem(CALLED, call).catch(() => {})
}

/** Says that a consumer is awake; to be said again every LIMITS.awake_beat_ms. */
export async function markPresent(redis: Redis, consumer: string): Promise<void> {
  await redis.eval(STAY, 2, AWAKE, CALLED, LIMITS.awake_ms, consumer).catch(() => {})
}

/** Says that it is not any more: whoever notifies from now on calls another. */
export async function markGone(redis: Redis, consumer: string): Promise<void> {
  await redis.zrem(AWAKE, consumer).catch(() => {})
}

/** Consumers that are awake; undefined when nobody knows. */
export async function countPresent(redis: Redis): Promise<number | undefined> {
  try {
    return Number(await redis.eval(COUNT, 1, AWAKE))
  } catch {
    return undefined
  }
}
