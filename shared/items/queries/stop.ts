// Stops runs, and ends, pauses or resumes items that are not dispatched. Everything here except the abort locks the
// run's row first and touches only queued and paused items; items in flight belong to settle.

import type { Sql } from '../../context.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { isUuid, type RunKey } from '../../kernel/ids.ts'
import { hasSeqOf } from '../../kernel/packed-columns.ts'
import { untilGiven } from '../../kernel/unreachable.ts'
import { WAITS_FOR_MONEY } from '../../prices/queries/budgets.ts'
import {
  become,
  CLOCK,
  countMoves,
  DUE_OF_ENDED,
  dispositionOf,
  guard,
  intoTriage,
  isIn,
  laneOf,
  outcomeOf,
  statusAfter,
  useMoves,
} from './transitions.ts'

/**
 * Runs a statement after the run is locked. If the statement itself waited for the lock, its snapshot would be from
 * before: it would miss, or count twice, what the lock's holder did to the items. Lock and statement are one message,
 * which PostgreSQL commits as a whole, so the lock is never held while this process does something else. Such a message
 * has no parameters: `of` is the run's key as SQL text.
 */
async function underLock<T>(sql: Sql, run: RunKey, act: (of: RunKey) => string): Promise<T | undefined> {
  const of = { project_id: inText(run.project_id), run_id: inText(run.run_id) }
  const message = `select from runs where ${isRun(of)} for no key update; ${act(of)}`
  // A message that got no connection has not started, so it waits for one, as a transaction does.
  const [, rows] = await untilGiven(() => sql.unsafe<[unknown[], T[]]>(message))
  return rows[0]
}

function inText(id: string): string {
  if (!isUuid(id)) throw new Error(`${JSON.stringify(id)} is no id`)
  return `'${id}'::uuid`
}

const isRun = ({ project_id, run_id }: RunKey) => `project_id = ${project_id} and id = ${run_id}`
const isOfRun = ({ project_id, run_id }: RunKey) => `project_id = ${project_id} and run_id = ${run_id}`

/** Asks a run to stop, unless it has ended or is still materializing. Why it had stopped before is kept. */
export async function stopCancelled(
  sql: Sql,
  { project_id, run_id }: RunKey,
): Promise<'stopped' | 'ended' | 'materializing'> {
  const result = await sql`
    update runs set stop_reason = 'cancelled',
      first_stop_reason = coalesce(first_stop_reason, nullif(stop_reason, 'cancelled'))
    where project_id = ${project_id} and id = ${run_id} and finished_at is null and not materializing`
  if (result.count === 1) return 'stopped'
  const [open] = await sql`
    select from runs where project_id = ${project_id} and id = ${run_id} and finished_at is null`
  return open === undefined ? 'ended' : 'materializing'
}

/** Stops a run whose budget is spent while items wait to be dispatched; false if that is not the case. */
export async function stopSpent(sql: Sql, { project_id, run_id }: RunKey): Promise<boolean> {
  const result = await sql`
    update runs r set stop_reason = 'budget_exceeded'
    where project_id = ${project_id} and id = ${run_id} and finished_at is null and not materializing and stop_reason is null
      and cost_micro >= budget_micro and ended_items(r) + running + paused < total_items`
  return result.count === 1
}

/**
 * CTEs with the items of a backlog that are not in flight: those from the cursor on, then those due again below it. A
 * statement that takes them moves the cursor, so that sweeping a long backlog in bounded steps reads every row once.
 */
const undispatched = (sql: Sql, of: RunKey, limit: number) => `
  ahead as (
    select i.seq from items i
    where ${isOfRun(of)} and i.seq >= (select next_seq from run) and ${isIn(['queued'])} order by i.seq limit ${limit}
  ), behind as (
    select d.seq from due_items d where ${isOfRun(of)} and exists (select 1 from run) order by d.seq limit ${limit}
  ), undue as (
    delete from due_items d where ${isOfRun(of)} and ${hasSeqOf(sql, 'd', 'behind')}
  ), cursor as (
    select case when count(*) < ${limit} then null else max(seq) + 1 end as next_seq from ahead
  )`

/**
 * Ends items of a stopped run that were not dispatched, up to about `limit`: queued items as the stop reason says, and
 * paused items too if it was cancelled. Returns whether some are left.
 */
export async function sweepStopped(sql: Sql, run: RunKey, limit: number): Promise<boolean> {
  const row = await underLock<{ more: boolean }>(sql, run, of => sweep(sql, of, limit))
  return row?.more ?? false
}

const SWEPT = { skip: 'n.skipped', cancel: 'n.cancelled', dismiss: 'n.dismissed' }

