// What the rules about runs and projects look at. Each look is bounded and reads only what is open or has just ended.

import type { Sql } from '../context.ts'
import { RULES, type StalledProject, type WatchedProject, type WatchedRun } from '../domain/alerts.ts'
import { LIMITS } from '../domain/limits.ts'
import type { AlertRule } from '../domain/vocabulary.ts'

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
const bound = (sql: Sql, rule: AlertRule, name: string) =>
  sql`coalesce((${sql(rule)}.bounds->>${name})::float8, ${RULES[rule].bounds[name]!.default}::float8)`

const watched = (
  sql: Sql,
) => sql`r.project_id, r.agent_id, a.slug as agent_slug, r.id as run_id, r.status::text,
  r.total_items, r.ok, r.degraded, r.failed, r.budget_exceeded, r.cancelled, r.cost_micro, r.budget_micro,
  coalesce(r.finished_at, now()) as since`

export interface EndedRun extends WatchedRun {
  not_ok: boolean
  too_many_failed: boolean
}

/** Takes runs that have ended with items that did not work off the list that a trigger on runs keeps. */
export function takeEndedRuns(sql: Sql, limit: number): Promise<EndedRun[]> {
  return sql<EndedRun[]>`
    with taken as (
      delete from ended_runs where run_id in (
        select run_id from ended_runs order by run_id limit ${limit} for update skip locked)
      returning run_id
    )
    select ${watched(sql)}, ${isOn(sql, 'run_not_ok')} as not_ok,
      ${isOn(sql, 'failure_share')} and ${tooManyFailed(sql)} as too_many_failed
    from taken t join runs r on r.id = t.run_id join agents a on a.id = r.agent_id
    ${setting(sql, 'run_not_ok')} ${setting(sql, 'failure_share')}`
}

const tooManyFailed = (
  sql: Sql,
) => sql`(r.ok + r.degraded + r.failed >= ${bound(sql, 'failure_share', 'least_items')}
  and r.failed > ${bound(sql, 'failure_share', 'share')} * (r.ok + r.degraded + r.failed))`

export interface OpenRun extends WatchedRun {
  too_many_failed: boolean
  budget_near: boolean
}

/** Open runs of which too many items failed or whose budget is nearly spent, unless that was told already. */
export function findUnwellRuns(sql: Sql, limit: number): Promise<OpenRun[]> {
  return sql<OpenRun[]>`
    select * from (
      select ${watched(sql)},
        ${isOn(sql, 'failure_share')} and ${tooManyFailed(sql)} and ${untold(sql, 'failure_share')} as too_many_failed,
        coalesce(${isOn(sql, 'budget_near')} and r.cost_micro > 0
          and r.cost_micro >= ${bound(sql, 'budget_near', 'share')} * r.budget_micro
          and ${untold(sql, 'budget_near')}, false) as budget_near
      from runs r join agents a on a.id = r.agent_id
      ${setting(sql, 'failure_share')} ${setting(sql, 'budget_near')}
      where r.finished_at is null and (r.failed > 0 or r.budget_micro is not null)
    ) open where too_many_failed or budget_near limit ${limit}`
}

const untold = (sql: Sql, rule: AlertRule) => sql`not exists (
  select from alert_marks m where m.project_id = r.project_id and m.rule = ${rule} and m.subject_id = r.id)`

/** Whether a rule may alert about the project `p`: nobody muted it, and it did not lately. What was told takes no room. */
const mayTell = (sql: Sql, rule: AlertRule) => sql`coalesce(s.enabled, ${RULES[rule].enabled}::boolean)
  and not exists (
    select from alert_marks m where m.project_id = p.id and m.rule = ${rule} and m.subject_id = p.id
      and m.raised_at > now() - make_interval(hours => ${LIMITS.alert_repeat_hours}))`

/** Projects whose credit is nearly spent, unless that was told already. */
export function findNearlySpent(sql: Sql, limit: number): Promise<WatchedProject[]> {
  const { default: share } = RULES.budget_near.bounds.share!
  return sql<WatchedProject[]>`
    select p.id as project_id, p.name, u.spent_micro, p.credit_micro, now() as since
    from projects p join project_usage u on u.project_id = p.id
    left join alert_settings s on s.project_id = p.id and s.rule = 'budget_near' and s.agent_id is null
    where p.credit_micro > 0 and p.account_id is not null
      and u.spent_micro >= coalesce((s.bounds->>'share')::float8, ${share}) * p.credit_micro
      and ${mayTell(sql, 'budget_near')}
    limit ${limit}`
}

/**
 * Projects with items that wait although nothing of the project is running and it has credit: whatever caps them
 * would let one start. Not those of which that was told already.
 */
export function findStalled(sql: Sql, limit: number): Promise<StalledProject[]> {
  const { default: minutes } = RULES.consumer_stalled.bounds.minutes!
  return sql<StalledProject[]>`
    select p.id as project_id, p.name, count(*)::int as runs, (array_agg(r.id order by r.touched_at))[1] as run_id,
      bool_or(coalesce(r.deployment_id, a.current_deployment_id) is not null) as deployed, min(r.touched_at) as since
    from runs r
    join projects p on p.id = r.project_id join project_usage u on u.project_id = p.id
    join agents a on a.id = r.agent_id
    left join alert_settings s on s.project_id = p.id and s.rule = 'consumer_stalled' and s.agent_id is null
    where r.finished_at is null and not r.materializing and r.stop_reason is null and r.next_seq <= r.total_items
      and u.running = 0 and (p.credit_micro is null or u.spent_micro < p.credit_micro)
      and (r.budget_micro is null or r.cost_micro < r.budget_micro)
      and r.touched_at < now() - make_interval(secs => 60 * coalesce((s.bounds->>'minutes')::float8, ${minutes}))
      and ${mayTell(sql, 'consumer_stalled')}
    group by p.id, p.name limit ${limit}`
}
