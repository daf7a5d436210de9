// Records what became of items: steps, verdicts, triage rows and all counters, for a whole flush of a run in one
// statement. Each row is guarded by its attempt and by the steps recorded before it, so the statement may be sent
// again after a lost connection, and a late result of a lost attempt changes nothing.

import { fileSpending } from '../accounts/queries/budgets.ts'
import type { Sql } from '../context.ts'
import type { StepRow } from '../domain/step-row.ts'
import type { Verdict } from '../domain/verdict.ts'
import { markUnchanged } from '../recovery/queries/recorded.ts'
import type { CauseText, NamedCause } from '../recovery/rules/causes.ts'
import { numbers, texts } from './columns.ts'

export interface FlushClaims {
  /** Claims the items are held under. */
  held: readonly number[]
  /** Of those, the ones whose last item is among them. */
  closed: readonly number[]
}

/**
 * Locks the claims before any item of theirs, as whoever reaps them does: a result that comes late and the reaper
 * would else each wait for what the other has. What follows must ask for `LOCKED`.
 */
export const lockClaims = (sql: Sql, { held }: FlushClaims) => sql`
  held as materialized (
    select id from claims where id = any(${numbers(held)}::text::bigint[]) order by id for key share
  )`
export const LOCKED = '(select count(*) from held) >= 0'

/** What a flush says about one item: what its new steps add, and its verdict once there is one. */
export interface Entry {
  seq: number
  attempt: number
  steps_before: number
  steps_after: number
  cost_micro: number
  input_tokens: number
  output_tokens: number
  /** The item has its first unpriced step in this flush. */
  newly_unpriced: boolean
  /** Answers of models that were to be graded, and those of them that could not be read. */
  model_calls: number
  unread_calls: number
  /** Answers that are ok and may be refusals. */
  suspected_calls: number
  verdict: Verdict | null
  /** Of a replay: nothing ran again, and it ended like its original. */
  unchanged: boolean
  /** The head of the prompt of an item that failed: its cluster hangs on it. */
  prompt: string | null
  /** The cause of what did not simply work. */
  cause: NamedCause | null
}

export interface Flush {
  run_id: string
  entries: readonly Entry[]
  steps: readonly StepRow[]
  claims: FlushClaims
  /** Failures at the end of the flush, and whether anything before them did not fail. */
  failure_streak: number
  streak_broken: boolean
  /** Of the first unpriced call in the flush; empty where no price would tell its cost, null where all were priced. */
  unpriced_model: string | null
  max_consecutive_failures: number
}

export interface Flushed {
  recorded: number
  /** Of the whole run, items that have ended and did not simply work. */
  not_ok: number
  finished: boolean
  stop_reason: string | null
}

const OK: Verdict = {
  status: 'completed',
  outcome: 'ok',
  outcome_reason: null,
  degraded_reason: null,
  error_code: null,
  error_message: null,
  output: null,
}