const sweep = (sql: Sql, of: RunKey, limit: number) => `
    with run as materialized (
      select *, stop_reason = 'budget_exceeded' as over_budget from runs
      where ${isRun(of)} and stop_reason is not null and finished_at is null
    ), ${undispatched(sql, of, limit)},
    held as (
      -- A subquery and no join: the join read the items of all runs even if no item was paused.
      select i.seq from items i
      where ${isOfRun(of)} and ${guard('dismiss')} and (select stop_reason = 'cancelled' and paused > 0 from run)
      order by i.seq limit ${limit}
    ), chosen as (
      select seq from ahead union select seq from behind union select seq from held
    ), swept as (
      update items i set completed_at = now(),
        status = case when over_budget then ${statusAfter('skip')} else ${statusAfter('cancel')} end,
        outcome = case when over_budget then ${outcomeOf('skip')} end,
        outcome_reason = case when over_budget then 'budget_exceeded' end,
        error_code = case when over_budget then 'budget_exceeded' end,
        error_message = case
          when run.stop_reason = 'budget_exceeded' then 'The run reached its budget before this item was dispatched.'
          when run.stop_reason = 'consecutive_failures' then 'The run was stopped after too many consecutive failures.'
          when run.stop_reason = 'pilot_failed' then 'None of the first items of the run was ok, so this one was not started.' end
      from run
      where i.project_id = ${of.project_id} and i.run_id = run.id and ${guard(['skip', 'cancel', 'dismiss'])}
        and ${hasSeqOf(sql, 'i', 'chosen')}
      returning i.seq, i.partition_key, i.cost_micro, over_budget
    ), marked as materialized (
      -- In the select list, the subquery is a hash lookup and cannot be planned as a nested loop.
      select s.seq, s.over_budget, s.seq in (select seq from held) as was_held from swept s
    ), freed as (select seq from marked where was_held), decided as (
      update triage set disposition = ${dispositionOf('dismiss')}, decided_at = now(), decided_by = null
      where ${isOfRun(of)} and disposition is null and ${hasSeqOf(sql, 'triage', 'freed')}
    ), n as (
      select count(*)::int as n, count(*) filter (where over_budget)::int as skipped,
        count(*) filter (where not over_budget and not was_held)::int as cancelled,
        count(*) filter (where was_held)::int as dismissed
      from marked
    ), counted as (
      update runs r set ${countMoves(SWEPT)},
        next_seq = coalesce(cursor.next_seq, r.total_items + 1), touched_at = now()
      from n, run, cursor, ${CLOCK} where r.project_id = ${of.project_id} and r.id = run.id
      returning r.*, n.n as swept
    ), sorted as (${intoTriage(`
      select c.id, s.seq, c.project_id, c.agent_id, ${laneOf('skip')}, 'budget_exceeded',
        'budget_exceeded', s.partition_key, null, null, s.cost_micro
      from swept s, counted c where s.over_budget`)}), cleared as (
      delete from due_items where project_id = ${of.project_id} and ${DUE_OF_ENDED})
    select swept > 0 and finished_at is null as more from counted`

export interface Aborted {
  items: number
  cost_micro: number
  /** Whether any claim was found: then another may be left. */
  more: boolean
}

const ABORTED = { abort: 'n.items' }

/**
 * Takes the items in flight of a cancelled run from their holders and ends them, up to `limit` claims at once. The cost
 * of their steps was counted as these were written; later results of their attempts are refused. A claim is locked
 * before its items, and items before their run, as in settle.
 */
export async function abortClaims(sql: Sql, { project_id, run_id }: RunKey, limit: number): Promise<Aborted> {
  const [row] = await sql<Aborted[]>`
    with taken as (
      delete from claims where id in (
        select c.id from claims c join runs r on r.project_id = c.project_id and r.id = c.run_id
        where c.project_id = ${project_id} and c.run_id = ${run_id} and r.stop_reason = 'cancelled'
        order by c.id limit ${limit} for update of c) and project_id = ${project_id}
      returning run_id, seqs, attempts
    ), held as materialized (
      select run_id, s.seq, s.attempt from taken, unnest(seqs, attempts) as s(seq, attempt)
    ), aborted as (
      update items i set ${sql.unsafe(become('abort'))},
        error_message = 'The run was cancelled while this item was in flight: it was aborted.'
      -- By the run of the claims, so that items are looked up: the id itself selects all of a run that counts as small.
      from held h
      where i.project_id = ${project_id} and i.run_id = h.run_id and i.seq = h.seq and i.attempt = h.attempt and ${sql.unsafe(guard('abort'))}
      returning i.seq, i.attempt, i.started_at, i.cost_micro
    ), logged as (
      insert into attempts (project_id, run_id, seq, attempt, started_at, code, message)
      select ${project_id}, ${run_id}, seq, attempt, started_at, 'aborted', 'The run was cancelled.' from aborted
      on conflict do nothing
    ), n as (
      select count(*)::int as items, coalesce(sum(cost_micro), 0)::bigint as cost_micro from aborted
    ), counted as (
      update runs r set ${sql.unsafe(countMoves(ABORTED))}, touched_at = now()
      from n, ${sql.unsafe(CLOCK)} where r.project_id = ${project_id} and r.id = ${run_id} and r.finished_at is null and n.items > 0
      returning r.project_id, r.id, r.finished_at
    ), used as (
      update project_usage u set ${sql.unsafe(useMoves(ABORTED))} from n, counted c
      where u.project_id = ${project_id} and u.project_id = c.project_id
    ), cleared as (
      delete from due_items where project_id = ${project_id} and ${sql.unsafe(DUE_OF_ENDED)})
    select items, cost_micro, (select count(*) from taken) > 0 as more from n`
  return row!
}

