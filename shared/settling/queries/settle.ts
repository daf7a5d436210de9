// Records what became of items: steps, verdicts, triage rows and all counters, for a whole flush of a run in one
// statement. Each row is guarded by its attempt and by the steps recorded before it, so the statement may be sent
// again after a lost connection, and a late result of a lost attempt changes nothing.
//
// Parts for which a flush has nothing are left out: those of steps took half of the time of a flush without any. Triggers
// write the rest in the same commit: the end of a run (`deliveries`, `ended_runs`), failures by cluster and by cause, steps
// to index (drizzle/0000_init.sql).

import type { Fragment } from 'postgres'
import { type ClaimedItem, claimed, refillFrom, type TakenRow } from '../../claims/queries/claim.ts'
import { deleteClaims } from '../../claims/queries/leases.ts'
import { markUnchanged } from '../../claims/queries/recorded.ts'
import type { Sql } from '../../context.ts'
import type { Verdict } from '../../grading/rules/verdict.ts'
import {
  CLOCK,
  countMoves,
  DUE_OF_ENDED,
  guard,
  outcomeOf,
  statusAfter,
  TALLIED,
  TALLY,
  useMoves,
} from '../../items/queries/transitions.ts'
import { hasSeq, rowsOf } from '../../kernel/packed-columns.ts'
import { fileSpending } from '../../prices/queries/budgets.ts'
import { type Entry, type Flush, isNotOk, type Streak } from './entries.ts'
import { LOCKED, lockClaims } from './flush-claims.ts'
import { insertSteps } from './insert-steps.ts'
import { insertTriage, keepCauses, NO_ROWS, notOkRows } from './not-ok.ts'

/** The verdict of an item that worked, without its output. */
export const OK: Verdict = {
  status: 'completed',
  outcome: 'ok',
  outcome_reason: null,
  degraded_reason: null,
  error_code: null,
  error_message: null,
  output: null,
}

export interface Flushed {
  /** Items of the flush that were still its own: those that it wrote. */
  recorded: number
  /** Items of the whole run that have ended and are not ok. */
  not_ok: number
  finished: boolean
  stop_reason: string | null
}

/** The answer of a flush: one row, or one for each item that it took. */
export type FlushedRow = Flushed & (TakenRow | { claim_id?: null })

/** No row: the run has ended or is gone. */
const NOTHING: Flushed = { recorded: 0, not_ok: 0, finished: true, stop_reason: null }
const isTaken = (row: FlushedRow): row is Flushed & TakenRow => typeof row.claim_id === 'number'

/** Writes one flush; returns what the run looks like after it, and the items that were taken. */
export async function settle(sql: Sql, flush: Flush): Promise<Flushed & { taken: ClaimedItem[] }> {
  const rows = await settling(sql, flush)
  const { recorded, not_ok, finished, stop_reason } = rows[0] ?? NOTHING
  return { recorded, not_ok, finished, stop_reason, taken: claimed(rows.filter(isTaken)) }
}

/** What decides which parts the statement has. */
interface Parts {
  /** Any item has new steps, or does not end yet. */
  records: boolean
  notOk: readonly Entry[]
  /** Any answer named the version of its code. */
  versioned: boolean
  /** The seqs of items that ran nothing again. */
  unchanged: readonly number[]
}

const partsOf = ({ entries }: Flush): Parts => ({
  records: entries.some(e => e.verdict === null || e.steps_after !== e.steps_before),
  notOk: entries.filter(isNotOk),
  versioned: entries.some(e => e.code_version !== null),
  unchanged: entries.filter(e => e.unchanged).map(e => e.seq),
})

/** The statement. A part with a name of its own below is a function, in the order of the parts. */
export function settling(sql: Sql, flush: Flush) {
  const { project_id, entries, steps, claims, refill } = flush
  const parts = partsOf(flush)
  const { records, notOk, versioned, unchanged } = parts
  const when = (has: boolean, part: () => Fragment) => (has ? part() : sql``)
  return sql<FlushedRow[]>`
    with entry as materialized (${entryRows(sql, entries, parts)}),
    not_ok as materialized (${notOk.length > 0 ? notOkRows(sql, notOk) : sql.unsafe(NO_ROWS)}),
    ${lockClaims(sql, project_id, claims)},
    settled as (${settleItems(sql, flush, parts)}),
    ${when(steps.length > 0, () => sql`traced as (${insertSteps(sql, flush, steps)} returning 1),`)}
    ${when(unchanged.length > 0, () => sql`${markUnchanged(sql, flush, unchanged)},`)}
    n as (${sums(sql, flush, parts)}),
    closed as (${deleteClaims(sql, project_id, claims.closed)}),
    counted as (${countRun(sql, flush, parts)}),
    used as (${useProject(sql, project_id, records)}),
    ${when(records, () => sql`${fileSpending(sql, project_id)},`)}
    ${when(notOk.length > 0, () => sql`kept as (${keepCauses(sql, notOk)}), sorted as (${insertTriage(sql, flush, notOk)}),`)}
    ${when(versioned, () => sql`${countVersions(sql, flush)},`)}
    cleared as (delete from due_items where project_id = ${project_id} and ${sql.unsafe(DUE_OF_ENDED)})
    select (select count(*)::int from settled) as recorded, c.degraded + c.failed + c.budget_exceeded as not_ok,
      c.finished_at is not null as finished, c.stop_reason ${when(!!refill, () => sql`, taken.*`)}
    from counted c ${when(!!refill, () => refillFrom(sql, refill!))}`
}

