// Settles items that worked without steps, which most do: little is to be told of them, and what is alike once. Guarantee:
// as the statement for all others (../../store/settle.ts), it may be sent again, and a late result changes nothing.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { numbers, texts } from '../../store/columns.ts'
import { become, CLEAR_DUE, countMoves, guard, outcomeOf, useMoves } from './transitions.ts'

export interface FlushClaims {
  /** Claims the items are held under. */
  held: readonly number[]
  /** Of those, the ones whose last item is among them. */
  closed: readonly number[]
}

/**
 * Locks the claims before any item of theirs, as whoever reaps them does: a result that comes late and the reaper
 * would else each wait for what the other has. What follows must ask for `LOCKED`.
 */
export const lockClaims = (sql: Sql, { held }: FlushClaims) => sql`
  held as materialized (
    select id from claims where id = any(${numbers(held)}::text::bigint[]) order by id for key share
  )`
export const LOCKED = '(select count(*) from held) >= 0'

export interface Flushed {
  recorded: number
  /** Of the whole run, items that have ended and did not simply work. */
  not_ok: number
  finished: boolean
  stop_reason: string | null
}

/** Items that worked, all in the same attempt and with as many steps written before. */
export interface Completed {
  run_id: string
  attempt: number
  steps_before: number
  items: readonly { seq: number; output: string | null }[]
  claims: FlushClaims
}

export function settleCompleted(sql: Sql, completed: Completed) {
  const { run_id, attempt, steps_before, items, claims } = completed
  const seqs = numbers(items.map(item => item.seq))
  return sql<Flushed[]>`
    with entry as materialized (
      select * from rows from (
        unnest(${seqs}::text::int[]),
        string_to_table(${texts(items.map(item => item.output))}, E'\\x1e', E'\\x1f')
      ) as t(seq, output)
    ), ${lockClaims(sql, claims)}, settled as (
      update items i set ${sql.unsafe(become('complete'))}, outcome = ${sql.unsafe(outcomeOf('complete'))},
        outcome_reason = null, degraded_reason = null, error_code = null, error_message = null, output = e.output
      from entry e
      where i.run_id = ${run_id} and i.seq = any(${seqs}::text::int[]) and i.seq = e.seq
        and i.attempt = ${attempt} and ${sql.unsafe(guard('complete'))} and i.step_count = ${steps_before}
        and ${sql.unsafe(LOCKED)}
      returning 1
    ), n as (select count(*)::int as ok from settled), closed as (
      delete from claims where id = any(${numbers(claims.closed)}::text::bigint[])
    ), counted as (
      update runs r set ${sql.unsafe(countMoves(COMPLETED))}, ${stopWhenSpent(sql, sql`r.cost_micro`)},
        consecutive_failures = case when n.ok = 0 then r.consecutive_failures else 0 end
      from n where r.id = ${run_id} and r.finished_at is null
      returning r.*
    ), used as (
      update project_usage u set ${sql.unsafe(useMoves(COMPLETED))}
      from n, counted c where u.project_id = c.project_id and n.ok > 0
    ), ${sql.unsafe(CLEAR_DUE)}
    ${flushed(sql)}`
}

const COMPLETED = { complete: 'n.ok' }

/** The assignment that stops a run whose budget is spent, or for what `more` says. */
export const stopWhenSpent = (sql: Sql, cost: Fragment, more = sql``) => sql`stop_reason = case
    when r.stop_reason is not null then r.stop_reason
    -- A run is stopped only while something waits to be dispatched.
    when ended_items(r) + r.running + r.paused >= r.total_items then null
    when ${cost} >= r.budget_micro then 'budget_exceeded'
    ${more} end::stop_reason`

/** What a flush tells, from its `counted` and `settled`. */
export const flushed = (sql: Sql) => sql`
  select (select count(*)::int from settled) as recorded, degraded + failed + budget_exceeded as not_ok,
    finished_at is not null as finished, stop_reason
  from counted`
