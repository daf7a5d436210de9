// The closed lists of words of recovery, which columns, JSON bodies, the SDK and the command line share.

/** Which deployment replays an item: the agent's current one, or the one the item ran with. */
export const DEPLOYMENT_CHOICES = ['current', 'original'] as const
export type DeploymentChoice = (typeof DEPLOYMENT_CHOICES)[number]

/**
 * Which recorded steps a replay reuses. `auto`: those before the answer that was at fault, or all that succeeded if no
 * answer was at fault.
 */
export const REUSE_CHOICES = ['auto', 'all', 'none'] as const
export type ReuseChoice = (typeof REUSE_CHOICES)[number]

/** Why a recovery leaves out an item that passes its filter. */
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

/** What to know of a replay or a recovery before relying on it. */
export const RECOVERY_WARNINGS = ['other_version', 'none_worked'] as const

/** Items that a recovery's filter may take instead of those in triage, or beside them. */
export const FILTER_STATUSES = ['cancelled', 'not_ok'] as const
