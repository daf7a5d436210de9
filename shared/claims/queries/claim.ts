// Takes items of a run for dispatch, by functions of the database (./take-functions.ts).

import type { Sql } from '../../context.ts'
import { IS_OPEN } from './admission.ts'

export interface ClaimedItem {
  claim_id: number
  seq: number
  attempt: number
  item_id: string
  partition_key: string | null
  input: string
  step_count: number
  cost_micro: number
  extra_budget_micro: number | null
  unpriced: boolean
  ran_ms: number
  agent_failures: number
  transport_failures: number
  /** As in `due_items`. */
  together: number | null
  /** How often a step was cut off at the end of a consumer's time; null if the item needs no fresh consumer. */
  cuts: number | null
  /** As in `due_items`. */
  upstream_id: string | null
  stops: number
  refusals: number
  cut_answers: number
}

/** What a consumer asks for, by what it read of the run. */
export interface Taking {
  run_id: string
  project_id: string
  /** The deployment that was read for the run; if the run has another one by now, nothing is taken. */
  deployment_id: string
  lease_ms: number
  most: number
  /** Places of the project, and of the run, that must stay free. */
  kept_places: number
  kept_of_run: number
  /** The consumer has just started, or has no time limit. */
  fresh: boolean
}

/** How a claim chooses if partitions have a cap: the most items of each, and how many items to look ahead. */
export interface Shares {
  per_partition: number
  lookahead: number
}

export interface TakenRow
  extends Pick<ClaimedItem, 'claim_id' | 'seq' | 'attempt' | 'item_id' | 'partition_key' | 'input'> {
  /** State from earlier attempts; null stands for `FRESH`. */
  past: Omit<ClaimedItem, keyof TakenRow> | null
}

const FRESH: NonNullable<TakenRow['past']> = {
  step_count: 0,
  cost_micro: 0,
  extra_budget_micro: null,
  unpriced: false,
  ran_ms: 0,
  agent_failures: 0,
  transport_failures: 0,
  together: null,
  cuts: null,
  upstream_id: null,
  stops: 0,
  refusals: 0,
  cut_answers: 0,
}

/** A claim that is part of the flush that frees its places. */
export type Refill = Pick<Taking, 'run_id' | 'project_id' | 'deployment_id' | 'lease_ms' | 'most'>

/**
 * Takes the next items at the run's cursor, in a statement whose `used` has counted the freed places. Takes nothing while
 * something else could use these places: another open run of the project, or an item of this run that is due for a retry.
 *
 * The function's arguments come from `used`, so PostgreSQL calls it after that part has run, and its own statements see
 * the counts that the flush has written. A flush that is sent again ends nothing, so `used` has no row and nothing is taken;
 * what the first one took, if its answer was lost, waits for its lease to end.
 */
export const refillFrom = (sql: Sql, { project_id, run_id, deployment_id, lease_ms, most }: Refill) => {
  const mayTake = sql`case
    when exists (select 1 from runs r where r.project_id = ${project_id} and r.id <> ${run_id} and ${sql.unsafe(IS_OPEN)}) then 0
    when exists (select 1 from due_items d where d.project_id = ${project_id} and d.run_id = ${run_id} and d.due_at <= now()) then 0
    else ${most}::int end`
  return sql`left join used on true
    left join lateral take_range(used.project_id, ${run_id}, ${deployment_id}, ${mayTake}, 0, 0, ${lease_ms}) taken on true`
}

/** Takes the next items at the run's cursor. */
export const takeRange = async (sql: Sql, taking: Taking) =>
  claimed(await sql<TakenRow[]>`select * from take_range(${common(sql, taking)})`)

/** Takes items that are due again, within the caps of partitions. */
export const takeDue = async (sql: Sql, taking: Taking, shares?: Shares) =>
  claimed(
    await (shares === undefined
      ? sql<TakenRow[]>`select * from take_due(${common(sql, taking)}, ${taking.fresh})`
      : sql<TakenRow[]>`select * from take_due_fair(${common(sql, taking)}, ${taking.fresh},
          ${shares.per_partition}, ${shares.lookahead})`),
  )

/**
 * Takes items from a window at the cursor, no more of a partition than its cap over the whole project allows. The
 * cursor moves only over items that are no longer queued.
 */
export const takeFair = async (sql: Sql, taking: Taking, { per_partition, lookahead }: Shares) =>
  claimed(
    await sql<TakenRow[]>`select * from take_fair(${common(sql, taking)}, ${per_partition}, ${lookahead})`,
  )

const common = (sql: Sql, taking: Taking) => {
  const { project_id, run_id, deployment_id, most, kept_places, kept_of_run, lease_ms } = taking
  return sql`${project_id}, ${run_id}, ${deployment_id}, ${most}, ${kept_places}, ${kept_of_run}, ${lease_ms}`
}

export function claimed(rows: readonly TakenRow[]): ClaimedItem[] {
  return rows.map(({ past, claim_id, seq, attempt, item_id, partition_key, input }) => ({
    claim_id,
    seq,
    attempt,
    item_id,
    partition_key,
    input,
    ...(past ?? FRESH),
  }))
}

/** Items as they were submitted, for a statement that both submits and claims them. */
export const takenAtOnce = (
  items: readonly { item_id: string; partition_key: string | null; input: string }[],
  claim_id: number,
): ClaimedItem[] =>
  items.map(({ item_id, partition_key, input }, i) => ({
    claim_id,
    seq: i + 1,
    attempt: 1,
    item_id,
    partition_key,
    input,
    ...FRESH,
  }))
