// Which limits of calls an agent's process is notified of. Guarantee: for a credential that is named, that limit alone counts;
// the one of its host is for all others.

import { type DeclaredLimits, lowerOf } from '../../pacing/rules/declared-limits.ts'
import { inForce, type NamedLimits, type SetLimit } from '../../pacing/rules/named-limits.ts'

export interface CallBound {
  host: string
  /** Empty for all credentials that no other bound is for. */
  label: string
  requests: string
}

/** From what people set for a project, and what the deployment declares for its own items. */
export function callBounds(
  set: readonly (Omit<SetLimit, 'id'> & { host: string })[],
  declared: readonly NamedLimits[],
): CallBound[] {
  const own = declared.map(({ host, credential = '', ...limits }) => ({ host, label: credential, limits }))
  const bounds: CallBound[] = []
  for (const [host, ofHost] of Map.groupBy([...set, ...own], one => one.host)) {
    const labels = new Set(['', ...ofHost.map(one => one.label)])
    for (const label of labels) {
      const counts = (one: { host: string; label: string }) =>
        one.host === host && (one.label === '' || one.label === label)
      const { requests } = own
        .filter(counts)
        .reduce<DeclaredLimits>((lower, { limits }) => lowerOf(lower, limits), inForce(set.filter(counts)))
      if (requests !== undefined) bounds.push({ host, label, requests })
    }
  }
  return bounds
}
