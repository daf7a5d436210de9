// The closed word lists of alerts and digests, shared by columns, JSON bodies and the command line.

/** What an alert rule watches. The order is that of the column's type, so new rules are added at the end. */
export const ALERT_RULES = [
  'schedule_missed',
  'run_not_ok',
  'failure_share',
  'budget_near',
  'consumer_stalled',
  'unpriced_model',
  'source_failed',
  'credentials_refused',
  'budget_exceeded',
  'not_finished',
  'items_held',
  'upstream_unavailable',
] as const
export type AlertRule = (typeof ALERT_RULES)[number]

/** The ended runs of which a channel gets a digest: none, those of schedules, or all except replays and recoveries. */
export const CHANNEL_DIGESTS = ['none', 'scheduled', 'all'] as const
export type ChannelDigest = (typeof CHANNEL_DIGESTS)[number]

/** Whether the condition that an alert reports still holds. */
export const ALERT_STATES = ['open', 'resolved'] as const
export type AlertState = (typeof ALERT_STATES)[number]
