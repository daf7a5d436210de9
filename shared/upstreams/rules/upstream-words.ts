// Tells people about an upstream that is not open, or is still opening. Guarantee: it is named as people know it, and
// whoever refused is quoted.

import { coarseSpan } from '../../kernel/span.ts'
import type { UpstreamState } from '../vocabulary.ts'

/** An upstream that something waits for. */
export interface ShutUpstream {
  host: string
  label: string | null
  state: UpstreamState
  /** Why, in the words of whoever refused. */
  reason: string
  /** Until it is tried again; null if no try is planned. */
  next_ms: number | null
}

/** What a run waits for, and for how long it does at most. */
export interface RunWait {
  /** Null if the upstream is open already, and what waits is offered in a moment. */
  upstream: ShutUpstream | null
  patience_ms: number
}

/** An upstream whose limits say how fast items begin. */
export interface Paced {
  host: string
  label: string | null
  per_second: number
}

/** @example 'api.openai.com (OPENAI_API_KEY)' */
export const upstreamName = ({ host, label }: { host: string; label: string | null }): string =>
  label === null ? host : `${host} (${label})`

/** What each state is called, as it stands alone. */
export const STATE_WORDS: Readonly<Record<UpstreamState, string>> = {
  open: 'opening',
  cooling: 'cooling',
  away: 'away',
  out_of_credit: 'out of credit',
  refused: 'refused',
}

/** Items that wait for an upstream, in one line. @example '1,200 items wait: out of credit, api.openai.com (OPENAI_API_KEY)' */
export const sayItemsWait = (
  items: number,
  { state, ...named }: { state: UpstreamState; host: string; label: string | null },
  more = '',
): string =>
  `${items.toLocaleString('en')}${more} ${items === 1 ? 'item waits' : 'items wait'}: ${STATE_WORDS[state]}, ${upstreamName(named)}`

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)

/** What an upstream does, and the quotation that follows. */
const DOES: Readonly<Record<Exclude<UpstreamState, 'open'>, string>> = {
  cooling: 'asks for less',
  away: 'serves nobody',
  out_of_credit: 'says',
  refused: 'refuses the credential',
}

/** @example 'Out of credit: api.openai.com (OPENAI_API_KEY) says: You exceeded your current quota.' */
export function sayUpstream(upstream: Omit<ShutUpstream, 'next_ms'>): string {
  const { state, reason } = upstream
  const head = `${capital(STATE_WORDS[state])}: ${upstreamName(upstream)}`
  if (state === 'open')
    return `${head} serves again, and what waited for it is let through, more each second.`
  const said = reason.trim()
  return `${head} ${DOES[state]}${said === '' ? '.' : `: ${/[.!?…]$/.test(said) ? said : `${said}.`}`}`
}

/** @example 'in 4 s' */
export const sayNext = (next_ms: number | null): string =>
  next_ms === null || next_ms < 1000 ? 'in a moment' : `in ${coarseSpan(next_ms)}`

/**
 * Why something waits, when it goes on, and for how long it waits at most.
 *
 * @example
 * sayWait('the item', upstream, 86_400_000)
 * // 'Out of credit: api.openai.com (OPENAI_API_KEY) says: No credit left. It is tried again in 4 s; the item waits until it serves, for at most 1 d.'
 */
export function sayWait(what: string, upstream: ShutUpstream | null, patience_ms: number): string {
  if (upstream === null)
    return `${capital(what)} waited for a provider that serves again: it continues within a minute.`
  if (upstream.state === 'open') return sayUpstream(upstream)
  return `${sayUpstream(upstream)} It is tried again ${sayNext(upstream.next_ms)}; ${what} waits until it serves, for at most ${coarseSpan(Math.max(1000, patience_ms))}.`
}

/**
 * How fast items begin, and how long that takes for those that wait.
 *
 * @example sayPace(paced, 28_800) // 'items begin as fast as the limits of api.openai.com allow, now about 48 a second: all 28,800 that wait in about 10 min'
 */
export function sayPace({ per_second, ...upstream }: Paced, waiting: number): string {
  if (per_second === 0) return `items wait until the limits of ${upstreamName(upstream)} leave room again`
  const units = [
    ['second', 1],
    ['minute', 60],
    ['hour', 3600],
  ] as const
  const [unit, seconds] = units.find(([, seconds]) => per_second * seconds >= 1) ?? units[2]
  const pace = `${Math.max(1, Math.round(per_second * seconds))} ${unit === 'hour' ? 'an' : 'a'} ${unit}`
  const head = `items begin as fast as the limits of ${upstreamName(upstream)} allow, now about ${pace}`
  if (waiting === 0) return head
  const all = waiting === 1 ? 'the one that waits' : `all ${waiting.toLocaleString('en')} that wait`
  return `${head}: ${all} in about ${coarseSpan(Math.max(1000, (1000 * waiting) / per_second))}`
}
