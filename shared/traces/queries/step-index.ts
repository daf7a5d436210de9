// Feeds the search index of steps, the counts of steps that did not work, and the counts of model calls. Guarantee: a
// filed step is indexed and counted once, whichever processes work on it or die: the transaction that indexes it also
// removes it from `unindexed_steps`.

import { type Asked, projectsToAsk } from '../../cluster/queries/distributed.ts'
import { askReachable, isDistributed, type Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { sampleSuspected } from '../../triage/queries/questions.ts'
import { insertIndexedApart, takeFiledApart } from './index-apart.ts'
import { countStepErrors, type FiledStep, filedWith, intoIndex, readSteps, stepRows } from './index-parts.ts'
import { addModelCalls, newModelCalls } from './model-calls.ts'

/** Indexes filed steps of the oldest flushes, fewer than twice `limit` (per project on a cluster); returns how many. */
export async function indexSteps(sql: Sql, limit: number): Promise<number> {
  // Most searches find nothing to do, and need no transaction to see it.
  const any = await askReachable(
    sql,
    of => sql`select from unindexed_steps where true ${of('unindexed_steps')} limit 1`,
  )
  if (any.length === 0) return 0
  let indexed = 0
  const look = (of: Reachable) =>
    sql`select distinct project_id from unindexed_steps where true ${of('unindexed_steps')}`
  for (const project of await projectsToAsk(sql, look)) indexed += await indexOf(sql, limit, project)
  return indexed
}

const indexOf = (sql: Sql, limit: number, project: Asked) =>
  sql.begin(async tx => {
    // If a crash of the machine undoes the commit, the steps are filed again.
    await tx`set local synchronous_commit = off`
    const one = tx as unknown as Sql
    const filed = await (project === null ? takeFiled(one, limit) : takeFiledApart(one, limit, project))
    const steps = filed.filter(step => step.name !== null)
    if (steps.length > 0)
      await (project === null ? insertIndexed(one, steps) : insertIndexedApart(one, steps, project))
    return filed.length
  })

function takeFiled(sql: Sql, limit: number) {
  return sql<FiledStep[]>`
    with oldest as materialized (
      -- Without skip locked, a search waits for steps that another process is indexing.
      select id, cardinality(seqs) as steps from unindexed_steps order by id limit ${LIMITS.index_flushes} for update
    ), taken as (
      delete from unindexed_steps where id = any(array(
        select id from (select id, sum(steps) over (order by id) - steps as before from oldest) o where before < ${limit}
      )) returning project_id, run_id, seqs, step_nos
    ), rest as (
      insert into unindexed_steps (project_id, run_id, seqs, step_nos)
      select project_id, run_id, seqs[${limit}::int + 1:], step_nos[${limit}::int + 1:] from taken
      where cardinality(seqs) > ${limit}
    ), filed as materialized (
      select project_id, run_id, f.seq, f.step_no
      from taken, unnest(seqs[:${limit}::int], step_nos[:${limit}::int]) as f(seq, step_no)
    )
    ${filedWith(sql, sql`filed`, null)}`
}

async function insertIndexed(sql: Sql, steps: readonly FiledStep[]): Promise<void> {
  await sql`
    with step as materialized (${stepRows(sql, steps)}),
    read as materialized (${readSteps(sql, sql`step`, null)}),
    indexed as (${intoIndex(sql, sql`read`)}),
    ${newModelCalls(sql, null)},
    called as (${addModelCalls(sql, sql`counted_calls`)}),
    sampled as (${sampleSuspected(sql, sql`indexed`, null)})
    ${countStepErrors(sql, sql`indexed`)}`
}

/**
 * Whether items are in flight or another statement is under way, in any process. Items whose agent answers later do not
 * count: they take no process's time meanwhile.
 */
export async function isWorkUnderWay(sql: Sql): Promise<boolean> {
  const claims = (of: Reachable) =>
    sql`exists (select 1 from claims where answer_until is null ${of('claims')})`
  const others = () => sql`exists (
    select 1 from pg_stat_activity
    where state = 'active' and backend_type = 'client backend' and datname = current_database()
      and pid <> pg_backend_pid())`
  // A cluster cannot join rows of its nodes with what only this node knows.
  const asks = (await isDistributed(sql))
    ? [claims, others]
    : [(of: Reachable) => sql`${claims(of)} or ${others()}`]
  for (const ask of asks) {
    const [row] = await askReachable(sql, of => sql<{ is_any: boolean }[]>`select ${ask(of)} as is_any`)
    if (row!.is_any) return true
  }
  return false
}
