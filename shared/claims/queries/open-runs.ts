// Finds runs with items to offer, and when the next item is due. Guarantee: no account, project or run keeps another
// out of a poll, and items that wait for a fresh consumer, one that has just started, are left to one.

import { isDistributed } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import type { StopReason } from '../../items/vocabulary.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import { type Late, surelyLeftMs } from '../rules/consumer-time.ts'
import type { WaitingRun } from '../rules/fair-share.ts'
import { CAPS_ROOM, HAS_ROOM, IS_OPEN, IS_SERVED, PROJECT_ROOM, runsWithCaps } from './admission.ts'
import { OFFERED_ITEMS } from './pilots.ts'

export interface OpenRun extends WaitingRun {
  /** Set if the run was stopped and the rest of its items must be ended. */
  stop_reason: StopReason | null
  /** What its items run with; null if nothing is deployed. */
  deployment_id: string | null
  agent_id: string
  /** What that deployment declares. */
  limits: NamedLimits[] | null
}

/** The most items of a run that one poll asks for. */
const COUNTED = LIMITS.claims_at_once * LIMITS.claim_items

/** Due items `i` of the run `r`. */
const dueItems = (project: string) =>
  `select 1 from due_items i where i.project_id = ${project} and i.run_id = r.id and i.due_at <= now()`

/** Whether the run `r` has items to offer to a fresh consumer. */
export const OFFERS = `(r.next_seq <= ${OFFERED_ITEMS}
  or exists (${dueItems('r.project_id')}))`

/**
 * Runs with items to offer now: accounts take turns, then projects, and in a project the least recently touched run
 * comes first. Runs at a cap are left out: they would be polled in vain, and a few dozen of them would keep all
 * others out. Of a held installation, a suspended account and a deleted project, only stopped runs are returned.
 */
export async function findOpenRuns(sql: Sql, limit: number, late?: Late) {
  // Due items are counted for the returned runs alone. Citus refuses a bounded count that reads from a CTE, so there they
  // are counted for all open runs.
  const counted = await isDistributed(sql)
  return sql<OpenRun[]>`
    with open as (
      select r.id, r.stop_reason, d.id as deployment_id, d.declaration->'limits' as limits, r.agent_id, r.project_id, p.account_id, r.touched_at, r.running, u.running as project_running,
        ${sql.unsafe(CAPS_ROOM)} as room, ${sql.unsafe(PROJECT_ROOM)} as project_room,
        greatest(0, ${sql.unsafe(OFFERED_ITEMS)} - r.next_seq + 1) as fresh,
        ${counted ? countDue(sql, 'r', late) : sql`0`} as due,
        row_number() over (partition by r.project_id order by r.touched_at) as nth_of_project
      from ${sql.unsafe(runsWithCaps())}
      where r.finished_at is null and not r.materializing and case
        when r.stop_reason is not null then r.running + ended_items(r)
          + case when r.stop_reason = 'cancelled' then 0 else r.paused end < r.total_items
        when not ${sql.unsafe(IS_SERVED)} or not ${sql.unsafe(HAS_ROOM)} then false
        else (r.next_seq <= ${sql.unsafe(OFFERED_ITEMS)}
          or exists (${sql.unsafe(dueItems('r.project_id'))} ${unlessCut(sql, late)}))
          and not ${outlasts(sql, late)} end
    ), next as (
      select *, row_number() over (partition by account_id order by nth_of_project, touched_at) as nth_of_account
      from open
      order by nth_of_account, touched_at limit ${limit}
    )
    select n.id, n.stop_reason, n.deployment_id, n.agent_id, n.limits, n.project_id, n.account_id, n.running, n.project_running, n.room, n.project_room,
      least(${COUNTED}::int, n.fresh + ${counted ? sql`n.due` : countDue(sql, 'n', late)})::int as waiting
    from next n order by n.nth_of_account, n.touched_at`
}

