// Finds projects and agents that meet alert rules, and open alerts whose condition has ended. Guarantee: a subject with
// an open alert is not found again.

import type { Fragment } from 'postgres'
import type { Sql } from '../../context.ts'
import { findInEach } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { RULES } from '../rules/alerts.ts'
import type { HeldItems, ShutUpstream, StalledProject, WatchedProject } from '../rules/run-alerts.ts'
import type { AlertRule } from '../vocabulary.ts'
import { bound } from './alert-watch.ts'
import type { OpenAlert } from './alerts.ts'

/** Whether the rule, with the setting `s`, may alert: it is not muted and has no open alert, which would use the limit. */
const mayAlert = (sql: Sql, rule: AlertRule, project: Fragment, subject: Fragment) => sql`
  coalesce(s.enabled, ${RULES[rule].enabled}::boolean) and not exists (
    select 1 from alert_marks m
    where m.project_id = ${project} and m.rule = ${rule} and m.subject_id = ${subject} and m.resolved_at is null)`

const nearlySpent = (sql: Sql) => sql`
  u.spent_micro >= ${bound(sql, 'budget_near', 'share', 's')} * p.credit_micro`

/** Projects whose credit is nearly spent and that have no open alert about it. */
export function findNearlySpent(sql: Sql, limit: number): Promise<WatchedProject[]> {
  return sql<WatchedProject[]>`
    select p.id as project_id, p.name, u.spent_micro, p.credit_micro, now() as since
    from projects p join project_usage u on u.project_id = p.id
    left join alert_settings s on s.project_id = u.project_id and s.rule = 'budget_near' and s.agent_id is null
    where p.credit_micro > 0 and p.account_id is not null and ${nearlySpent(sql)}
      and ${mayAlert(sql, 'budget_near', sql`u.project_id`, sql`u.project_id`)}
    limit ${limit}`
}

/**
 * When a run counts as stalled: items are queued although nothing of the project is running and it has credit, so its
 * caps would let one start, and none waits for an upstream. A schedule's run that nobody has started is reported as a missed schedule instead.
 */
const stalled = (sql: Sql, project: Fragment) => sql`
  r.finished_at is null and not r.materializing and r.stop_reason is null and r.next_seq <= r.total_items and r.waits_for is null
  and u.running = 0 and (p.credit_micro is null or u.spent_micro < p.credit_micro)
  and (r.budget_micro is null or r.cost_micro < r.budget_micro)
  and r.touched_at < now() - make_interval(
    secs => 60 * ${bound(sql, 'consumer_stalled', 'minutes', 's')})
  and (r.started_at is not null or not exists (
    select 1 from occurrences o where o.project_id = ${project} and o.run_id = r.id))`

/** Projects with queued items that no consumer takes and that have no open alert about it. */
export function findStalled(sql: Sql, limit: number): Promise<StalledProject[]> {
  return sql<StalledProject[]>`
    select r.project_id, p.name, count(*)::int as runs, (array_agg(r.id order by r.touched_at))[1] as run_id,
      bool_or(coalesce(r.deployment_id, a.current_deployment_id) is not null) as deployed, min(r.touched_at) as since
    from runs r
    join projects p on p.id = r.project_id join project_usage u on u.project_id = r.project_id
    join agents a on a.project_id = r.project_id and a.id = r.agent_id
    left join alert_settings s on s.project_id = r.project_id and s.rule = 'consumer_stalled' and s.agent_id is null
    where ${stalled(sql, sql`r.project_id`)} and ${mayAlert(sql, 'consumer_stalled', sql`r.project_id`, sql`r.project_id`)}
    group by r.project_id, p.name limit ${limit}`
}

const heldSince = (sql: Sql) => sql`t.lane = 'quarantine' and t.disposition is null
  and t.created_at < now() - make_interval(
    secs => 3600 * ${bound(sql, 'items_held', 'hours', 's')})`

/** Agents whose items have been held for a person for too long and that have no open alert about it. */
export function findHeldItems(sql: Sql, limit: number): Promise<HeldItems[]> {
  const look = sql`
    select project_id from triage where lane = 'quarantine' and disposition is null group by 1 order by random()`
  return findInEach(sql, look, limit, (project_id, limit) => findHeldItemsOf(sql, limit, project_id))
}

