// The reasons why a fire time of a schedule starts no run, as data.

import type { OccurrenceOutcome, OccurrenceReason } from '../vocabulary.ts'

export type RefusalReason = Exclude<OccurrenceReason, 'overdue' | 'run_never_started' | 'manual'>

/** Whether the service decided it or something broke, and whether it may pass and is retried before the next fire. */
export const REFUSALS: Readonly<Record<RefusalReason, { outcome: OccurrenceOutcome; retried: boolean }>> = {
  invalid_cron: { outcome: 'skipped', retried: false },
  invalid_timezone: { outcome: 'skipped', retried: false },
  agent_not_found: { outcome: 'skipped', retried: false },
  no_deployed_version: { outcome: 'skipped', retried: true },
  plan_limit: { outcome: 'skipped', retried: true },
  agent_lookup_failed: { outcome: 'error', retried: true },
  account_lookup_failed: { outcome: 'error', retried: true },
  dispatch_failed: { outcome: 'error', retried: true },
  source_failed: { outcome: 'error', retried: true },
  source_empty: { outcome: 'skipped', retried: false },
}
