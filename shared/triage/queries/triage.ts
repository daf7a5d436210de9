// Reads items that wait for a decision: the feed, its filters, and the facts that say which actions an item accepts.
// Decisions are written by shared/triage/queries/decisions.ts.

import { askProjects } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import { recordId } from '../../items/queries/item-keys.ts'
import type { Outcome } from '../../items/vocabulary.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { ItemFacts } from '../../recovery/rules/recovery.ts'
import type { Disposition, TriageLane } from '../vocabulary.ts'
import type { TriageSource } from '../wire/triage.ts'

/** A row of the feed with its item. `created_text` is the sort key as the database writes it. */
export interface TriageEntry extends TriageSource, ItemKey {
  disposition: Disposition | null
  corrected: Outcome | null
  created_text: string
  run_stopped: boolean
  input_purged: boolean
  replay: ItemFacts['replay']
}

export interface TriageFilter {
  project_ids: readonly string[]
  lanes: readonly TriageLane[]
  run_id?: string | undefined
  agent_id?: string | undefined
  reason?: string | undefined
  partition_key?: string | undefined
  cluster_key?: string | undefined
  cause_id?: string | undefined
  before?: { created_text: string; run_id: string; seq: number } | undefined
  limit: number
}

/** The verdict of item `n` that stands: a person's correction, or what was recorded. */
const STANDING = `coalesce((
      select t.corrected from triage t where t.project_id = n.project_id and t.run_id = n.run_id and t.seq = n.seq), n.outcome)`
const BLOCKS = `(n.status in ('queued', 'running', 'paused') or ${STANDING} = 'ok')`

/** The replay that blocks another one of the same item, as JSON: one that is under way, else one that worked. */
const replayOf = (sql: Sql) => sql`
  left join lateral (
    select jsonb_build_object('record_id', ${recordId(sql, 'p')}, 'status', n.status, 'outcome', ${sql.unsafe(STANDING)}) as replay
    from replays p join items n on n.project_id = p.project_id and n.run_id = p.run_id and n.seq = p.seq
    where p.project_id = i.project_id and p.from_run_id = i.run_id and p.from_seq = i.seq
      and ${sql.unsafe(BLOCKS)}
    order by ${sql.unsafe(STANDING)} = 'ok' nulls first limit 1
  ) again on true`

/**
 * Whether a replay of the item is under way or has worked. A scalar subquery, because PostgreSQL may plan `exists` as a
 * join with all replays, which each chunk of a recovery would read again (20,000 items: 18 s; the scalar takes 9 s).
 */
export const replayInTheWay = (sql: Sql, of: string) => sql`
  coalesce((
    select true from replays p join items n on n.project_id = p.project_id and n.run_id = p.run_id and n.seq = p.seq
    where p.project_id = ${sql.unsafe(of)}.project_id and p.from_run_id = ${sql.unsafe(of)}.run_id and p.from_seq = ${sql.unsafe(of)}.seq
      and ${sql.unsafe(BLOCKS)} limit 1), false)`

/** Whether no replay blocks the item, and its input is still kept. */
export const canBeReplayed = (sql: Sql, of: string) => sql`
  not ${replayInTheWay(sql, of)} and (
    select payloads_purged_at is null from runs
    where project_id = ${sql.unsafe(of)}.project_id and id = ${sql.unsafe(of)}.run_id)`

const FILTERED = ['run_id', 'agent_id', 'reason', 'partition_key', 'cluster_key', 'cause_id'] as const

/** Conditions on triage rows; an absent key filters nothing. */
export const triageConditions = (sql: Sql, filter: Partial<TriageFilter>) =>
  FILTERED.map(name => (filter[name] === undefined ? sql`` : sql`and t.${sql(name)} = ${filter[name]}`))

const placeOf = ({ created_text, run_id, seq }: TriageEntry) =>
  `${created_text} ${run_id} ${String(seq).padStart(10, '0')}`
const newestFirst = (a: TriageEntry, b: TriageEntry) => (placeOf(a) < placeOf(b) ? 1 : -1)

/**
 * A page of the feed, newest first. Each project and lane is read in the order of its index, once: where statistics are
 * from when there were few items, PostgreSQL read the page again for each item of the project (50 s). Texts have one
 * character more than they are shown with, by which one that goes on is known.
 */
