// What the rules about runs and projects look at. Each look is bounded and reads only what is open or has just ended.
//
// A run that ends is noted by the trigger `note_ended_run` (the newest of drizzle/*.sql that defines it), unless all of it
// is ok and nobody waits to be told; the tick (upkeep/verbs/watch-alerts.ts) takes it from `ended_runs`, asks of each rule
// whether the run gives reason for it, tells the first that is on, and resolves what earlier runs had given reason for.

import type { Fragment } from 'postgres'
import { type Asked, asked, projectsToAsk } from '../../accounts/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { RULES } from '../rules/alerts.ts'
import {
  type HeldItems,
  RUN_RULES,
  type RunFindings,
  type RunRule,
  type StalledProject,
  type WatchedProject,
  type WatchedRun,
} from '../rules/run-alerts.ts'
import type { AlertRule } from '../vocabulary.ts'

/** Lets one process at a time look, or a run could be told by two rules; false while another does. */
export async function lockAlerts(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('assay alerts')) as locked`
  return row!.locked
}

/** Whether a rule alerts for the run `r`, and one of its bounds: what was set for its agent, then for all, then ours. */
function setting(sql: Sql, rule: AlertRule) {
  return sql`left join lateral (
      select s.enabled, s.bounds from alert_settings s
      where s.project_id = r.project_id and s.rule = ${rule} and (s.agent_id = r.agent_id or s.agent_id is null)
      order by s.agent_id nulls last limit 1
    ) ${sql(rule)} on true`
}

const isOn = (sql: Sql, rule: AlertRule) =>
  sql`coalesce(${sql(rule)}.enabled, ${RULES[rule].enabled}::boolean)`
/** As it was set in `of`, or ours. */
const bound = (sql: Sql, rule: AlertRule, name: string, of: string = rule) =>
  sql`coalesce((${sql(of)}.bounds->>${name})::float8, ${RULES[rule].bounds[name]!.default}::float8)`

const watched = (sql: Sql) => sql`r.project_id, r.agent_id, a.slug as agent_slug, r.id as run_id, r.name,
  fired.schedule_id, fired.cron, r.status::text, r.stop_reason::text, r.total_items, r.ok, r.degraded, r.failed,
  r.budget_exceeded, r.cancelled, r.paused, r.cost_micro, r.budget_micro, coalesce(r.finished_at, now()) as since`

/** The schedule that started the run `r`. */
const fired = (sql: Sql) => sql`left join lateral (
    select s.id as schedule_id, s.cron from occurrences o join schedules s on s.id = o.schedule_id
    where o.run_id = r.id limit 1
  ) fired on true`

/**
 * A model call that a provider refused, if at least half of a sample of the run's items that did not work have one. Of
 * an agent's own words nothing is known but the message, so it is read for the status or for what clients call it.
 */
const refused = (sql: Sql, when: ReturnType<Sql>) => sql`left join lateral (
    select count(call.model)::int as calls, count(*)::int as looked, min(call.status) as refused_status,
      min(nullif(call.model, '')) as refused_model
    from (
      select t.run_id, t.seq from triage t
      where ${when} and t.project_id = r.project_id and t.run_id = r.id and t.lane = 'dlq' and t.disposition is null
      limit ${LIMITS.refused_calls_sampled}
    ) t left join lateral (
      select coalesce(s.model, '') as model, substring(s.error_message from '(?:^|\\D)(401|403)(?:\\D|$)') as status
      from steps s
      where s.project_id = r.project_id and s.run_id = t.run_id and s.seq = t.seq and s.kind = 'llm_call' and s.outcome = 'failed'
        and s.error_message ~* '(^|\\D)(401|403)(\\D|$)|authentication_error|permission_error|permission_denied|invalid.api.key|incorrect api key|unauthorized'
      limit 1
    ) call on true
  ) refusal on true`

const isRefused = (sql: Sql) => sql`(refusal.calls > 0 and 2 * refusal.calls >= refusal.looked)`

/** No replay: whoever asked for one is watching. */
const isFirst = (sql: Sql) => sql`(r.replay_of is null and r.recovery_id is null)`

/** Some of its items did not work, and nothing is left to be done about them. */
const isDecided = (sql: Sql) => sql`(r.undecided = 0
  and (not taken.first_end or exists (
    select 1 from triage t where t.project_id = r.project_id and t.run_id = r.id and t.lane = 'dlq')))`

/** What became of a run is told once, whatever else it gives reason for. That it began late, or had not ended in time, is another matter. */
const untold = (sql: Sql) => sql`not exists (
  select 1 from alerts told where told.run_id = r.id and told.rule::text = any(${[...RUN_RULES]}::text[]))`

/**
 * Whether too many of `of` items did not work. While a run is open that is all of its items, so that nobody is called
 * for what its rest makes a handful.
 */
const tooManyNotOk = (sql: Sql, of: ReturnType<Sql>) => sql`(
  r.ok + r.degraded + r.failed >= ${bound(sql, 'failure_share', 'least_items')}
  and r.degraded + r.failed > ${bound(sql, 'failure_share', 'share')} * ${of})`

export interface EndedRun extends WatchedRun {
  /** False where it had ended before, and all of its items have been decided about since. */
  first_end: boolean
  is_replay: boolean
  /** All of its items that did not work have been decided about, also where nobody had looked at its end by then. */
  is_decided: boolean
  /** Nothing of it is told: somebody cancelled it, it is a replay, an alert told it before, or somebody dealt with it. */
  is_quiet: boolean
  /** Whose alerts its end leaves open; also of rules that are muted: an alert stays as long as what it tells is so. */
  holds: Readonly<Partial<Record<AlertRule, boolean>>>
  found: RunFindings
}

/** When the run `r`, which has ended, gives reason for a rule. */
const givesReason = (sql: Sql): Record<RunRule, Fragment> => ({
  credentials_refused: isRefused(sql),
  budget_exceeded: sql`r.stop_reason is not distinct from 'budget_exceeded'`,
  // One that was stopped for it may have come to an end before many items had.
  failure_share: sql`(${tooManyNotOk(sql, sql`(r.ok + r.degraded + r.failed)`)}
    or coalesce(r.stop_reason in ('pilot_failed', 'consecutive_failures'), false))`,
  run_not_ok: sql`r.ok < r.total_items`,
})

/**
 * A run that nobody's schedule started and that could not have given reason for a rule ends no alert of it: of an agent's runs
 * one may be another file, or one item.
 */
const couldNot = (sql: Sql): Partial<Record<RunRule, Fragment>> => ({
  budget_exceeded: sql`r.budget_micro is null`,
  failure_share: sql`r.ok + r.degraded + r.failed < ${bound(sql, 'failure_share', 'least_items')}`,
})

const listed = (sql: Sql, of: (rule: RunRule) => Fragment): Fragment =>
  RUN_RULES.map(of).reduce((all, one) => sql`${all}, ${one}`)

/** Takes runs that have ended off the list that a trigger on runs keeps, once their answers were looked at. */
export async function takeEndedRuns(sql: Sql, limit: number): Promise<EndedRun[]> {
  const look = () => sql`select distinct project_id from ended_runs where not answers_due`
  const taken: EndedRun[] = []
  for (const project of await projectsToAsk(sql, look))
    taken.push(...(await takeEndedOf(sql, limit, project)))
  return taken
}

function takeEndedOf(sql: Sql, limit: number, project: Asked) {
  const of = (alias: string) => asked(sql, alias, project)
  const reasons = givesReason(sql)
  const never = couldNot(sql)
  return sql<EndedRun[]>`
    with taken as (
      delete from ended_runs where (project_id, run_id) in (
        select project_id, run_id from ended_runs where not answers_due ${of('ended_runs')}
        order by run_id limit ${limit} for update skip locked) ${of('ended_runs')}
      returning project_id, run_id, first_end
    ), judged as (
      select ${watched(sql)}, taken.first_end, not ${isFirst(sql)} as is_replay,
        ${isDecided(sql)} as is_decided,
        (not ${isFirst(sql)} or r.stop_reason is not distinct from 'cancelled' or not ${untold(sql)}
          or ${isDecided(sql)}) as is_quiet,
        refusal.refused_status, refusal.refused_model, r.unpriced_items > 0 as unpriced,
        ${listed(
          sql,
          rule => sql`${reasons[rule]} as ${sql(`for_${rule}`)}, ${isOn(sql, rule)} as ${sql(`on_${rule}`)},
          (fired.schedule_id is null and ${never[rule] ?? sql`false`}) as ${sql(`never_${rule}`)}`,
        )}
      from taken join runs r on r.project_id = taken.project_id and r.id = taken.run_id ${of('r')} join agents a on a.id = r.agent_id
      ${fired(sql)} ${refused(sql, sql`taken.first_end and r.degraded + r.failed > 0`)}
      ${RUN_RULES.map(rule => setting(sql, rule))}
    )
    select *,
      jsonb_build_object('unpriced_model', unpriced, ${listed(sql, rule => sql`${rule}::text, ${sql(`for_${rule}`)} or ${sql(`never_${rule}`)}`)}) as holds,
      jsonb_build_object(${listed(sql, rule => sql`${rule}::text, ${sql(`for_${rule}`)} and ${sql(`on_${rule}`)}`)}) as found
    from judged`
}

/**
 * Open runs of which it is certain that too many items will not be ok, unless one of them was told already. In no
 * order: those that give no reason after all stay on the list, and would hide others from every look.
 */
export async function findUnwellRuns(
  sql: Sql,
  limit: number,
): Promise<(WatchedRun & { found: RunFindings })[]> {
  return sql<(WatchedRun & { found: RunFindings })[]>`
    select unwell.*, refusal.refused_status, refusal.refused_model,
      jsonb_build_object('credentials_refused', ${isRefused(sql)} and credentials_on, 'failure_share', share_on) as found
    from (
      select r.id, ${watched(sql)}, ${isOn(sql, 'credentials_refused')} as credentials_on,
        ${isOn(sql, 'failure_share')} as share_on
      from runs r join agents a on a.id = r.agent_id ${fired(sql)}
      ${setting(sql, 'credentials_refused')} ${setting(sql, 'failure_share')}
      where r.finished_at is null and r.degraded + r.failed > 0 and not r.materializing and ${isFirst(sql)}
        and r.stop_reason is null and ${tooManyNotOk(sql, sql`r.total_items`)} and ${untold(sql)}
      order by random() limit ${limit}
    ) unwell join runs r on r.id = unwell.id ${refused(sql, sql`true`)}`
}

/** Whether a rule may alert about the project `p`: nobody muted it, and no alert of it is open. What was told takes no room. */
const mayTell = (
  sql: Sql,
  rule: AlertRule,
  subject = sql`p.id`,
) => sql`coalesce(s.enabled, ${RULES[rule].enabled}::boolean)
  and not exists (
    select 1 from alert_marks m where m.project_id = p.id and m.rule = ${rule} and m.subject_id = ${subject}
      and m.resolved_at is null)`

const nearlySpent = (sql: Sql) => sql`
  u.spent_micro >= ${bound(sql, 'budget_near', 'share', 's')} * p.credit_micro`

/** Projects whose credit is nearly spent, unless that was told already. */
export async function findNearlySpent(sql: Sql, limit: number): Promise<WatchedProject[]> {
  return sql<WatchedProject[]>`
    select p.id as project_id, p.name, u.spent_micro, p.credit_micro, now() as since
    from projects p join project_usage u on u.project_id = p.id
    left join alert_settings s on s.project_id = p.id and s.rule = 'budget_near' and s.agent_id is null
    where p.credit_micro > 0 and p.account_id is not null and ${nearlySpent(sql)} and ${mayTell(sql, 'budget_near')}
    limit ${limit}`
}

/**
 * What makes a run of a project stalled: items wait although nothing of the project is running and it has credit, so
 * whatever caps them would let one start. A schedule's run that nobody has started is told as a missed schedule.
 */
const stalled = (sql: Sql) => sql`
  r.finished_at is null and not r.materializing and r.stop_reason is null and r.next_seq <= r.total_items
  and u.running = 0 and (p.credit_micro is null or u.spent_micro < p.credit_micro)
  and (r.budget_micro is null or r.cost_micro < r.budget_micro)
  and r.touched_at < now() - make_interval(
    secs => 60 * ${bound(sql, 'consumer_stalled', 'minutes', 's')})
  and (r.started_at is not null or not exists (select 1 from occurrences o where o.run_id = r.id))`

/** Projects with items that wait and that nobody takes. Not those of which that was told already. */
export async function findStalled(sql: Sql, limit: number): Promise<StalledProject[]> {
  return sql<StalledProject[]>`
    select p.id as project_id, p.name, count(*)::int as runs, (array_agg(r.id order by r.touched_at))[1] as run_id,
      bool_or(coalesce(r.deployment_id, a.current_deployment_id) is not null) as deployed, min(r.touched_at) as since
    from runs r
    join projects p on p.id = r.project_id join project_usage u on u.project_id = r.project_id
    join agents a on a.id = r.agent_id
    left join alert_settings s on s.project_id = p.id and s.rule = 'consumer_stalled' and s.agent_id is null
    where ${stalled(sql)} and ${mayTell(sql, 'consumer_stalled')}
    group by p.id, p.name limit ${limit}`
}

const heldSince = (sql: Sql) => sql`t.lane = 'quarantine' and t.disposition is null
  and t.created_at < now() - make_interval(
    secs => 3600 * ${bound(sql, 'items_held', 'hours', 's')})`

const heldSetting = (sql: Sql) => sql`left join lateral (
    select s.enabled, s.bounds from alert_settings s
    where s.project_id = p.id and s.rule = 'items_held' and (s.agent_id = a.id or s.agent_id is null)
    order by s.agent_id nulls last limit 1
  ) s on true`

/** Agents whose items wait for a person for too long, unless that was told already. */
export async function findHeldItems(sql: Sql, limit: number): Promise<HeldItems[]> {
  return sql<HeldItems[]>`
    select p.id as project_id, a.id as agent_id, a.slug as agent_slug, held.items, held.since
    from projects p join agents a on a.project_id = p.id and a.deleted_at is null ${heldSetting(sql)}
    cross join lateral (
      select count(*)::int as items, min(created_at) as since from (
        select t.created_at from triage t where t.project_id = p.id and t.agent_id = a.id and ${heldSince(sql)}
        limit ${LIMITS.activity_counted}) t
    ) held
    where p.account_id is not null and held.items > 0 and ${mayTell(sql, 'items_held', sql`a.id`)}
    limit ${limit}`
}

/** Open alerts about projects and agents that are so no more, and those whose schedule or agent is gone. */
export async function findOver(sql: Sql, limit: number): Promise<{ id: string }[]> {
  return sql<{ id: string }[]>`
    select o.id from alerts o join projects p on p.id = o.project_id join project_usage u on u.project_id = o.project_id
    left join lateral (
      select s.enabled, s.bounds from alert_settings s
      where s.project_id = p.id and s.rule = o.rule
        and (s.agent_id is null or o.rule = 'items_held' and s.agent_id = o.subject_id)
      order by s.agent_id nulls last limit 1
    ) s on true
    where o.resolved_at is null and o.subject_id is not null and case o.rule
      when 'budget_near' then p.credit_micro is null or not ${nearlySpent(sql)}
      when 'consumer_stalled' then not exists (select 1 from runs r where r.project_id = p.id and ${stalled(sql)})
      when 'items_held' then not exists (
        select 1 from triage t where t.project_id = p.id and t.agent_id = o.subject_id and ${heldSince(sql)})
      when 'schedule_missed' then not exists (select 1 from schedules where id = o.subject_id)
      else o.schedule_id = o.subject_id and not exists (select 1 from schedules where id = o.schedule_id)
        or not exists (select 1 from agents where id = o.agent_id and deleted_at is null) end
    limit ${limit}`
}