/** Writes one flush; returns what the run looks like after it. */
export async function settle(sql: Sql, flush: Flush): Promise<Flushed> {
  const { entries } = flush
  const hasSteps = flush.steps.length > 0
  const seqs = numbers(entries.map(e => e.seq))
  // Items that did not simply work are few; their further columns travel apart.
  const notOk = entries.filter(
    e => e.verdict && (e.verdict.status !== 'completed' || e.verdict.outcome !== 'ok'),
  )
  const alike = entries.filter(e => e.unchanged).map(e => e.seq)
  // A flush whose items are all settled already, because it is sent again or came too late, adds nothing.
  const streak = sql`case when n.left_running = 0 then r.consecutive_failures
    when ${flush.streak_broken} then ${flush.failure_streak}::int
    else r.consecutive_failures + ${flush.failure_streak}::int end`
  // A run that is held waits for the price of the model that holds it, whatever it had called before, unless it waits
  // for a person: no price ends that. A flush that came too late holds nothing.
  const held = notOk.some(({ verdict }) => verdict!.outcome_reason === 'unpriced_model')
  const model = flush.unpriced_model
  const unpriced =
    model === null
      ? sql``
      : held
        ? sql`unpriced_model = case when n.paused > 0 and not (r.waits_for_price and r.unpriced_model is not distinct from '')
              then ${model} else r.unpriced_model end,
            waits_for_price = case when n.paused > 0 then not r.allow_unpriced else r.waits_for_price end,
            waits_for_credit = r.waits_for_credit or n.paused > 0,`
        : sql`unpriced_model = coalesce(r.unpriced_model, ${model}),`
  const [row] = await sql<Flushed[]>`
    with entry as materialized (
      select * from rows from (
        unnest(${seqs}::text::int[]),
        unnest(${numbers(entries.map(e => e.attempt))}::text::smallint[]),
        unnest(${numbers(entries.map(e => e.steps_before))}::text::int[]),
        unnest(${numbers(entries.map(e => e.steps_after))}::text::int[]),
        unnest(${numbers(entries.map(e => e.cost_micro))}::text::bigint[]),
        unnest(${numbers(entries.map(e => e.input_tokens))}::text::bigint[]),
        unnest(${numbers(entries.map(e => e.output_tokens))}::text::bigint[]),
        unnest(${numbers(entries.map(e => e.newly_unpriced))}::text::boolean[]),
        unnest(${numbers(entries.map(e => e.model_calls))}::text::int[]),
        unnest(${numbers(entries.map(e => e.unread_calls))}::text::int[]),
        unnest(${numbers(entries.map(e => e.suspected_calls))}::text::int[]),
        unnest(${numbers(entries.map(e => e.verdict !== null))}::text::boolean[]),
        string_to_table(${texts(entries.map(e => e.verdict?.output ?? null))}, E'\\x1e', E'\\x1f')
      ) as t(seq, attempt, steps_before, steps_after, cost_micro, input_tokens, output_tokens, newly_unpriced,
        model_calls, unread_calls, suspected_calls, ends, output)
    ), blemish as materialized (${blemishes(sql, notOk)}),
    ${lockClaims(sql, flush.claims)}, settled as (
      update items i set
        status = case when e.ends then coalesce(b.status, 'completed') else i.status end,
        outcome = case when e.ends and b.seq is null then 'ok' else b.outcome end,
        outcome_reason = b.outcome_reason, degraded_reason = b.degraded_reason,
        error_code = b.error_code, error_message = b.error_message,
        output = e.output,
        completed_at = case when e.ends and b.status is distinct from 'paused' then now() end,
        step_count = e.steps_after, unpriced = i.unpriced or e.newly_unpriced,
        model_calls = i.model_calls + e.model_calls, unread_calls = i.unread_calls + e.unread_calls,
        suspected_calls = i.suspected_calls + e.suspected_calls,
        cost_micro = i.cost_micro + e.cost_micro, input_tokens = least(i.input_tokens + e.input_tokens, 2147483647),
        output_tokens = least(i.output_tokens + e.output_tokens, 2147483647)
      from entry e left join blemish b using (seq)
      where i.run_id = ${flush.run_id} and i.seq = any(${seqs}::text::int[]) and i.seq = e.seq
        and i.attempt = e.attempt and i.status = 'running' and i.step_count = e.steps_before
        and ${sql.unsafe(LOCKED)}
      returning i.seq, i.status, i.outcome, i.outcome_reason, i.degraded_reason, i.error_code, i.partition_key,
        b.prompt, b.cause_id, i.cost_micro as item_cost_micro, e.ends, e.cost_micro, e.input_tokens, e.output_tokens, e.newly_unpriced,
        e.model_calls, e.unread_calls, e.suspected_calls
    ), ${hasSteps ? sql`traced as (${insertSteps(sql, flush)} returning 1),` : sql``}
    ${alike.length > 0 ? sql`${markUnchanged(sql, flush.run_id, alike)},` : sql``} n as (
      select count(*) filter (where ends)::int as left_running,
        ${alike.length > 0 ? sql`(select count(*) from alike)::int` : sql`0`} as unchanged,
        count(*) filter (where ends and outcome = 'ok')::int as ok,
        count(*) filter (where ends and outcome = 'degraded')::int as degraded,
        count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where status = 'budget_exceeded')::int as budget_exceeded,
        count(*) filter (where status = 'paused')::int as paused,
        coalesce(sum(cost_micro), 0)::bigint as cost_micro,
        coalesce(sum(input_tokens), 0)::bigint as input_tokens,
        coalesce(sum(output_tokens), 0)::bigint as output_tokens,
        count(*) filter (where newly_unpriced)::int as unpriced,
        coalesce(sum(model_calls), 0)::bigint as model_calls,
        coalesce(sum(unread_calls), 0)::bigint as unread_calls,
        coalesce(sum(suspected_calls), 0)::bigint as suspected_calls
      -- Before the run's row is locked: others wait for that.
      from settled ${hasSteps ? sql`where (select count(*) from traced) >= 0` : sql``}
    ), closed as (
      delete from claims where id = any(${numbers(flush.claims.closed)}::text::bigint[])
    ), counted as (
      update runs r set
        running = r.running - n.left_running, ok = r.ok + n.ok, degraded = r.degraded + n.degraded,
        failed = r.failed + n.failed, budget_exceeded = r.budget_exceeded + n.budget_exceeded,
        paused = r.paused + n.paused, unchanged = r.unchanged + n.unchanged,
        undecided = r.undecided + n.degraded + n.failed + n.budget_exceeded,
        cost_micro = r.cost_micro + n.cost_micro, input_tokens = r.input_tokens + n.input_tokens,
        output_tokens = r.output_tokens + n.output_tokens, unpriced_items = r.unpriced_items + n.unpriced,
        model_calls = r.model_calls + n.model_calls, unread_calls = r.unread_calls + n.unread_calls,
        suspected_calls = r.suspected_calls + n.suspected_calls,
        consecutive_failures = ${streak}, ${unpriced}
        stop_reason = case
          when r.stop_reason is not null then r.stop_reason
          -- A run is stopped only while something waits to be dispatched.
          when ended_items(r) + r.running + r.paused >= r.total_items then null
          when r.cost_micro + n.cost_micro >= r.budget_micro then 'budget_exceeded'
          when ${flush.failure_streak}::int > 0
            and ${streak} >= ${flush.max_consecutive_failures} then 'consecutive_failures'
        end::stop_reason,
        finished_at = case
          when ended_items(r) + n.left_running - n.paused >= r.total_items then now() end
      -- Of a run that has finished nothing can change: a flush sent twice must not announce it again.
      from n where r.id = ${flush.run_id} and r.finished_at is null
      returning r.*, n.left_running, n.cost_micro as spent
    ), used as (
      update project_usage u set running = u.running - c.left_running, spent_micro = u.spent_micro + c.spent
      from counted c where u.project_id = c.project_id and (c.left_running > 0 or c.spent > 0)
      returning u.project_id, u.spend_day
    ), ${fileSpending(sql)}, ${notOk.length > 0 ? sql`kept as (${keepCauses(sql, notOk)}), sorted as (${insertTriage(sql, flush.run_id)}),` : sql``}
    ${forget(sql)}
    select (select count(*)::int from settled) as recorded, degraded + failed + budget_exceeded as not_ok,
      finished_at is not null as finished, stop_reason
    from counted`
  return row ?? { recorded: 0, not_ok: 0, finished: true, stop_reason: null }
}

