// Reads and changes schedules for callers; occurrences.ts fires them. Both lock the row of a schedule before they write
// anything that belongs to it.

import { and, desc, eq, getTableColumns, inArray, lt, or, sql } from 'drizzle-orm'
import { placesOf } from '../../accounts/queries/projects.ts'
import { projects } from '../../accounts/tables/projects.ts'
import { agents } from '../../agents/tables/agents.ts'
import { askProjects } from '../../cluster/queries/distributed.ts'
import type { Context, Database } from '../../context.ts'
import { runs } from '../../items/tables/runs.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { withinPage } from '../../kernel/page-bytes.ts'
import { sourceReads } from '../../sources/tables/sources.ts'
import { occurrences, schedules } from '../tables/schedules.ts'
import type { DisabledReason } from '../vocabulary.ts'
import type { ScheduleRow } from '../wire/schedules.ts'

export type NewSchedule = typeof schedules.$inferInsert
/** What an update may write. Enabling and disabling have statements of their own. */
export type ScheduleColumns = {
  [K in Exclude<
    keyof NewSchedule,
    | 'id'
    | 'project_id'
    | 'agent_id'
    | 'enabled'
    | 'disabled_reason'
    | 'last_run_at'
    | 'created_at'
    | 'updated_at'
  >]?: NewSchedule[K] | undefined
}

/** PostgreSQL computes it without reading an input that is stored out of line. */
const INPUT_BYTES = sql<number>`octet_length(${schedules.input})`
const BYTES_BEFORE = sql<number>`sum(${INPUT_BYTES}) over (order by ${schedules.id} desc) - ${INPUT_BYTES}`

/** Schedules with their latest occurrence, including those of a deleted agent until the tick has removed them. */
function selectSchedules(db: Database, project_ids: readonly string[]) {
  // On a cluster, a project named in the condition routes the query to its node.
  const only = project_ids.length === 1 ? project_ids[0]! : schedules.project_id
  const last = db
    .select()
    .from(occurrences)
    .where(and(eq(occurrences.project_id, only), eq(occurrences.schedule_id, schedules.id)))
    .orderBy(desc(occurrences.scheduled_for), desc(occurrences.manual))
    .limit(1)
    .as('last')
  return db
    .select({
      ...getTableColumns(schedules),
      bytes: INPUT_BYTES,
      agent_slug: agents.slug,
      last_event: {
        schedule_id: last.schedule_id,
        scheduled_for: last.scheduled_for,
        occurred_at: last.occurred_at,
        outcome: last.outcome,
        reason: last.reason,
        detail: last.detail,
        run_id: last.run_id,
        tries: last.tries,
        retry_at: last.retry_at,
      },
      last_event_run: getTableColumns(runs),
    })
    .from(schedules)
    .innerJoin(projects, eq(projects.id, schedules.project_id))
    .innerJoin(agents, and(eq(agents.project_id, only), eq(agents.id, schedules.agent_id)))
    .leftJoinLateral(last, sql`true`)
    .leftJoin(runs, and(eq(runs.project_id, only), eq(runs.id, last.run_id)))
}

export interface ScheduleFilter {
  project_ids: readonly string[]
  agent_id?: string | undefined
  before_id?: string | undefined
  limit: number
}

/** Newest first: those whose input begins within the page's byte limit. */
export async function listSchedules(
  { sql, db }: Pick<Context, 'sql' | 'db'>,
  filter: ScheduleFilter,
): Promise<ScheduleRow[]> {
  const { agent_id, before_id, limit } = filter
  const ask = (ids: readonly string[]) => {
    const found = db
      .select({ id: schedules.id, bytes_before: BYTES_BEFORE.as('bytes_before') })
      .from(schedules)
      .where(
        and(
          inArray(schedules.project_id, [...ids]),
          agent_id === undefined ? undefined : eq(schedules.agent_id, agent_id),
          before_id === undefined ? undefined : lt(schedules.id, before_id),
        ),
      )
      .orderBy(desc(schedules.id))
      .limit(limit)
      .as('found')
    return selectSchedules(db, ids)
      .innerJoin(found, eq(found.id, schedules.id))
      .where(and(inArray(schedules.project_id, [...ids]), lt(found.bytes_before, LIMITS.page_bytes)))
      .orderBy(desc(schedules.id))
  }
  const compare = (a: ScheduleRow, b: ScheduleRow) => (a.id < b.id ? 1 : -1)
  return withinPage(await askProjects(sql, filter.project_ids, ask, { limit, compare }))
}

/** `own` is the only project that the caller may see; null if it may see all of the account. */
export async function findSchedule(
  db: Database,
  account_id: string,
  id: string,
  own: string | null,
): Promise<ScheduleRow | undefined> {
  for (const place of placesOf(own)) {
    const project_id = place ?? (await projectOfSchedule(db, account_id, id))
    if (project_id === undefined) continue
    const [row] = await selectSchedules(db, [project_id]).where(isSchedule({ project_id, id }))
    if (row !== undefined) return row
  }
  return undefined
}

async function projectOfSchedule(db: Database, account_id: string, id: string): Promise<string | undefined> {
  const [row] = await db
    .select({ project_id: schedules.project_id })
    .from(schedules)
    .innerJoin(projects, eq(projects.id, schedules.project_id))
    .where(and(eq(projects.account_id, account_id), eq(schedules.id, id)))
  return row?.project_id
}

/** Names a schedule by its project too, which says where a cluster has it. */
export interface ScheduleKey {
  project_id: string
  id: string
}

const isSchedule = ({ project_id, id }: ScheduleKey) =>
  and(eq(schedules.project_id, project_id), eq(schedules.id, id))

