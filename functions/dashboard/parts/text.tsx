// Small things every page says the same way: numbers, money, times, statuses and verdicts. Guarantee: what is colour is
// also a word.

import type { Child } from 'hono/jsx'
import { count, counted, money } from '../../../shared/accounts/rules/amounts.ts'
import { isHeld } from '../../../shared/items/rules/lifecycle.ts'

export { count, counted, money }

export const cents = (value: number): string => money(value / 100)

export function percent(part: number, of: number): string {
  if (of === 0) return '0 %'
  const share = (100 * part) / of
  if (share > 0 && share < 0.1) return '< 0.1 %'
  if (share < 100 && share > 99.9) return '> 99.9 %'
  return `${share.toFixed(1).replace('.0', '')} %`
}

const SPANS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** As much as tells: a minute is no more than a minute. */
const SECONDS = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** A length of time in its two largest units, or in seconds. @example span(61_000) // '1 min 1 s' @example span(1331) // '1.33 s' */
export function span(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 60_000 && ms % 1000 !== 0) return `${SECONDS.format(ms / 1000)} s`
  const at = SPANS.findIndex(([, unit_ms]) => ms >= unit_ms)
  const [name, unit_ms] = SPANS[at]!
  const next = SPANS[at + 1]
  const rest = next ? Math.floor((ms % unit_ms) / next[1]) : 0
  return `${Math.floor(ms / unit_ms)} ${name}${next && rest > 0 ? ` ${rest} ${next[0]}` : ''}`
}

/** A moment: as far away as it is, and when; in UTC until the script puts it in the reader's zone. */
export const When = ({ at, now }: { at: string | null; now: number }): Child => {
  if (at === null) return <span class="dim">never</span>
  const ms = now - Date.parse(at)
  const words = Math.abs(ms) < 1000 ? 'now' : ms > 0 ? `${span(coarse(ms))} ago` : `in ${span(coarse(-ms))}`
  return (
    <time datetime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
      {words}
    </time>
  )
}

/** From an hour on minutes, and from a day on hours are all one wants to know. */
const coarse = (ms: number): number => {
  const unit_ms = ms >= 86_400_000 ? 3_600_000 : ms >= 3_600_000 ? 60_000 : 1000
  return Math.floor(ms / unit_ms) * unit_ms
}

const WORDS: Record<string, string> = {
  budget_exceeded: 'over budget',
  materializing: 'arriving',
}

/** What people read instead of the token. */
export const statusWord = (of: string): string => WORDS[of] ?? of.replaceAll('_', ' ')

/** Whether it ran. */
export const Status = ({ of }: { of: string }) => <span class={`status s-${of}`}>{statusWord(of)}</span>

/** Whether a run ran, or waits for whoever reads this. */
export const RunState = ({ of }: { of: Parameters<typeof isHeld>[0] }) =>
  isHeld(of) ? <span class="status s-held">waits for you</span> : <Status of={of.status} />

/** Whether it worked; nothing is said before there is a verdict. */
export const Verdict = ({ of }: { of: string | null }) =>
  of === null ? <span class="dim">—</span> : <span class={`verdict v-${of}`}>{statusWord(of)}</span>

/** An id short enough for a table; its end is what differs. */
export const Id = ({ of }: { of: string }) => (
  <code class="id" title={of}>
    …{of.slice(-8)}
  </code>
)
