// The closed word lists of schedules, shared by columns, JSON bodies, the SDK and the command line.

/** Why a schedule is disabled: a person disabled it, or its cron or zone cannot be read. */
export const DISABLED_REASONS = ['operator', 'invalid_cron', 'invalid_timezone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** The outcome of one fire time of a schedule. */
export const OCCURRENCE_OUTCOMES = ['fired', 'skipped', 'error', 'missed'] as const
export type OccurrenceOutcome = (typeof OCCURRENCE_OUTCOMES)[number]

/** Why an occurrence has its outcome. */
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
