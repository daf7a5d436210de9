// Writes a run and its pile. Items carry no foreign key: a run and its items are only ever written here, and the
// check would cost a tenth of the throughput.

import type { PendingQuery, Row } from 'postgres'
import { UNDER_BUDGET } from '../accounts/queries/budgets.ts'
import type { Sql } from '../context.ts'
import type { RunKey } from '../domain/ids.ts'
import { LIMITS } from '../domain/limits.ts'
import { ROOM, refusal } from '../items/queries/run-admission.ts'
import { type TakenAtOnceRow, takenAtOnce } from '../items/queries/taken-at-once.ts'
import type { NewItem } from '../items/rules/chunks.ts'
import type { RepeatedId } from '../items/rules/item-ids.ts'
import type { RunRefusal } from '../items/rules/run-admission.ts'
import type { AccountPlan } from '../schema/tables.ts'
import { numbers, texts } from './columns.ts'
import { type ClaimedItem, claimed } from './take.ts'

export interface NewRun {
  id: string
  project_id: string
  agent_id: string
  deployment_id: string | null
  name: string | null
  budget_micro: number | null
  concurrency: number | null
  timeout_seconds: number | null
  callback_url: string | null
  allow_unpriced: boolean
  pilot_items: number | null
  from_source: boolean
}

export interface Submitter {
  deployment_id: string | null
  /** Null where the account and the project take as many runs more as were asked for. */
  refusal: RunRefusal | null
  account_id: string
  plan: AccountPlan
  /** How many runs more its plan allows; null where it has no bound. */
  account_room: number | null
  /** How many bytes more it may keep; null likewise. */
  bytes_room: number | null
  /** Runs of the project that have not ended, counted no further than the bound. */
  open_runs: number
  open_runs_bound: number
  /** Of each item, as the agent declares, or by day or month. */
  under_budget: boolean
}

/** The agent that a submission names, if it is in the project, and whether so many runs more may be started for it. */
const submitterOf = (sql: Sql, project_id: string, agent_id: string, runs: number) => sql`
  select a.current_deployment_id as deployment_id, c.id as account_id, c.plan, room.account_room, room.bytes_room, open.n as open_runs, open.bound as open_runs_bound,
    ${sql.unsafe(UNDER_BUDGET)} as under_budget, ${refusal(sql, runs)} as refusal
  from agents a join projects p on p.id = a.project_id join accounts c on c.id = p.account_id
    left join deployments d on d.id = a.current_deployment_id, ${sql.unsafe(ROOM)}
  where a.id = ${agent_id} and a.project_id = ${project_id} and a.deleted_at is null`

export async function findSubmitter(sql: Sql, projectId: string, agentId: string, runs: number) {
  const [row] = await sql<Submitter[]>`${submitterOf(sql, projectId, agentId, runs)}`
  return row
}

export interface PileSize {
  total_items: number
  /** Of all inputs, in characters, which is near enough: claims are cut by it. */
  input_bytes: number
}

/** With its size, a run is open as soon as this is committed; without, it is materializing. */
export async function insertRun(sql: Sql, run: NewRun, size?: PileSize): Promise<void> {
  const row = { ...run, materializing: size === undefined, ...size }
  await sql`insert into runs ${sql(row)}`
}

type IdentifiedItem = NewItem & { item_id: string }

/**
 * Rows (line, item_id, partition_key, input, n) of items that are inserted in this order, n from 1. Lines that follow one
 * another, and a partition key that all have, are no columns: a column costs PostgreSQL some 0.4 µs an item.
 */
function itemRows(sql: Sql, items: readonly IdentifiedItem[]) {
  const { line, item_id, partition_key, input } = items[0]!
  if (items.length === 1)
    return sql`(
      select ${line}::int as line, ${item_id}::text as item_id, ${partition_key}::text as partition_key,
        ${input}::text as input, 1 as n) t`
  const isInLine = items.every((item, i) => item.line === line + i)
  const isOfOne = items.every(item => item.partition_key === partition_key)
  return sql`(
    select ${isInLine ? sql`${line}::int - 1 + n::int` : sql`line`} as line, item_id,
      ${isOfOne ? sql`${partition_key}::text` : sql`partition_key`} as partition_key, input, n::int
    from rows from (
      string_to_table(${texts(items.map(i => i.item_id))}, E'\\x1e'),
      string_to_table(${texts(items.map(i => i.input))}, E'\\x1e')
      ${isInLine ? sql`` : sql`, unnest(${numbers(items.map(i => i.line))}::text::int[])`}
      ${isOfOne ? sql`` : sql`, string_to_table(${texts(items.map(i => i.partition_key))}, E'\\x1e', E'\\x1f')`}
    ) with ordinality as packed(item_id, input${isInLine ? sql`` : sql`, line`}${isOfOne ? sql`` : sql`, partition_key`}, n)) t`
}

