// Writes a run and its batch. Items have no foreign key to their run: both are written only here, and the check would
// cost a tenth of the throughput.

import type { AccountPlan } from '../../accounts/tables/accounts.ts'
import { type ClaimedItem, takenAtOnce } from '../../claims/queries/claim.ts'
import { askReachable, isDistributed, lostNodes } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { WRITTEN_COLUMNS, written } from '../../items/queries/transitions.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { numbers, texts } from '../../kernel/packed-columns.ts'
import { underBudget } from '../../prices/queries/budgets.ts'
import type { NewItem } from '../rules/chunks.ts'
import type { RepeatedId } from '../rules/item-ids.ts'
import type { RunRejection } from '../rules/run-admission.ts'
import { type IdempotencyKey, takeKeyFor } from './idempotency-keys.ts'
import { refusal, roomOf } from './run-admission.ts'
import { claimAtOnce, placesAtOnce, type RunAtOnce } from './taken-at-once.ts'

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
  tags: readonly string[]
  from_source: boolean
}

export interface Submitter {
  deployment_id: string | null
  /** Null if the account and the project have room for as many more runs as requested. */
  refusal: RunRejection | null
  account_id: string
  plan: AccountPlan
  /** How many more runs the account's plan allows; null without a bound. */
  account_room: number | null
  /** How many more bytes the account may keep; null without a bound. */
  bytes_room: number | null
  /** Runs of the project that have not ended, counted no further than the bound. */
  open_runs: number
  open_runs_bound: number
  /** Whether a budget applies: per item (the agent declares it), per day or per month. */
  under_budget: boolean
}

/** Selects the agent, if it is in the project, and whether this many more runs may be started for it. */
const submitterOf = (sql: Sql, project_id: string, agent_id: string, runs: number, room: string) => sql`
  select a.current_deployment_id as deployment_id, c.id as account_id, c.plan, room.account_room, room.bytes_room, open.n as open_runs, open.bound as open_runs_bound,
    ${underBudget(sql, project_id)} as under_budget, ${refusal(sql, runs)} as refusal
  from agents a join projects p on p.id = a.project_id join accounts c on c.id = p.account_id
    left join deployments d on d.project_id = a.project_id and d.id = a.current_deployment_id, ${sql.unsafe(room)}
  where a.id = ${agent_id} and a.project_id = ${project_id} and a.deleted_at is null`

export async function findSubmitter(sql: Sql, projectId: string, agentId: string, runs: number) {
  const room = await roomOf(sql, projectId)
  const [row] = await sql<Submitter[]>`${submitterOf(sql, projectId, agentId, runs, room)}`
  return row
}

export interface BatchSize {
  total_items: number
  /** Size of all inputs in characters, which is near enough: claims are sized by it. */
  input_bytes: number
}

/** Inserts a run: with `size` it is open as soon as this is committed, without it is materializing. */
export async function insertRun(sql: Sql, run: NewRun, size?: BatchSize): Promise<void> {
  const row = { ...run, materializing: size === undefined, ...size }
  await sql`insert into runs ${sql(row)}`
}

type IdentifiedItem = NewItem & { item_id: string }

/**
 * Rows (line, item_id, partition_key, input, n) of items in the order of insertion, n from 1. Consecutive lines and a
 * partition key that all items share are not sent as columns: a column costs PostgreSQL some 0.4 µs an item.
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

/** Appends items from `firstSeq` on; returns their number, 0 if the run was given up. */
export const insertItems = (sql: Sql, run: RunKey, firstSeq: number, items: readonly IdentifiedItem[]) =>
  append(sql, run, firstSeq, items, true)

