// The closed lists of words of starts, which columns, JSON bodies, the SDK and the command line share.

/** Why a schedule does not fire: a person said so, or it cannot. */
export const DISABLED_REASONS = ['operator', 'invalid_cron', 'invalid_timezone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** What became of a moment that a schedule named. */
export const OCCURRENCE_OUTCOMES = ['fired', 'skipped', 'error', 'missed'] as const
export type OccurrenceOutcome = (typeof OCCURRENCE_OUTCOMES)[number]

/** Why a moment became what it did. */
export const OCCURRENCE_REASONS = [
  'invalid_cron',
  'invalid_timezone',
  'agent_not_found',
  'no_deployed_version',
  'plan_limit',
  'agent_lookup_failed',
  'account_lookup_failed',
  'dispatch_failed',
  'source_failed',
  'source_empty',
  'overdue',
  'run_never_started',
  'manual',
] as const
export type OccurrenceReason = (typeof OCCURRENCE_REASONS)[number]

/** How a source writes its rows. */
export const SOURCE_FORMATS = ['ndjson', 'csv', 'json'] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

/** How an inbound fire proves who sent it: the trigger's secret as a bearer, or a sender's own signature. */
export const SIGNATURE_SCHEMES = [
  'bearer',
  'standard_webhooks',
  'github',
  'stripe',
  'slack',
  'shopify',
] as const
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number]

/** What a trigger may be called, and the sender's variable that holds its secret. */
export const TRIGGER_NAME = /^[a-zA-Z0-9_-]{1,64}$/
export const SECRET_ENV = /^[A-Z][A-Z0-9_]*$/
