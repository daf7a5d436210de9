// Items that wait for a decision, and the decisions. Guarantee: a decision is one statement under the lock of the
// item's run, which also keeps the run's count of undecided items, so the run's status follows by itself.

import type { Sql } from '../context.ts'
import type { ItemFacts } from '../domain/recovery.ts'
import type { Disposition, ItemStatus, Outcome, TriageLane, WrongOf } from '../domain/vocabulary.ts'
import { countJudged, isVerdict, says, uncountJudged } from '../recovery/queries/verdicts.ts'
import { CALLED_WRONG } from '../recovery/rules/verdicts.ts'
import { forget } from './settle.ts'

export interface ItemKey {
  run_id: string
  seq: number
}

/** A row of the feed with the item it is about. `created_text` is the sort key as the database writes it. */
export interface TriageEntry extends ItemKey {
  project_id: string
  agent_id: string
  agent_slug: string
  lane: TriageLane
  disposition: Disposition | null
  reason: string
  error_code: string | null
  partition_key: string | null
  cluster_key: string | null
  cause_id: string | null
  created_at: Date
  created_text: string
  item_id: string
  status: ItemStatus
  outcome: Outcome | null
  corrected: Outcome | null
  message: string | null
  cost_micro: number
  unpriced: boolean
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

/** The spelling of an item's (run, seq) as a record id, as in shared/domain/ids.ts. */
export const recordId = (sql: Sql, of: string) =>
  sql.unsafe(`(left(${of}.run_id::text, 28) || lpad(to_hex(${of}.seq), 8, '0'))::uuid`)

/** The replay of an item that forbids another, as JSON: one that is under way, else one that worked. */
const replayOf = (sql: Sql) => sql`
  left join lateral (
    select jsonb_build_object('record_id', ${recordId(sql, 'p')}, 'status', n.status, 'outcome', n.outcome) as replay
    from replays p join items n on n.run_id = p.run_id and n.seq = p.seq
    where p.from_run_id = i.run_id and p.from_seq = i.seq
      and (n.status in ('queued', 'running', 'paused') or n.outcome = 'ok')
    order by n.outcome = 'ok' nulls first limit 1
  ) again on true`

/**
 * A replay of the item is under way or has worked. A scalar, not exists: that may be planned as a join with all replays
 * there are, which each chunk of a recovery would read again (20,000 items: 18 s, where this takes 9).
 */
export const replayInTheWay = (sql: Sql, of: string) => sql`
  coalesce((
    select true from replays p join items n on n.run_id = p.run_id and n.seq = p.seq
    where p.from_run_id = ${sql.unsafe(of)}.run_id and p.from_seq = ${sql.unsafe(of)}.seq
      and (n.status in ('queued', 'running', 'paused') or n.outcome = 'ok') limit 1), false)`

/** No replay of the item is in the way, and its input is still there. */
export const canBeReplayed = (sql: Sql, of: string) => sql`
  not ${replayInTheWay(sql, of)} and (select payloads_purged_at is null from runs where id = ${sql.unsafe(of)}.run_id)`

/** Conditions on triage rows, each absent key letting everything pass. */
export function triageConditions(sql: Sql, filter: Partial<TriageFilter>) {
  return [
    filter.run_id === undefined ? sql`` : sql`and t.run_id = ${filter.run_id}`,
    filter.agent_id === undefined ? sql`` : sql`and t.agent_id = ${filter.agent_id}`,
    filter.reason === undefined ? sql`` : sql`and t.reason = ${filter.reason}`,
    filter.partition_key === undefined ? sql`` : sql`and t.partition_key = ${filter.partition_key}`,
    filter.cluster_key === undefined ? sql`` : sql`and t.cluster_key = ${filter.cluster_key}`,
    filter.cause_id === undefined ? sql`` : sql`and t.cause_id = ${filter.cause_id}`,
  ]
}

/** A page of the feed, newest first. Each project and lane is read in the order of its index. */
export async function listTriage(sql: Sql, filter: TriageFilter, messageCharacters: number) {
  const { before } = filter
  return sql<TriageEntry[]>`
    select t.run_id, t.seq, t.project_id, t.agent_id, a.slug as agent_slug, t.lane, t.disposition, t.corrected, t.reason,
      t.error_code, t.partition_key, t.cluster_key, t.cause_id, t.created_at, t.created_at::text as created_text, i.item_id,
      i.status, i.outcome, i.cost_micro, i.unpriced, left(coalesce(i.error_message, i.degraded_reason), ${messageCharacters}) as message,
      r.stop_reason is not null as run_stopped,
      r.payloads_purged_at is not null as input_purged, again.replay
    from (
      select t.* from unnest(${[...filter.project_ids]}::uuid[]) as p(id),
        unnest(${[...filter.lanes]}::text[]::triage_lane[]) as l(lane),
        lateral (
          select * from triage t
          where t.project_id = p.id and t.lane = l.lane and t.disposition is null ${triageConditions(sql, filter)}
            ${
              before === undefined
                ? sql``
                : sql`and (t.created_at, t.run_id, t.seq) < (${before.created_text}::text::timestamptz, ${before.run_id}::uuid, ${before.seq}::int)`
            }
          order by t.created_at desc, t.run_id desc, t.seq desc limit ${filter.limit}
        ) t
      order by t.created_at desc, t.run_id desc, t.seq desc limit ${filter.limit}
    ) t
    join items i on i.run_id = t.run_id and i.seq = t.seq
    join runs r on r.id = t.run_id join agents a on a.id = t.agent_id
    ${replayOf(sql)}
    order by t.created_at desc, t.run_id desc, t.seq desc`
}

/** What decides which actions an item takes, and whether a decision can be taken back. */
export interface Standing extends ItemFacts {
  /** It replays another, of which everything was taken over, and ended like it. */
  unchanged: boolean
  decided_at: Date | null
  decided_ms_ago: number | null
}

/** Its run is locked when a decision is to follow. */
export async function findStanding(sql: Sql, { run_id, seq }: ItemKey, lock = false) {
  if (lock) await sql`select 1 from runs where id = ${run_id} for no key update`
  const [row] = await sql<Standing[]>`
    select i.status, i.outcome, t.lane, t.disposition, t.corrected, t.decided_at,
      extract(epoch from clock_timestamp() - t.decided_at)::float8 * 1000 as decided_ms_ago, r.stop_reason is not null as run_stopped,
      r.payloads_purged_at is not null as input_purged, again.replay,
      exists (select from replays p where p.run_id = i.run_id and p.seq = i.seq and p.unchanged) as unchanged
    from items i join runs r on r.id = i.run_id
    left join triage t on t.run_id = i.run_id and t.seq = i.seq
    ${replayOf(sql)}
    where i.run_id = ${run_id} and i.seq = ${seq}`
  return row
}

/** The items a decision is about, and their runs under lock, in one order. */
const chosen = (sql: Sql, keys: readonly ItemKey[]) => sql`
  chosen as (
    select * from unnest(${keys.map(k => k.run_id)}::uuid[], ${keys.map(k => k.seq)}::int[]) as k(run_id, seq)
  ), run as materialized (
    select * from runs where id in (select run_id from chosen) order by id for no key update
  )`

/** The rows leave the feed and the items stay undecided; returns how many were in the feed. */
export async function acknowledge(sql: Sql, keys: readonly ItemKey[]): Promise<number> {
  const { count } = await sql`
    with ${chosen(sql, keys)}
    update triage t set disposition = 'acknowledged', decided_at = now() from run, chosen k
    where t.run_id = run.id and k.run_id = run.id and t.seq = k.seq and t.disposition is null`
  return count
}

/** What ends the wait of an item for good; whether somebody looked at just this one. */
export type Ending =
  | { as: 'dismissed'; one_by_one: boolean }
  | { as: 'wrong'; of: WrongOf }
  | { as: 'confirmed' }

/** Of each: which rows accept it, whether it judges their verdict, and the verdict they have by it. */
const ENDINGS = {
  dismissed: (sql: Sql) => ({ accepts: sql`true`, judges: isVerdict(sql), corrected: sql`t.corrected` }),
  wrong: (sql: Sql, of: WrongOf) => ({
    accepts: says(sql, of),
    judges: sql`true`,
    corrected: sql`case when t.lane = 'dlq' then 'ok'::outcome end`,
  }),
  confirmed: (sql: Sql) => ({
    accepts: says(sql, 'question'),
    judges: sql`true`,
    corrected: sql`'degraded'::outcome`,
  }),
}

/**
 * Decides that nothing more is done about items; held ones thereby end as cancelled. Returns how many accepted it and
 * had not been decided about before.
 */
export async function endWaiting(sql: Sql, keys: readonly ItemKey[], ending: Ending): Promise<number> {
  const { accepts, judges, corrected } =
    ending.as === 'wrong' ? ENDINGS.wrong(sql, ending.of) : ENDINGS[ending.as](sql)
  const looked = ending.as !== 'dismissed' || ending.one_by_one
  const [row] = await sql<{ n: number }[]>`
    with ${chosen(sql, keys)}, decided as (
      update triage t set disposition = ${ending.as}, decided_at = now(), judged = ${looked} and ${judges},
        corrected = ${corrected}
      from run, chosen k join triage was using (run_id, seq)
      where t.run_id = run.id and k.run_id = run.id and t.seq = k.seq
        and (t.disposition is null or t.disposition = 'acknowledged') and ${accepts}
      -- One that was judged already is counted: the version before takes a decision back without knowing of that.
      returning t.run_id, t.seq, t.lane, t.project_id, t.agent_id, t.reason, t.disposition,
        t.judged and not was.judged as judged
    ), ${countJudged(sql)}, ended as (
      update items i set status = 'cancelled', completed_at = now() from decided d
      where i.run_id = d.run_id and i.seq = d.seq and i.status = 'paused' and d.lane = 'quarantine'
      returning i.run_id
    ), n as (
      select run_id, sum(decided)::int as decided, sum(ended)::int as ended, bool_or(was_unpriced) as was_unpriced
      from (
        select run_id, (lane = 'dlq')::int as decided, 0 as ended,
          lane = 'quarantine' and reason = 'unpriced_model' as was_unpriced from decided
        union all select run_id, 0, 1, false from ended
      ) of_run group by 1
    ), counted as (
      update runs r set undecided = r.undecided - n.decided, paused = r.paused - n.ended,
        cancelled = r.cancelled + n.ended,
        -- What no price would do waits for whoever decides about the items held for it: after the last, for nobody.
        waits_for_price = r.waits_for_price and not case when r.unpriced_model = '' and n.was_unpriced then not exists (
          select from triage t join items i on i.run_id = t.run_id and i.seq = t.seq
          where t.run_id = r.id and t.lane = 'quarantine' and t.reason = 'unpriced_model' and i.status = 'paused'
            and not exists (select from decided d where d.run_id = t.run_id and d.seq = t.seq)) else false end,
        finished_at = coalesce(r.finished_at,
          case when ended_items(r) + n.ended >= r.total_items then now() end)
      from n where r.id = n.run_id returning r.id, r.finished_at
    ), ${forget(sql)}
    select count(*)::int as n from decided`
  return row!.n
}

/** Brings an item back into the feed, under the lock of its run that the caller holds; false when it came too late. */
export async function reopen(sql: Sql, { run_id, seq }: ItemKey): Promise<boolean> {
  const [row] = await sql<{ n: number }[]>`
    with known as (
      select t.seq, t.lane, t.disposition, t.judged as was_judged, (t.decided_at at time zone 'UTC')::date as day
      from triage t join items i on i.run_id = t.run_id and i.seq = t.seq
      where t.run_id = ${run_id} and t.seq = ${seq}
        and t.disposition in ('acknowledged', 'dismissed', 'wrong', 'confirmed')
        and (t.lane <> 'quarantine' or i.status = 'paused')
    ), reopened as (
      update triage t set disposition = null, decided_at = null, judged = false,
        corrected = case when t.lane = 'review' and t.reason = ${CALLED_WRONG} then 'degraded'::outcome end
      from known k where t.run_id = ${run_id} and t.seq = k.seq and t.disposition = k.disposition
      returning t.project_id, t.agent_id, t.reason, k.disposition, k.was_judged, k.day,
        k.lane = 'dlq' and k.disposition in ('dismissed', 'wrong') as undecides
    ), ${uncountJudged(sql)}, counted as (
      update runs set undecided = undecided + 1 where id = ${run_id} and exists (select from reopened where undecides)
    )
    select count(*)::int as n from reopened`
  return (row?.n ?? 0) > 0
}

/**
 * Queues held items again; one that stands at its fence gets `extraMicro` more, or its declared budget once more.
 * Returns how many were held and are of a run that goes on.
 */
export async function resume(
  sql: Sql,
  keys: readonly ItemKey[],
  extraMicro: number | null = null,
): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    with ${chosen(sql, keys)}, resumed as (
      update items i set status = 'queued', outcome_reason = null, degraded_reason = null, error_message = null,
        extra_budget_micro = case when granted.micro is null then i.extra_budget_micro
          else coalesce(i.extra_budget_micro, 0) + granted.micro end
      from chosen k
        join run on run.id = k.run_id and run.stop_reason is null and run.finished_at is null
        join triage t on t.run_id = k.run_id and t.seq = k.seq
        join items held on held.run_id = k.run_id and held.seq = k.seq
        left join deployments d on d.id = run.deployment_id, lateral (
          select coalesce(${extraMicro}::bigint, case when held.outcome_reason = 'budget_exceeded'
            then ((d.declaration->>'item_budget_cents')::numeric * 10000)::bigint end) as micro
        ) granted
      where i.run_id = k.run_id and i.seq = k.seq and i.status = 'paused'
        and t.lane = 'quarantine' and t.disposition is distinct from 'resumed'
      returning i.run_id, i.seq, t.reason = 'unpriced_model' as was_unpriced
    ), decided as (
      update triage t set disposition = 'resumed', decided_at = now() from resumed
      where t.run_id = resumed.run_id and t.seq = resumed.seq
    ), due as (
      insert into due_items (run_id, seq, due_at) select run_id, seq, now() from resumed on conflict do nothing
    ), n as (
      select run_id, count(*)::int as n, bool_or(was_unpriced) as was_unpriced from resumed group by 1
    ), counted as (
      -- Whoever resumes an item that waits for a price says that they know, for the whole run.
      update runs r set paused = r.paused - n.n, touched_at = now(),
        allow_unpriced = r.allow_unpriced or n.was_unpriced,
        waits_for_price = r.waits_for_price and not n.was_unpriced
      from n where r.id = n.run_id
    )
    select count(*)::int as n from resumed`
  return row!.n
}

/** How many recorded steps an item goes on from. */
export async function countKeptSteps(sql: Sql, { run_id, seq }: ItemKey): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from steps
    where run_id = ${run_id} and seq = ${seq} and error_code is null and key !~ '^hold(#\\d+)?$'`
  return row!.n
}