/** Appends items after `first_seq - 1`; 0 when the run was given up. */
export const insertItems = (sql: Sql, run: RunKey, firstSeq: number, items: readonly IdentifiedItem[]) =>
  append(sql, run, firstSeq, items, true)

/**
 * The same by a commit that does not wait for the disk: the one which opens the run follows it in PostgreSQL's log, and so
 * waits for both. A PostgreSQL that dies before that forgets the chunk, though whoever sent it may go on: `areWritten` tells.
 */
export const insertChunk = (sql: Sql, run: RunKey, firstSeq: number, items: readonly IdentifiedItem[]) =>
  append(sql, run, firstSeq, items, false)

async function append(
  sql: Sql,
  { project_id, run_id }: RunKey,
  firstSeq: number,
  items: readonly IdentifiedItem[],
  isAwaited: boolean,
): Promise<number> {
  const unawaited = sql`unawaited as materialized (select set_config('synchronous_commit', 'off', true)),`
  const result = await sql`
    with ${isAwaited ? sql`` : unawaited} run as (
      select id, project_id from runs ${isAwaited ? sql`` : sql`, unawaited`}
      where project_id = ${project_id} and id = ${run_id} and stop_reason is null for share of runs
    )
    insert into items (project_id, run_id, seq, line, status, item_id, partition_key, input)
    select run.project_id, run.id, ${firstSeq}::int - 1 + n, line, 'queued', item_id, partition_key, input
    from run, ${itemRows(sql, items)}`
  return result.count
}

interface Opening {
  input_bytes: number
  allows_budget: boolean
  key: IdempotencyKey | null
  takes: boolean
}

/** Of a run that was opened: the items of it that were taken at once, and what a claim says of it. */
export interface Opened {
  taken: ClaimedItem[]
  run: TakenAtOnceRow['run']
}

/**
 * A run with all its items, if the agent is there, its account and project take one run more and its idempotency key, if
 * it has one, is free: one statement, and so one round trip and one commit. Undefined, and nothing done, where that is not so,
 * or where somebody has to look at prices first; why, the caller finds out step by step. Where `takes` says so it takes the
 * items as well, if nothing is in the way.
 */
export async function openRunAtOnce(
  sql: Sql,
  run: Omit<NewRun, 'deployment_id'>,
  items: readonly IdentifiedItem[],
  { input_bytes, allows_budget, key, takes }: Opening,
): Promise<Opened | undefined> {
  const keyed =
    key === null ? sql`` : sql`, keyed as (${takeKeyFor(sql, key, sql`admitted`)} returning run_id)`
  const rows = await sql<TakenAtOnceRow[]>`
    with admitted as materialized (
      select s.* from (${submitterOf(sql, run.project_id, run.agent_id, 1)}) s
      where refusal is null and (${allows_budget}::boolean or not under_budget)
    )${keyed}, opened as (
      insert into runs (id, project_id, agent_id, deployment_id, name, budget_micro, concurrency, timeout_seconds,
        callback_url, allow_unpriced, pilot_items, from_source, total_items, input_bytes)
      select ${run.id}, ${run.project_id}, ${run.agent_id}, deployment_id, ${run.name}, ${run.budget_micro}::bigint,
        ${run.concurrency}::int, ${run.timeout_seconds}::int, ${run.callback_url}, ${run.allow_unpriced}::boolean,
        ${run.pilot_items}::int, ${run.from_source}::boolean, ${items.length}::int, ${input_bytes}::bigint
      from admitted ${key === null ? sql`` : sql`, keyed`}
      returning id, project_id
    )${takes ? sql`, made as (` : sql``}
    insert into items (project_id, run_id, seq, line, status, item_id, partition_key, input)
    select opened.project_id, opened.id, n, line, 'queued', item_id, partition_key, input
    from opened, ${itemRows(sql, items)}
    ${takes ? sql`returning seq)${takenAtOnce(sql, run)}` : sql``}`
  if (rows.count === 0) return undefined
  return { taken: claimed(rows.filter(row => row.claim_id != null)), run: rows[0]?.run ?? null }
}

