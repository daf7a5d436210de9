// Runs the chores of the tick. Each is bounded, may be cut off anywhere and may run twice at once; together they repair
// what every lost notification and every dead process left. Guarantee: a sweep ends within LIMITS.sweep_ms, give or
// take a second, whatever its chores do, and no chore is left out forever; if PostgreSQL is unreachable, or has no
// connection to give, the sweep ends with the first chore that finds out.

import { readInstallationRow } from '../../accounts/queries/installation.ts'
import { findNextDue, findOpenRuns } from '../../claims/queries/open-runs.ts'
import { reapClaims } from '../../claims/queries/run-facts.ts'
import { judgePilots } from '../../claims/verbs/pilots.ts'
import type { Context } from '../../context.ts'
import { checkRuns } from '../../grading/verbs/run-checks.ts'
import { findFundedRuns, resumeFunded } from '../../items/queries/stop.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { errorText } from '../../kernel/error-text.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { isToLog } from '../../kernel/throttle.ts'
import { isUnreachable, noteTrouble } from '../../kernel/unreachable.ts'
import { deliverDue } from '../../outbox/verbs/deliver.ts'
import { beginSpendDays } from '../../prices/verbs/budgets.ts'
import { endWaitsForPrices } from '../../prices/verbs/prices.ts'
import { measureAccounts } from '../../quotas/verbs/kept-bytes.ts'
import { advanceRecoveries } from '../../recovery/verbs/recover.ts'
import { fireDue, retryFires, watchStarts } from '../../schedules/verbs/fire.ts'
import { repairNext } from '../../schedules/verbs/repair-next.ts'
import { readSources } from '../../sources/verbs/source-reader.ts'
import { indexNewSteps } from '../../traces/verbs/index-steps.ts'
import { askQuestions } from '../../triage/queries/questions.ts'
import { clusterUndispatched } from '../../triage/verbs/clusters.ts'
import { nameUnnamed } from '../../triage/verbs/name-causes.ts'
import {
  advanceUpstreams,
  endForgottenWaits,
  endPatience,
  removeUnused,
} from '../../upstreams/queries/upstreams.ts'
import { ensureStepPartitions } from '../queries/partitions.ts'
import { removeAbandoned, removeDeleted } from './removal.ts'
import { retain } from './retention.ts'
import { noteTick } from './shared-redis.ts'
import { watchForAlerts } from './watch-alerts.ts'

export interface Chore {
  name: string
  /** Returns how much it found to do. */
  run(ctx: Context): Promise<number>
  /** Runs also while the installation is held: it starts nothing, sends nothing and removes nothing. */
  evenHeld?: true
  /** Nobody waits for it: after a turn that found nothing it rests (LIMITS.chore_rest_ms). */
  rests?: true
}

export const CHORES: readonly Chore[] = [
  // First, so that after a long outage the runs that other chores start find the partition of their week.
  {
    name: 'make partitions ahead',
    run: ctx => ensureStepPartitions(ctx.sql, ctx.now()),
    evenHeld: true,
    rests: true,
  },
  { name: 'fire schedules', run: fireDue },
  { name: 'try again what a schedule could not start', run: retryFires },
  { name: 'move schedules back whose next moment is too late', run: repairNext, rests: true },
  { name: 'read the sources of schedules', run: readSources },
  { name: 'look at the first items of runs', run: judgePilots },
  { name: 'notice runs of schedules that nobody started', run: watchStarts },
  { name: 'offer again what dead consumers held', run: reap, evenHeld: true },
  { name: 'begin the days of budgets', run: beginSpendDays },
  { name: 'notice prices that runs waited for', run: endWaitsForPrices },
  { name: 'measure what accounts keep', run: measureAccounts, rests: true },
  { name: 'resume what waited for money', run: resume },
  { name: 'let items through to upstreams whose moment has come', run: ctx => advanceUpstreams(ctx.sql) },
  { name: 'offer what waits for an upstream that is open', run: ctx => endForgottenWaits(ctx.sql) },
  { name: 'end waits that took too long', run: ctx => endPatience(ctx.sql) },
  {
    name: 'remove upstreams that nobody calls',
    run: ctx => removeUnused(ctx.sql, LIMITS.sweep_items),
    rests: true,
  },
  { name: 'remove submissions that never arrived whole', run: removeAbandoned, rests: true },
  { name: 'remove what was deleted', run: removeDeleted, rests: true },
  { name: 'cluster what ended without being dispatched', run: clusterUndispatched },
  { name: 'name the causes of what ended without being dispatched', run: nameUnnamed },
  { name: 'advance recoveries', run: advanceRecoveries },
  { name: 'look at the answers of runs that ended', run: checkRuns },
  { name: 'raise alerts about runs', run: watchForAlerts },
  { name: 'send what is due to the outside', run: deliverDue },
  { name: 'take what is kept no longer', run: retain, rests: true },
  { name: 'index new steps', run: indexNewSteps, evenHeld: true },
  { name: 'ask about answers that may be refusals', run: ctx => askQuestions(ctx), evenHeld: true },
  { name: 'wake a consumer if there is work', run: wakeForWork, evenHeld: true },
]

/**
 * Runs every chore once and returns how much they found to do. A chore that fails does not stop the others. A chore
 * that takes too long continues while the others run: it is started again when it has ended, or once it counts as lost
 * (LIMITS.chore_lost_ms). Chores that there is no time for count as found, and come first in the next sweep of this
 * host.
 */
