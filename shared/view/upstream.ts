// Shows upstreams, and what runs wait for outside, to pages and the command line.

import { LIMITS } from '../kernel/limits.ts'
import { coarseSpan } from '../kernel/span.ts'
import { limitsText } from '../pacing/rules/declared-limits.ts'
import { count } from '../prices/rules/amounts.ts'
import type { Schemas } from '../sdk/client.ts'
import { STATE_WORDS, sayNext, sayUpstream, upstreamName } from '../upstreams/rules/upstream-words.ts'

type Wait = NonNullable<Schemas['Run']['waits_for']>
type Upstream = Schemas['Upstream']
type Run = Pick<Schemas['Run'], 'id' | 'waits_for' | 'queued'>

/** With the model, if it is about calls of that one alone. @example 'api.openai.com (OPENAI_API_KEY) gpt-5' */
export const shownName = (upstream: Pick<Upstream, 'host' | 'label' | 'model'>): string =>
  upstreamName(upstream) + (upstream.model === null ? '' : ` ${upstream.model}`)

/** Limits that people set, with where, if that is not the project. @example '60 requests a minute (declared by its agent)' */
export const declaredText = (limits: Upstream['declared_limits'][number]): string =>
  `${limitsText(limits)}${SET_IN_WORDS[limits.set_in]}`

const SET_IN_WORDS: Record<Upstream['declared_limits'][number]['set_in'], string> = {
  project: '',
  schedule: ' (of a schedule at work)',
  declaration: ' (declared by its agent)',
}

/** What it lets through, in a word or two. */
export const stateText = ({ state, opening }: Pick<Upstream, 'state' | 'opening'>): string =>
  state === 'open' && !opening ? 'open' : STATE_WORDS[state]

/** A limit that answers reported. @example '500 requests in 1 min' */
export const reportedText = ({ of, amount, seconds }: Upstream['reported_limits'][number]): string =>
  `${count(amount)} ${of.replace('_', ' ')}${seconds === null ? '' : ` in ${coarseSpan(1000 * Math.max(1, Math.round(seconds)))}`}`

/** The host that somebody means: people paste the base URL of a provider; an agent's URL has another path. */
export function hostOf(text: string): string {
  const [, host] = /^https?:\/\/([^/?#]+)(?:\/(?:(?:api|openai)\/)?v\d\w{0,10})?\/?$/.exec(text) ?? []
  return host ?? text
}

/** Items that wait for one upstream. */
export interface ItemsWait {
  upstream: Pick<Upstream, 'id' | 'project_id' | 'host' | 'label' | 'model' | 'state' | 'opening'>
  items: number
  /** A plus if there may be more: not all runs were read, or they were counted no further. */
  more: '' | '+'
}

/**
 * What items wait for, the most of them first. Those of a run that waits count all, since none of them begins; of an open
 * upstream nothing waits.
 */
export function itemsWaiting(upstreams: readonly Upstream[], runs: readonly Run[]): ItemsWait[] {
  const of = (id: string) =>
    runs.reduce((sum, run) => (run.waits_for?.upstream_id === id ? sum + run.queued : sum), 0)
  return upstreams
    .filter(({ state }) => state !== 'open')
    .map((upstream): ItemsWait => {
      const { waiting_items } = upstream
      const items = Math.max(of(upstream.id), waiting_items)
      const isUncounted = upstream.runs.some(id => !runs.some(run => run.id === id))
      return { upstream, items, more: isUncounted || items === LIMITS.upstream_items_counted ? '+' : '' }
    })
    .filter(({ items }) => items > 0)
    .toSorted((a, b) => b.items - a.items)
}

/** @example 'Away: api.openai.com (OPENAI_API_KEY) serves nobody: connection refused. So since 12 min; it is tried again in 5 s.' */
export function sayRunWait(wait: Wait, now: number): string {
  const since = coarseSpan(Math.max(1000, now - Date.parse(wait.since)))
  const next_ms = wait.next_at === null ? null : Date.parse(wait.next_at) - now
  const next = wait.state === 'open' ? '' : `; it is tried again ${sayNext(next_ms)}`
  return `${sayUpstream(wait)} So since ${since}${next}.`
}