/** Reason of a paused item that continues by itself; an agent may hold an item with the same word. */
const MONEY = 'money'
/** The same reason in earlier versions. */
const CREDIT = 'credit'
const UNPRICED: OutcomeReason = 'unpriced_model'

/**
 * Pauses up to about `limit` undispatched items of a run that waits for money other than its own budget: credit, a
 * budget by day or month, or a price. Returns how many.
 */
export async function pauseForMoney(sql: Sql, run: RunKey, limit: number): Promise<number> {
  const row = await underLock<{ n: number }>(sql, run, of => pause(sql, of, limit))
  return row?.n ?? 0
}

const pause = (sql: Sql, of: RunKey, limit: number) => `
    with run as materialized (
      select r.* from runs r join project_usage u using (project_id) join projects p on p.id = r.project_id
      where r.project_id = ${of.project_id} and r.id = ${of.run_id} and ${WAITS_FOR_MONEY} and r.stop_reason is null and r.finished_at is null
    ), ${undispatched(sql, of, limit)},
    chosen as (select seq from ahead union select seq from behind),
    paused as (
      update items i set ${become('pause')}, degraded_reason = '${MONEY}' from run
      where i.project_id = ${of.project_id} and i.run_id = run.id and ${guard('pause')}
        and ${hasSeqOf(sql, 'i', 'chosen')}
      returning i.seq
    ), n as (select count(*)::int as n from paused),
    counted as (
      update runs r set ${countMoves({ pause: 'n.n' })}, waits_for_credit = true,
        next_seq = coalesce(cursor.next_seq, r.total_items + 1), touched_at = now()
      from n, run, cursor where r.project_id = ${of.project_id} and r.id = run.id
    )
    select n from n`

/** Runs with items that waited for money, if there is some again or the run was stopped meanwhile. */
export async function findFundedRuns(sql: Sql, limit: number) {
  return sql<RunKey[]>`
    select r.project_id, r.id as run_id from runs r join project_usage u using (project_id) join projects p on p.id = r.project_id
    where r.finished_at is null and r.waits_for_credit
      and (r.stop_reason is not null or not ${sql.unsafe(WAITS_FOR_MONEY)})
    order by r.touched_at limit ${limit}`
}

/** Queues up to `limit` items of a run that waited for money; returns how many. */
export async function resumeFunded(sql: Sql, run: RunKey, limit: number): Promise<number> {
  const row = await underLock<{ n: number }>(sql, run, of => resume(sql, of, limit))
  return row?.n ?? 0
}

const resume = (sql: Sql, of: RunKey, limit: number) => `
    with run as (select project_id, id from runs where ${isRun(of)}),
    chosen as (
      select i.seq from items i join run on run.id = i.run_id and i.project_id = ${of.project_id}
        left join triage t on t.project_id = ${of.project_id} and t.run_id = i.run_id and t.seq = i.seq and t.lane = 'quarantine'
          and t.disposition is distinct from 'resumed'
      where ${guard('resume')} and case when t.seq is null then i.degraded_reason in ('${MONEY}', '${CREDIT}')
        else t.reason = '${UNPRICED}' end
      order by i.seq limit ${limit}
    ), resumed as (
      update items i set ${become('resume')}
      from run
      where i.project_id = ${of.project_id} and i.run_id = run.id and ${hasSeqOf(sql, 'i', 'chosen')}
        and ${guard('resume')}
      returning i.seq
    ), decided as (
      update triage set disposition = ${dispositionOf('resume')}, decided_at = now(), decided_by = null
      where ${isOfRun(of)} and lane = 'quarantine' and ${hasSeqOf(sql, 'triage', 'resumed')}
    ), due as (
      insert into due_items (project_id, run_id, seq, due_at)
      select ${of.project_id}, ${of.run_id}, seq, now() from resumed on conflict do nothing
    ), n as (select count(*)::int as n from resumed),
    counted as (
      update runs r set ${countMoves({ resume: 'n.n' })}, waits_for_credit = n.n = ${limit}, touched_at = now()
      from n, run where r.project_id = ${of.project_id} and r.id = run.id
    )
    select n from n`
