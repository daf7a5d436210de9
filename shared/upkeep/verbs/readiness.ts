// Checks whether this process can work: both stores, and the schema, role and master key in PostgreSQL. Guarantee: it
// answers within LIMITS.ready_ms, whatever the stores do; every obstacle is named with its reason as soon as that is
// known.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { codeOf, type StoreFault, type StoreName, storeFault } from '../../kernel/store-errors.ts'
import { isFull, noteTrouble, SAY_FULL, troubleOf } from '../../kernel/unreachable.ts'
import { type AskedTurns, askTurns, type Turn, type Turner, UNKNOWN_TURNS } from '../../redis/turns.ts'
import { type DatabaseState, readDatabaseState } from '../queries/database-state.ts'
import { readRoleState } from '../queries/running-role.ts'
import type { RoleState } from '../rules/faults.ts'
import { SAY_SHARED, sharesRedis } from './shared-redis.ts'

export interface Dependency {
  /** `degraded` does only a part of its work; `unknown` would have to come from PostgreSQL, which does not say it. */
  status: 'ok' | 'degraded' | 'unreachable' | 'unusable' | 'unknown'
  latency_ms: number
  /** What is wrong with it and what to do; null if nothing is. */
  reason: string | null
}

export const DEPENDENCIES = ['postgres', 'redis', 'schema', 'role', 'master_key'] as const

export type Readiness = {
  dependencies: Record<(typeof DEPENDENCIES)[number], Dependency>
  /** Not part of the verdict: a stalled turn is no store's fault, and another process may be doing the work. */
  turns: Record<Turner, Turn>
  /** For information: a held installation is ready, but does nothing by itself. */
  held_since: string | null
} & (
  | { status: 'ready' }
  | {
      status: 'unavailable'
      error: { code: 'dependency_unreachable' | 'dependency_unusable'; message: string }
    }
)

interface Found extends Dependency {
  /** Its reason says no more than that nothing came. */
  saysLittle?: true
}

interface Probe<T> extends Found {
  found: T | undefined
}

interface Kept {
  answer: Promise<Readiness>
  /** Undefined while it is under way. */
  ended_ms: number | undefined
}

const answers = new WeakMap<Context['sql'], Kept>()

/** Probes the stores once for all callers at about the same time (LIMITS.ready_kept_ms). */
export function probe(ctx: Context): Promise<Readiness> {
  const kept = answers.get(ctx.sql)
  if (kept && (kept.ended_ms === undefined || sinceMs(ctx.now(), kept.ended_ms) < LIMITS.ready_kept_ms))
    return kept.answer
  const asking: Kept = { answer: askStores(ctx), ended_ms: undefined }
  answers.set(ctx.sql, asking)
  const forget = () => void answers.delete(ctx.sql)
  asking.answer.then(() => {
    asking.ended_ms = ctx.now()
  }, forget)
  return asking.answer
}

async function askStores(ctx: Context): Promise<Readiness> {
  const [postgres, redis] = await Promise.all([
    asked(
      ctx,
      'DATABASE',
      () => stateUnlessFull(ctx),
      () => troubleOf(ctx.sql, ctx.now()),
    ),
    asked(ctx, 'REDIS', () => askTurns(ctx.redis), lossOf, ctx.redisTrouble?.()),
  ])
  const steady = steadierOf(ctx.sql)
  const heard = isShared(redis, postgres)
    ? ({ ...redis, status: 'degraded', reason: SAY_SHARED } as const)
    : redis
  const dependencies = {
    postgres: steady('DATABASE', postgres, ctx.now()),
    redis: steady('REDIS', heard, ctx.now()),
    ...ofDatabase(postgres),
  }
  const state = {
    dependencies,
    turns: turnsOf(redis.found?.turns, postgres.found),
    held_since: postgres.found?.held_since?.toISOString() ?? null,
  }
  const failing = Object.entries(dependencies).filter(([, { reason }]) => reason !== null)
  const message = failing.map(([name, { reason }]) => `${name} ${reason}.`).join(' ')
  const isReady = failing.every(([, { status }]) => status === 'degraded')
  logOnce(ctx, message, isReady)
  if (isReady) return { status: 'ready', ...state }
  const isAway = failing.some(([, { status }]) => status === 'unreachable')
  const code = isAway ? 'dependency_unreachable' : 'dependency_unusable'
  return { status: 'unavailable', ...state, error: { code, message } }
}

