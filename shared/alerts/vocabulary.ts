// The closed lists of words of alerts and digests, which columns, JSON bodies and the command line share.

/** What an alert watches. The order is that of the column's type, to which new rules are added at its end. */
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
] as const
export type AlertRule = (typeof ALERT_RULES)[number]

/** Which runs a channel gets a digest of when they end: none, those of schedules, or all but replays. */
export const CHANNEL_DIGESTS = ['none', 'scheduled', 'all'] as const
export type ChannelDigest = (typeof CHANNEL_DIGESTS)[number]

/** Whether what an alert tells is still so. */
export const ALERT_STATES = ['open', 'resolved'] as const
export type AlertState = (typeof ALERT_STATES)[number]