/**
 * The agent's schedules that its code declared or that have one of the crons, locked until the transaction ends. An
 * input that is longer than code may declare is null.
 */
export function lockSchedulesOfAgent(
  db: Database,
  { project_id, agent_id }: { project_id: string; agent_id: string },
  crons: readonly string[],
) {
  const { id, cron, timezone, source, source_headers_sealed, results, enabled, declared } = schedules
  const input = sql<string | null>`case when octet_length(${schedules.input}) <= ${LIMITS.configuration_bytes}
    then ${schedules.input} end`
  return db
    .select({ id, cron, timezone, source, source_headers_sealed, results, enabled, declared, input })
    .from(schedules)
    .where(
      and(
        eq(schedules.project_id, project_id),
        eq(schedules.agent_id, agent_id),
        or(schedules.declared, inArray(schedules.cron, [...crons])),
      ),
    )
    .orderBy(schedules.id)
    .for('no key update')
}

/** A schedule, locked until the transaction ends; undefined when it is gone. */
export async function lockSchedule(db: Database, key: ScheduleKey) {
  const [row] = await db.select().from(schedules).where(isSchedule(key)).for('no key update')
  return row
}

/** The database's clock, in milliseconds. */
export async function readClock(db: Database): Promise<number> {
  const [row] = await db.execute<{ ms: string }>(sql`select extract(epoch from now()) * 1000 as ms`)
  return Number(row!.ms)
}

/** False when the agent already has a schedule with this cron. */
export async function insertSchedule(db: Database, schedule: NewSchedule): Promise<boolean> {
  const rows = await db
    .insert(schedules)
    .values(schedule)
    .onConflictDoNothing()
    .returning({ id: schedules.id })
  return rows.length === 1
}

/** False when the agent has another schedule with this cron; the transaction can then only be rolled back. */
export async function updateSchedule(
  db: Database,
  key: ScheduleKey,
  changes: ScheduleColumns,
): Promise<boolean> {
  try {
    await db
      .update(schedules)
      .set({ ...changes, updated_at: sql`now()` })
      .where(isSchedule(key))
    return true
  } catch (error) {
    if (!violates(error, 'schedules_agent_cron')) throw error
    return false
  }
}

/** Whether an error from Drizzle violates that key. A cluster names it only in the message, with a shard number. */
const violates = (error: unknown, key: string) => {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  return cause?.code === '23505' && (cause.message ?? '').includes(key)
}

export async function enableSchedule(db: Database, key: ScheduleKey, next_at: Date): Promise<void> {
  await db
    .update(schedules)
    .set({ enabled: true, disabled_reason: null, next_at, updated_at: sql`now()` })
    .where(isSchedule(key))
}

/** Stops the schedule from firing and ends its retries; an occurrence that waited for one keeps its outcome. */
export async function disableSchedule(db: Database, key: ScheduleKey, reason: DisabledReason): Promise<void> {
  const { project_id, id } = key
  await db
    .update(schedules)
    .set({ enabled: false, disabled_reason: reason, next_at: null, updated_at: sql`now()` })
    .where(isSchedule(key))
  await db
    .update(occurrences)
    .set({ retry_at: null })
    .where(
      and(
        eq(occurrences.project_id, project_id),
        eq(occurrences.schedule_id, id),
        sql`${occurrences.retry_at} is not null`,
      ),
    )
  // A read of an occurrence with a row would now find it decided, and would be started again forever. A read that was
  // never tried continues: its fire time came while the schedule was enabled.
  await db.delete(sourceReads).where(
    and(
      eq(sourceReads.project_id, project_id),
      eq(sourceReads.schedule_id, id),
      sql`exists (select 1 from ${occurrences} o where o.project_id = ${sourceReads.project_id} and o.schedule_id = ${sourceReads.schedule_id}
        and o.scheduled_for = ${sourceReads.scheduled_for} and not o.manual)`,
    ),
  )
}

/** Deletes a schedule with all its occurrences; its runs stay. */
export async function deleteSchedule(db: Database, key: ScheduleKey): Promise<void> {
  await db.delete(schedules).where(isSchedule(key))
}

/** Records fire times that passed without an attempt as missed; a fire time that has its row keeps it. */
export async function insertMissed(
  db: Database,
  of: { schedule_id: string; project_id: string },
  moments: readonly Date[],
): Promise<void> {
  if (moments.length === 0) return
  const missed = { ...of, outcome: 'missed', reason: 'overdue' } as const
  const rows = moments.map(scheduled_for => ({ ...missed, scheduled_for }))
  await db.insert(occurrences).values(rows).onConflictDoNothing()
}

export interface EventFilter {
  project_id: string
  schedule_id: string
  /** PostgreSQL's own text of the last row's time, and whether it was fired by hand. */
  before?: [scheduled_for: string, manual: string] | undefined
  limit: number
}

/** A schedule's occurrences with their runs, the latest first. */
export function listOccurrences(db: Database, { project_id, schedule_id, before, limit }: EventFilter) {
  const place = sql`(${occurrences.scheduled_for}, ${occurrences.manual})`
  return db
    .select({
      ...getTableColumns(occurrences),
      run: getTableColumns(runs),
      key: sql<string>`${occurrences.scheduled_for}::text`,
    })
    .from(occurrences)
    .leftJoin(runs, and(eq(runs.project_id, project_id), eq(runs.id, occurrences.run_id)))
    .where(
      and(
        eq(occurrences.project_id, project_id),
        eq(occurrences.schedule_id, schedule_id),
        before && sql`${place} < (${before[0]}::timestamptz, ${before[1]}::boolean)`,
      ),
    )
    .orderBy(desc(occurrences.scheduled_for), desc(occurrences.manual))
    .limit(limit)
}