/** Fails if callers were refused a connection lately: that the probe got one says nothing about theirs. */
async function stateUnlessFull(ctx: Context): Promise<DatabaseState> {
  const met = troubleOf(ctx.sql, ctx.now())
  if (isFull(met)) throw met
  try {
    return await stateOf(ctx)
  } catch (error) {
    noteTrouble(ctx.sql, error, ctx.now())
    throw error
  }
}

/** Whether a Redis that is well otherwise is used by another installation under the same name. */
const isShared = (redis: Probe<AskedTurns>, postgres: Probe<DatabaseState>): boolean =>
  redis.status === 'ok' && sharesRedis(postgres.found?.installation_id, redis.found?.installations)

/** Why Redis is not well: it refused the probe's write, or it lost what it had accepted. */
const lossOf = ({ refused, hasLost }: AskedTurns): unknown => refused ?? (hasLost ? LOST : undefined)

const LOST = Symbol('lost')
const SAY_LOST =
  'lost a value that was written a moment ago: it was emptied or restarted, or it evicts keys: give it more maxmemory, or set maxmemory-policy noeviction'

const roles = new WeakMap<Context['sql'], { role: RoleState; asked_ms: number }>()

/** Rights take some two hundred checks in PostgreSQL, so a good result is reused for LIMITS.ready_rights_ms. */
async function stateOf({ sql, config, now }: Context): Promise<DatabaseState> {
  const known = roles.get(sql)
  const asked_ms = now()
  const isKnown = known !== undefined && sinceMs(asked_ms, known.asked_ms) < LIMITS.ready_rights_ms
  roles.delete(sql) // until the other queries have succeeded: one may fail for lack of a right
  const role = isKnown ? known.role : await readRoleState(sql)
  const state = await readDatabaseState(sql, config.master_key, role)
  if (state.faults.every(({ dependency }) => dependency === 'master_key'))
    roles.set(sql, isKnown ? known : { role, asked_ms })
  return state
}

/** The probe's answer over HTTP, 200 or 503, for a host whose list of endpoints has no probe. */
export async function answerReadiness(ctx: Context): Promise<Response> {
  const readiness = await probe(ctx)
  return Response.json(readiness, { status: readiness.status === 'ready' ? 200 : 503 })
}

const reported = ({ status, latency_ms, reason }: Dependency): Dependency => ({ status, latency_ms, reason })

function ofDatabase({ found, latency_ms }: Probe<DatabaseState>) {
  const of = (dependency: 'schema' | 'role' | 'master_key'): Dependency => {
    if (found === undefined) return { status: 'unknown', latency_ms, reason: null }
    const fault = found.faults.find(one => one.dependency === dependency)
    // The key is compared only where the schema and the rights allow it.
    if (dependency === 'master_key' && fault === undefined && found.faults.length > 0)
      return { status: 'unknown', latency_ms, reason: null }
    return { status: fault ? 'unusable' : 'ok', latency_ms, reason: fault?.says ?? null }
  }
  return { schema: of('schema'), role: of('role'), master_key: of('master_key') }
}

/** A stalled consumer counts only if it still holds items: without any it may just be asleep. */
function turnsOf(
  turns: Record<Turner, Turn> | undefined,
  state: DatabaseState | undefined,
): Record<Turner, Turn> {
  if (turns === undefined) return UNKNOWN_TURNS
  const { consumer } = turns
  if (consumer.status !== 'stalled' || state?.is_anything_held !== false) return turns
  return { ...turns, consumer: { ...consumer, status: 'none' } }
}

