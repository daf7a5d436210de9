// Counts consumers that are awake or called, so that a notification calls one only when one is missing. A hint: when
// the count is wrong or lost, a consumer is called in vain, or the tick calls the missing one.

import type { Redis } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'
import { keyOf } from './keys.ts'

// One slot of a cluster, since one script uses both keys.
const awake = (redis: Redis) => `{${keyOf(redis, 'consumers')}}:awake`
const called = (redis: Redis) => `{${keyOf(redis, 'consumers')}}:called`

// Times are Redis's own, so that hosts with different clocks agree; a name is kept until its time has passed.
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

// A consumer that wakes takes the place of any one call: each call wakes one consumer.
const STAY = `${NOW}
if redis.call('ZADD', KEYS[1], now_ms + ARGV[1], ARGV[2]) == 1 then redis.call('ZPOPMIN', KEYS[2]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`

const COUNT = `${NOW}
return redis.call('ZCOUNT', KEYS[1], now_ms, '+inf')`

/** Reserves a call if fewer than `most` consumers are awake or called; true means that the caller must call one now. */
export async function reserveCall(redis: Redis, call: string, most: number): Promise<boolean> {
  try {
    return (await redis.eval(BOOK, 2, awake(redis), called(redis), most, LIMITS.call_ms, call)) === 1
  } catch {
    return true // the count is unknown: better one too many
  }
}

/** Takes back a call that woke no consumer. */
export async function releaseCall(redis: Redis, call: string): Promise<void> {
  await redis.zrem(called(redis), call).catch(() => {})
}

/** Marks a consumer as awake; to be repeated every LIMITS.awake_beat_ms. */
export async function markPresent(redis: Redis, consumer: string): Promise<void> {
  await redis.eval(STAY, 2, awake(redis), called(redis), LIMITS.awake_ms, consumer).catch(() => {})
}

/** Marks a consumer as gone: the next notification calls another. */
export async function markGone(redis: Redis, consumer: string): Promise<void> {
  await redis.zrem(awake(redis), consumer).catch(() => {})
}

/** Consumers that are awake; undefined when Redis does not answer. */
export async function countPresent(redis: Redis): Promise<number | undefined> {
  try {
    return Number(await redis.eval(COUNT, 1, awake(redis)))
  } catch {
    return undefined
  }
}
