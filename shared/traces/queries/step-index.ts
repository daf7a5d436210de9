// Feeds the search index of steps, the counts of steps that did not work, and the counts of model calls. Guarantee: a
// filed step is indexed and counted once, whichever processes work on it or die: the transaction that indexes it also
// removes it from `unindexed_steps`.

import {
  type Asked,
  asked,
  isDistributed,
  projectOf,
  projectsToAsk,
} from '../../cluster/queries/distributed.ts'
import { askReachable, type Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { numbers, texts } from '../../kernel/packed-columns.ts'
import { withoutEscapes, wordsOf } from '../../kernel/words.ts'
import { sampleSuspected } from '../../triage/queries/questions.ts'
import { calledModel, countModelCalls } from './model-calls.ts'
import { toolName } from './step-errors.ts'

/** A filed step; if it was removed meanwhile, all but its key is null. */
interface FiledStep extends RunKey {
  seq: number
  step_no: number
  name: string | null
  error_code: string | null
  error_message: string | null
  input: string | null
  output: string | null
}

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
    const filed = await takeFiled(tx as unknown as Sql, limit, project)
    const steps = filed.filter(step => step.name !== null)
    if (steps.length > 0) await insertIndexed(tx as unknown as Sql, steps, project)
    return filed.length
  })

function takeFiled(sql: Sql, limit: number, project: Asked) {
  const of = (alias: string) => asked(sql, alias, project)
  const own = projectOf(sql, 'project_id', project)
  const characters = LIMITS.search_text_characters
  return sql<FiledStep[]>`
    with oldest as materialized (
      -- Without skip locked, a search waits for steps that another process is indexing.
      select id, cardinality(seqs) as steps from unindexed_steps where true ${of('unindexed_steps')} order by id limit ${LIMITS.index_flushes} for update
    ), taken as (
      delete from unindexed_steps where id = any(array(
        select id from (select id, sum(steps) over (order by id) - steps as before from oldest) o where before < ${limit}
      )) ${of('unindexed_steps')} returning project_id, run_id, seqs, step_nos
    ), rest as (
      insert into unindexed_steps (project_id, run_id, seqs, step_nos)
      select ${own}, run_id, seqs[${limit}::int + 1:], step_nos[${limit}::int + 1:] from taken
      where cardinality(seqs) > ${limit}
    ), filed as materialized (
      select project_id, run_id, f.seq, f.step_no
      from taken, unnest(seqs[:${limit}::int], step_nos[:${limit}::int]) as f(seq, step_no)
    )
    select f.project_id, f.run_id, f.seq, f.step_no, s.name, s.error_code, s.error_message,
      left(s.input, ${characters}) as input, left(s.output, ${characters}) as output
    from filed f left join steps s on s.project_id = ${projectOf(sql, 'f.project_id', project)} and s.run_id = f.run_id and s.seq = f.seq
      and s.step_no = f.step_no`
}

async function insertIndexed(sql: Sql, steps: readonly FiledStep[], project: Asked): Promise<void> {
  const of = (alias: string) => asked(sql, alias, project)
  const own = projectOf(sql, 'project_id', project)
  await sql`
    with step as materialized (
      select project_id::uuid, run_id::uuid, seq, step_no, words from rows from (
        string_to_table(${texts(steps.map(step => step.project_id))}, E'\\x1e'),
        string_to_table(${texts(steps.map(step => step.run_id))}, E'\\x1e'),
        unnest(${numbers(steps.map(step => step.seq))}::text::int[]),
        unnest(${numbers(steps.map(step => step.step_no))}::text::int[]),
        string_to_table(${texts(steps.map(wordsOfStep))}, E'\\x1e', E'\\x1f')
      ) as t(project_id, run_id, seq, step_no, words)
    ), read as materialized (
      select s.run_id, s.seq, s.step_no, s.project_id, s.started_at, s.cost_micro, s.kind, s.outcome,
        s.outcome_reason, s.error_code, s.name, t.words, r.agent_id, s.reused, ${calledModel(sql)} as model,
        s.duration_ms, s.unpriced,
        s.input_tokens, s.output_tokens
      from step t join steps s on s.project_id = t.project_id ${of('s')} and s.run_id = t.run_id and s.seq = t.seq
        and s.step_no = t.step_no
        -- The join drops steps whose run was removed meanwhile.
        join runs r on r.project_id = s.project_id and r.id = s.run_id ${of('r')}
    ), indexed as (
      insert into step_index (run_id, seq, step_no, project_id, started_at, cost_micro, kind, outcome,
        outcome_reason, error_code, name, words)
      select run_id, seq, step_no, ${own}, started_at, cost_micro, kind, outcome, outcome_reason, error_code, name,
        coalesce(array_to_tsvector(string_to_array(words, ' ')), '')
      from read
      on conflict do nothing
      returning run_id, seq, step_no, project_id, started_at, kind, outcome, outcome_reason, error_code, name
    ), ${countModelCalls(sql, project)}, ${sampleSuspected(sql, project)}
    insert into run_step_errors as e (run_id, project_id, hour, outcome, error_code, tool_name, outcome_reason, steps, last_at)
    select run_id, ${own}, hour_of(started_at), outcome, error_code, ${toolName(sql)}, outcome_reason,
      count(*), max(started_at)
    from indexed x where outcome <> 'ok' group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict on constraint run_step_errors_kind
    do update set steps = e.steps + excluded.steps, last_at = greatest(e.last_at, excluded.last_at)`
}

function wordsOfStep({ name, error_code, error_message, input, output }: FiledStep): string | null {
  const payloads = withoutEscapes(`${input ?? ''} ${output ?? ''}`)
  return [...wordsOf(`${name} ${error_code ?? ''} ${error_message ?? ''} ${payloads}`)].join(' ') || null
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