/** Of a run that the statement has finished nothing stays due. */
export const forget = (sql: Sql) => sql`
  forgotten as (
    delete from due_items where run_id in (select id from counted where finished_at is not null)
  )`

function blemishes(sql: Sql, entries: readonly Entry[]) {
  const column = <K extends keyof Verdict>(key: K) => texts(entries.map(e => (e.verdict ?? OK)[key]))
  if (entries.length === 0)
    return sql`select null::int as seq, null::item_status as status, null::outcome as outcome,
      null::text as outcome_reason, null::text as degraded_reason, null::text as error_code,
      null::text as error_message, null::text as prompt, null::text as cause_id where false`
  return sql`
    select seq, status::item_status, outcome::outcome, outcome_reason, degraded_reason, error_code, error_message,
      prompt, cause_id
    from rows from (
      unnest(${numbers(entries.map(e => e.seq))}::text::int[]),
      string_to_table(${column('status')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('outcome')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('outcome_reason')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('degraded_reason')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('error_code')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('error_message')}, E'\\x1e', E'\\x1f'),
      string_to_table(${texts(entries.map(e => e.prompt))}, E'\\x1e', E'\\x1f'),
      string_to_table(${texts(entries.map(e => e.cause?.id ?? null))}, E'\\x1e', E'\\x1f')
    ) as t(seq, status, outcome, outcome_reason, degraded_reason, error_code, error_message, prompt, cause_id)`
}