const countDue = (sql: Sql, run: 'n' | 'r', late: Late | undefined) => sql`(select count(*) from (
  select from due_items i
  where i.project_id = ${sql.unsafe(run)}.project_id and i.run_id = ${sql.unsafe(run)}.id and i.due_at <= now() ${unlessCut(sql, late)}
  limit ${COUNTED}) due)`

/** Whether items wait for a fresh consumer and for nothing else. */
export async function isAnyLeftToFresh(sql: Sql, late: Late): Promise<boolean> {
  const [row] = await sql<{ is_left: boolean }[]>`
    select exists (select 1 from ${sql.unsafe(runsWithCaps())}
      where ${sql.unsafe(`${IS_OPEN} and ${IS_SERVED} and ${HAS_ROOM}`)}
        and (${sql.unsafe(cutIsDue('r.project_id'))} or ${waitsForFresh(sql, late, 'r.project_id')})) as is_left`
  return row!.is_left
}

/**
 * The place, 0 or 1, that a project reserves for items that wait for a fresh consumer and could begin. Otherwise items
 * that may always begin would take every free place, and the others would wait for ever. A run whose declared steps
 * wait for a fresh consumer needs no place while items of it are in flight: it does not wait for ever.
 */
export const keptPlaces = (sql: Sql, late: Late, project: string) => sql`exists (
  select 1 from ${sql.unsafe(runsWithCaps(project))}
  where r.project_id = ${sql.unsafe(project)}
    and ${sql.unsafe(`${IS_OPEN} and ${IS_SERVED} and ${HAS_ROOM}`)} and not r.waits_for_price
    and (${sql.unsafe(cutIsDue(project))} or r.running = 0 and ${waitsForFresh(sql, late, project)}))::int`

/** Leaves out items that were cut off, which wait for a fresh consumer. */
export const unlessCut = (sql: Sql, late: Late | undefined) =>
  late === undefined ? sql`` : sql`and cuts is null`
/** Whether an item of the run `r` is due that waits for a fresh consumer. */
export const cutIsDue = (project: string) => `exists (${dueItems(project)} and i.cuts is not null)`

/** Whether run `r` waits for a fresh consumer: its declared steps fit one, but not the time left to a late one. */
export const outlasts = (sql: Sql, late: Late | undefined) =>
  late === undefined
    ? sql`false`
    : sql`coalesce((d.declaration->>'step_seconds')::int * 1000 > ${late.left_ms}::float8
        and (d.declaration->>'step_seconds')::int * 1000 <= ${surelyLeftMs(late.whole_ms)}::float8
        and not (${late.base_url !== ''}::boolean and d.kind = 'url' and d.declaration @> '{"answers_later": true}'), false)`

const waitsForFresh = (sql: Sql, late: Late, project: string) => sql`(${outlasts(sql, late)}
  and (r.next_seq <= ${sql.unsafe(OFFERED_ITEMS)} or exists (${sql.unsafe(dueItems(project))})))`

/** Moves a run that was polled in vain to the end of the queue. */
export async function touchRun(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`update runs set touched_at = now() where project_id = ${project_id} and id = ${run_id}`
}

/** Milliseconds until the next item is due, at most `withinMs`; null if none is due by then. */
export async function findNextDue(sql: Sql, withinMs: number, late?: Late): Promise<number | null> {
  const waits =
    late === undefined
      ? sql``
      : sql`and d.run_id not in (
        select r.id from ${sql.unsafe(runsWithCaps())} where ${sql.unsafe(IS_OPEN)} and ${outlasts(sql, late)})`
  const [row] = await sql<{ due_ms: number }[]>`
    select greatest(0, extract(epoch from d.due_at - now()) * 1000)::float8 as due_ms
    from due_items d join runs r on r.project_id = d.project_id and r.id = d.run_id
    where d.due_at <= now() + make_interval(secs => ${withinMs / 1000})
      and r.finished_at is null and r.stop_reason is null ${unlessCut(sql, late)} ${waits}
    order by d.due_at limit 1`
  return row ? row.due_ms : null
}
