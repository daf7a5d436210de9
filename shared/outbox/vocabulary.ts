// The closed word lists of outgoing messages, shared by columns, JSON bodies and the command line.

/** What an outgoing message reports. */
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

/** The formats of channels: Assay's own JSON, Slack's blocks, an Adaptive Card of Teams, or a mail. */
export const CHANNEL_FORMATS = ['json', 'slack', 'teams', 'mail'] as const
export type ChannelFormat = (typeof CHANNEL_FORMATS)[number]

/** Why a callback reports a run: it ended, decisions completed it since, or one of them was taken back. */
export const RUN_TRANSITIONS = ['ended', 'decided', 'reopened'] as const
export type RunTransition = (typeof RUN_TRANSITIONS)[number]
