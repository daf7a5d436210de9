// When a tick and the consumers at work last ended a turn, so that one that stands still is seen. A hint: what is lost
// with Redis is noted again at the next turn.

import type { Redis } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'

export const TURNERS = ['tick', 'consumer'] as const
export type Turner = (typeof TURNERS)[number]

/** `none` noted a turn lately: usual for consumers without work. `unknown` says that Redis did not answer. */
export type TurnStatus = 'ok' | 'stalled' | 'none' | 'unknown'

export interface Turn {
  status: TurnStatus
  /** Since the last one ended. */
  age_ms: number | null
}

const KEY = 'assay:turns'

// Times are Redis's own, so that hosts with different clocks agree.
const NOW = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)`

const NOTE = `${NOW}
redis.call('ZADD', KEYS[1], now_ms - ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])`

const READ = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - ARGV[1])
local turns = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 2, #turns, 2 do turns[i] = tostring(now_ms - turns[i]) end
return turns`

/** Notes a turn that ended `ageMs` ago, by one of several where `of` names it. */
export function noteTurn(redis: Redis, turner: Turner, of = '', ageMs = 0): void {
  redis.eval(NOTE, 1, KEY, Math.round(ageMs), `${turner}:${of}`, LIMITS.turn_kept_ms).catch(() => {})
}

/** Takes back what one of several noted, who ends in good order. */
export function dropTurns(redis: Redis, turner: Turner, of: string): void {
  redis.zrem(KEY, `${turner}:${of}`).catch(() => {})
}

const UNKNOWN: Turn = { status: 'unknown', age_ms: null }
export const UNKNOWN_TURNS: Record<Turner, Turn> = { tick: UNKNOWN, consumer: UNKNOWN }

/** The latest turn of each kind, whoever made it. */
export const readTurns = (redis: Redis): Promise<Record<Turner, Turn>> =>
  readTurnsOrFail(redis).catch(() => UNKNOWN_TURNS)

/** Rejects where Redis does not answer, or refuses what is asked of it. */
export async function readTurnsOrFail(redis: Redis): Promise<Record<Turner, Turn>> {
  const ages = agesOf((await redis.eval(READ, 1, KEY, LIMITS.turn_kept_ms)) as string[])
  const turn = (turner: Turner): Turn => {
    const age_ms = Math.min(...ages.filter(([name]) => name === turner).map(([, age]) => age))
    if (age_ms === Number.POSITIVE_INFINITY) return { status: 'none', age_ms: null }
    return { status: age_ms > LIMITS.turn_late_ms[turner] ? 'stalled' : 'ok', age_ms }
  }
  return { tick: turn('tick'), consumer: turn('consumer') }
}

function agesOf(turns: readonly string[]): [string, number][] {
  const ages: [string, number][] = []
  for (let i = 0; i + 1 < turns.length; i += 2)
    ages.push([turns[i]!.split(':')[0]!, Math.max(0, Number(turns[i + 1]))])
  return ages
}
