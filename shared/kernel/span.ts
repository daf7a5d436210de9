// Writes lengths of time for people.

const SPANS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** As many digits as matter; from a minute on there are no fractions of a second. */
const SECONDS = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/**
 * A length of time in its two largest units, or in seconds.
 *
 * @example span(61_000) // '1 min 1 s'
 * @example span(1331) // '1.33 s'
 */
export function span(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950 && ms % 1000 !== 0) return `${SECONDS.format(ms / 1000)} s`
  if (ms < 60_000) return ms < 59_950 ? `${ms / 1000} s` : '1 min'
  const at = SPANS.findIndex(([, unit_ms]) => ms >= unit_ms)
  const [name, unit_ms] = SPANS[at]!
  const next = SPANS[at + 1]
  const rest = next ? Math.floor((ms % unit_ms) / next[1]) : 0
  return `${Math.floor(ms / unit_ms)} ${name}${next && rest > 0 ? ` ${rest} ${next[0]}` : ''}`
}

/** The same without what would be noise: whole seconds, from an hour on minutes, from a day on hours. */
export function coarseSpan(ms: number): string {
  const unit_ms = ms >= 86_400_000 ? 3_600_000 : ms >= 3_600_000 ? 60_000 : 1000
  return span(Math.floor(ms / unit_ms) * unit_ms)
}
