// Removes what projects no longer keep: steps, items' inputs and outputs, whole runs, logs of schedules and alerts.
// Guarantee: only what has ended is removed; the statement that decides it also marks the run with what it has lost,
// and the rows follow in bounded pieces.

import type { Fragment } from 'postgres'
import type { ProjectSettings } from '../../accounts/tables/projects.ts'
import type { Sql } from '../../context.ts'
import { CLOCK } from '../../items/queries/transitions.ts'
import { changeInEach } from '../../kernel/each-project.ts'
import { firstIdAt, type RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'
import type { PurgeKind } from '../vocabulary.ts'
import { dropSpentWeek, weekStart } from './partitions.ts'
import { type Runs, removeRunRows, removeRuns } from './removal.ts'

const DAY_MS = 24 * 3600 * 1000

/** Marks runs past their retention, counted from their submission; returns how many it marked. */
export async function markSpentRuns(sql: Sql, nowMs: number, limit: number): Promise<number> {
  const projects = await sql<{ id: string; settings: ProjectSettings }[]>`
    select id, settings from projects
    where settings ?| array['step_retention_days', 'payload_retention_days', 'record_retention_days']`
  let marked = 0
  for (const { id, settings } of projects) {
    const { step_retention_days, payload_retention_days, record_retention_days } = settings
    // A retention that reaches back before 1970 removes nothing: no id is older.
    const before = (days: number) => Math.max(0, nowMs - days * DAY_MS)
    // Steps are removed by whole weeks, so that those of a week can be dropped with their partition.
    if (step_retention_days)
      marked += await mark(sql, 'steps', id, weekStart(before(step_retention_days)), limit)
    if (payload_retention_days)
      marked += await mark(sql, 'payloads', id, before(payload_retention_days), limit)
    if (record_retention_days) marked += await mark(sql, 'records', id, before(record_retention_days), limit)
  }
  return marked
}

/** Marks ended runs that lose their steps, their payloads or all their rows; returns how many it marked. */
async function mark(sql: Sql, kind: PurgeKind, project_id: string, beforeMs: number, limit: number) {
  const isSpent = sql`project_id = ${project_id} and finished_at is not null
    and ${kind === 'records' ? notMarked(sql, project_id) : sql`${sql(`${kind}_purged_at`)} is null`} ${allIndexed(sql)}`
  const spent = await sql<{ id: string }[]>`
    select id from runs where id < ${firstIdAt(beforeMs)} and ${isSpent} order by id limit ${limit}`
  if (spent.length === 0) return 0
  return sql.begin(async tx => {
    const marked = await tx<{ id: string }[]>`
      update runs set ${PURGED_AT[kind](sql)} from ${sql.unsafe(CLOCK)}
      where id = any(${lockedIds(sql, 'runs', sql`id = any(${spent.map(({ id }) => id)}::uuid[]) and ${isSpent}`)})
        and ${isSpent} returning id`
    const ids = marked.map(({ id }) => id)
    if (kind !== 'payloads')
      await tx`delete from run_step_errors where project_id = ${project_id} and run_id = any(${ids}::uuid[])`
    await tx`
      insert into purges (project_id, run_id, kind) select ${project_id}::uuid, id, ${kind} from unnest(${ids}::uuid[]) as g(id)
      on conflict do nothing`
    return ids.length
  })
}

const PURGED_AT: Record<PurgeKind, (sql: Sql) => Fragment> = {
  steps: sql => sql`steps_purged_at = clock.at`,
  payloads: sql => sql`payloads_purged_at = clock.at`,
  records: sql => sql`steps_purged_at = coalesce(steps_purged_at, clock.at),
    payloads_purged_at = coalesce(payloads_purged_at, clock.at)`,
}

const notMarked = (sql: Sql, project_id: string) => sql`not exists (
  select 1 from purges where project_id = ${project_id} and run_id = runs.id and kind = 'records')`

/** Excludes runs with steps that are not indexed yet: steps counted after this would stay counted for good. */
const allIndexed = (sql: Sql) => sql`and not exists (
  select 1 from unindexed_steps u where u.project_id = runs.project_id and u.run_id = runs.id)`

interface Purge extends RunKey {
  kind: PurgeKind
  next_seq: number
  total_items: number
}

/** Removes one bounded piece of what was marked, of one run or of several small ones; false if nothing is left. */
export async function purgePiece(sql: Sql, nowMs: number): Promise<boolean> {
  const purges = await sql<Purge[]>`
    select p.*, coalesce(r.total_items, 0) as total_items
    from purges p left join runs r on r.project_id = p.project_id and r.id = p.run_id order by p.project_id, p.run_id, p.kind limit ${LIMITS.runs_removed}`
  const [purge] = purges
  if (purge === undefined) return false
  const { project_id, run_id, kind, next_seq } = purge
  if (kind === 'steps' && next_seq === 1 && (await dropSpentWeek(sql, run_id, nowMs))) return true
  const run_ids = goingWith(purge, purges)
  const over =
    kind === 'records'
      ? await takeRecords(sql, { project_id, run_ids })
      : await takeItems(sql, { project_id, run_ids }, purge)
  await (over
    ? sql`
        delete from purges
        where project_id = ${project_id} and run_id = any(${run_ids}::uuid[]) and kind = ${kind}`
    : sql`
        update purges set next_seq = ${next_seq + LIMITS.purge_items}
        where project_id = ${project_id} and run_id = ${run_id} and kind = ${kind}`)
  return true
}

/** The runs with the same kind of purge that fit into one piece with this one; this one alone if it exceeds a piece. */
function goingWith(purge: Purge, purges: readonly Purge[]): string[] {
  // A purge of records deletes the rows that are left, not by seq, so one that was started can continue with others.
  const isWhole = ({ kind, next_seq }: Purge) => kind === 'records' || next_seq === 1
  const isSmall = (one: Purge) => isWhole(one) && one.total_items <= LIMITS.purge_items
  if (!isSmall(purge)) return [purge.run_id]
  let left = purge.kind === 'records' ? LIMITS.sweep_items : LIMITS.purge_items
  const run_ids: string[] = []
  for (const one of purges) {
    if (one.kind !== purge.kind || one.project_id !== purge.project_id || !isSmall(one)) continue
    left -= one.total_items
    if (left < 0) break
    run_ids.push(one.run_id)
  }
  return run_ids
}

async function takeItems(sql: Sql, { project_id, run_ids }: Runs, purge: Purge): Promise<boolean> {
  const { kind, next_seq, total_items } = purge
  const end = next_seq + LIMITS.purge_items
  const ids = [...run_ids]
  if (kind === 'steps')
    await sql`
      delete from steps
      where project_id = ${project_id} and run_id = any(${ids}::uuid[]) and seq >= ${next_seq} and seq < ${end}`
  else
    await sql`
      with messages as (
        update deliveries set body = null
        where project_id = ${project_id} and run_id = any(${ids}::uuid[]) and body is not null)
      update items set input = 'null', output = null
      where project_id = ${project_id} and run_id = any(${ids}::uuid[]) and seq >= ${next_seq} and seq < ${end}`
  return end > total_items
}

/** Removes the runs after all their rows. */
async function takeRecords(sql: Sql, runs: Runs): Promise<boolean> {
  if ((await removeRunRows(sql, runs, LIMITS.sweep_items)) > 0) return false
  await removeRuns(sql, runs)
  return true
}

/** A project's logs: when a row was made, and whether it is over. Each has an index by project and time. */
const LOGS = [
  { table: 'occurrences', at: 'scheduled_for', over: 'retry_at is null and watch_until is null' },
  { table: 'alerts', at: 'created_at', over: 'true' },
  { table: 'alert_marks', at: 'raised_at', over: 'true' },
] as const

/** Tables of counts per UTC day, with the days before today that are still needed. */
const DAYS = { verdict_days: LIMITS.verdicts_days + 1, model_calls: LIMITS.model_usage_days.max }

/** Removes up to `limit` rows of days that are no longer needed from each of these tables; returns how many. */
export async function removeOldDays(sql: Sql, limit: number): Promise<number> {
  let removed = 0
  for (const [table, days] of Object.entries(DAYS)) {
    const isOld = sql`day < (now() at time zone 'UTC')::date - ${days}::int`
    const look = sql`select project_id from ${sql(table)} where ${isOld} group by 1 order by random()`
    removed += await changeInEach(sql, look, limit, async (project_id, limit) => {
      const { count } = await sql`
        delete from ${sql(table)} where project_id = ${project_id} and ctid = any(array(
          select ctid from ${sql(table)} where project_id = ${project_id} and ${isOld}
          limit ${limit} for update skip locked))`
      return count
    })
  }
  return removed
}

const KEY_IS_OVER = `created_at < now() - make_interval(hours => ${LIMITS.idempotency_window_hours + 1})`

/**
 * Removes up to `limit` of each: idempotency keys that may be reused, expired sessions, API keys LIMITS.dead_keys_days
 * after they ended, entries of audit logs that are no longer kept. Returns how many it removed.
 */
export async function removeExpired(sql: Sql, nowMs: number, limit: number): Promise<number> {
  const old = firstIdAt(nowMs - LIMITS.audit_days * DAY_MS)
  const rows = {
    sessions: sql`expires_at < now() order by expires_at`,
    api_keys: sql`least(revoked_at, expires_at) < now() - make_interval(days => ${LIMITS.dead_keys_days})
      order by least(revoked_at, expires_at)`,
    audit_log: sql`id < ${old} order by id`,
  }
  let removed = await removeOldIdempotencyKeys(sql, limit)
  for (const [table, over] of Object.entries(rows)) {
    const { count } = await sql`
      delete from ${sql(table)} where id = any(array(
        select id from ${sql(table)} where ${over} limit ${limit} for update skip locked))`
    removed += count
  }
  return removed
}

function removeOldIdempotencyKeys(sql: Sql, limit: number): Promise<number> {
  const look = sql`
    select project_id from idempotency_keys where ${sql.unsafe(KEY_IS_OVER)} group by 1 order by random()`
  return changeInEach(sql, look, limit, async (project_id, limit) => {
    const { count } = await sql`
      delete from idempotency_keys where project_id = ${project_id} and ctid = any(array(
        select ctid from idempotency_keys where project_id = ${project_id} and ${sql.unsafe(KEY_IS_OVER)}
        order by created_at limit ${limit} for update skip locked))`
    return count
  })
}

/** Removes up to `limit` rows of each log that are older than their project keeps records; returns how many. */
export async function removeOldLogs(sql: Sql, limit: number): Promise<number> {
  let removed = 0
  for (const { table, at, over } of LOGS) {
    const isOver = sql`l.${sql(at)} < now() - make_interval(days =>
      coalesce((p.settings->>'record_retention_days')::int, ${LIMITS.log_days})) and ${sql.unsafe(over)}`
    const look = sql`
      select l.project_id from ${sql(table)} l join projects p on p.id = l.project_id where ${isOver}
      group by 1 order by random()`
    removed += await changeInEach(sql, look, limit, async (project_id, limit) => {
      const { count } = await sql`
        delete from ${sql(table)} where project_id = ${project_id} and ctid = any(array(
          select l.ctid from ${sql(table)} l join projects p on p.id = ${project_id}
          where l.project_id = ${project_id} and ${isOver}
          order by l.${sql(at)} limit ${limit} for update of l skip locked))`
      return count
    })
  }
  return removed
}
