// The closed lists of words of schedules, which columns, JSON bodies, the SDK and the command line share.

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
