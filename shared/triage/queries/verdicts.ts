// Counts how people judge verdicts. Guarantee: the statement that makes or undoes a judging decision also updates the
// counts, so they equal a recount at every commit.

import type { Sql } from '../../context.ts'
import type { Outcome } from '../../items/vocabulary.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'
import { hasSeq } from '../../kernel/packed-columns.ts'
import { CALLED_WRONG, type VerdictCounts } from '../rules/verdicts.ts'
import type { WrongOf } from '../vocabulary.ts'

/** Condition: triage row `t` states a verdict, a question or a correction, as `what` says. */
export const says = (sql: Sql, what: WrongOf) =>
  what === 'verdict'
    ? sql`(t.lane = 'dlq' and t.error_code is null)`
    : sql`(t.lane = 'review' and t.corrected is ${what === 'question' ? sql`` : sql`not`} null)`

/** Condition: triage row `t` states a judgement by the grader, an agent, or a person who called an ok item wrong. */
export const isVerdict = (sql: Sql) => sql`(${says(sql, 'verdict')} or ${says(sql, 'correction')})`

/** Adds the `judged` rows of the statement's `decided` to the counts. */
export const countJudged = (sql: Sql) => sql`
  counted_verdicts as (
    insert into verdict_days as v (project_id, agent_id, reason, day, confirmed, wrong)
    select project_id, agent_id, reason, (now() at time zone 'UTC')::date,
      count(*) filter (where disposition <> 'wrong'), count(*) filter (where disposition = 'wrong')
    from decided where judged group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint verdict_days_agent_id_reason_day_pk
    do update set confirmed = v.confirmed + excluded.confirmed, wrong = v.wrong + excluded.wrong
  )`

/** Subtracts the judgements that the statement's `reopened` undoes from the counts. */
export const uncountJudged = (sql: Sql) => sql`
  uncounted_verdicts as (
    update verdict_days v set confirmed = v.confirmed - (r.disposition <> 'wrong')::int,
      wrong = v.wrong - (r.disposition = 'wrong')::int
    from reopened r
    where r.was_judged and v.agent_id = r.agent_id and v.reason = r.reason and v.day = r.day
  )`

/** The verdicts that people gave items of a run instead of the recorded ones, by seq. */
export async function findCorrected(
  sql: Sql,
  { project_id, run_id }: RunKey,
  seqs: readonly number[],
): Promise<Map<number, Outcome>> {
  const rows = await sql<{ seq: number; corrected: Outcome }[]>`
    select seq, corrected from triage t
    where t.project_id = ${project_id} and t.run_id = ${run_id} and ${hasSeq(sql, 't', seqs)} and corrected is not null`
  return new Map(rows.map(row => [row.seq, row.corrected]))
}

/** Opens a review row for an ok item; false when the item is not ok or already has a row other than a hold's. */
export async function callOkWrong(
  sql: Sql,
  { project_id, run_id, seq }: ItemKey,
  by: string | null,
): Promise<boolean> {
  const { count } = await sql`
    insert into triage as t (run_id, seq, project_id, agent_id, lane, reason, partition_key, corrected, cost_micro,
      cause_id, decided_at, decided_by)
    select i.run_id, i.seq, r.project_id, r.agent_id, 'review', ${CALLED_WRONG}, i.partition_key, 'degraded',
      i.cost_micro, '', now(), ${by}
    from items i join runs r on r.project_id = i.project_id and r.id = i.run_id
    where i.project_id = ${project_id} and i.run_id = ${run_id} and i.seq = ${seq} and i.outcome = 'ok'
    -- The item already has a row if it was held and then continued.
    on conflict (project_id, run_id, seq) do update set lane = excluded.lane, reason = excluded.reason,
      cause_id = excluded.cause_id, corrected = excluded.corrected, created_at = excluded.created_at, disposition = null,
      decided_at = excluded.decided_at, decided_by = excluded.decided_by
    where t.lane = 'quarantine'`
  return count === 1
}

export interface VerdictFilter {
  project_ids: readonly string[]
  /** The slug of their agent. */
  agent?: string | undefined
  /** The first day (UTC) that counts. */
  from_day: string
  before?: { wrong: number; key: string } | undefined
  limit: number
}

export interface VerdictRow extends VerdictCounts {
  project_id: string
  agent_id: string
  agent_slug: string
  reason: string
  /** Orders rows with an equal `wrong`. */
  key: string
}

/**
 * How often each reason of each agent was judged right or wrong, the most often wrong first. Each page first adds up
 * all matching rows of `verdict_days`, of which there is one per agent, reason and day with a judgement.
 */
export async function listVerdicts(sql: Sql, filter: VerdictFilter) {
  const { project_ids, agent, from_day, before, limit } = filter
  return sql<VerdictRow[]>`
    select n.*, a.slug as agent_slug from (
      select project_id, agent_id, reason, agent_id || ' ' || reason as key, sum(confirmed)::int as confirmed,
        sum(wrong)::int as wrong
      from verdict_days where project_id = any(${[...project_ids]}::uuid[]) and day >= ${from_day}::text::date
      group by 1, 2, 3 having sum(confirmed + wrong) > 0
    ) n join agents a on a.project_id = n.project_id and a.id = n.agent_id
    where a.project_id = any(${[...project_ids]}::uuid[]) ${agent === undefined ? sql`` : sql`and a.slug = ${agent}`}
      ${before === undefined ? sql`` : sql`and (n.wrong, n.key) < (${before.wrong}::int, ${before.key}::text)`}
    order by n.wrong desc, n.key desc limit ${limit}`
}