/** A cause may have been forgotten since it was named: it is there when its items are counted. */
function keepCauses(sql: Sql, entries: readonly Entry[]) {
  const causes = [
    ...new Map(entries.flatMap(({ cause }) => (cause === null ? [] : [[cause.id, cause]]))).values(),
  ]
  // As arrays: a step may be empty, and a list of one empty text is none when it is packed.
  const column = (key: keyof CauseText) => sql`${causes.map(cause => cause[key])}::text[]`
  return sql`
    insert into causes (project_id, agent_id, step, error_code, reason, template)
    select c.project_id, c.agent_id, k.step, k.error_code, k.reason, k.template
    from counted c, unnest(${column('step')}, ${column('error_code')}, ${column('reason')}, ${column('template')})
      as k(step, error_code, reason, template)
    order by k.step, k.error_code, k.reason, k.template on conflict do nothing`
}

function insertSteps(sql: Sql, { run_id, steps }: Flush) {
  const column = <K extends keyof StepRow>(key: K) => texts(steps.map(s => s[key] as string | null))
  const figures = <K extends keyof StepRow>(key: K) => numbers(steps.map(s => s[key] as number | boolean))
  return sql`
    insert into steps (run_id, seq, step_no, attempt, kind, outcome, unpriced, unread, told, reused, input_tokens,
      output_tokens, cost_micro, started_at, duration_ms, key, name, model, outcome_reason, error_code, error_message,
      input, output)
    select ${run_id}, s.seq, s.step_no, s.attempt, s.kind::step_kind, s.outcome::outcome, s.unpriced, s.unread, s.told,
      s.reused, s.input_tokens, s.output_tokens, s.cost_micro, s.started_at::timestamptz, s.duration_ms, s.key, s.name,
      s.model, s.outcome_reason, s.error_code, s.error_message, s.input, s.output
    from rows from (
      unnest(${figures('seq')}::text::int[]), unnest(${figures('step_no')}::text::int[]),
      unnest(${figures('attempt')}::text::smallint[]),
      string_to_table(${column('kind')}, E'\\x1e'), string_to_table(${column('outcome')}, E'\\x1e'),
      unnest(${figures('unpriced')}::text::boolean[]), string_to_table(${column('unread')}, E'\\x1e', E'\\x1f'),
      unnest(${figures('told')}::text::boolean[]), unnest(${figures('reused')}::text::boolean[]),
      unnest(${figures('input_tokens')}::text::int[]), unnest(${figures('output_tokens')}::text::int[]),
      unnest(${figures('cost_micro')}::text::bigint[]),
      string_to_table(${column('started_at')}, E'\\x1e'),
      unnest(${figures('duration_ms')}::text::float8[]),
      string_to_table(${column('key')}, E'\\x1e'), string_to_table(${column('name')}, E'\\x1e'),
      string_to_table(${column('model')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('outcome_reason')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('error_code')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('error_message')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('input')}, E'\\x1e', E'\\x1f'),
      string_to_table(${column('output')}, E'\\x1e', E'\\x1f')
    ) as s(seq, step_no, attempt, kind, outcome, unpriced, unread, told, reused, input_tokens, output_tokens,
      cost_micro, started_at, duration_ms, key, name, model, outcome_reason, error_code, error_message, input, output)
    join settled using (seq)`
}

/** Items that did not work go to the dead-letter lane, held ones to quarantine. A resumed item may come back. */
function insertTriage(sql: Sql, runId: string) {
  return sql`
    insert into triage as t (run_id, seq, project_id, agent_id, lane, reason, error_code, partition_key, prompt,
      cause_id, cost_micro)
    select ${runId}, s.seq, c.project_id, c.agent_id,
      case when s.status = 'paused' then 'quarantine' else 'dlq' end::triage_lane,
      coalesce(s.outcome_reason, s.error_code, 'hold'), s.error_code, s.partition_key, s.prompt, s.cause_id,
      s.item_cost_micro
    from settled s, counted c where s.ends and s.outcome is distinct from 'ok'
    on conflict (run_id, seq) do update set lane = excluded.lane, reason = excluded.reason,
      error_code = excluded.error_code, prompt = excluded.prompt, cause_id = excluded.cause_id,
      cost_micro = excluded.cost_micro, created_at = now(), disposition = null,
      decided_at = null`
}