/** The values that the flush has for each item. */
const entryRows = (sql: Sql, entries: readonly Entry[], { records, versioned }: Parts) =>
  rowsOf<Entry>(sql, entries, {
    seq: ['int', e => e.seq],
    attempt: ['smallint', e => e.attempt],
    steps_before: ['int', e => e.steps_before],
    output: ['text', e => e.verdict?.output ?? null],
    ...(versioned && { code_version: ['int', (e: Entry) => e.code_version] }),
    ...(records && {
      ends: ['boolean', (e: Entry) => e.verdict !== null],
      steps_after: ['int', (e: Entry) => e.steps_after],
      cost_micro: ['bigint', (e: Entry) => e.cost_micro],
      input_tokens: ['bigint', (e: Entry) => e.input_tokens],
      output_tokens: ['bigint', (e: Entry) => e.output_tokens],
      newly_unpriced: ['boolean', (e: Entry) => e.newly_unpriced],
      model_calls: ['int', (e: Entry) => e.model_calls],
      unread_calls: ['int', (e: Entry) => e.unread_calls],
      suspected_calls: ['int', (e: Entry) => e.suspected_calls],
    }),
  })

/** Settles items that are still in the flush's attempt and have its number of steps. */
function settleItems(sql: Sql, { project_id, run_id, entries }: Flush, { records, notOk, versioned }: Parts) {
  const seqs = entries.map(e => e.seq)
  const ends = sql.unsafe(records ? 'e.ends' : 'true')
  return sql`
    update items i set
      status = case when ${ends} then coalesce(b.status, ${sql.unsafe(statusAfter('complete'))}) else i.status end,
      outcome = case when ${ends} and b.seq is null then ${sql.unsafe(outcomeOf('complete'))} else b.outcome end,
      outcome_reason = b.outcome_reason, degraded_reason = b.degraded_reason,
      error_code = b.error_code, error_message = b.error_message,
      output = e.output,
      completed_at = case when ${ends} and b.status is distinct from ${sql.unsafe(statusAfter('hold'))} then clock.at end
      ${sql.unsafe(versioned ? ', code_version = e.code_version' : '')} ${sql.unsafe(records ? ADDED : '')}
    from entry e left join not_ok b using (seq), ${sql.unsafe(CLOCK)}
    where i.project_id = ${project_id} and i.run_id = ${run_id} and ${hasSeq(sql, 'i', seqs)}
      and i.seq = e.seq and i.attempt = e.attempt and ${sql.unsafe(guard('complete'))} and i.step_count = e.steps_before
      and ${sql.unsafe(LOCKED)}
    returning i.seq, i.status, i.outcome, ${ends} as ends
      ${sql.unsafe(notOk.length > 0 ? OF_NOT_OK : '')} ${sql.unsafe(records ? OF_STEPS : '')}
      ${sql.unsafe(versioned ? ', i.code_version, i.cost_micro as version_cost_micro' : '')}`
}

/** What new steps add to their item. */
const ADDED = `, step_count = e.steps_after, unpriced = i.unpriced or e.newly_unpriced,
      model_calls = i.model_calls + e.model_calls, unread_calls = i.unread_calls + e.unread_calls,
      suspected_calls = i.suspected_calls + e.suspected_calls, cost_micro = i.cost_micro + e.cost_micro,
      input_tokens = least(i.input_tokens + e.input_tokens, 2147483647),
      output_tokens = least(i.output_tokens + e.output_tokens, 2147483647)`
/** What triage rows and sums read of `settled`. */
const OF_NOT_OK =
  ', i.outcome_reason, i.error_code, i.partition_key, b.prompt, b.cause_id, i.cost_micro as item_cost_micro'
const OF_STEPS = `, e.cost_micro, e.input_tokens, e.output_tokens, e.newly_unpriced, e.model_calls, e.unread_calls,
      e.suspected_calls`
const STEP_SUMS = [
  'cost_micro',
  'input_tokens',
  'output_tokens',
  'model_calls',
  'unread_calls',
  'suspected_calls',
]

