// Writes a run and its pile. Items carry no foreign key: a run and its items are only ever written here, and the
// check would cost a tenth of the throughput.

import { UNDER_BUDGET } from '../accounts/queries/budgets.ts'
import type { Sql } from '../context.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AccountStatus } from '../domain/vocabulary.ts'
import type { AccountPlan } from '../schema/tables.ts'
import { numbers, texts } from './columns.ts'

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

export interface NewItem {
  /** Its line in the submission, from 1. */
  line: number
  /** Null: the service gives it one. */
  item_id: string | null
  partition_key: string | null
  /** The JSON text exactly as it was submitted. */
  input: string
}

export interface Submitter {
  deployment_id: string | null
  account_id: string
  account_status: AccountStatus
  plan: AccountPlan
  /** Runs of the project that have not ended, counted no further than the bound. */
  open_runs: number
  open_runs_bound: number
  /** Of each item, as the agent declares, or by day or month. */
  under_budget: boolean
}

/** The agent a submission names, if it is in the project, and whether its account and project may submit. */
export async function findSubmitter(sql: Sql, projectId: string, agentId: string, openRunsBound: number) {
  const [row] = await sql<Submitter[]>`
    select a.current_deployment_id as deployment_id, c.id as account_id, c.status as account_status, c.plan,
      (select count(*)::int from (
        select from runs r where r.project_id = p.id and r.finished_at is null limit bound) open) as open_runs,
      bound as open_runs_bound,
      ${sql.unsafe(UNDER_BUDGET)} as under_budget
    from agents a join projects p on p.id = a.project_id join accounts c on c.id = p.account_id
      left join deployments d on d.id = a.current_deployment_id,
      lateral (select coalesce((p.settings->>'open_runs')::int, ${openRunsBound}) as bound) b
    where a.id = ${agentId} and a.project_id = ${projectId} and a.deleted_at is null`
  return row
}

/** Runs of an account's projects that have not ended. */
export async function countOpenRuns(sql: Sql, accountId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from projects p join runs r on r.project_id = p.id
    where p.account_id = ${accountId} and r.finished_at is null`
  return row!.n
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

/** Appends a chunk of items after `first_seq - 1`; 0 when the run was given up. */
export async function insertItems(
  sql: Sql,
  runId: string,
  firstSeq: number,
  items: readonly (NewItem & { item_id: string })[],
) {
  const result = await sql`
    with run as (
      select id from runs where id = ${runId} and stop_reason is null for share
    )
    insert into items (run_id, seq, line, status, item_id, partition_key, input)
    select run.id, ${firstSeq}::int + n::int - 1, line, 'queued', item_id, partition_key, input
    from run, rows from (
      unnest(${numbers(items.map(i => i.line))}::text::int[]),
      string_to_table(${texts(items.map(i => i.item_id))}, E'\\x1e'),
      string_to_table(${texts(items.map(i => i.partition_key))}, E'\\x1e', E'\\x1f'),
      string_to_table(${texts(items.map(i => i.input))}, E'\\x1e')
    ) with ordinality as t(line, item_id, partition_key, input, n)`
  return result.count
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

export interface RepeatedId {
  item_id: string
  first_line: number
  second_line: number
}

export async function findRepeatedIds(sql: Sql, runId: string, limit: number) {
  return sql<RepeatedId[]>`
    select item_id, min(line) as first_line, (array_agg(line order by line))[2] as second_line
    from items where run_id = ${runId} group by item_id having count(*) > 1
    order by 2 limit ${limit}`.timeout(LIMITS.store_long_ms / 1000)
}

/** Removes up to `limit` items of a run that was given up; returns how many went. */
export async function deleteItems(sql: Sql, runId: string, limit: number): Promise<number> {
  const result = await sql`
    delete from items where run_id = ${runId}
      and seq in (select seq from items where run_id = ${runId} order by seq limit ${limit})`
  return result.count
}

export async function deleteMaterializingRun(sql: Sql, runId: string): Promise<void> {
  await sql`delete from runs where id = ${runId} and materializing`
}

/** Runs whose submission stopped arriving: their sender is gone. */
export async function findAbandonedRuns(sql: Sql, idleMinutes: number, limit: number) {
  return sql<{ id: string }[]>`
    select id from runs
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

/** Takes the key for a run; false when another submission took it first. Waits for one that is committing. */
export async function takeIdempotencyKey(
  sql: Sql,
  row: { project_id: string; key: string; fingerprint: string; run_id: string },
  windowHours: number,
): Promise<boolean> {
  const result = await sql`
    insert into idempotency_keys as k (project_id, key, fingerprint, run_id)
    values (${row.project_id}, ${row.key}, ${row.fingerprint}, ${row.run_id})
    on conflict (project_id, key) do update
      set fingerprint = excluded.fingerprint, run_id = excluded.run_id, created_at = now()
      where k.created_at <= now() - make_interval(hours => ${windowHours})`
  return result.count === 1
}
