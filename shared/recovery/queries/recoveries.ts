// Reads and writes recoveries and the runs they make. Guarantee: a caller that advances a recovery holds the lock of
// its row, so each step is taken once; the work that is left always follows from what is stored.

import { and, desc, eq, inArray, lt } from 'drizzle-orm'
import type { PendingQuery, Row } from 'postgres'
import { projects } from '../../accounts/tables/projects.ts'
import type { Database, Sql } from '../../context.ts'
import { projectOf, rowsOfKeys } from '../../items/queries/item-keys.ts'
import { countMoves, endedItemsOf } from '../../items/queries/transitions.ts'
import { runs } from '../../items/tables/runs.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { columnsOf } from '../../kernel/packed-columns.ts'
import { canBeReplayed, replayInTheWay, triageConditions } from '../../triage/queries/triage.ts'
import type { TriageAction } from '../../triage/vocabulary.ts'
import type { CauseDecisionSource } from '../../triage/wire/causes.ts'
import { type RecoveryFilter, recoveries } from '../tables/recovery.ts'
import type { DeploymentChoice, Exclusion, RecoveryStatus } from '../vocabulary.ts'
import type { RecoveryRow, RecoveryRunRow } from '../wire/recoveries.ts'

/**
 * Condition: rows of triage that pass a recovery's filter and are older than the recovery, so none of its own failures.
 * Reviews of items that worked are left out: people answer them one by one.
 */
export const inTriage = (sql: Sql, projectId: string, filter: RecoveryFilter, recoveryId?: string) => sql`
  t.project_id = ${projectId} and t.lane <> 'review' ${triageConditions(sql, filter)}
  ${filter.kind === undefined ? sql`` : sql`and t.lane = ${filter.kind}`}
  ${filter.from === undefined ? sql`` : sql`and t.created_at >= ${filter.from}::text::timestamptz`}
  ${filter.to === undefined ? sql`` : sql`and t.created_at < ${filter.to}::text::timestamptz`}
  ${recoveryId === undefined ? sql`` : sql`and t.created_at < (select created_at from recoveries where project_id = ${projectId} and id = ${recoveryId})`}
  and t.agent_id = any(array(select id from agents where project_id = ${projectId} and deleted_at is null))`

/**
 * Condition: cancelled items `i` of an ended run `r`. For `not_ok`, a stopped run of which only held items are left counts
 * as ended, and items that a person dismissed in a run that went on are left out.
 */
export const cancelled = (
  sql: Sql,
  projectId: string,
  { run_id, agent_id, partition_key, status }: RecoveryFilter,
) => sql`
  i.project_id = ${projectId} and i.run_id = ${run_id!} and i.status = 'cancelled'
  and r.project_id = ${projectId} and r.id = i.run_id
  and ${status === 'not_ok' ? sql`(r.finished_at is not null or ${isStopped(sql)})` : sql`r.finished_at is not null`} and (
    select deleted_at is null from agents a where a.project_id = r.project_id and a.id = r.agent_id)
  ${
    status === 'not_ok'
      ? sql`and (r.stop_reason is not distinct from 'cancelled' or not coalesce((
          select t.disposition = 'dismissed' from triage t
          where t.project_id = i.project_id and t.run_id = i.run_id and t.seq = i.seq), false))`
      : sql``
  }
  ${agent_id === undefined ? sql`` : sql`and r.agent_id = ${agent_id}`}
  ${partition_key === undefined ? sql`` : sql`and i.partition_key = ${partition_key}`}`

/** Condition: the run `r` was stopped, and nothing of it moves any more. */
const isStopped = (sql: Sql) => sql`
  (r.stop_reason is not null and r.running = 0 and r.paused + ${sql.unsafe(endedItemsOf('r'))} = r.total_items)`

/**
 * Condition: the row of triage `t` is of a held item that can only be run again, because its run `r` was stopped. Only
 * with `not_ok`: otherwise held items are left to people.
 */
const isGivenUp = (sql: Sql, { status }: RecoveryFilter) =>
  status === 'not_ok' ? sql`(t.lane = 'quarantine' and ${isStopped(sql)})` : sql`false`

/** Condition: the row of triage `t`, with its run `r`, is replayed by a cohort. */
export const isReplayed = (sql: Sql, filter: RecoveryFilter) => sql`
  (t.lane = 'dlq' or ${isGivenUp(sql, filter)}) and t.disposition is null`

export interface Cohort {
  agent_id: string
  /** The deployment that the items ran with. */
  deployment_id: string | null
  standing: 'eligible' | Exclusion
  held: boolean
  count: number
}

