// Indexes the filed steps of a project on a cluster, in several statements. Guarantee: in one transaction they write the
// same rows as the one statement for one machine (`step-index.ts`), and run only on the project's node.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { numbers } from '../../kernel/packed-columns.ts'
import { sampleSuspected } from '../../triage/queries/questions.ts'
import { countStepErrors, type FiledStep, filedWith, intoIndex, readSteps, stepRows } from './index-parts.ts'
import { addModelCalls, newModelCalls, ROWS_OF_CALLS } from './model-calls.ts'

interface Flush {
  run_id: string
  seqs: number[]
  step_nos: number[]
}

export async function takeFiledApart(sql: Sql, limit: number, project: string): Promise<FiledStep[]> {
  const taken = await sql<Flush[]>`
    with oldest as materialized (
      select id, cardinality(seqs) as steps from unindexed_steps where project_id = ${project}
      order by id limit ${LIMITS.index_flushes} for update
    )
    delete from unindexed_steps where project_id = ${project} and id = any(array(
      select id from (select id, sum(steps) over (order by id) - steps as before from oldest) o where before < ${limit}
    )) returning run_id, seqs, step_nos`
  for (const { run_id, seqs, step_nos } of taken)
    if (seqs.length > limit) {
      const rest = { seqs: seqs.slice(limit), step_nos: step_nos.slice(limit) }
      await sql`insert into unindexed_steps ${sql({ project_id: project, run_id, ...rest })}`
    }
  const filed = taken.flatMap(({ run_id, seqs, step_nos }) =>
    seqs.slice(0, limit).map((seq, n) => ({ run_id, seq, step_no: step_nos[n]! })),
  )
  if (filed.length === 0) return []
  return sql<FiledStep[]>`${filedWith(sql, keysOf(sql, filed, project), project)}`
}

type StepKey = Pick<FiledStep, 'run_id' | 'seq' | 'step_no'>

const keysOf = (sql: Sql, steps: readonly StepKey[], project: string) => sql`(
  select ${project}::uuid as project_id, k.*, null::text as words from unnest(
    ${steps.map(step => step.run_id)}::uuid[], ${numbers(steps.map(step => step.seq))}::text::int[],
    ${numbers(steps.map(step => step.step_no))}::text::int[]) as k(run_id, seq, step_no))`

export async function insertIndexedApart(
  sql: Sql,
  steps: readonly FiledStep[],
  project: string,
): Promise<void> {
  const given = sql`(${stepRows(sql, steps)})`
  const added = (await intoIndex(sql, sql`(${readSteps(sql, given, project)})`)) as unknown as StepKey[]
  if (added.length === 0) return
  const keys = keysOf(sql, added, project)
  const indexed = sql`(
    select x.* from ${keys} k join step_index x on x.project_id = ${project} and x.run_id = k.run_id and x.seq = k.seq
      and x.step_no = k.step_no)`
  const calls = await sql<{ row: unknown }[]>`
    with indexed as materialized (select * from ${indexed} x), read as materialized (${readSteps(sql, keys, project)}),
    ${newModelCalls(sql, project)}
    select to_jsonb(c) as row from counted_calls c`
  if (calls.length > 0)
    await addModelCalls(
      sql,
      sql`jsonb_to_recordset(${sql.json(calls.map(({ row }) => row) as never)}) as c(${sql.unsafe(ROWS_OF_CALLS)})`,
    )
  await sampleSuspected(sql, indexed, project)
  await countStepErrors(sql, indexed)
}
