// Reads and writes alerts, their settings and channels. Guarantee: a rule alerts once per subject until that alert is
// resolved, however many processes find the same thing; one statement writes an alert with its messages, and one its
// end.

import { and, desc, eq, isNotNull, isNull, sql as raw } from 'drizzle-orm'
import { projects } from '../../accounts/tables/projects.ts'
import type { Database, Sql } from '../../context.ts'
import { byProject } from '../../kernel/each-project.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type Alert, RULES } from '../rules/alerts.ts'
import { RUN_RULES } from '../rules/run-alerts.ts'
import { alertChannels, alertSettings, alerts } from '../tables/alerts.ts'
import type { AlertRule, AlertState } from '../vocabulary.ts'
import type { AlertChannelRow, AlertRow, AlertSettingRow } from '../wire/alerts.ts'

export type NewAlert = Alert & { id: string }

/** An open alert, which is found by its project and its id. */
export interface OpenAlert {
  id: string
  project_id: string
}

/**
 * Raises the alerts that are not muted and not open, and queues their messages; returns their ids. A missed schedule
 * alerts again after LIMITS.alert_repeat_hours, open or not, and not before; the new alert replaces the old one.
 */
export async function raiseAlerts(sql: Sql, given: readonly NewAlert[]): Promise<{ id: string }[]> {
  const raised: { id: string }[] = []
  for (const [project_id, own] of byProject(given)) raised.push(...(await raiseOf(sql, own, project_id)))
  return raised
}

function raiseOf(sql: Sql, given: readonly NewAlert[], project_id: string) {
  const rows = given.map(alert => ({ ...alert, enabled: RULES[alert.rule].enabled }))
  return sql<{ id: string }[]>`
    with wanted as (
      select distinct on (g.rule, g.subject_id) g.*
      from jsonb_to_recordset(${sql.json(rows as never)}) as g(id uuid, project_id uuid, agent_id uuid, schedule_id uuid,
        run_id uuid, rule alert_rule, subject_id uuid, reason text, message text, advice text, command text,
        since timestamptz, enabled boolean)
      where coalesce((
        select s.enabled from alert_settings s
        where s.project_id = ${project_id} and s.rule = g.rule and (s.agent_id = g.agent_id or s.agent_id is null)
        order by s.agent_id nulls last limit 1), g.enabled)
      order by g.rule, g.subject_id, g.since desc
    ), marked as (
      insert into alert_marks as m (project_id, rule, subject_id, raised_at)
      select ${project_id}::uuid, rule, subject_id, now() from wanted
      on conflict (project_id, rule, subject_id) do update set raised_at = excluded.raised_at, resolved_at = null
        where case when m.rule = 'schedule_missed'
          then excluded.raised_at - m.raised_at >= make_interval(hours => ${sql.unsafe(String(LIMITS.alert_repeat_hours))})
          else m.resolved_at is not null end
      returning rule, subject_id
    ), replaced as (
      update alerts a set resolved_at = now() from marked m
      where a.project_id = ${project_id} and a.rule = m.rule and a.subject_id = m.subject_id and a.resolved_at is null
    ), raised as (
      insert into alerts (id, project_id, agent_id, schedule_id, run_id, rule, subject_id, reason, message, advice,
        command, since)
      select id, ${project_id}::uuid, agent_id, schedule_id, run_id, rule, subject_id, reason, message, advice, command,
        since
      from wanted join marked using (rule, subject_id)
      returning id
    ), queued as (
      insert into deliveries (project_id, alert_id, kind, url, format)
      select ${project_id}::uuid, r.id, 'alert.raised', c.url, c.format
      from raised r join alert_channels c on c.project_id = ${project_id}
    )
    select id from raised`
}

/** Resolves open alerts and queues messages about it; returns those it resolved. */
export async function resolveAlerts(sql: Sql, open: readonly OpenAlert[]): Promise<{ id: string }[]> {
  const over: { id: string }[] = []
  for (const [project_id, own] of byProject(open)) over.push(...(await resolveOf(sql, own, project_id)))
  return over
}

function resolveOf(sql: Sql, open: readonly OpenAlert[], project_id: string) {
  return sql<{ id: string }[]>`
    with over as (
      update alerts set resolved_at = now()
      where project_id = ${project_id} and id = any(${open.map(one => one.id)}::uuid[]) and resolved_at is null
      returning id, rule, subject_id
    ), marked as (
      update alert_marks m set resolved_at = now() from over o
      where m.project_id = ${project_id} and m.rule = o.rule and m.subject_id = o.subject_id
    ), queued as (
      insert into deliveries (project_id, alert_id, kind, url, format)
      select ${project_id}::uuid, o.id, 'alert.resolved', c.url, c.format
      from over o join alert_channels c on c.project_id = ${project_id}
    )
    select id from over`
}

/** An open alert that is over. */
export interface OverAlert extends OpenAlert {
  /** Because everything that its run waited for was decided, and not because another run was well. */
  is_decided: boolean
}

/** An ended run, with what decides which open alerts its end resolves. */
export interface EndedSubject {
  run_id: string
  project_id: string
  agent_id: string
  schedule_id: string | null
  /** False if the run had ended before. */
  first_end: boolean
  /** All of its items that did not work have been decided about, even if that was before the tick saw its end. */
  is_decided: boolean
  /** It was stopped, and so has not finished what it was to finish. */
  is_stopped: boolean
  /** The rules that the run meets, so that its end leaves their alerts open. */
  still: readonly AlertRule[]
}

