// Asks people in triage about a bounded sample of answers whose grade may be wrong. Guarantee: an item's item_id
// decides whether it is in the sample. Assay asks only after the item has ended, and no more while
// LIMITS.questions_per_agent questions about its agent are open.

import type { Fragment } from 'postgres'
import type { Context, Sql } from '../../context.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { findProjects } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'

const SUSPECTED = 'suspected_refusal' satisfies OutcomeReason

/** Stores which items of the steps that were indexed are in the sample. */
export const sampleSuspected = (sql: Sql, indexed: Fragment, project_id: string) => sql`
  insert into suspected_items (project_id, run_id, seq)
  select distinct ${project_id}::uuid, x.run_id, x.seq from ${indexed} x
    join items i on i.project_id = ${project_id} and i.run_id = x.run_id and i.seq = x.seq
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
  const look = sql`select project_id from suspected_items group by 1 order by random()`
  for (const project_id of await findProjects(sql, look))
    if (forgotten < limit) forgotten += await askOf(sql, limit - forgotten, project_id)
  return forgotten
}

async function askOf(sql: Sql, limit: number, project_id: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    with ended as materialized (
      select s.run_id, s.seq, i.outcome, i.partition_key, i.cost_micro
      from suspected_items s join items i on i.project_id = ${project_id} and i.run_id = s.run_id and i.seq = s.seq
      where s.project_id = ${project_id} and i.status not in ('queued', 'running', 'paused')
      order by s.run_id, s.seq limit ${limit} for update of s skip locked
    ), forgotten as (
      delete from suspected_items s using ended e
      where s.project_id = ${project_id} and s.run_id = e.run_id and s.seq = e.seq
    ), worked as (
      select e.*, r.agent_id, row_number() over (partition by r.agent_id order by e.run_id, e.seq) as nth
      from ended e join runs r on r.project_id = ${project_id} and r.id = e.run_id where e.outcome = 'ok'
    ), chosen as (
      select w.* from worked w where w.nth <= ${LIMITS.questions_per_agent} - (
        select count(*) from (
          select 1 from triage t
          where t.project_id = ${project_id} and t.agent_id = w.agent_id and t.lane = 'review' and t.disposition is null
            and t.reason = ${SUSPECTED} limit ${LIMITS.questions_per_agent}) open)
    ), questions as (
      insert into triage (run_id, seq, project_id, agent_id, lane, reason, partition_key, cost_micro, cause_id)
      select run_id, seq, ${project_id}::uuid, agent_id, 'review', ${SUSPECTED}, partition_key, cost_micro, ''
      from chosen
      on conflict do nothing
    )
    select count(*)::int as n from ended`
  return row!.n
}