const TOO_LATE = Symbol('too late')

async function asked<T>(
  ctx: Context,
  store: StoreName,
  ask: () => Promise<T>,
  /** What the store fails to do, although it answers. */
  lackOf: (found: T) => unknown,
  trouble: Promise<unknown> = new Promise(() => {}),
): Promise<Probe<T>> {
  const started_ms = ctx.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(TOO_LATE), LIMITS.ready_ms)
  })
  const answer = ask()
  answer.catch(() => {}) // may still fail after the time is over
  const failed = trouble.then(reason => Promise.reject(reason))
  failed.catch(() => {})
  try {
    const found = await Promise.race([answer, failed, late])
    const lack = lackOf(found)
    const state = lack === undefined ? WELL : faultOf(lack, store)
    return { ...state, latency_ms: sinceMs(ctx.now(), started_ms), found }
  } catch (error) {
    // The reason why the connection broke off says more than that it did.
    const reason = await Promise.race([trouble, Promise.resolve(error)])
    return { ...faultOf(reason, store), latency_ms: sinceMs(ctx.now(), started_ms), found: undefined }
  } finally {
    clearTimeout(timer)
  }
}

const WELL = { status: 'ok', reason: null } as const

function faultOf(error: unknown, store: StoreName): Omit<Found, 'latency_ms'> {
  if (error === LOST) return { status: 'degraded', reason: SAY_LOST }
  if (isFull(error)) return { status: 'unreachable', reason: SAY_FULL }
  const fault = storeFault(error, store)
  if (fault !== undefined) return { status: statusOf(fault), reason: `${fault.says}: ${fault.fix}` }
  const code = codeOf(error)
  const reason =
    error === TOO_LATE
      ? `did not answer within ${LIMITS.ready_ms / 1000} s`
      : `cannot be reached${code && ` (${code})`}`
  return { status: 'unreachable', reason, saysLittle: true }
}

type Steady = (store: StoreName, found: Found, now_ms: number) => Dependency

const steadiers = new WeakMap<Context['sql'], Steady>()

function steadierOf(host: Context['sql']): Steady {
  const steady = steadiers.get(host) ?? steadyReasons()
  steadiers.set(host, steady)
  return steady
}

/**
 * A store that is away fails now in one way and now in another, as the pooler before it tries again. While it stays
 * unreachable, the reason that says most is kept, until it was not met for LIMITS.ready_reason_ms.
 */
function steadyReasons(): Steady {
  const kept = new Map<string, { reason: string; saysLittle: boolean; met_ms: number }>()
  return (store, found, now_ms) => {
    const before = kept.get(store)
    if (found.status !== 'unreachable' || found.reason === null) {
      kept.delete(store)
      return reported(found)
    }
    const isMet = before?.reason === found.reason
    const saysLittle = found.saysLittle === true
    const saysMore = before?.saysLittle === true && !saysLittle
    const isOver = before === undefined || sinceMs(now_ms, before.met_ms) >= LIMITS.ready_reason_ms
    if (!isMet && !saysMore && !isOver) return { ...reported(found), reason: before.reason }
    kept.set(store, { reason: found.reason, saysLittle, met_ms: now_ms })
    return reported(found)
  }
}

const statusOf = ({ isPartial, passes }: StoreFault) =>
  isPartial ? 'degraded' : passes ? 'unreachable' : 'unusable'

const last = new WeakMap<Context['sql'], string>()

/** Logs one line for each change, however often the probe is called. */
function logOnce(ctx: Context, message: string, isReady: boolean): void {
  if ((last.get(ctx.sql) ?? '') === message) return
  last.set(ctx.sql, message)
  if (message === '') ctx.log('info', 'ready_again')
  else ctx.log('warn', isReady ? 'degraded' : 'not_ready', { error: message })
}