/**
 * Open alerts that ended runs resolve: alerts of a schedule, or else of an agent, whose rule the run no longer meets,
 * and alerts of the run itself once all its items have been decided about.
 */
export async function findResolvedBy(sql: Sql, ended: readonly EndedSubject[]): Promise<OverAlert[]> {
  const found: OverAlert[] = []
  for (const [project_id, own] of byProject(ended))
    found.push(...(await findResolvedOf(sql, own, project_id)))
  return found
}

function findResolvedOf(sql: Sql, ended: readonly EndedSubject[], project_id: string) {
  return sql<OverAlert[]>`
    select a.id, a.project_id, bool_or(a.run_id = g.run_id and g.is_decided) is true as is_decided
    from jsonb_to_recordset(${sql.json(ended as never)}) as g(run_id uuid, project_id uuid, agent_id uuid,
      schedule_id uuid, first_end boolean, is_decided boolean, is_stopped boolean, still jsonb)
    join alerts a on a.project_id = ${project_id} and a.resolved_at is null and a.subject_id is not null
    where case
      when a.run_id = g.run_id and g.is_decided then true
      when not g.first_end then false
      when a.rule = 'not_finished' then not g.is_stopped and a.subject_id in (g.schedule_id, g.agent_id)
      when a.rule in ('schedule_missed', 'source_failed') then a.subject_id = g.schedule_id
      when a.rule::text = any(${[...RUN_RULES]}::text[])
        then a.subject_id = coalesce(g.schedule_id, g.agent_id) and not g.still ? a.rule::text
      when a.rule = 'unpriced_model' then a.subject_id = g.agent_id and not g.still ? a.rule::text
      else false end
    group by a.id, a.project_id`
}

export interface AlertFilter {
  account_id: string
  project_id: string | null
  agent_id?: string | undefined
  rule?: AlertRule | undefined
  state?: AlertState | undefined
  after?: [created_at: string, id: string] | undefined
  limit: number
}

/** Newest first; `key` is PostgreSQL's own text of `created_at`. */
export function listAlerts(db: Database, filter: AlertFilter): Promise<(AlertRow & { key: string })[]> {
  const { account_id, project_id, agent_id, rule, state, after } = filter
  return db
    .select({ ...alertColumns, key: raw<string>`${alerts.created_at}::text` })
    .from(alerts)
    .innerJoin(projects, eq(projects.id, alerts.project_id))
    .where(
      and(
        eq(projects.account_id, account_id),
        project_id === null ? undefined : eq(alerts.project_id, project_id),
        agent_id === undefined ? undefined : eq(alerts.agent_id, agent_id),
        rule === undefined ? undefined : eq(alerts.rule, rule),
        state && (state === 'open' ? isNull(alerts.resolved_at) : isNotNull(alerts.resolved_at)),
        after && raw`(${alerts.created_at}, ${alerts.id}) < (${after[0]}::timestamptz, ${after[1]}::uuid)`,
      ),
    )
    .orderBy(desc(alerts.created_at), desc(alerts.id))
    .limit(filter.limit)
}

const alertColumns = {
  id: alerts.id,
  project_id: alerts.project_id,
  agent_id: alerts.agent_id,
  schedule_id: alerts.schedule_id,
  run_id: alerts.run_id,
  rule: alerts.rule,
  reason: alerts.reason,
  message: alerts.message,
  advice: alerts.advice,
  command: alerts.command,
  since: alerts.since,
  subject_id: alerts.subject_id,
  resolved_at: alerts.resolved_at,
  created_at: alerts.created_at,
}

export function listAlertSettings(db: Database, project_id: string): Promise<AlertSettingRow[]> {
  return db
    .select()
    .from(alertSettings)
    .where(eq(alertSettings.project_id, project_id))
    .limit(LIMITS.alert_settings_per_project)
}

/** Sets a rule for a project's agents, or for one of them. */
export async function putAlertSetting(
  db: Database,
  setting: typeof alertSettings.$inferInsert,
): Promise<void> {
  const { enabled, bounds } = setting
  await db
    .insert(alertSettings)
    .values(setting)
    .onConflictDoUpdate({
      target: [alertSettings.project_id, alertSettings.agent_id, alertSettings.rule],
      set: { enabled, ...(bounds && { bounds }), updated_at: raw`excluded.updated_at` },
    })
}

export function listAlertChannels(db: Database, project_id: string): Promise<AlertChannelRow[]> {
  return db
    .select()
    .from(alertChannels)
    .where(eq(alertChannels.project_id, project_id))
    .orderBy(alertChannels.created_at)
    .limit(LIMITS.alert_channels_per_project)
}

/** Adds a channel, or updates the one with this URL; returns its row. */
export async function putAlertChannel(
  db: Database,
  channel: typeof alertChannels.$inferInsert,
): Promise<AlertChannelRow> {
  const [row] = await db
    .insert(alertChannels)
    .values(channel)
    .onConflictDoUpdate({
      target: [alertChannels.project_id, alertChannels.url],
      set: { format: raw`excluded.format`, digest: raw`excluded.digest` },
    })
    .returning()
  return row!
}

export async function deleteAlertChannel(
  db: Database,
  project_id: string,
  id: string,
): Promise<AlertChannelRow | undefined> {
  const [row] = await db
    .delete(alertChannels)
    .where(and(eq(alertChannels.project_id, project_id), eq(alertChannels.id, id)))
    .returning()
  return row
}