/**
 * For a row of triage `t` and its run `r`: `eligible`, or why the row does not accept an action. An acknowledged row
 * has left the feed, and can still be dismissed, resumed or called wrong; a cohort's replay leaves it to people.
 */
export const standingFor: Record<TriageAction, (sql: Sql, filter: RecoveryFilter) => PendingQuery<Row[]>> = {
  replay: (sql, filter) => sql`case
    when t.disposition is not null then t.disposition::text
    when t.lane = 'quarantine' and not ${isGivenUp(sql, filter)} then 'held'
    when r.payloads_purged_at is not null then 'purged' else 'eligible' end`,
  resume: sql => sql`case
    when t.disposition <> 'acknowledged' then t.disposition::text
    when t.lane <> 'quarantine' then 'not_held'
    when r.stop_reason is not null or r.finished_at is not null then 'run_ended' else 'eligible' end`,
  acknowledge: sql => sql`coalesce(t.disposition::text, 'eligible')`,
  dismiss: sql => sql`case when t.disposition <> 'acknowledged' then t.disposition::text else 'eligible' end`,
  wrong: sql => sql`case
    when t.disposition <> 'acknowledged' then t.disposition::text
    when t.lane <> 'dlq' or t.error_code is not null then 'not_judged' else 'eligible' end`,
}

/**
 * How many items pass a filter, by agent, deployment and whether they accept the action. The count is exact, so its
 * cost grows with the items that pass: a third of a microsecond an item. Items are counted by run before the join.
 */
export async function countCohort(
  sql: Sql,
  projectId: string,
  filter: RecoveryFilter,
  action: TriageAction = 'replay',
) {
  const left = filter.status === undefined ? [] : await countCancelled(sql, projectId, filter)
  if (filter.status === 'cancelled') return left
  const waiting = await sql<Cohort[]>`
    select t.agent_id, r.deployment_id, t.lane = 'quarantine' as held, sum(t.items)::int as count,
      ${standingFor[action](sql, filter)} as standing
    from (
      select t.run_id, t.agent_id, t.disposition, t.lane, t.error_code, count(*) as items
      from triage t where ${inTriage(sql, projectId, filter)} group by 1, 2, 3, 4, 5
    ) t join runs r on r.project_id = ${projectId} and r.id = t.run_id group by 1, 2, 3, 5`
  return [...left, ...waiting]
}

const countCancelled = (sql: Sql, projectId: string, filter: RecoveryFilter) => sql<Cohort[]>`
  select r.agent_id, r.deployment_id, false as held, count(*)::int as count, case
    when r.payloads_purged_at is not null then 'purged'
    when ${replayInTheWay(sql, 'i')} then 'replayed' else 'eligible' end as standing
  from items i, runs r where ${cancelled(sql, projectId, filter)} group by 1, 2, 5`

export interface CohortItem extends ItemKey {
  agent_id: string
  /** The deployment that the item ran with. */
  deployment_id: string | null
  /** It is held, and ends before it is copied. */
  held: boolean
}

/**
 * The next items of a recovery, the longest waiting first; `in_feed` if they wait in triage. Nothing is locked. All that
 * were cancelled come before those in triage, because they are found behind the last copy.
 */
export async function nextOfCohort(
  sql: Sql,
  recovery: OpenRecovery,
  limit: number,
): Promise<{ in_feed: boolean; items: CohortItem[] }> {
  if (recovery.filter.status !== undefined) {
    const items = await nextCancelled(sql, recovery, limit)
    if (items.length > 0 || recovery.filter.status === 'cancelled') return { in_feed: false, items }
  }
  return { in_feed: true, items: await nextInTriage(sql, recovery, limit) }
}

function nextInTriage(sql: Sql, { id, project_id, filter }: OpenRecovery, limit: number) {
  return sql<CohortItem[]>`
    select c.project_id, c.run_id, c.seq, r.agent_id, r.deployment_id, c.held from (
      select t.project_id, t.run_id, t.seq, t.created_at, t.lane = 'quarantine' as held
      from triage t ${filter.status === undefined ? sql`` : sql`join runs r on r.project_id = t.project_id and r.id = t.run_id`}
      where ${isReplayed(sql, filter)} and ${inTriage(sql, project_id, filter, id)} and ${canBeReplayed(sql, 't')}
      order by t.created_at, t.run_id, t.seq limit ${limit}
    ) c join runs r on r.project_id = c.project_id and r.id = c.run_id
    order by c.created_at, c.run_id, c.seq`
}