/** Sums over `settled`. Steps are written before the run's row is locked: others wait for that lock. */
function sums(sql: Sql, { steps }: Flush, { records, unchanged }: Parts) {
  const sums = STEP_SUMS.map(name => `, coalesce(sum(${name}), 0)::bigint as ${name}`).join('')
  return sql`
    select count(*) filter (where ends)::int as left_running, ${sql.unsafe(TALLY)}
      ${sql.unsafe(unchanged.length > 0 ? ', (select count(*)::int from unchanged) as unchanged' : '')}
      ${sql.unsafe(records ? `${sums}, count(*) filter (where newly_unpriced)::int as unpriced` : '')}
    from settled ${sql.unsafe(steps.length > 0 ? 'where (select count(*) from traced) >= 0' : '')}`
}

/** Updates the run's counters and, once all items have ended, `finished_at` (`countMoves`). A finished run does not change: a flush sent twice must not announce its end again. */
function countRun(sql: Sql, flush: Flush, parts: Parts) {
  const cost = sql.unsafe(parts.records ? 'r.cost_micro + n.cost_micro' : 'r.cost_micro')
  return sql`
    update runs r set ${sql.unsafe(countMoves(TALLIED))},
      ${sql.unsafe(parts.unchanged.length > 0 ? 'unchanged = r.unchanged + n.unchanged,' : '')}
      ${sql.unsafe(parts.records ? RUN_SUMS : '')} consecutive_failures = ${streakAfter(sql, flush)},
      ${waitForPrice(sql, flush, parts.notOk)}
      stop_reason = case
        when r.stop_reason is not null then r.stop_reason
        -- A run is stopped only while some of its items wait to be dispatched.
        when ended_items(r) + r.running + r.paused >= r.total_items then null
        when ${cost} >= r.budget_micro then 'budget_exceeded'
        when ${flush.failure_streak}::int > 0
          and ${streakAfter(sql, flush)} >= ${flush.max_consecutive_failures} then 'consecutive_failures'
        end::stop_reason
    from n, ${sql.unsafe(CLOCK)}
    where r.project_id = ${flush.project_id} and r.id = ${flush.run_id} and r.finished_at is null
    returning r.* ${sql.unsafe(parts.records ? ', n.cost_micro as spent' : '')}`
}

const RUN_SUMS = `${STEP_SUMS.map(name => `${name} = r.${name} + n.${name},`).join(' ')}
      unpriced_items = r.unpriced_items + n.unpriced,`

/** The failures in a row of run `r` after a flush. A flush that adds nothing, sent again or too late, keeps them. */
const streakAfter = (sql: Sql, { streak_broken, failure_streak }: Streak) => sql`
  case when n.left_running = 0 then r.consecutive_failures
    when ${streak_broken} then ${failure_streak}::int
    else r.consecutive_failures + ${failure_streak}::int end`

/**
 * A held run waits for the price of the model that it was held for, whichever models it called before. If the run waits
 * for a person, no price ends that wait. A flush that came too late holds nothing.
 */
function waitForPrice(sql: Sql, { unpriced_model: model }: Flush, notOk: readonly Entry[]) {
  if (model === null) return sql``
  const isHeld = notOk.some(({ verdict }) => verdict!.outcome_reason === 'unpriced_model')
  if (!isHeld) return sql`unpriced_model = coalesce(r.unpriced_model, ${model}),`
  return sql`
    unpriced_model = case when n.paused > 0 and not (r.waits_for_price and r.unpriced_model is not distinct from '')
      then ${model} else r.unpriced_model end,
    waits_for_price = case when n.paused > 0 then not r.allow_unpriced else r.waits_for_price end,
    waits_for_credit = r.waits_for_credit or n.paused > 0,`
}

/** Counts the items that ended by the version of their code, not those that it holds, once their run is locked. */
const countVersions = (sql: Sql, { project_id, run_id }: Flush) => sql`
  versions as (
    insert into run_versions as v (project_id, run_id, code_version, ok, degraded, failed, cost_micro)
    select ${project_id}::uuid, ${run_id}::uuid, s.code_version, count(*) filter (where s.outcome = 'ok'),
      count(*) filter (where s.outcome = 'degraded'),
      count(*) filter (where s.outcome is null or s.outcome = 'failed'), sum(s.version_cost_micro)
    from settled s, counted c
    where s.code_version is not null and s.status <> ${sql.unsafe(statusAfter('hold'))}
    group by s.code_version order by s.code_version
    on conflict (project_id, run_id, code_version) do update set
      ok = v.ok + excluded.ok, degraded = v.degraded + excluded.degraded, failed = v.failed + excluded.failed,
      cost_micro = v.cost_micro + excluded.cost_micro)`

/** Updates the project's usage, whose row is locked after its run's, as in all statements. */
const useProject = (sql: Sql, project_id: string, records: boolean) => sql`
  update project_usage u set ${sql.unsafe(useMoves(TALLIED))}
    ${sql.unsafe(records ? ', spent_micro = u.spent_micro + n.cost_micro' : '')}
  from n, counted c
  where u.project_id = ${project_id} and c.project_id = u.project_id
    and (n.left_running > 0 ${sql.unsafe(records ? 'or n.cost_micro > 0' : '')})
  returning u.project_id, u.spend_day`
