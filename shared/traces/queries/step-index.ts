// Feeds the search index of steps, the counts of steps that did not work, and the counts of model calls. Guarantee: a
// filed step is indexed and counted once, whichever processes work on it or die: the transaction that indexes it also
// removes it from `unindexed_steps`.

import type { Sql } from '../../context.ts'
import { changeInEach } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { sampleSuspected } from '../../triage/queries/questions.ts'
import { countStepErrors, type FiledStep, filedWith, intoIndex, readSteps, stepRows } from './index-parts.ts'
import { addModelCalls, newModelCalls } from './model-calls.ts'

/** Indexes filed steps of the oldest flushes, of those projects first whose are oldest, fewer than twice `limit`; returns how many. */
export function indexSteps(sql: Sql, limit: number): Promise<number> {
  const look = sql`select project_id from unindexed_steps group by 1 order by min(id)`
  return changeInEach(sql, look, limit, (project_id, limit) => indexOf(sql, limit, project_id))
}

const indexOf = (sql: Sql, limit: number, project_id: string) =>
  sql.begin(async tx => {
    // If a crash of the machine undoes the commit, the steps are filed again.
    await tx`set local synchronous_commit = off`
    const one = tx as unknown as Sql
    const filed = await takeFiled(one, limit, project_id)
    const steps = filed.filter(step => step.name !== null)
    if (steps.length > 0) await insertIndexed(one, steps, project_id)
    return filed.length
  })

function takeFiled(sql: Sql, limit: number, project_id: string) {
  return sql<FiledStep[]>`
    with oldest as materialized (
      -- Without skip locked, a search waits for steps that another process is indexing.
      select id, cardinality(seqs) as steps from unindexed_steps where project_id = ${project_id}
      order by id limit ${LIMITS.index_flushes} for update
    ), taken as (
      delete from unindexed_steps where project_id = ${project_id} and id = any(array(
        select id from (select id, sum(steps) over (order by id) - steps as before from oldest) o where before < ${limit}
      )) returning run_id, seqs, step_nos
    ), rest as (
      insert into unindexed_steps (project_id, run_id, seqs, step_nos)
      select ${project_id}::uuid, run_id, seqs[${limit}::int + 1:], step_nos[${limit}::int + 1:] from taken
      where cardinality(seqs) > ${limit}
    ), filed as materialized (
      select run_id, f.seq, f.step_no
      from taken, unnest(seqs[:${limit}::int], step_nos[:${limit}::int]) as f(seq, step_no)
    )
    ${filedWith(sql, sql`filed`, project_id)}`
}

async function insertIndexed(sql: Sql, steps: readonly FiledStep[], project_id: string): Promise<void> {
  await sql`
    with step as materialized (${stepRows(sql, steps)}),
    read as materialized (${readSteps(sql, sql`step`, project_id)}),
    indexed as (${intoIndex(sql, sql`read`, project_id)}),
    ${newModelCalls(sql, project_id)},
    called as (${addModelCalls(sql, sql`counted_calls`, project_id)}),
    sampled as (${sampleSuspected(sql, sql`indexed`, project_id)})
    ${countStepErrors(sql, sql`indexed`, project_id)}`
}

/**
 * Whether items are in flight or another statement is under way, in any process. Items whose agent answers later do not
 * count: they take no process's time meanwhile.
 */
export async function isWorkUnderWay(sql: Sql): Promise<boolean> {
  if ((await sql`select 1 from claims where answer_until is null limit 1`).length > 0) return true
  const others = await sql`
    select 1 from pg_stat_activity
    where state = 'active' and backend_type = 'client backend' and datname = current_database()
      and pid <> pg_backend_pid() limit 1`
  return others.length > 0
}