/** Cancelled items have no mark that they were copied, so this continues behind the original of the last copy. */
async function nextCancelled(sql: Sql, recovery: OpenRecovery, limit: number) {
  const { project_id, filter, pilot_run_ids, run_ids } = recovery
  return sql<CohortItem[]>`
    select i.project_id, i.run_id, i.seq, r.agent_id, r.deployment_id, false as held from items i, runs r
    where ${cancelled(sql, project_id, filter)} and ${canBeReplayed(sql, 'i')}
      and i.seq > coalesce((
        select max(last.from_seq) from unnest(${[...pilot_run_ids, ...run_ids]}::uuid[]) as made(id), lateral (
          select p.from_seq from replays p where p.project_id = ${project_id} and p.run_id = made.id order by p.seq desc limit 1) last), 0)
    order by i.seq limit ${limit}`
}

export interface NewRecovery {
  id: string
  project_id: string
  name: string | null
  action: TriageAction
  filter: RecoveryFilter
  eligible: number
  first: number | null
  deployment: DeploymentChoice
  budget_micro: number | null
  created_by?: StartedBy
  status: RecoveryStatus
}

export async function insertRecovery(sql: Sql, recovery: NewRecovery): Promise<void> {
  const { filter, created_by } = recovery
  const row = {
    ...recovery,
    filter: sql.json(filter as never),
    ...(created_by && { created_by: sql.json({ ...created_by }) }),
  }
  await sql`insert into recoveries ${sql(row as never)}`
}

export type OpenRecovery = typeof recoveries.$inferSelect

export type RecoveryKey = Pick<OpenRecovery, 'project_id' | 'id'>
const isIt = (sql: Sql, { project_id, id }: RecoveryKey) => sql`project_id = ${project_id} and id = ${id}`

/** An open recovery under the lock of its row; undefined when it has ended or somebody else advances it. */
export async function lockRecovery(sql: Sql, key: RecoveryKey): Promise<OpenRecovery | undefined> {
  const [row] = await sql<OpenRecovery[]>`
    select ${sql(columnsOf(recoveries, 'recoveries'))} from recoveries
    where ${isIt(sql, key)} and finished_at is null for no key update skip locked`
  return row
}

type Changes = Partial<Pick<OpenRecovery, 'status' | 'pilot_better' | 'reused'>>
const ENDS: readonly RecoveryStatus[] = ['completed', 'stopped', 'aborted']

export async function updateRecovery(sql: Sql, key: RecoveryKey, changes: Changes): Promise<void> {
  const { reused, ...others } = changes
  const set = { ...others, ...(reused !== undefined && { reused: sql.json(reused as never) }) }
  const ends = changes.status !== undefined && ENDS.includes(changes.status)
  await sql`
    update recoveries set ${sql(set as never)} ${ends ? sql`, finished_at = now()` : sql``} where ${isIt(sql, key)}`
}

/** One of a recovery's two lists of runs. */
export type Part = 'pilot_run_ids' | 'run_ids'

export async function addRun(sql: Sql, key: RecoveryKey, part: Part, runId: string): Promise<void> {
  await sql`update recoveries set ${sql(part)} = ${sql(part)} || ${runId}::uuid where ${isIt(sql, key)}`
}

/** Asks an open recovery to end; false when it has ended. Waits for a step of it that is under way. */
export async function abortRecovery(sql: Sql, key: RecoveryKey): Promise<boolean> {
  const result = await sql`
    update recoveries set status = 'aborting' where ${isIt(sql, key)} and finished_at is null`
  return result.count === 1
}

export interface ReplayRunState {
  id: string
  agent_id: string
  deployment_id: string | null
  materializing: boolean
  finished: boolean
  total_items: number
  ok: number
  failed: number
  failed_before: number
  cost_micro: number
}

/**
 * The state of replay runs, and how many originals of each finished run had failed. A run that was deleted meanwhile,
 * with its agent or by retention, is left out: there is nothing to wait for.
 */
export async function findReplayRuns(sql: Sql, project_id: string, ids: readonly string[]) {
  return sql<ReplayRunState[]>`
    select id, agent_id, deployment_id, materializing, finished_at is not null as finished, total_items, ok,
      failed + budget_exceeded as failed, cost_micro,
      case when finished_at is null then 0 else (
        select count(*)::int from replays p
          join items o on o.project_id = p.project_id and o.run_id = p.from_run_id and o.seq = p.from_seq
        where p.project_id = ${project_id} and p.run_id = runs.id and o.outcome = 'failed') end as failed_before
    from runs where project_id = ${project_id} and id = any(${[...ids]}::uuid[]) order by id`
}