export async function sweep(ctx: Context, chores = CHORES, time_ms = Infinity): Promise<number> {
  let found = 0
  const began_ms = ctx.now()
  const leftMs = () => Math.min(LIMITS.sweep_ms, time_ms) - sinceMs(ctx.now(), began_ms)
  const isHeld = (await heldSinceOf(ctx)) instanceof Date
  const first = firstOf(ctx, chores)
  const turns = [...chores.slice(first), ...chores.slice(0, first)]
  lefts.delete(ctx.sql)
  for (const [done, chore] of turns.entries()) {
    if (leftMs() <= 0) {
      lefts.set(ctx.sql, chore.name)
      return found + turns.length - done
    }
    if (isHeld && !chore.evenHeld) continue
    const ended = await attend(ctx, chore, leftMs())
    found += ended.found
    // Every other chore would wait as long for a connection: the next sweep tries again, and begins after this chore.
    if (ended.error !== undefined && isUnreachable(ended.error) && (await heldSinceOf(ctx)) === undefined) {
      lefts.set(ctx.sql, turns[(done + 1) % turns.length]!.name)
      return found
    }
  }
  ctx.waitUntil(noteTick(ctx))
  return found
}

/**
 * For a process that sweeps every second: the chores of its next sweep, which are all but those at rest. The first time
 * it returns all of them.
 */
export function choresInTurn(chores = CHORES): (now_ms: number) => readonly Chore[] {
  const restSince = new Map<string, number>()
  const noting = chores.map(chore => {
    if (!chore.rests) return chore
    const run = async (ctx: Context) => {
      const found = await chore.run(ctx)
      if (found === 0) restSince.set(chore.name, ctx.now())
      return found
    }
    return { ...chore, run }
  })
  const atRest = (name: string, now_ms: number) => {
    const since = restSince.get(name)
    return since !== undefined && sinceMs(now_ms, since) < LIMITS.chore_rest_ms
  }
  return now_ms => noting.filter(({ name }) => !atRest(name, now_ms))
}

/** The chore that the next sweep begins with, if one did not finish, by connection pool. */
const lefts = new WeakMap<object, string>()

const firstOf = (ctx: Context, chores: readonly Chore[]): number =>
  Math.max(
    0,
    chores.findIndex(({ name }) => name === lefts.get(ctx.sql)),
  )

interface Ended {
  found: number
  error?: unknown
}

/** When running chores were started, by connection pool and name. */
const underWay = new WeakMap<object, Map<string, number>>()

async function attend(ctx: Context, { name, run }: Chore, left_ms: number): Promise<Ended> {
  const startedAt = underWay.get(ctx.sql) ?? new Map<string, number>()
  underWay.set(ctx.sql, startedAt)
  const began = ctx.now()
  const before = startedAt.get(name)
  if (before !== undefined && sinceMs(began, before) < LIMITS.chore_lost_ms) return { found: 0 }
  startedAt.set(name, began)
  const ended = run(ctx)
    .then(found => ({ found }))
    .catch((error: unknown): Ended => {
      if (!isUnreachable(error) || isToLog(ctx, `chore_failed ${error}`))
        ctx.log('warn', 'chore_failed', { chore: name, error: errorText(error) })
      noteTrouble(ctx.sql, error, ctx.now())
      return { found: 0, error }
    })
    .finally(() => {
      if (startedAt.get(name) === began) startedAt.delete(name)
    })
  const late = Promise.withResolvers<Ended>()
  const after_ms = Math.min(LIMITS.chore_ms, Math.max(LIMITS.tick_ms, left_ms))
  const timer = setTimeout(() => {
    ctx.log('warn', 'chore_late', { chore: name, after_ms })
    late.resolve({ found: 0 })
  }, after_ms)
  return Promise.race([ended, late.promise]).finally(() => clearTimeout(timer))
}

/**
 * Since when the installation is held; null if it is not, undefined if PostgreSQL does not answer in time. In that case
 * the chores that reach outside check it themselves, in their statements.
 */
async function heldSinceOf(ctx: Context): Promise<Date | null | undefined> {
  const silent = Promise.withResolvers<undefined>()
  const timer = setTimeout(silent.resolve, LIMITS.ready_ms)
  const asked = readInstallationRow(ctx.sql).catch(() => undefined)
  const row = await Promise.race([asked, silent.promise]).finally(() => clearTimeout(timer))
  return row?.held_since
}

async function reap(ctx: Context): Promise<number> {
  const began_ms = ctx.now()
  for (let found = 0; ; ) {
    await fault('reap.before_commit')
    const runs = await reapClaims(ctx.sql, LIMITS.sweep_items)
    for (const { run_id, items } of runs) ctx.log('warn', 'lease_expired', { run_id, items })
    found += runs.length
    if (runs.length === 0 || sinceMs(ctx.now(), began_ms) >= LIMITS.reap_ms) return found
  }
}

async function resume(ctx: Context): Promise<number> {
  let items = 0
  for (const run of await findFundedRuns(ctx.sql, LIMITS.open_runs_per_look))
    items += await resumeFunded(ctx.sql, run, LIMITS.sweep_items)
  return items
}

async function wakeForWork(ctx: Context): Promise<number> {
  const open = await findOpenRuns(ctx.sql, 1)
  if (open.length > 0 || (await findNextDue(ctx.sql, LIMITS.tick_ms)) !== null) ctx.notify()
  return 0 // the consumer's work, not the tick's
}
