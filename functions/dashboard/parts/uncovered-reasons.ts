// Finds the failure reasons of a run that its causes do not cover. Guarantee: each item that did not work is counted by
// a cause that is shown, or by a reason.

import type { Schemas } from '../../../shared/sdk/client.ts'

type Failures = Schemas['RunFailures']
type Cause = Pick<Schemas['Cause'], 'reason' | 'error_code' | 'count'>
type Kind = { reason: string; error_code: string | null }

/** @param causes the run's causes that are shown */
export function uncoveredReasons(
  { reasons, is_complete }: Pick<Failures, 'reasons' | 'is_complete'>,
  causes: readonly Cause[],
): Failures['reasons'] {
  if (!is_complete) return reasons // counted over the first items only, unlike causes
  const sum = (of: readonly (Kind & { count: number })[], { reason, error_code }: Kind) =>
    of
      .filter(one => one.reason === reason && one.error_code === error_code)
      .reduce((items, one) => items + one.count, 0)
  return reasons.filter(one => sum(causes, one) < sum(reasons, one))
}