/** Whether every chunk is there, each of which is by its first item, since it was committed whole. */
export async function areWritten(
  sql: Sql,
  { project_id, run_id }: RunKey,
  firstSeqs: readonly number[],
): Promise<boolean> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::int as found from items
    where project_id = ${project_id} and run_id = ${run_id} and seq = any(${numbers(firstSeqs)}::text::int[])`
  return row!.found === firstSeqs.length
}

/** Tells the tick that the submission is still arriving. */
export async function touchMaterializing(sql: Sql, runId: string): Promise<void> {
  await sql`update runs set touched_at = now() where id = ${runId} and materializing`
}

/** Opens the run for dispatch; false when it was given up in the meantime. */
export async function finishMaterializing(sql: Sql, runId: string, size: PileSize): Promise<boolean> {
  const result = await sql`
    update runs set ${sql({ ...size })}, materializing = false, touched_at = now()
    where id = ${runId} and materializing and stop_reason is null`
  return result.count === 1
}

/** Gives a submission up: nothing more is added to it and it is never opened. Waits for chunks under way. */
export async function closeMaterializing(sql: Sql, runId: string): Promise<void> {
  await sql`update runs set stop_reason = 'cancelled' where id = ${runId} and materializing`
}

export async function findRepeatedIds(sql: Sql, { project_id, run_id }: RunKey, limit: number) {
  return sql<RepeatedId[]>`
    select item_id, min(line) as first_line, (array_agg(line order by line))[2] as second_line
    from items where project_id = ${project_id} and run_id = ${run_id} group by item_id having count(*) > 1
    order by 2 limit ${limit}`.timeout(LIMITS.store_long_ms / 1000)
}

/** Removes the items of a run that was given up, so many in each statement. */
export async function deleteItems(sql: Sql, run: RunKey, piece: number): Promise<void> {
  // From where the last piece ended, not over what is gone; and once more, for a chunk that was still on its way.
  const remove = (after: number) => deleteAfter(sql, run, after, piece)
  for (let last = await remove(0); last !== null; last = (await remove(last)) ?? (await remove(0)));
}

/**
 * The seq of the last item that went; null where none did. By an array: PostgreSQL has no statistics of a new run, expects
 * few items of it, and compared each of them with all that were chosen: 20 s and more for a piece of 300,000.
 */
async function deleteAfter(sql: Sql, { project_id, run_id }: RunKey, seq: number, limit: number) {
  const [row] = await sql<{ last: number | null }[]>`
    with chosen as materialized (
      select seq from items where project_id = ${project_id} and run_id = ${run_id} and seq > ${seq}
      order by seq limit ${limit}
    ), gone as (
      delete from items where project_id = ${project_id} and run_id = ${run_id} and seq = any(array(select seq from chosen))
    )
    select max(seq) as last from chosen`
  return row!.last
}

export async function deleteMaterializingRun(sql: Sql, runId: string): Promise<void> {
  await sql`delete from runs where id = ${runId} and materializing`
}

/** Runs whose submission stopped arriving: their sender is gone. */
export async function findAbandonedRuns(sql: Sql, idleMinutes: number, limit: number) {
  return sql<RunKey[]>`
    select project_id, id as run_id from runs
    -- A recovery that was interrupted goes on with its run.
    where finished_at is null and materializing and recovery_id is null and touched_at < now() - make_interval(mins => ${idleMinutes})
    limit ${limit}`
}

export interface KeyedAnswer {
  fingerprint: string
  run_id: string
  total_items: number
}

/** The run an idempotency key already started within its window. */
export async function findKeyedRun(sql: Sql, projectId: string, key: string, windowHours: number) {
  const [row] = await sql<KeyedAnswer[]>`
    select k.fingerprint, k.run_id, r.total_items
    from idempotency_keys k join runs r on r.id = k.run_id
    where k.project_id = ${projectId} and k.key = ${key}
      and k.created_at > now() - make_interval(hours => ${windowHours})`
  return row
}

/** The idempotency key that a run is started under. */
export interface IdempotencyKey {
  project_id: string
  key: string
  fingerprint: string
  run_id: string
}

/** Takes the key for a run; false when another submission took it first. Waits for one that is committing. */
export async function takeIdempotencyKey(sql: Sql, key: IdempotencyKey): Promise<boolean> {
  const result = await takeKeyFor(sql, key, sql`(values (1)) one`)
  return result.count === 1
}

/** Takes the key if `source` has a row; no row where another run has it within its window. */
const takeKeyFor = (
  sql: Sql,
  { project_id, key, fingerprint, run_id }: IdempotencyKey,
  source: PendingQuery<Row[]>,
) => sql`
  insert into idempotency_keys as k (project_id, key, fingerprint, run_id)
  select ${project_id}::uuid, ${key}, ${fingerprint}, ${run_id}::uuid from ${source}
  on conflict (project_id, key) do update
    set fingerprint = excluded.fingerprint, run_id = excluded.run_id, created_at = now()
    where k.created_at <= now() - make_interval(hours => ${LIMITS.idempotency_window_hours})`
