// Settles items that ended without steps, as most do: few values are sent for each, and shared values once. Guarantee:
// like the statement for all others (`settle.ts`), it may be sent again, and a late result changes nothing.

import type { Fragment } from 'postgres'
import { type Refill, refillFrom, type TakenRow } from '../../claims/queries/claim.ts'
import { deleteClaims } from '../../claims/queries/leases.ts'
import { type Asked, asked } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import {
  become,
  CLOCK,
  clearDueOf,
  countMoves,
  guard,
  outcomeOf,
  statusAfter,
  TALLIED,
  TALLY,
  useMoves,
} from '../../items/queries/transitions.ts'
import { hasSeq, numbers, rowsOf } from '../../kernel/packed-columns.ts'
import { insertTriage, keepCauses, type NotOk, notOkRows } from './not-ok.ts'

export interface FlushClaims {
  /** Claims the items are held under. */
  held: readonly number[]
  /** Those of them whose last items are in this flush. */
  closed: readonly number[]
  /** Other flushes may write the same items at the same time. */
  shared?: boolean
}

/**
 * Locks the claims before their items, as the reaper does: otherwise a late result and the reaper would each wait for a
 * lock of the other. The update of items must have the condition `LOCKED`. It locks items in the order of its plan, so
 * flushes of the same items take turns here, by a lock for which no heartbeat of their agent waits.
 */
export const lockClaims = (sql: Sql, project_id: string, { held, shared = false }: FlushClaims) => sql`
  held as materialized (
    select id ${shared ? sql`, pg_advisory_xact_lock(hashtextextended('assay answers ' || id, 0))` : sql``}
    from claims where project_id = ${project_id} and id = any(${numbers(held)}::text::bigint[])
    order by id for key share
  )`
export const LOCKED = '(select count(*) from held) >= 0'

export interface Flushed {
  /** Items whose end this flush wrote. */
  recorded: number
  /** Items of the whole run that have ended and are not ok. */
  not_ok: number
  finished: boolean
  stop_reason: string | null
}

/** Failures in a row at the end of a flush, and whether any item completed before them. */
export interface Streak {
  failure_streak: number
  streak_broken: boolean
  max_consecutive_failures: number
}

/** Items that ended, all in the same attempt and with the same number of steps written before. */
export interface Ended extends Streak {
  run_id: string
  project_id: string
  agent_id: string
  attempt: number
  steps_before: number
  items: readonly { seq: number; output: string | null }[]
  /** Those of them that are not ok. */
  not_ok: readonly NotOk[]
  claims: FlushClaims
  /** The claim to make in the same statement, if any. */
  refill?: Refill | null
}

/** The answer of a flush: one row, or one for each item that it took. */
export type FlushedRow = Flushed & (TakenRow | { claim_id?: null })

/** `node` is the project, which a cluster needs named in each part. */
export function settleEnded(sql: Sql, ended: Ended, node: Asked = null) {
  const { project_id, run_id, attempt, steps_before, items, not_ok, claims } = ended
  const seqs = items.map(item => item.seq)
  const allOk = not_ok.length === 0
  const moves = allOk ? COMPLETED : TALLIED
  return sql<FlushedRow[]>`
    with entry as materialized (
      ${rowsOf(sql, items, { seq: ['int', item => item.seq], output: ['text', item => item.output] })}
    ), ${allOk ? sql`` : sql`not_ok as materialized (${notOkRows(sql, not_ok)}),`}
    ${lockClaims(sql, project_id, claims)}, settled as (
      update items i set ${allOk ? ALL_OK(sql) : AS_TOLD(sql)}, output = e.output
      from entry e ${allOk ? sql`` : sql`left join not_ok b using (seq)`}
      where i.project_id = ${project_id} and i.run_id = ${run_id} and ${hasSeq(sql, 'i', seqs)}
        and i.seq = e.seq and i.attempt = ${attempt} and ${sql.unsafe(guard('complete'))} and i.step_count = ${steps_before}
        and ${sql.unsafe(LOCKED)}
      returning ${allOk ? sql`1` : TOLD(sql)}
    ), ${allOk ? sql`` : sql`sorted as (${insertTriage(sql, ended, not_ok)} returning 1),`} n as (
      ${allOk ? sql`select count(*)::int as left_running, count(*)::int as ok from settled` : tallied(sql)}
    ), closed as (${deleteClaims(sql, project_id, claims.closed)}), counted as (
      update runs r set ${sql.unsafe(countMoves(moves))},
        ${stopWhenSpent(sql, sql`r.cost_micro`, allOk ? sql`` : stopAfterFailures(sql, ended))},
        consecutive_failures = ${streakAfter(sql, ended)}
      from n, ${sql.unsafe(CLOCK)} where r.project_id = ${project_id} and r.id = ${run_id} and r.finished_at is null
      returning r.*
    ), used as (
      update project_usage u set ${sql.unsafe(useMoves(moves))}
      from n, counted c where u.project_id = c.project_id and n.left_running > 0 ${asked(sql, 'u', node)}
      returning u.project_id
    ), ${allOk ? sql`` : sql`kept as (${keepCauses(sql, not_ok)}),`} ${clearDueOf(sql, node)}
    ${flushed(sql, ended.refill)}`
}

