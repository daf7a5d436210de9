// Opens a run. Guarantee: for a batch of one chunk, the run, its items, its idempotency key and the claim on its first items
// are one statement, so one round trip and one commit. Items have no foreign key to their run, whose check would cost a tenth
// of the throughput: they are written only here, in submission.ts, in starts.ts of schedules and in replay.ts of recovery.

import type { Fragment } from 'postgres'
import { mayMakeWork } from '../../accounts/queries/callers.ts'
import type { AccountPlan } from '../../accounts/tables/accounts.ts'
import { type ClaimedItem, takenAtOnce } from '../../claims/queries/claim.ts'
import type { Caller, Sql } from '../../context.ts'
import { WRITTEN_COLUMNS, written } from '../../items/queries/transitions.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import { numbers, texts } from '../../kernel/packed-columns.ts'
import { underBudget } from '../../prices/queries/budgets.ts'
import { bytesOf, type NewItem } from '../rules/chunks.ts'
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
  patience_seconds: number | null
  callback_url: string | null
  allow_unpriced: boolean
  pilot_items: number | null
  tags: readonly string[]
  from_source: boolean
  started_by: StartedBy | null
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

export type IdentifiedItem = NewItem & { item_id: string }

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

/** Inserts items of the run in `run`, whose columns are project_id and id; `isClaimed` says which of them it claims. */
export const insertItems = (
  sql: Sql,
  run: Fragment,
  items: readonly IdentifiedItem[],
  { firstSeq = 1, isClaimed = 'false' },
) => sql`
  insert into items (project_id, run_id, seq, line, item_id, partition_key, input, ${sql.unsafe(WRITTEN_COLUMNS)})
  select run.project_id, run.id, ${firstSeq}::int - 1 + n, line, item_id, partition_key, input, ${sql.unsafe(written(isClaimed))}
  from ${run} run, ${itemRows(sql, items)}`

/** What a run is opened with, and under which conditions. */
export interface Opening {
  /** None if they follow in chunks: then the run is materializing, and nothing of it is dispatched. */
  items: readonly IdentifiedItem[]
  /** The agent's deployment, for a run that was admitted; otherwise the statement admits it. */
  admitted?: { deployment_id: string | null }
  /** Must still be able to start runs when the statement begins. */
  caller?: Caller | undefined
  /** Admits a run under a budget, whose models may need prices. */
  allows_budget?: boolean
  key: IdempotencyKey | null
  /** Claims the items, if nothing prevents that. */
  takes?: boolean
}

/** The items of an opened run that were claimed with it, and what a claim says of the run. */
export interface Opened {
  taken: ClaimedItem[]
  run: RunAtOnce | null
}

/**
 * Opens a run; parts that an opening does not ask for are left out of the statement. To be admitted, the agent must exist,
 * and its account and project must have room for one more run. It does nothing and returns undefined if that is not so,
 * if another run has the idempotency key, or if the caller was revoked.
 */
export async function openRun(
  sql: Sql,
  run: Omit<NewRun, 'deployment_id'>,
  { items, admitted, allows_budget = true, key, caller, takes = false }: Opening,
): Promise<Opened | undefined> {
  const { may } = await mayMakeWork(sql, caller)
  const admission = admitted
    ? sql`select ${admitted.deployment_id}::uuid as deployment_id where ${may}`
    : sql`select s.* from (${submitterOf(sql, run.project_id, run.agent_id, 1, await roomOf(sql, run.project_id))}) s
      where refusal is null and (${allows_budget}::boolean or not under_budget) and ${may}`
  const when = (has: boolean, part: () => Fragment) => (has ? part() : sql``)
  const [row] = await sql<{ running: number; claim_id: number | null; run: RunAtOnce | null }[]>`
    with admitted as materialized (${admission}),
    ${when(key !== null, () => sql`keyed as (${takeKeyFor(sql, key!, sql`admitted`)} returning run_id),`)}
    ${when(takes, () => sql`places as materialized (${placesAtOnce(sql, run, items.length)}),`)}
    opened as (
      insert into runs (id, project_id, agent_id, deployment_id, name, budget_micro, concurrency, timeout_seconds,
        patience_seconds, callback_url, allow_unpriced, pilot_items, tags, from_source, started_by, materializing, total_items, input_bytes
        ${when(takes, () => sql`, running, next_seq, started_at`)})
      select ${run.id}, ${run.project_id}, ${run.agent_id}, deployment_id, ${run.name}, ${run.budget_micro}::bigint,
        ${run.concurrency}::int, ${run.timeout_seconds}::int, ${run.patience_seconds}::int, ${run.callback_url}, ${run.allow_unpriced}::boolean,
        ${run.pilot_items}::int, ${run.tags}::text[], ${run.from_source}::boolean,
        ${run.started_by && JSON.stringify(run.started_by)}::text::jsonb, ${items.length === 0}::boolean,
        ${items.length}::int, ${bytesOf(items)}::bigint
        ${when(takes, () => sql`, coalesce(places.items, 0), coalesce(places.items, 0) + 1, case when places.items > 0 then now() end`)}
      from admitted ${when(key !== null, () => sql`cross join keyed`)} ${when(takes, () => sql`left join places on true`)}
      returning id, project_id, running
    )
    ${when(items.length > 0, () => sql`, made as (${insertItems(sql, sql`opened`, items, { isClaimed: 'n <= run.running' })})`)}
    ${when(takes, () => sql`, ${claimAtOnce(sql)}`)}
    select opened.running, ${takes ? sql`claim.id as claim_id, places.run` : sql`null as claim_id, null as run`}
    from opened ${when(takes, () => sql`left join claim on true left join places on true`)}`
  if (!row) return undefined
  const { running, claim_id, run: facts } = row
  if (claim_id === null) return { taken: [], run: null }
  return { taken: takenAtOnce(items.slice(0, running), claim_id), run: facts }
}
