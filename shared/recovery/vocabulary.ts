// The closed lists of words of recovery, which columns, JSON bodies, the SDK and the command line share.

/** Which code replays an item: the agent's of now, or what the item ran with. */
export const DEPLOYMENT_CHOICES = ['current', 'original'] as const
export type DeploymentChoice = (typeof DEPLOYMENT_CHOICES)[number]

/**
 * Which recorded steps a replay takes over. `auto`: those before the answer that was at fault, or all that succeeded
 * where none was.
 */
export const REUSE_CHOICES = ['auto', 'all', 'none'] as const
export type ReuseChoice = (typeof REUSE_CHOICES)[number]

/** Why an item that passes the filter of a cohort is not acted on with it. */
export const EXCLUSIONS = [
  'held',
  'not_held',
  'acknowledged',
  'dismissed',
  'replayed',
  'resumed',
  'purged',
  'run_ended',
  'wrong',
  'not_judged',
] as const
export type Exclusion = (typeof EXCLUSIONS)[number]

/** How far a recovery is. `stopped`: its pilot did no better than before. */
export const RECOVERY_STATUSES = [
  'creating',
  'pilot',
  'running',
  'completed',
  'stopped',
  'aborting',
  'aborted',
] as const
export type RecoveryStatus = (typeof RECOVERY_STATUSES)[number]