const COMPLETED = { complete: 'n.ok' }

/** Assignments to items that all worked. */
const ALL_OK = (
  sql: Sql,
) => sql`${sql.unsafe(become('complete'))}, outcome = ${sql.unsafe(outcomeOf('complete'))},
  outcome_reason = null, degraded_reason = null, error_code = null, error_message = null`

/** Assignments to items of which some did not work, as `b` says. */
const AS_TOLD = (sql: Sql) => sql`status = coalesce(b.status, ${sql.unsafe(statusAfter('complete'))}),
  outcome = case when b.seq is null then ${sql.unsafe(outcomeOf('complete'))} else b.outcome end, completed_at = now(),
  outcome_reason = b.outcome_reason, degraded_reason = b.degraded_reason,
  error_code = b.error_code, error_message = b.error_message`
const TOLD = (
  sql: Sql,
) => sql`i.seq, i.status, i.outcome, i.outcome_reason, i.error_code, i.partition_key, true as ends,
  i.cost_micro as item_cost_micro, b.prompt, b.cause_id`

const tallied = (sql: Sql) => sql`
  select count(*)::int as left_running, ${sql.unsafe(TALLY)} from settled where (select count(*) from sorted) >= 0`

/** The failures in a row of run `r` after a flush. A flush that adds nothing, sent again or too late, keeps them. */
export const streakAfter = (sql: Sql, { streak_broken, failure_streak }: Streak) => sql`
  case when n.left_running = 0 then r.consecutive_failures
    when ${streak_broken} then ${failure_streak}::int
    else r.consecutive_failures + ${failure_streak}::int end`

export const stopAfterFailures = (sql: Sql, streak: Streak) => sql`
  when ${streak.failure_streak}::int > 0
    and ${streakAfter(sql, streak)} >= ${streak.max_consecutive_failures} then 'consecutive_failures'`

/** The assignment that stops a run whose budget is spent, or for the reason that `more` gives. */
export const stopWhenSpent = (sql: Sql, cost: Fragment, more = sql``) => sql`stop_reason = case
    when r.stop_reason is not null then r.stop_reason
    -- A run is stopped only while some of its items wait to be dispatched.
    when ended_items(r) + r.running + r.paused >= r.total_items then null
    when ${cost} >= r.budget_micro then 'budget_exceeded'
    ${more} end::stop_reason`

/** Selects what a flush returns, from its `counted` and `settled`, with the items that it takes for the places that its `used` frees. */
export const flushed = (sql: Sql, refill: Ended['refill']) => sql`
  select (select count(*)::int from settled) as recorded, c.degraded + c.failed + c.budget_exceeded as not_ok,
    c.finished_at is not null as finished, c.stop_reason ${refill ? sql`, taken.*` : sql``}
  from counted c ${refill ? refillFrom(sql, refill) : sql``}`
