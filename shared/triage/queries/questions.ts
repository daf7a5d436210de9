// Asks people in triage about a bounded sample of answers whose grade may be wrong. Guarantee: an item's item_id
// decides whether it is in the sample. Assay asks only after the item has ended, and no more while
// LIMITS.questions_per_agent questions about its agent are open.

import type { Fragment } from 'postgres'
import { type Asked, asked, projectOf, projectsToAsk } from '../../cluster/queries/distributed.ts'
import type { Reachable } from '../../cluster/queries/nodes.ts'
import type { Context, Sql } from '../../context.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'

const SUSPECTED = 'suspected_refusal' satisfies OutcomeReason

/** Stores which items of the steps that were indexed are in the sample. */
export const sampleSuspected = (sql: Sql, indexed: Fragment, project: Asked) => sql`
  insert into suspected_items (project_id, run_id, seq)
  select distinct x.project_id, x.run_id, x.seq from ${indexed} x
    join items i on i.project_id = x.project_id and i.run_id = x.run_id and i.seq = x.seq ${asked(sql, 'i', project)}
  where x.outcome_reason = ${SUSPECTED} and x.outcome = 'ok'
    and (hashtextextended(i.item_id, 0) & 2147483647) % ${LIMITS.suspected_one_of} = 0
  on conflict do nothing`

/**
 * Asks about sampled items that ended ok, and drops all sampled items that have ended; returns how many it dropped.
 * Of two concurrent ticks only one asks: otherwise neither would count the questions the other opens.
 */
export async function askQuestions(
  ctx: Pick<Context, 'sql'>,
  limit: number = LIMITS.questions_per_sweep,
): Promise<number> {
  return ctx.sql.begin(async tx => {
    const sql = tx as unknown as Sql
    const [turn] = await sql<{ is_mine: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtext('assay questions')) as is_mine`
    return turn!.is_mine ? askInTurn(sql, limit) : 0
  })
}

async function askInTurn(sql: Sql, limit: number): Promise<number> {
  let forgotten = 0
  const look = (of: Reachable) =>
    sql`select distinct project_id from suspected_items where true ${of('suspected_items')}`
  for (const project of await projectsToAsk(sql, look))
    if (forgotten < limit) forgotten += await askOf(sql, limit - forgotten, project)
  return forgotten
}

/** In two statements, since Citus sends rows that an INSERT reads from a CTE to all nodes. */
async function askOf(sql: Sql, limit: number, project: Asked): Promise<number> {
  const of = (alias: string) => asked(sql, alias, project)
  const [row] = await sql<{ n: number; items: unknown[] | null }[]>`
    with ended as materialized (
      select s.project_id, s.run_id, s.seq, i.outcome, i.partition_key, i.cost_micro
      from suspected_items s join items i on i.project_id = s.project_id and i.run_id = s.run_id and i.seq = s.seq
      where i.status not in ('queued', 'running', 'paused') ${of('s')} ${of('i')}
      order by s.run_id, s.seq limit ${limit} for update of s skip locked
    ), forgotten as (
      delete from suspected_items s using ended e
      where s.project_id = e.project_id and s.run_id = e.run_id and s.seq = e.seq ${of('s')}
    ), worked as (
      select e.*, r.agent_id, row_number() over (partition by r.agent_id order by e.run_id, e.seq) as nth
      from ended e join runs r on r.project_id = e.project_id and r.id = e.run_id ${of('r')} where e.outcome = 'ok'
    )
    select (select count(*)::int from ended) as n, (
      select jsonb_agg(w) from worked w where w.nth <= ${LIMITS.questions_per_agent} - (
        select count(*) from (
          select from triage t where t.project_id = ${projectOf(sql, 'w.project_id', project)} and t.agent_id = w.agent_id and t.lane = 'review' and t.disposition is null
            and t.reason = ${SUSPECTED} limit ${LIMITS.questions_per_agent}) open)) as items`
  const { n, items } = row!
  if (items !== null)
    await sql`
      insert into triage (run_id, seq, project_id, agent_id, lane, reason, partition_key, cost_micro, cause_id)
      select w.run_id, w.seq, w.project_id, w.agent_id, 'review', ${SUSPECTED}, w.partition_key, w.cost_micro, ''
      from jsonb_to_recordset(${sql.json(items as never)}) as w(project_id uuid, run_id uuid, seq int, agent_id uuid,
        partition_key text, cost_micro bigint)
      on conflict do nothing`
  return n
}
