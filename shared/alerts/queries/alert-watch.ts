// Finds runs that meet alert rules; project-watch.ts does so for projects. Guarantee: each query is bounded and reads
// only runs that are open or have just ended, and those that an alert stood for which is over.
//
// The trigger `note_ended_run` (the newest of drizzle/*.sql that defines it) puts a run that ends on `ended_runs`,
// unless all of it is ok and nothing depends on its end: a check, a schedule, a digest, an open alert. The tick
// (upkeep/verbs/watch-alerts.ts) takes it from there, evaluates each rule, raises the alert of the first enabled one
// that it meets, and resolves alerts of earlier runs.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import { byProject, findInEach } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { RULES } from '../rules/alerts.ts'
import { RUN_RULES, type RunFindings, type RunRule, type WatchedRun } from '../rules/run-alerts.ts'
import type { AlertRule } from '../vocabulary.ts'
import type { OpenAlert } from './alerts.ts'

/** Lets one process at a time evaluate rules, or two rules could alert about one run. False if another process does. */
export async function lockAlerts(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('assay alerts')) as locked`
  return row!.locked
}

/** Joins the setting of a rule for the run `r`: that of its agent, else that for all agents. */
function setting(sql: Sql, rule: AlertRule, project_id: string) {
  return sql`left join lateral (
      select s.enabled, s.bounds from alert_settings s
      where s.project_id = ${project_id} and s.rule = ${rule} and (s.agent_id = r.agent_id or s.agent_id is null)
      order by s.agent_id nulls last limit 1
    ) ${sql(rule)} on true`
}

const isOn = (sql: Sql, rule: AlertRule) =>
  sql`coalesce(${sql(rule)}.enabled, ${RULES[rule].enabled}::boolean)`
/** A bound of a rule: as it was set in `of`, else the default. */
export const bound = (sql: Sql, rule: AlertRule, name: string, of: string = rule) =>
  sql`coalesce((${sql(of)}.bounds->>${name})::float8, ${RULES[rule].bounds[name]!.default}::float8)`

const watched = (sql: Sql) => sql`r.project_id, r.agent_id, a.slug as agent_slug, r.id as run_id, r.name,
  fired.schedule_id, fired.cron, r.status::text, r.stop_reason::text, r.total_items, r.ok, r.degraded, r.failed,
  r.budget_exceeded, r.cancelled, r.cancelled_replayed, r.paused, r.undecided, r.finished_at is not null as ended, r.cost_micro, r.budget_micro, coalesce(r.finished_at, now()) as since`

/** The schedule that started the run `r`. */
const fired = (sql: Sql, project_id: string) => sql`left join lateral (
    select s.id as schedule_id, s.cron
    from occurrences o join schedules s on s.project_id = ${project_id} and s.id = o.schedule_id
    where o.project_id = ${project_id} and o.run_id = r.id limit 1
  ) fired on true`

/**
 * Samples the run's items that did not work for a model call that a provider refused; isRefused holds if at least half
 * of them have one. Of a failed call only the agent's own message is known, so it is searched for the status or for
 * what clients call the error.
 */
const refused = (sql: Sql, when: ReturnType<Sql>, project_id: string) => sql`left join lateral (
    select count(call.model)::int as calls, count(*)::int as looked, min(call.status) as refused_status,
      min(nullif(call.model, '')) as refused_model
    from (
      select t.run_id, t.seq from triage t
      where t.project_id = ${project_id} and ${when} and t.run_id = r.id and t.lane = 'dlq' and t.disposition is null
      limit ${LIMITS.refused_calls_sampled}
    ) t left join lateral (
      select coalesce(s.model, '') as model, substring(s.error_message from '(?:^|\\D)(401|403)(?:\\D|$)') as status
      from steps s
      where s.project_id = ${project_id} and s.run_id = t.run_id and s.seq = t.seq and s.kind = 'llm_call'
        and s.outcome = 'failed'
        and s.error_message ~* '(^|\\D)(401|403)(\\D|$)|authentication_error|permission_error|permission_denied|invalid.api.key|incorrect api key|unauthorized'
      limit 1
    ) call on true
  ) refusal on true`

const isRefused = (sql: Sql) => sql`(refusal.calls > 0 and 2 * refusal.calls >= refusal.looked)`

/** Neither a replay nor a recovery: whoever started one is watching it. */
const isFirst = (sql: Sql) => sql.unsafe(isFirstRun('r'))

/** Some of its items did not work, and all of these have been decided about. */
const isDecided = (sql: Sql, project_id: string) => sql`(r.undecided = 0
  and (not taken.first_end or exists (
    select 1 from triage t where t.project_id = ${project_id} and t.run_id = r.id and t.lane = 'dlq')))`

/**
 * No rule about the outcome of runs has alerted about the run, so its outcome raises one alert in all. Alerts that it
 * started late or missed a deadline do not count.
 */
const isNew = (sql: Sql, project_id: string) => sql`not exists (
  select 1 from alerts raised
  where raised.project_id = ${project_id} and raised.run_id = r.id and raised.rule::text = any(${[...RUN_RULES]}::text[]))`

/**
 * Whether too many of `of` items did not work. For an open run `of` is all of its items, so that nobody is alerted to
 * failures that its other items may make a small share.
 */
const tooManyNotOk = (sql: Sql, of: ReturnType<Sql>) => sql`(
  r.ok + r.degraded + r.failed >= ${bound(sql, 'failure_share', 'least_items')}
  and r.degraded + r.failed > ${bound(sql, 'failure_share', 'share')} * ${of})`

export interface EndedRun extends WatchedRun {
  /** False if it had ended before, and all of its items have been decided about since. */
  first_end: boolean
  is_replay: boolean
  /** All of its items that did not work have been decided about, even if that was before the tick saw its end. */
  is_decided: boolean
  /** It raises no alert: it was cancelled, is a replay or recovery, has an alert, or its items are decided about. */
  is_quiet: boolean
  /** The rules whose alerts its end leaves open, muted ones too: an alert stays open as long as its condition holds. */
  holds: Readonly<Partial<Record<AlertRule, boolean>>>
  found: RunFindings
}

/** The condition under which the run `r`, which has ended, meets each rule. */
const givesReason = (sql: Sql): Record<RunRule, Fragment> => ({
  credentials_refused: isRefused(sql),
  budget_exceeded: sql`r.stop_reason is not distinct from 'budget_exceeded'`,
  // A run that was stopped for this may have ended before many of its items had.
  failure_share: sql`(${tooManyNotOk(sql, sql`(r.ok + r.degraded + r.failed)`)}
    or coalesce(r.stop_reason in ('pilot_failed', 'consecutive_failures'), false))`,
  run_not_ok: sql`r.ok < r.total_items`,
})

/**
 * When a run could not have met a rule. Such a run, if no schedule started it, resolves no alert of the rule: among an
 * agent's runs it may be of another file, or of one item.
 */
const couldNot = (sql: Sql): Partial<Record<RunRule, Fragment>> => ({
  budget_exceeded: sql`r.budget_micro is null`,
  failure_share: sql`r.ok + r.degraded + r.failed < ${bound(sql, 'failure_share', 'least_items')}`,
})

const listed = (sql: Sql, of: (rule: RunRule) => Fragment): Fragment =>
  RUN_RULES.map(of).reduce((all, one) => sql`${all}, ${one}`)

/** Takes ended runs off `ended_runs`, once the checks over their answers have been made. */
export async function takeEndedRuns(sql: Sql, limit: number): Promise<EndedRun[]> {
  const look = sql`select project_id from ended_runs where not answers_due group by 1 order by min(run_id::text)`
  return findInEach(sql, look, limit, (project_id, limit) => takeEndedOf(sql, limit, project_id))
}

function takeEndedOf(sql: Sql, limit: number, project_id: string) {
  const taken = sql`
    delete from ended_runs where project_id = ${project_id} and run_id in (
      select run_id from ended_runs where project_id = ${project_id} and not answers_due
      order by run_id limit ${limit} for update skip locked)
    returning run_id, first_end`
  return judge(sql, taken, project_id)
}

/**
 * For each of these alerts, which decisions about its run resolved, the first runs that it also stood for and that still
 * wait for decisions: a rule alerts once about a subject, so they raised none of their own. A batch of ended runs raises the
 * alert of one of them, and is taken within the hour.
 */
export async function findStoodFor(sql: Sql, over: readonly OpenAlert[]): Promise<EndedRun[]> {
  const found: EndedRun[] = []
  for (const [project_id, own] of byProject(over)) {
    const taken = sql`
      select r.id as run_id, true as first_end
      from alerts over cross join lateral (
        select r.id from (
          select * from runs
          where project_id = ${project_id} and agent_id = over.agent_id
          order by id desc limit ${LIMITS.alert_runs_looked_back}
        ) r ${fired(sql, project_id)}
        where r.undecided > 0 and ${isFirst(sql)} and r.finished_at >= over.since - interval '1 hour'
          and ${isNew(sql, project_id)} and over.subject_id = coalesce(fired.schedule_id, r.agent_id)
        order by r.id limit ${LIMITS.alert_runs_stood_for}
      ) r
      where over.project_id = ${project_id} and over.id = any(${own.map(({ id }) => id)}::uuid[])
        and over.rule::text = any(${[...RUN_RULES]}::text[])`
    found.push(...(await judge(sql, taken, project_id)))
  }
  return found
}

/** Which rules runs meet that have ended: those that `taken` returns. */
function judge(sql: Sql, taken: Fragment, project_id: string) {
  const reasons = givesReason(sql)
  const never = couldNot(sql)
  return sql<EndedRun[]>`
    with taken as (${taken}), judged as (
      select ${watched(sql)}, taken.first_end, not ${isFirst(sql)} as is_replay,
        ${isDecided(sql, project_id)} as is_decided,
        (not ${isFirst(sql)} or r.stop_reason is not distinct from 'cancelled' or not ${isNew(sql, project_id)}
          or ${isDecided(sql, project_id)}) as is_quiet,
        refusal.refused_status, refusal.refused_model, r.unpriced_items > 0 as unpriced,
        ${listed(
          sql,
          rule => sql`${reasons[rule]} as ${sql(`for_${rule}`)}, ${isOn(sql, rule)} as ${sql(`on_${rule}`)},
          (fired.schedule_id is null and ${never[rule] ?? sql`false`}) as ${sql(`never_${rule}`)}`,
        )}
      from taken join runs r on r.project_id = ${project_id} and r.id = taken.run_id
        join agents a on a.project_id = ${project_id} and a.id = r.agent_id
      ${fired(sql, project_id)} ${refused(sql, sql`taken.first_end and r.degraded + r.failed > 0`, project_id)}
      ${RUN_RULES.map(rule => setting(sql, rule, project_id))}
    )
    select *,
      jsonb_build_object('unpriced_model', unpriced, ${listed(sql, rule => sql`${rule}::text, ${sql(`for_${rule}`)} or ${sql(`never_${rule}`)}`)}) as holds,
      jsonb_build_object(${listed(sql, rule => sql`${rule}::text, ${sql(`for_${rule}`)} and ${sql(`on_${rule}`)}`)}) as found
    from judged`
}

/**
 * Open runs in which too many items are certain not to be ok, except runs with an alert. In random order: runs that
 * raise no alert after all stay in the result, and would otherwise hide others from every query.
 */
export async function findUnwellRuns(
  sql: Sql,
  limit: number,
): Promise<(WatchedRun & { found: RunFindings })[]> {
  const look = sql`
    select project_id from runs where finished_at is null and degraded + failed > 0 group by 1 order by random()`
  return findInEach(sql, look, limit, (project_id, limit) => findUnwellOf(sql, limit, project_id))
}

function findUnwellOf(sql: Sql, limit: number, project_id: string) {
  return sql<(WatchedRun & { found: RunFindings })[]>`
    select unwell.*, refusal.refused_status, refusal.refused_model,
      jsonb_build_object('credentials_refused', ${isRefused(sql)} and credentials_on, 'failure_share', share_on) as found
    from (
      select r.id, ${watched(sql)}, ${isOn(sql, 'credentials_refused')} as credentials_on,
        ${isOn(sql, 'failure_share')} as share_on
      from runs r join agents a on a.project_id = ${project_id} and a.id = r.agent_id ${fired(sql, project_id)}
      ${setting(sql, 'credentials_refused', project_id)} ${setting(sql, 'failure_share', project_id)}
      where r.project_id = ${project_id} and r.finished_at is null and r.degraded + r.failed > 0 and not r.materializing
        and ${isFirst(sql)} and r.stop_reason is null and ${tooManyNotOk(sql, sql`r.total_items`)}
        and ${isNew(sql, project_id)}
      order by random() limit ${limit}
    ) unwell join runs r on r.project_id = ${project_id} and r.id = unwell.id ${refused(sql, sql`true`, project_id)}`
}
