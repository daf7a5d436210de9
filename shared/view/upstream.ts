// Shows upstreams, and what runs wait for outside, to pages and the command line.

import { coarseSpan } from '../kernel/span.ts'
import { count } from '../prices/rules/amounts.ts'
import type { Schemas } from '../sdk/client.ts'
import { STATE_WORDS, sayNext, sayUpstream, upstreamName } from '../upstreams/rules/upstream-words.ts'

type Wait = NonNullable<Schemas['Run']['waits_for']>
type Upstream = Schemas['Upstream']

/** With the model, if it is about calls of that one alone. @example 'api.openai.com (OPENAI_API_KEY) gpt-5' */
export const shownName = (upstream: Upstream): string =>
  upstreamName(upstream) + (upstream.model === null ? '' : ` ${upstream.model}`)

/** What it lets through, in a word or two. */
export const stateText = ({ state, opening }: Pick<Upstream, 'state' | 'opening'>): string =>
  state === 'open' && !opening ? 'open' : STATE_WORDS[state]

/** A limit that answers reported. @example '500 requests in 1 min' */
export const reportedText = ({ of, amount, seconds }: Upstream['reported_limits'][number]): string =>
  `${count(amount)} ${of.replace('_', ' ')}${seconds === null ? '' : ` in ${coarseSpan(1000 * Math.max(1, Math.round(seconds)))}`}`

/** The host that somebody means: people paste URLs of providers; an agent's URL has a path. */
export function hostOf(text: string): string {
  const [, host] = /^https?:\/\/([^/?#]+)\/?$/.exec(text) ?? []
  return host ?? text
}

/** @example 'Away: api.openai.com (OPENAI_API_KEY) serves nobody: connection refused. So since 12 min; it is tried again in 5 s.' */
export function sayRunWait(wait: Wait, now: number): string {
  const since = coarseSpan(Math.max(1000, now - Date.parse(wait.since)))
  const next_ms = wait.next_at === null ? null : Date.parse(wait.next_at) - now
  const next = wait.state === 'open' ? '' : `; it is tried again ${sayNext(next_ms)}`
  return `${sayUpstream(wait)} So since ${since}${next}.`
}