/**
 * The same with a commit that does not wait for the disk. The commit that opens the run comes later in PostgreSQL's
 * log, so it waits for both. If PostgreSQL dies before that, the chunk is lost while its sender may continue:
 * `areWritten` finds that out.
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
    insert into items (project_id, run_id, seq, line, item_id, partition_key, input, ${sql.unsafe(WRITTEN_COLUMNS)})
    select run.project_id, run.id, ${firstSeq}::int - 1 + n, line, item_id, partition_key, input, ${sql.unsafe(written('false'))}
    from run, ${itemRows(sql, items)}`
  return result.count
}

interface Opening {
  input_bytes: number
  allows_budget: boolean
  key: IdempotencyKey | null
  takes: boolean
}

/** The items of an opened run that were claimed at once, and what a claim says of the run. */
export interface Opened {
  taken: ClaimedItem[]
  run: RunAtOnce | null
}

/**
 * Opens a run with all its items in one statement, so one round trip and one commit. The agent must exist, its account
 * and project must have room for one more run, and the idempotency key, if any, must be free. Otherwise, or if prices
 * must be checked first, it does nothing and returns undefined; the caller then finds the reason step by step. With
 * `takes` it also claims the items, if nothing prevents that.
 */
export async function openRunAtOnce(
  sql: Sql,
  run: Omit<NewRun, 'deployment_id'>,
  items: readonly IdentifiedItem[],
  { input_bytes, allows_budget, key, takes }: Opening,
): Promise<Opened | undefined> {
  // Step by step, each statement goes to the run's node alone; this statement involves all nodes.
  if (lostNodes().length > 0) return undefined
  const keyed =
    key === null ? sql`` : sql`, keyed as (${takeKeyFor(sql, key, sql`admitted`)} returning run_id)`
  const room = await roomOf(sql, run.project_id)
  const none = sql`select 0 as items, null::json as run`
  // A cluster locks no rows in a statement as complex as this one.
  const places = takes && !(await isDistributed(sql)) ? placesAtOnce(sql, run, items.length) : none
  const [row] = await sql<{ running: number; claim_id: number | null; run: RunAtOnce | null }[]>`
    with admitted as materialized (
      select s.* from (${submitterOf(sql, run.project_id, run.agent_id, 1, room)}) s
      where refusal is null and (${allows_budget}::boolean or not under_budget)
    )${keyed}, places as materialized (${places}), opened as (
      insert into runs (id, project_id, agent_id, deployment_id, name, budget_micro, concurrency, timeout_seconds,
        callback_url, allow_unpriced, pilot_items, tags, from_source, total_items, input_bytes,
        running, next_seq, started_at)
      select ${run.id}, ${run.project_id}, ${run.agent_id}, deployment_id, ${run.name}, ${run.budget_micro}::bigint,
        ${run.concurrency}::int, ${run.timeout_seconds}::int, ${run.callback_url}, ${run.allow_unpriced}::boolean,
        ${run.pilot_items}::int, ${run.tags}::text[], ${run.from_source}::boolean, ${items.length}::int, ${input_bytes}::bigint,
        coalesce(places.items, 0), coalesce(places.items, 0) + 1, case when places.items > 0 then now() end
      from admitted ${key === null ? sql`` : sql`cross join keyed`} left join places on true
      returning id, project_id, running
    ), made as (
      insert into items (project_id, run_id, seq, line, item_id, partition_key, input, ${sql.unsafe(WRITTEN_COLUMNS)})
      select opened.project_id, opened.id, n, line, item_id, partition_key, input, ${sql.unsafe(written('n <= opened.running'))}
      from opened, ${itemRows(sql, items)}
    ), ${claimAtOnce(sql)}
    select opened.running, claim.id as claim_id, places.run
    from opened left join claim on true left join places on true`
  if (!row) return undefined
  const { running, claim_id, run: facts } = row
  return {
    taken: claim_id === null ? [] : takenAtOnce(items.slice(0, running), claim_id),
    run: claim_id === null ? null : facts,
  }
}

/**
 * Whether every chunk is stored; its first item shows that, since a chunk is committed as a whole. Each is looked up by
 * itself: PostgreSQL before 17 would read the whole run, and the list again for each row, 20 s for a million items.
 */
