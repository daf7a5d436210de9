// Finds projects and agents that meet alert rules, and open alerts whose condition has ended. Guarantee: a subject with
// an open alert is not found again.

import { type Asked, askEach, asked } from '../../cluster/queries/distributed.ts'
import type { Reachable } from '../../cluster/queries/nodes.ts'
import type { Sql } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { RULES } from '../rules/alerts.ts'
import type { HeldItems, StalledProject, WatchedProject } from '../rules/run-alerts.ts'
import type { AlertRule } from '../vocabulary.ts'
import { bound } from './alert-watch.ts'
import type { OpenAlert } from './alerts.ts'

/** Whether a rule may alert about the project `p`: it is not muted and has no open alert, which would use the limit. */
const mayTell = (
  sql: Sql,
  rule: AlertRule,
  subject = sql`p.id`,
  project: Asked = null,
) => sql`coalesce(s.enabled, ${RULES[rule].enabled}::boolean)
  and not exists (
    select 1 from alert_marks m where m.project_id = p.id and m.rule = ${rule} and m.subject_id = ${subject}
      and m.resolved_at is null ${asked(sql, 'm', project)})`

const nearlySpent = (sql: Sql) => sql`
  u.spent_micro >= ${bound(sql, 'budget_near', 'share', 's')} * p.credit_micro`

/** Projects whose credit is nearly spent and that have no open alert about it. */
export async function findNearlySpent(sql: Sql, limit: number): Promise<WatchedProject[]> {
  const look = (of: Reachable) => sql`
    select u.project_id from projects p join project_usage u on u.project_id = p.id where p.credit_micro > 0 ${of('u')}`
  return askEach(sql, look, limit, (project, limit) => findNearlySpentOf(sql, limit, project))
}

function findNearlySpentOf(sql: Sql, limit: number, project: Asked) {
  return sql<WatchedProject[]>`
    select p.id as project_id, p.name, u.spent_micro, p.credit_micro, now() as since
    from projects p join project_usage u on u.project_id = p.id
    left join alert_settings s on s.project_id = u.project_id and s.rule = 'budget_near' and s.agent_id is null ${asked(sql, 's', project)}
    where p.credit_micro > 0 and p.account_id is not null and ${nearlySpent(sql)}
      and ${mayTell(sql, 'budget_near', sql`p.id`, project)} ${asked(sql, 'u', project)}
    limit ${limit}`
}

/**
 * When a run counts as stalled: items are queued although nothing of the project is running and it has credit, so its
 * caps would let one start. A schedule's run that nobody has started is reported as a missed schedule instead.
 */
const stalled = (sql: Sql, project: Asked = null) => sql`
  r.finished_at is null and not r.materializing and r.stop_reason is null and r.next_seq <= r.total_items
  and u.running = 0 and (p.credit_micro is null or u.spent_micro < p.credit_micro)
  and (r.budget_micro is null or r.cost_micro < r.budget_micro)
  and r.touched_at < now() - make_interval(
    secs => 60 * ${bound(sql, 'consumer_stalled', 'minutes', 's')})
  and (r.started_at is not null or not exists (
    select 1 from occurrences o where o.project_id = r.project_id and o.run_id = r.id ${asked(sql, 'o', project)}))`

/** Projects with queued items that no consumer takes and that have no open alert about it. */
export async function findStalled(sql: Sql, limit: number): Promise<StalledProject[]> {
  const look = (of: Reachable) =>
    sql`select distinct project_id from runs where finished_at is null ${of('runs')}`
  return askEach(sql, look, limit, (project, limit) => findStalledOf(sql, limit, project))
}

function findStalledOf(sql: Sql, limit: number, project: Asked) {
  const of = (alias: string) => asked(sql, alias, project)
  return sql<StalledProject[]>`
    select p.id as project_id, p.name, count(*)::int as runs, (array_agg(r.id order by r.touched_at))[1] as run_id,
      bool_or(coalesce(r.deployment_id, a.current_deployment_id) is not null) as deployed, min(r.touched_at) as since
    from runs r
    join projects p on p.id = r.project_id join project_usage u on u.project_id = r.project_id
    join agents a on a.project_id = r.project_id and a.id = r.agent_id ${of('a')}
    left join alert_settings s on s.project_id = r.project_id and s.rule = 'consumer_stalled' and s.agent_id is null ${of('s')}
    where ${stalled(sql, project)} and ${mayTell(sql, 'consumer_stalled', sql`p.id`, project)} ${of('r')} ${of('u')}
    group by p.id, p.name limit ${limit}`
}