/** Deletes runs without items: somebody else decided about these before they were copied. */
export async function deleteEmptyRuns(sql: Sql, key: RecoveryKey, part: Part): Promise<void> {
  await sql`
    with gone as (
      delete from runs where project_id = ${key.project_id} and materializing and total_items = 0
        and id in (select unnest(${sql(part)}) from recoveries where ${isIt(sql, key)}) returning id
    )
    update recoveries set ${sql(part)} = array(
      select made from unnest(${sql(part)}) as made where made not in (select id from gone))
    where ${isIt(sql, key)}`
}

/** Originals whose copies were cancelled, to be returned to triage. */
export async function findCancelledCopies(sql: Sql, { project_id, run_id }: RunKey, limit: number) {
  return sql<ItemKey[]>`
    select p.project_id, p.from_run_id as run_id, p.from_seq as seq
    from items n join replays p on p.project_id = n.project_id and p.run_id = n.run_id and p.seq = n.seq
      join triage t on t.project_id = p.project_id and t.run_id = p.from_run_id and t.seq = p.from_seq
    where n.project_id = ${project_id} and n.run_id = ${run_id} and n.status = 'cancelled' and t.disposition = 'replayed'
      and t.lane = 'dlq' and ${canBeReplayed(sql, 't')}
    order by n.seq limit ${limit}`
}

/** Puts originals back into the feed. Their runs must be locked. */
export async function returnToFeed(sql: Sql, keys: readonly ItemKey[]): Promise<void> {
  await sql`
    with back as (
      update triage t set disposition = null, decided_at = null,
      decided_by = null
      from ${rowsOfKeys(sql, keys)}
      where t.project_id = ${projectOf(keys)} and t.run_id = k.run_id and t.seq = k.seq and t.disposition = 'replayed'
      returning t.run_id, t.lane
    )
    update runs r set ${sql.unsafe(countMoves({ reopen: 'b.n' }))}
    from (select run_id, count(*)::int as n from back where lane = 'dlq' group by 1) b
    where r.project_id = ${projectOf(keys)} and r.id = b.run_id`
}

export interface RecoveryScope {
  account_id: string
  project_id: string | null
  before_id?: string | undefined
  limit: number
}

/** Newest first. */
export async function listRecoveries(db: Database, scope: RecoveryScope): Promise<RecoveryRow[]> {
  const rows = await db
    .select({ recovery: recoveries })
    .from(recoveries)
    .innerJoin(projects, eq(projects.id, recoveries.project_id))
    .where(
      and(
        eq(projects.account_id, scope.account_id),
        scope.project_id === null ? undefined : eq(recoveries.project_id, scope.project_id),
        scope.before_id === undefined ? undefined : lt(recoveries.id, scope.before_id),
      ),
    )
    .orderBy(desc(recoveries.id))
    .limit(scope.limit)
  return withRuns(db, rows)
}

/** The newest decisions about all items of a cause, among the newest recoveries of its project. */
export async function findDecisionsOfCause(sql: Sql, project_id: string, cause_id: string) {
  return sql<CauseDecisionSource[]>`
    select id as recovery_id, action, eligible, created_by, created_at from (
      select id, action, eligible, created_by, created_at, filter from recoveries
      where project_id = ${project_id} order by id desc limit ${LIMITS.recoveries_looked_at}
    ) newest where filter->>'cause_id' = ${cause_id} order by id desc limit ${LIMITS.failure_groups}`
}

export async function findRecovery(
  db: Database,
  account_id: string,
  id: string,
): Promise<RecoveryRow | undefined> {
  const rows = await db
    .select({ recovery: recoveries })
    .from(recoveries)
    .innerJoin(projects, eq(projects.id, recoveries.project_id))
    .where(and(eq(projects.account_id, account_id), eq(recoveries.id, id)))
  const [found] = await withRuns(db, rows)
  return found
}

type Found = { recovery: typeof recoveries.$inferSelect }

async function withRuns(db: Database, rows: Found[]): Promise<RecoveryRow[]> {
  const idsOf = ({ recovery }: Found) => [...recovery.pilot_run_ids, ...recovery.run_ids]
  const ids = rows.flatMap(idsOf)
  const found: RecoveryRunRow[] =
    ids.length === 0 ? [] : await db.select().from(runs).where(inArray(runs.id, ids))
  const runOf = new Map(found.map(run => [run.id, run]))
  return rows.map(row => ({ ...row.recovery, runs: idsOf(row).flatMap(id => runOf.get(id) ?? []) }))
}
