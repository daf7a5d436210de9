// The closed lists of words of messages to the outside and of alerts, which columns, JSON bodies and the command line
// share.

/** What a message to the outside tells. */
export const DELIVERY_KINDS = [
  'run.finished',
  'alert.raised',
  'alert.resolved',
  'run.digest',
  'channel.test',
  'run.results',
] as const
export type DeliveryKind = (typeof DELIVERY_KINDS)[number]

/** How far a message is. `failed`: it was given up. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

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

/** How a channel is written to: Assay's own JSON, Slack's blocks, an Adaptive Card of Teams, or a mail. */
export const CHANNEL_FORMATS = ['json', 'slack', 'teams', 'mail'] as const
export type ChannelFormat = (typeof CHANNEL_FORMATS)[number]

/** Which runs a channel gets a digest of when they end: none, those of schedules, or all but replays. */
export const CHANNEL_DIGESTS = ['none', 'scheduled', 'all'] as const
export type ChannelDigest = (typeof CHANNEL_DIGESTS)[number]

/** Whether what an alert tells is still so. */
export const ALERT_STATES = ['open', 'resolved'] as const
export type AlertState = (typeof ALERT_STATES)[number]

/** Why a callback tells of a run: it ended, decisions completed it since, or one of them was taken back. */
export const RUN_TRANSITIONS = ['ended', 'decided', 'reopened'] as const
export type RunTransition = (typeof RUN_TRANSITIONS)[number]
