// Notes when the tick and running consumers last finished a turn, so that a stall is noticed, and that two installations
// use one Redis under one name. A hint: times lost with Redis are noted again at the next turn.

import type { Redis } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'
import { keyOf } from './keys.ts'

export const TURNERS = ['tick', 'consumer'] as const
export type Turner = (typeof TURNERS)[number]

/** `none`: no turn was noted lately, which is usual for consumers without work. `unknown`: Redis did not answer. */
export type TurnStatus = 'ok' | 'stalled' | 'none' | 'unknown'

export interface Turn {
  status: TurnStatus
  /** Since the last turn ended. */
  age_ms: number | null
}

const turnsOf = (redis: Redis) => keyOf(redis, 'turns')
const PROBE = 'probe:'

// Times are Redis's own, so that hosts with different clocks agree.
const NOW = `
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)`

const ALL = `
local turns = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 2, #turns, 2 do turns[i] = tostring(now_ms - turns[i]) end`

const NOTE = `${NOW}
redis.call('ZADD', KEYS[1], now_ms - ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
${ALL}
return turns`

// Reading also probes whether Redis keeps writes: it returns whether the last probe was still there, and the error that
// refused the new one.
const READ = `${NOW}
local kept = redis.call('ZSCORE', KEYS[1], ARGV[2])
local noted = redis.pcall('ZADD', KEYS[1], now_ms, ARGV[2])
local refused = type(noted) == 'table' and noted.err or ''
if refused == '' then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - ARGV[1])
end
${ALL}
return { kept and 1 or 0, refused, turns }`

/**
 * Notes a turn that ended `ageMs` ago; `of` is the consumer's id, or that of the tick's installation. Resolves with the
 * installations whose ticks had a turn lately; undefined if Redis did not answer.
 */
export async function noteTurn(
  redis: Redis,
  turner: Turner,
  of = '',
  ageMs = 0,
): Promise<string[] | undefined> {
  const name = `${turner}:${of}`
  const noted = redis.eval(NOTE, 1, turnsOf(redis), Math.round(ageMs), name, LIMITS.turn_kept_ms)
  return noted.then(
    turns => tickedIn(turns as string[]),
    () => undefined,
  )
}

/** Removes the turns of one that stops in good order. */
export function dropTurns(redis: Redis, turner: Turner, of: string): void {
  redis.zrem(turnsOf(redis), `${turner}:${of}`).catch(() => {})
}

const UNKNOWN: Turn = { status: 'unknown', age_ms: null }
export const UNKNOWN_TURNS: Record<Turner, Turn> = { tick: UNKNOWN, consumer: UNKNOWN }

/** The latest turn of each kind, by any process. */
export const readTurns = (redis: Redis): Promise<Record<Turner, Turn>> =>
  askTurns(redis).then(
    ({ turns }) => turns,
    () => UNKNOWN_TURNS,
  )

export interface AskedTurns {
  turns: Record<Turner, Turn>
  /** The installations whose ticks had a turn lately: one, unless several share this Redis under one name. */
  installations: string[]
  /** Redis's error when it refused the probe's write; null if it accepted. */
  refused: Error | null
  /** Redis had accepted the same write before, and no longer has it. */
  hasLost: boolean
}

/** When Redis last accepted a probe of this process. */
const accepted = new WeakMap<Redis, number>()

/** Rejects if Redis does not answer, or refuses the script. */
export async function askTurns(redis: Redis): Promise<AskedTurns> {
  const asked = redis.eval(READ, 1, turnsOf(redis), LIMITS.turn_kept_ms, PROBE)
  const [kept, refused, turns] = (await asked) as [number, string, string[]]
  const accepted_ms = accepted.get(redis) ?? Number.NEGATIVE_INFINITY
  const hasLost = kept === 0 && performance.now() - accepted_ms < LIMITS.turn_kept_ms / 2
  if (refused === '') accepted.set(redis, performance.now())
  const installations = tickedIn(turns)
  return {
    turns: latestOf(turns),
    installations,
    refused: refused === '' ? null : new Error(refused),
    hasLost,
  }
}

function latestOf(noted: readonly string[]): Record<Turner, Turn> {
  const ages = agesOf(noted)
  const turn = (turner: Turner): Turn => {
    const age_ms = Math.min(...ages.filter(one => one.turner === turner).map(({ age_ms }) => age_ms))
    if (age_ms === Number.POSITIVE_INFINITY) return { status: 'none', age_ms: null }
    return { status: age_ms > LIMITS.turn_late_ms[turner] ? 'stalled' : 'ok', age_ms }
  }
  return { tick: turn('tick'), consumer: turn('consumer') }
}

const tickedIn = (noted: readonly string[]): string[] =>
  agesOf(noted)
    .filter(({ turner, of, age_ms }) => turner === 'tick' && of !== '' && age_ms < LIMITS.neighbour_ms)
    .map(({ of }) => of)

function agesOf(turns: readonly string[]): { turner: string; of: string; age_ms: number }[] {
  const ages: { turner: string; of: string; age_ms: number }[] = []
  for (let i = 0; i + 1 < turns.length; i += 2) {
    const [turner = '', of = ''] = turns[i]!.split(':')
    ages.push({ turner, of, age_ms: Math.max(0, Number(turns[i + 1])) })
  }
  return ages
}