export async function areWritten(
  sql: Sql,
  { project_id, run_id }: RunKey,
  firstSeqs: readonly number[],
): Promise<boolean> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::int as found from unnest(${numbers(firstSeqs)}::text::int[]) as s(seq), lateral (
      select 1 from items i where i.project_id = ${project_id} and i.run_id = ${run_id} and i.seq = s.seq limit 1
    ) there`
  return row!.found === firstSeqs.length
}

/** Tells the tick that the submission is still arriving. */
export async function touchMaterializing(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`update runs set touched_at = now() where project_id = ${project_id} and id = ${run_id} and materializing`
}

/** Opens the run for dispatch; false when it was given up in the meantime. */
export async function finishMaterializing(
  sql: Sql,
  { project_id, run_id }: RunKey,
  size: BatchSize,
): Promise<boolean> {
  const result = await sql`
    update runs set ${sql({ ...size })}, materializing = false, touched_at = now()
    where project_id = ${project_id} and id = ${run_id} and materializing and stop_reason is null`
  return result.count === 1
}

/** Gives a submission up: no more items are added and it is never opened. Waits for chunks in flight. */
export async function closeMaterializing(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`update runs set stop_reason = 'cancelled' where project_id = ${project_id} and id = ${run_id} and materializing`
}

export async function findRepeatedIds(sql: Sql, { project_id, run_id }: RunKey, limit: number) {
  return sql<RepeatedId[]>`
    select item_id, min(line) as first_line, (array_agg(line order by line))[2] as second_line
    from items where project_id = ${project_id} and run_id = ${run_id} group by item_id having count(*) > 1
    order by 2 limit ${limit}`.timeout(LIMITS.store_long_ms / 1000)
}

/**
 * Removes the items of a run that was given up, `piece` of them per statement, while `mayGoOn` allows. Returns null
 * when all are gone, else the seq to continue after: scanning ten million deleted rows again takes seconds.
 */
export async function deleteItems(
  sql: Sql,
  run: RunKey,
  piece: number,
  after = 0,
  mayGoOn = () => true,
): Promise<number | null> {
  for (let last = after; mayGoOn(); ) {
    const next = await deleteAfter(sql, run, last, piece)
    if (next === null && last === 0) return null
    last = next ?? 0 // then once more from the first on, for a chunk that was still in flight
    after = last
  }
  return after
}

/**
 * Deletes the next items; returns the seq of the last one, null if there was none. It uses bounds: PostgreSQL has no
 * statistics of a new run, expects few items, and compared each with all chosen ones, before version 17 also with those
 * of an array: 20 s and more for a piece of 300,000.
 */
async function deleteAfter(sql: Sql, { project_id, run_id }: RunKey, seq: number, limit: number) {
  const [row] = await sql<{ last: number | null }[]>`
    with chosen as materialized (
      select seq from items where project_id = ${project_id} and run_id = ${run_id} and seq > ${seq}
      order by seq limit ${limit}
    ), gone as (
      delete from items where project_id = ${project_id} and run_id = ${run_id} and seq > ${seq} and seq <= (select max(seq) from chosen)
    )
    select max(seq) as last from chosen`
  return row!.last
}

export async function deleteMaterializingRun(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`delete from runs where project_id = ${project_id} and id = ${run_id} and materializing`
}

/** Runs whose submission stopped arriving: their sender is gone. */
export async function findAbandonedRuns(sql: Sql, idleMinutes: number, limit: number) {
  return askReachable(
    sql,
    of => sql<RunKey[]>`
    select project_id, id as run_id from runs
    -- An interrupted recovery continues with its run, so that run is not abandoned.
    where finished_at is null and materializing and recovery_id is null and touched_at < now() - make_interval(mins => ${idleMinutes}) ${of('runs')}
    limit ${limit}`,
  )
}
