// Requeues items whose attempt ended without a verdict, to be retried. Guarantee: each item is guarded by its attempt,
// so the statement may be sent again, and an item that another consumer holds by now stays with that consumer.

import { deleteClaims } from '../../claims/queries/leases.ts'
import type { Sql } from '../../context.ts'
import { become, countMoves, guard, useMoves } from '../../items/queries/transitions.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { hasSeq, numbers, texts } from '../../kernel/packed-columns.ts'
import { type FlushClaims, LOCKED, lockClaims } from './flush-claims.ts'

/** An attempt that ended without ending its item. */
export interface Return {
  seq: number
  attempt: number
  code: string
  message: string
  /** Milliseconds from now until the item may be offered again. */
  delay_ms: number
  /** As in `due_items`. */
  together: number | null
  /** How often a step was cut off; set if the item needs a fresh consumer, one that has just started. */
  cuts?: number
  /** Which of the two retry counts it adds to, if any. */
  fault: 'agent' | 'transport' | 'none'
  ran_ms: number
  /** What stopped the item; if it waits for that, the item is offered once the upstream lets it. */
  upstream?: { id: string; stops: number; refusals: number; waits: boolean }
  /** As in `due_items`. */
  cut_answers?: number
}

const RETURNED = { requeue: 'n.n' }

/** Puts running items back in the queue, guarded by their attempt; returns how many. */
export async function returnItems(
  sql: Sql,
  run: RunKey,
  returns: readonly Return[],
  claims: FlushClaims,
): Promise<number> {
  const { project_id, run_id } = run
  const waits = returns.some(({ upstream }) => upstream?.waits)
  const [row] = await sql<{ n: number }[]>`
    with ${takeBack(sql, run, returns, claims)}, logged as (
      insert into attempts (project_id, run_id, seq, attempt, started_at, code, message)
      select ${project_id}, ${run_id}, seq, attempt, started_at, code, message from returned where not waits
      on conflict do nothing
    ), ${waits ? sql`shut as (${shutUpstreams(sql, run, returns)}),` : sql``} due as (
      insert into due_items (project_id, run_id, seq, due_at, together, cuts, upstream_id, stops, refusals, cut_answers)
      select ${project_id}, ${run_id}, seq, ${waits ? sql.unsafe(WAITING) : sql`now() + make_interval(secs => delay_ms / 1000)`},
        together, cuts, upstream_id, stops, refusals, cut_answers
      from returned
      on conflict (project_id, run_id, seq) do update
        set due_at = excluded.due_at, together = excluded.together, cuts = excluded.cuts,
          upstream_id = excluded.upstream_id, stops = excluded.stops,
          refusals = excluded.refusals, cut_answers = excluded.cut_answers
    ), n as (select count(*)::int as n from returned),
    closed as (${deleteClaims(sql, project_id, claims.closed)}), counted as (
      update runs r set ${sql.unsafe(countMoves(RETURNED))}, touched_at = now() ${sql.unsafe(waits ? WAIT_FOR_UPSTREAM : '')}
      from n where r.project_id = ${project_id} and r.id = ${run_id}
      returning r.project_id
    ), used as (
      -- Reads from counted, so that the run is locked first: of parts that read nothing of each other, the last runs first.
      update project_usage u set ${sql.unsafe(useMoves(RETURNED))} from n, counted c
      where u.project_id = ${project_id} and u.project_id = c.project_id
    )
    select n from n`
  return row?.n ?? 0
}

/** An upstream may have opened since its consumer knew it closed: then its items are offered again soon, as nothing else does. */
const WAITING = `case when waits and upstream_id in (select id from shut) then 'infinity'
        else now() + make_interval(secs => delay_ms / 1000) end`

const shutUpstreams = (sql: Sql, { project_id, run_id }: RunKey, returns: readonly Return[]) => sql`
      select id from upstreams where project_id = ${project_id} and (state <> 'open' or next_at is not null)
        and id = any(${[...new Set(returns.flatMap(({ upstream }) => upstream?.id ?? []))]}::uuid[])
        and not exists (select from runs where project_id = ${project_id} and id = ${run_id} and unavailable is not null)`

/** Fresh items of a run are not offered while others wait for an upstream, which they would need too. */
const WAIT = `(select upstream_id from returned where waits and upstream_id in (select id from shut) limit 1)`
const WAIT_FOR_UPSTREAM = `,
        waits_since = case when r.waits_for is null and r.unavailable is null and ${WAIT} is not null then now() else r.waits_since end,
        waits_for = case when r.unavailable is null then coalesce(r.waits_for, ${WAIT}) end`

/** The items that leave, as `returned`. */
const takeBack = (
  sql: Sql,
  { project_id, run_id }: RunKey,
  returns: readonly Return[],
  claims: FlushClaims,
) => {
  const seqs = returns.map(r => r.seq)
  return sql`
    given as (
      select * from rows from (
        unnest(${numbers(seqs)}::text::int[]),
        unnest(${numbers(returns.map(r => r.attempt))}::text::smallint[]),
        unnest(${numbers(returns.map(r => r.delay_ms))}::text::float8[]),
        unnest(${numbers(returns.map(r => r.together))}::text::smallint[]),
        unnest(${numbers(returns.map(r => Math.round(r.ran_ms)))}::text::int[]),
        unnest(${numbers(returns.map(r => r.cuts ?? null))}::text::smallint[]),
        unnest(${numbers(returns.map(r => r.upstream?.stops ?? null))}::text::smallint[]),
        unnest(${numbers(returns.map(r => r.upstream?.refusals ?? null))}::text::smallint[]),
        unnest(${numbers(returns.map(r => r.cut_answers ?? null))}::text::smallint[]),
        unnest(${numbers(returns.map(r => Number(r.upstream?.waits ?? false)))}::text::int[]),
        string_to_table(${texts(returns.map(r => r.upstream?.id ?? '-'))}, E'\\x1e'),
        string_to_table(${texts(returns.map(r => r.fault))}, E'\\x1e'),
        string_to_table(${texts(returns.map(r => r.code))}, E'\\x1e'),
        string_to_table(${texts(returns.map(r => r.message || ' '))}, E'\\x1e')
      ) as t(seq, attempt, delay_ms, together, ran_ms, cuts, stops, refusals, cut_answers, waits, upstream, fault, code, message)
    ), ${lockClaims(sql, project_id, claims)}, returned as (
      update items i set ${sql.unsafe(become('requeue'))}, ran_ms = i.ran_ms + g.ran_ms,
        agent_failures = i.agent_failures + (g.fault = 'agent')::int::smallint,
        transport_failures = i.transport_failures + (g.fault = 'transport')::int::smallint
      from given g
      where i.project_id = ${project_id} and i.run_id = ${run_id} and ${hasSeq(sql, 'i', seqs)}
        and i.seq = g.seq and i.attempt = g.attempt and ${sql.unsafe(guard('requeue'))} and ${sql.unsafe(LOCKED)}
      returning i.seq, i.attempt, i.started_at, g.code, g.message, g.delay_ms, g.together, g.cuts, g.stops,
        g.refusals, g.cut_answers,
        g.waits = 1 as waits, nullif(g.upstream, '-')::uuid as upstream_id
    )`
}