const heldSince = (sql: Sql) => sql`t.lane = 'quarantine' and t.disposition is null
  and t.created_at < now() - make_interval(
    secs => 3600 * ${bound(sql, 'items_held', 'hours', 's')})`

const heldSetting = (sql: Sql, project: Asked) => sql`left join lateral (
    select s.enabled, s.bounds from alert_settings s
    where s.project_id = a.project_id and s.rule = 'items_held' and (s.agent_id = a.id or s.agent_id is null)
      ${asked(sql, 's', project)}
    order by s.agent_id nulls last limit 1
  ) s on true`

/** Agents whose items have been held for a person for too long and that have no open alert about it. */
export async function findHeldItems(sql: Sql, limit: number): Promise<HeldItems[]> {
  const look = (of: Reachable) =>
    sql`select distinct project_id from triage where lane = 'quarantine' and disposition is null ${of('triage')}`
  return askEach(sql, look, limit, (project, limit) => findHeldItemsOf(sql, limit, project))
}

function findHeldItemsOf(sql: Sql, limit: number, project: Asked) {
  const of = (alias: string) => asked(sql, alias, project)
  return sql<HeldItems[]>`
    select p.id as project_id, a.id as agent_id, a.slug as agent_slug, held.items, held.since
    from projects p join agents a on a.project_id = p.id and a.deleted_at is null ${of('a')} ${heldSetting(sql, project)}
    cross join lateral (
      select count(*)::int as items, min(created_at) as since from (
        select t.created_at from triage t where t.project_id = p.id and t.agent_id = a.id and ${heldSince(sql)} ${of('t')}
        limit ${LIMITS.activity_counted}) t
    ) held
    where p.account_id is not null and held.items > 0 and ${mayTell(sql, 'items_held', sql`a.id`, project)}
      ${project === null ? sql`` : sql`and p.id = ${project}`}
    limit ${limit}`
}

/** Open alerts about projects and agents whose condition has ended, and alerts whose schedule or agent is gone. */
export async function findOver(sql: Sql, limit: number): Promise<OpenAlert[]> {
  const look = (of: Reachable) =>
    sql`select distinct project_id from alerts where resolved_at is null and subject_id is not null ${of('alerts')}`
  return askEach(sql, look, limit, (project, limit) => findOverOf(sql, limit, project))
}

function findOverOf(sql: Sql, limit: number, project: Asked) {
  const of = (alias: string) => asked(sql, alias, project)
  return sql<OpenAlert[]>`
    select o.id, o.project_id from alerts o join projects p on p.id = o.project_id join project_usage u on u.project_id = o.project_id
    left join lateral (
      select s.enabled, s.bounds from alert_settings s
      where s.project_id = o.project_id and s.rule = o.rule ${of('s')}
        and (s.agent_id is null or o.rule = 'items_held' and s.agent_id = o.subject_id)
      order by s.agent_id nulls last limit 1
    ) s on true
    where o.resolved_at is null and o.subject_id is not null ${of('o')} ${of('u')} and case o.rule
      when 'budget_near' then p.credit_micro is null or not ${nearlySpent(sql)}
      when 'consumer_stalled' then not exists (select 1 from runs r where r.project_id = p.id and ${stalled(sql, project)} ${of('r')})
      when 'items_held' then not exists (
        select 1 from triage t where t.project_id = p.id and t.agent_id = o.subject_id and ${heldSince(sql)} ${of('t')})
      when 'schedule_missed' then not exists (select 1 from schedules c where c.id = o.subject_id ${of('c')})
      else o.schedule_id = o.subject_id and not exists (select 1 from schedules c where c.id = o.schedule_id ${of('c')})
        or not exists (select 1 from agents a where a.project_id = o.project_id and a.id = o.agent_id and a.deleted_at is null ${of('a')}) end
    limit ${limit}`
}