export async function listTriage(sql: Sql, filter: TriageFilter, messageCharacters: number) {
  const { before } = filter
  const ask = (ids: readonly string[]) => {
    const own = (alias: string) => sql`${sql(alias)}.project_id = any(${[...ids]}::uuid[])`
    return sql<TriageEntry[]>`
    with page as materialized (
      select t.* from unnest(${[...ids]}::uuid[]) as p(id),
        unnest(${[...filter.lanes]}::text[]::triage_lane[]) as l(lane),
        lateral (
          select * from triage t
          where t.project_id = p.id and ${own('t')} and t.lane = l.lane and t.disposition is null
            ${triageConditions(sql, filter)}
            ${
              before === undefined
                ? sql``
                : sql`and (t.created_at, t.run_id, t.seq) < (${before.created_text}::text::timestamptz, ${before.run_id}::uuid, ${before.seq}::int)`
            }
          order by t.created_at desc, t.run_id desc, t.seq desc limit ${filter.limit}
        ) t
      order by t.created_at desc, t.run_id desc, t.seq desc limit ${filter.limit}
    )
    select t.run_id, t.seq, t.project_id, t.agent_id, a.slug as agent_slug, t.lane, t.disposition, t.corrected, t.reason,
      t.error_code, t.partition_key, t.cluster_key, t.cause_id, t.created_at, t.created_at::text as created_text, i.item_id,
      i.status, i.outcome, i.cost_micro, i.unpriced, left(coalesce(i.error_message, i.degraded_reason), ${messageCharacters} + 1) as message,
      left(i.input, ${messageCharacters} + 1) as input_start, r.name as run_name, r.stop_reason is not null as run_stopped,
      r.payloads_purged_at is not null as input_purged, again.replay
    from page t
    cross join lateral (select * from items where project_id = t.project_id and run_id = t.run_id and seq = t.seq
      and ${own('items')} offset 0) i
    join runs r on r.project_id = t.project_id and r.id = t.run_id and ${own('r')}
    join agents a on a.project_id = t.project_id and a.id = t.agent_id and ${own('a')}
    ${replayOf(sql)}
    order by t.created_at desc, t.run_id desc, t.seq desc`
  }
  return askProjects(sql, filter.project_ids, ask, { limit: filter.limit, compare: newestFirst })
}

/** How many waiting rows pass a filter, counted up to LIMITS.activity_counted. */
export async function countTriage(sql: Sql, filter: Omit<TriageFilter, 'before' | 'limit'>): Promise<number> {
  const [row] = await sql<[{ total: number }]>`
    select count(*)::int as total from (
      select from triage t
      where t.project_id = any(${[...filter.project_ids]}::uuid[]) and t.lane = any(${[...filter.lanes]}::text[]::triage_lane[])
        and t.disposition is null ${triageConditions(sql, filter)}
      limit ${LIMITS.activity_counted}) counted`
  return row.total
}

/** The facts that decide which actions an item accepts, and whether a decision can be undone. */
export interface Standing extends ItemFacts {
  /** The item is a replay that reused everything of its original and ended like it. */
  unchanged: boolean
  cause_id: string | null
  decided_at: Date | null
  decided_by: string | null
  decided_ms_ago: number | null
}

/** With `lock`, locks the item's run first, for a decision in the same transaction. */
export async function findStanding(sql: Sql, { project_id, run_id, seq }: ItemKey, lock = false) {
  if (lock)
    await sql`select 1 from runs where project_id = ${project_id} and id = ${run_id} for no key update`
  const [row] = await sql<Standing[]>`
    select i.status, i.outcome, t.lane, t.disposition, t.corrected, t.cause_id, t.decided_at, t.decided_by,
      extract(epoch from clock_timestamp() - t.decided_at)::float8 * 1000 as decided_ms_ago, r.stop_reason is not null as run_stopped,
      r.payloads_purged_at is not null as input_purged, again.replay,
      exists (select 1 from replays p
        where p.project_id = i.project_id and p.run_id = i.run_id and p.seq = i.seq and p.unchanged) as unchanged
    from items i join runs r on r.project_id = i.project_id and r.id = i.run_id
    left join triage t on t.project_id = i.project_id and t.run_id = i.run_id and t.seq = i.seq
    ${replayOf(sql)}
    where i.project_id = ${project_id} and i.run_id = ${run_id} and i.seq = ${seq}`
  return row
}
