// Reads ended runs whose answers are to be checked as a whole, and writes the results. Guarantee: a bounded sample of
// any run is read, by its key, and the results are written once.

import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type AnswerFigures, type CheckedRun, type LookedAt, sampledSeqs } from '../rules/run-checks.ts'
import type { DeclaredCheck } from '../vocabulary.ts'

export interface RunToCheck {
  project_id: string
  id: string
  agent_id: string
  name: string | null
  total_items: number
  /** The schedule that started it. */
  schedule_id: string | null
  /** Both checks of a run and checks of an item. */
  checks: readonly DeclaredCheck[]
}

export async function findRunsToCheck(sql: Sql, limit: number): Promise<RunToCheck[]> {
  return sql<RunToCheck[]>`
    select r.project_id, r.id, r.agent_id, r.name, r.total_items,
      (select o.schedule_id from occurrences o where o.project_id = r.project_id and o.run_id = r.id limit 1) as schedule_id,
      coalesce(d.declaration->'checks', to_jsonb(d.default_checks), '[]') as checks
    from ended_runs e join runs r on r.project_id = e.project_id and r.id = e.run_id
      left join deployments d on d.project_id = r.project_id and d.id = r.deployment_id
    where e.answers_due order by e.run_id limit ${limit}`
}

/** The ok items in the sample of a run. */
export async function readAnswers(
  sql: Sql,
  { project_id, id, total_items }: Pick<RunToCheck, 'project_id' | 'id' | 'total_items'>,
): Promise<LookedAt[]> {
  return sql<LookedAt[]>`
    select i.* from unnest(${sampledSeqs(total_items)}::int[]) n(seq) cross join lateral (
      select seq, left(output, ${LIMITS.run_check_head_characters}) as head, octet_length(output) as bytes, cost_micro, unpriced
      from items where project_id = ${project_id} and run_id = ${id} and seq = n.seq
        and outcome = 'ok' and output is not null
      offset 0) i
    order by i.seq`
}

/**
 * The figures of the latest run that this one repeats: a run of the same schedule or, if no schedule started it, of the
 * same agent under the same name.
 */
export async function findFiguresBefore(
  sql: Sql,
  run: RunToCheck,
): Promise<({ run_id: string } & AnswerFigures) | undefined> {
  const { project_id, id, agent_id, name, schedule_id } = run
  const earlier =
    schedule_id === null
      ? sql`select p.id, p.answer_figures from (
            select r.id, r.name, r.answer_figures from runs r
            where r.project_id = ${project_id} and r.agent_id = ${agent_id} and r.id < ${id}
            order by r.id desc limit ${LIMITS.run_check_runs_of_agent}
          ) p where p.name = ${name}`
      : sql`select p.id, p.answer_figures from (
            select o.run_id from occurrences o
            where o.project_id = ${project_id} and o.schedule_id = ${schedule_id} and o.run_id < ${id}
            order by o.scheduled_for desc limit ${LIMITS.run_check_runs_before}
          ) o join runs p on p.project_id = ${project_id} and p.id = o.run_id order by p.id desc`
  const [row] = await sql<{ id: string; answer_figures: CheckedRun }[]>`
    select id, answer_figures from (${earlier}) e where answer_figures is not null order by id desc limit 1`
  return row && { ...row.answer_figures, run_id: row.id }
}

export async function writeFigures(
  sql: Sql,
  { project_id, id }: RunToCheck,
  checked: CheckedRun,
): Promise<void> {
  await sql`
    update runs set answer_figures = ${sql.json(checked as never)}
    where project_id = ${project_id} and id = ${id} and answer_figures is null`
}

/** Marks the check as done, so that the end of the run may be reported. */
export async function endCheck(sql: Sql, { project_id, id }: RunToCheck): Promise<void> {
  await sql`update ended_runs set answers_due = false where project_id = ${project_id} and run_id = ${id}`
}
