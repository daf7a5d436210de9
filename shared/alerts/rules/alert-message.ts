// Words raised alerts, resolved alerts and tests of a channel as messages, for any format.

import type { Message } from '../../outbox/rules/message.ts'
import type { Alert } from './alerts.ts'

type ReportedAlert = Pick<
  Alert,
  'rule' | 'message' | 'advice' | 'command' | 'since' | 'project_id' | 'run_id' | 'schedule_id'
>

/** The dashboard's URL for an alert: its run, its schedule, or all alerts of its project. */
export function alertLink(
  base_url: string,
  alert: Pick<ReportedAlert, 'project_id' | 'run_id' | 'schedule_id'>,
): string {
  const { project_id, run_id, schedule_id } = alert
  if (run_id !== null) return `${base_url}/dashboard/runs/${run_id}`
  if (schedule_id !== null) return `${base_url}/dashboard/schedules/${schedule_id}`
  return `${base_url}/dashboard/projects/${project_id}/alerts`
}

export const alertMessage = (alert: ReportedAlert, base_url: string): Message => ({
  tone: 'bad',
  title: alert.message,
  paragraphs: [alert.advice],
  facts: [
    ['Rule', alert.rule.replaceAll('_', ' ')],
    ['Since', alert.since.toISOString()],
  ],
  command: alert.command,
  links: [{ label: 'Open', url: alertLink(base_url, alert) }],
})

export const resolvedMessage = (
  alert: ReportedAlert & { resolved_at: Date | null },
  base_url: string,
): Message => ({
  tone: 'good',
  title: `Resolved: ${alert.message}`,
  paragraphs: [],
  facts: [
    ['Rule', alert.rule.replaceAll('_', ' ')],
    ['Since', alert.since.toISOString()],
    ...(alert.resolved_at === null ? [] : [['Until', alert.resolved_at.toISOString()] as const]),
  ],
  command: null,
  links: [{ label: 'Open', url: alertLink(base_url, alert) }],
})

export const testMessage = (project: string): Message => ({
  tone: 'good',
  title: `Alerts and digests of ${project} arrive here`,
  paragraphs: ['Somebody asked for this message to see that this channel works. Nothing is wrong.'],
  facts: [],
  command: null,
  links: [],
})
