// Reads the best item of each item_id of a run or an agent. Guarantee: each item_id is returned once, whatever is
// written meanwhile, in memory that does not grow with the number of items.
//
// Items are read in slices, and all items of one item_id are in one slice. A slice is read in two steps: first its
// winners, in one statement and so in one snapshot, and then these items, in chunks. No transaction and no connection
// is held while a caller consumes a chunk.

import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../context.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import { parseItemRecordId, type RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { ResultRow, ResultsOnly } from '../wire/results.ts'

/** Whose results: a run's (with its replays unless `replays` is false), or an agent's in runs from `from_run_id` on. */
export type ResultScope = { project_id: string } & (
  | { run_id: string; replays?: false }
  | { agent_id: string; from_run_id: string }
)

/** Items of a run by their seq, or all items whose item_id's hash has this remainder. */
export type Slice = { after_seq: number; to_seq: number } | { part: number; parts: number }

/** An item that is a result, with what the other items of its item_id add up to. */
export interface Winner {
  record_id: string
  /** Its line in the requested run; null for results of an agent, which use the line in the item's own run. */
  line: number | null
  tries: number
  unpriced: boolean
  total_cost_micro: number
}

/** The slices of a scope. Every item_id is in exactly one of them, with all of its items. */
export async function slicesOf(
  sql: Sql,
  scope: ResultScope,
  size: number = LIMITS.result_slice_items,
): Promise<Slice[]> {
  const [counted] = await sql<{ items: number; has_repeats: boolean }[]>`
    select coalesce(sum(total_items), 0)::int8 as items,
      coalesce(bool_or(replay_of is not null or recovery_id is not null), false) as has_repeats
    from runs where project_id = ${scope.project_id}
      and ${'run_id' in scope ? sql`id = ${scope.run_id}` : ofAgent(sql, scope)}`
  const { items, has_repeats } = counted!
  // Only a submission has each item_id once: a recovery may have copied items of several nightly runs.
  if ('run_id' in scope && !has_repeats) return slicesBySeq(items, size)
  const parts = Math.max(1, Math.ceil(items / size))
  return Array.from({ length: parts }, (_, part) => ({ part, parts }))
}

/** The first slice is small, so little is read for a caller that needs only the beginning; each next one doubles. */
function slicesBySeq(items: number, size: number, after_seq = 0, own = FIRST): Slice[] {
  const to_seq = after_seq + Math.min(own, size)
  if (to_seq >= items) return [{ after_seq, to_seq: MAX_SEQ }]
  return [{ after_seq, to_seq }, ...slicesBySeq(items, size, to_seq, own * 2)]
}

const MAX_SEQ = 2 ** 31 - 1
const FIRST: number = LIMITS.result_first_items
type Fragment = PendingQuery<Row[]>

const ofAgent = (sql: Sql, scope: { agent_id: string; from_run_id: string }) =>
  sql`agent_id = ${scope.agent_id} and id >= ${scope.from_run_id} and not materializing`

/** The results of a slice: for a run in the order of its submission, for an agent by item_id. */
export async function findWinners(
  sql: Sql,
  scope: ResultScope,
  slice: Slice,
  only: ResultsOnly,
): Promise<Winner[]> {
  const within =
    'part' in slice
      ? slice.parts === 1
        ? sql`true`
        : sql`(hashtextextended(i.item_id, 0) & 2147483647) % ${slice.parts} = ${slice.part}`
      : sql`i.seq > ${slice.after_seq} and i.seq <= ${slice.to_seq}`
  // A record id is a run's id with the seq in it, and run ids are in the order of time, so the greatest is the newest.
  const rows = await sql<(Omit<Winner, 'record_id'> & { best: string })[]>`
    ${itemsOf(sql, scope, within)}
    select max((case when outcome = 'ok' then '1' else '0' end || ${recordId(sql, 'found')}) collate "C") as best,
      nullif(min(line), 0) as line, count(*)::int as tries, bool_or(unpriced) as unpriced, sum(cost_micro)::int8 as total_cost_micro
    from found group by item_id
    ${only === 'all' ? sql`` : sql`having bool_or(coalesce(outcome = 'ok', false)) = ${only === 'ok'}`}
    order by min(line), item_id`
  return rows.map(({ best, ...sums }) => ({ record_id: best.slice(1), ...sums }))
}

const itemsOf = (sql: Sql, scope: ResultScope, within: Fragment) => {
  const ofProject = sql`i.project_id = ${scope.project_id}`
  if (!('run_id' in scope))
    return found(
      sql,
      scope.project_id,
      sql`${ofProject} and i.run_id in (
        select id from runs where project_id = ${scope.project_id} and ${ofAgent(sql, scope)}) and ${within}`,
      '0',
    )
  if (scope.replays === false)
    return found(
      sql,
      scope.project_id,
      sql`${ofProject} and i.run_id = ${scope.run_id} and ${within}`,
      'i.line',
    )
  return withReplays(sql, scope, within)
}

/** An item's outcome, or people's correction of it: a lookup of its row in triage by key, 3 µs an item. */
const outcomeOf = (sql: Sql, project_id: string) => sql`coalesce((
  select t.corrected from triage t
  where t.project_id = ${project_id} and t.run_id = i.run_id and t.seq = i.seq and t.corrected is not null), i.outcome)`

const found = (sql: Sql, project_id: string, where: Fragment, line: string) => sql`
  with found as (
    select i.run_id, i.seq, ${sql.unsafe(line)} as line, i.item_id, ${outcomeOf(sql, project_id)} as outcome, i.unpriced, i.cost_micro from items i
    where ${where}
  )`

/**
 * Items of a run, their replays, the replays of those, and so on; each with the line of its original in the run.
 * Replays are looked up by their keys: the planner overestimates how many there are, and would read those of all runs.
 */
const withReplays = (sql: Sql, { project_id, run_id }: RunKey, within: Fragment) => sql`
  with recursive found as (
    select i.run_id, i.seq, i.line, i.item_id, ${outcomeOf(sql, project_id)} as outcome, i.unpriced, i.cost_micro from items i
    where i.project_id = ${project_id} and i.run_id = ${run_id} and ${within}
    union all
    select i.run_id, i.seq, f.line, f.item_id, i.outcome, i.unpriced, i.cost_micro
    from found f
    cross join lateral (
      select run_id, seq from replays where project_id = ${project_id} and from_run_id = f.run_id and from_seq = f.seq offset 0) p
    cross join lateral (
      select i.run_id, i.seq, ${outcomeOf(sql, project_id)} as outcome, i.unpriced, i.cost_micro from items i
      where i.project_id = ${project_id} and i.run_id = p.run_id and i.seq = p.seq offset 0) i
  )`

/** Runs one query; no connection or transaction is held between two calls. */
export type ReadOnce = <T>(make: (sql: Sql) => Promise<T>) => Promise<T>

/** All results of the slices, in chunks of a bounded number of rows and bytes. */
export async function* resultsInChunks(
  read: ReadOnce,
  scope: ResultScope,
  slices: readonly Slice[],
  { only, withInput }: { only: ResultsOnly; withInput: boolean },
): AsyncGenerator<ResultRow[]> {
  for (const slice of slices) {
    const winners = await read(sql => findWinners(sql, scope, slice, only))
    for (let at = 0; at < winners.length; ) {
      const next = winners.slice(at, at + LIMITS.export_chunk_items)
      const rows = await read(sql => readResults(sql, scope.project_id, next, withInput))
      // Items whose project was removed meanwhile are gone; the items behind them are still read.
      at += rows.at(-1)?.n ?? next.length
      if (rows.length > 0) yield rows
    }
  }
}

/** The rows of the first winners, up to LIMITS.export_chunk_bytes, at least one; `n` is a winner's number, from 1. */
export async function readResults(
  sql: Sql,
  project_id: string,
  winners: readonly Winner[],
  withInput: boolean,
): Promise<(ResultRow & { n: number })[]> {
  const keys = winners.map(({ record_id }) => parseItemRecordId(record_id)!)
  const input = sql.unsafe(withInput ? 'i.input' : 'null::text')
  const rows = await sql<Read[]>`
    select n, ${sql(READ)}, outcome, outcome_reason, degraded_reason, corrected, recorded, created_at, input, output,
      code_version_name from (
      select k.n::int as n, row_number() over (order by k.n) as nth, ${sql(READ.map(name => `i.${name}`))}, r.created_at,
        t.corrected is not null as corrected, i.outcome as recorded, v.name as code_version_name, coalesce(t.corrected, i.outcome) as outcome,
        case when t.corrected is null then i.outcome_reason when t.corrected <> 'ok' then
          case t.reason when 'suspected_refusal' then 'refusal' else t.reason end end as outcome_reason,
        case when t.corrected is null then i.degraded_reason end as degraded_reason,
        case when r.payloads_purged_at is null then ${input} end as input,
        case when r.payloads_purged_at is null then i.output end as output,
        -- Sizes are known without reading what is stored apart from its row.
        sum(coalesce(octet_length(i.output), 0) + coalesce(octet_length(${input}), 0)) over (order by k.n) as bytes
      from unnest(${keys.map(k => k.run_id)}::uuid[], ${keys.map(k => k.seq)}::int[]) with ordinality k(run_id, seq, n)
      join items i on i.project_id = ${project_id} and i.run_id = k.run_id and i.seq = k.seq
      join runs r on r.project_id = ${project_id} and r.id = k.run_id
      left join code_versions v on v.project_id = ${project_id} and v.agent_id = r.agent_id and v.no = i.code_version
      left join triage t on t.project_id = ${project_id} and t.run_id = k.run_id and t.seq = k.seq and t.corrected is not null
    ) as read
    where nth = 1 or bytes <= ${LIMITS.export_chunk_bytes}
    order by n`
  return rows.map(row => {
    const winner = winners[row.n - 1]!
    return { ...row, ...winner, line: winner.line ?? row.line }
  })
}

type Read = Omit<ResultRow, Exclude<keyof Winner, 'line'>> & { n: number }

const READ = [
  'run_id',
  'seq',
  'line',
  'item_id',
  'partition_key',
  'status',
  'error_code',
  'error_message',
  'cost_micro',
  'completed_at',
]
