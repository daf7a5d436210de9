// Reads from what a double remembers how much of a limit was used, and how fast a run could have been.

import type { Spent } from '../../support/provider.ts'
import type { Limited } from './limited.ts'

/** After an outage the pace has to be found again, which a column of another table measures. */
const BACK_S = 15

/**
 * Of the limit that bound, which is the one that was used most; null if no window was over in this time. A bucket that was full
 * at its start may give more than flows in.
 */
export function shareUsed(
  limits: readonly Spent[],
  { share_from_s, away }: Pick<Limited, 'share_from_s' | 'away'>,
  to_s: number,
): number | null {
  const isCounted = (span: Spent['spans'][number]) =>
    span.from_s >= share_from_s &&
    span.to_s <= to_s &&
    (away === undefined || span.to_s <= away.from_s || span.from_s >= away.to_s + BACK_S)
  const shares = limits.flatMap(({ spans }) => {
    const counted = spans.filter(isCounted)
    const allowed = counted.reduce((sum, span) => sum + span.allowed, 0)
    return allowed === 0 ? [] : [counted.reduce((sum, span) => sum + span.taken, 0) / allowed]
  })
  return shares.length === 0 ? null : Math.max(...shares)
}

/** Seconds until the limits would have allowed all that was taken. */
export function leastSeconds(limits: readonly Spent[]): number {
  return limits.reduce((most, limit) => Math.max(most, leastOf(limit)), 0)
}

function leastOf({ held, kind, spans }: Spent): number {
  const total = spans.reduce((sum, span) => sum + span.taken, 0)
  let allowed = held
  for (const span of spans) {
    if (allowed >= total) return Math.max(0, span.from_s)
    allowed += span.allowed
    // A window gives all that it has at its start.
    if (allowed >= total) return Math.max(0, kind === 'window' ? span.from_s : span.to_s)
  }
  return spans.at(-1)?.to_s ?? 0
}

/**
 * The smallest part that a run had of what all got, while all had items left, as a share of an equal part. `ends` are the times at
 * which items of each run ended, from a moment on; null if there is one run, or no time in which all had items.
 */
export function fairness(ends: readonly (readonly number[])[], from: number): number | null {
  if (ends.length < 2) return null
  const until = Math.min(...ends.map(times => times.reduce((most, at) => Math.max(most, at), 0)))
  const got = ends.map(times => times.filter(at => at > from && at <= until).length)
  const all = got.reduce((sum, n) => sum + n, 0)
  return all === 0 ? null : (Math.min(...got) / all) * got.length
}