function findHeldItemsOf(sql: Sql, limit: number, project_id: string) {
  return sql<HeldItems[]>`
    select a.project_id, a.id as agent_id, a.slug as agent_slug, held.items, held.since
    from agents a join projects p on p.id = ${project_id}
    left join lateral (
      select s.enabled, s.bounds from alert_settings s
      where s.project_id = ${project_id} and s.rule = 'items_held' and (s.agent_id = a.id or s.agent_id is null)
      order by s.agent_id nulls last limit 1
    ) s on true
    cross join lateral (
      select count(*)::int as items, min(created_at) as since from (
        select t.created_at from triage t
        where t.project_id = ${project_id} and t.agent_id = a.id and ${heldSince(sql)}
        limit ${LIMITS.activity_counted}) t
    ) held
    where a.project_id = ${project_id} and a.deleted_at is null and p.account_id is not null and held.items > 0
      and ${mayAlert(sql, 'items_held', sql`${project_id}`, sql`a.id`)}
    limit ${limit}`
}

/** Whether an upstream is shut for long enough: money and keys need a person at once, the others mostly end by themselves. */
const shutTooLong = (sql: Sql) => sql`(u.state in ('out_of_credit', 'refused') or u.state <> 'open'
  and u.since < now() - make_interval(secs => 60 * ${bound(sql, 'upstream_unavailable', 'minutes', 's')}))`

/** Upstreams that are not open, that items wait for, and that have no open alert. */
export function findShutUpstreams(sql: Sql, limit: number): Promise<ShutUpstream[]> {
  const look = sql`select project_id from upstreams where state <> 'open' group by 1 order by random()`
  return findInEach(sql, look, limit, (project_id, limit) => findShutUpstreamsOf(sql, limit, project_id))
}

function findShutUpstreamsOf(sql: Sql, limit: number, project_id: string) {
  return sql<ShutUpstream[]>`
    select u.project_id, u.id as upstream_id, u.host, u.label, u.state, u.words as reason, u.since, waiting.items
    from upstreams u join projects p on p.id = ${project_id}
    left join alert_settings s on s.project_id = ${project_id} and s.rule = 'upstream_unavailable' and s.agent_id is null
    cross join lateral (
      select count(*)::int as items from (
        select from due_items d where d.project_id = ${project_id} and d.upstream_id = u.id
        limit ${LIMITS.upstream_items_counted}) d
    ) waiting
    where u.project_id = ${project_id} and p.account_id is not null and ${shutTooLong(sql)} and waiting.items > 0
      and ${mayAlert(sql, 'upstream_unavailable', sql`${project_id}`, sql`u.id`)}
    limit ${limit}`
}

/** Open alerts about projects and agents whose condition has ended, and alerts whose schedule or agent is gone. */
export function findOver(sql: Sql, limit: number): Promise<OpenAlert[]> {
  const look = sql`
    select project_id from alerts where resolved_at is null and subject_id is not null group by 1 order by random()`
  return findInEach(sql, look, limit, (project_id, limit) => findOverOf(sql, limit, project_id))
}

function findOverOf(sql: Sql, limit: number, project_id: string) {
  return sql<OpenAlert[]>`
    select o.id, o.project_id
    from alerts o join projects p on p.id = ${project_id} join project_usage u on u.project_id = ${project_id}
    left join lateral (
      select s.enabled, s.bounds from alert_settings s
      where s.project_id = ${project_id} and s.rule = o.rule
        and (s.agent_id is null or o.rule = 'items_held' and s.agent_id = o.subject_id)
      order by s.agent_id nulls last limit 1
    ) s on true
    where o.project_id = ${project_id} and o.resolved_at is null and o.subject_id is not null and case o.rule
      when 'budget_near' then p.credit_micro is null or not ${nearlySpent(sql)}
      when 'consumer_stalled' then not exists (
        select 1 from runs r where r.project_id = ${project_id} and ${stalled(sql, sql`${project_id}`)})
      when 'items_held' then not exists (
        select 1 from triage t where t.project_id = ${project_id} and t.agent_id = o.subject_id and ${heldSince(sql)})
      when 'upstream_unavailable' then not exists (
        select 1 from upstreams w where w.project_id = ${project_id} and w.id = o.subject_id and w.state <> 'open')
      when 'schedule_missed' then not exists (
        select 1 from schedules c where c.project_id = ${project_id} and c.id = o.subject_id)
      else o.schedule_id = o.subject_id and not exists (
          select 1 from schedules c where c.project_id = ${project_id} and c.id = o.schedule_id)
        or not exists (
          select 1 from agents a
          where a.project_id = ${project_id} and a.id = o.agent_id and a.deleted_at is null) end
    limit ${limit}`
}
