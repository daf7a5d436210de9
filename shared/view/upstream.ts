// Shows what runs wait for outside, to pages and the command line.

import { coarseSpan } from '../kernel/span.ts'
import type { Schemas } from '../sdk/client.ts'
import { sayNext, sayUpstream } from '../upstreams/rules/upstream-words.ts'

type Wait = NonNullable<Schemas['Run']['waits_for']>

/** @example 'Away: api.openai.com (OPENAI_API_KEY) serves nobody: connection refused. So since 12 min; it is tried again in 5 s.' */
export function sayRunWait(wait: Wait, now: number): string {
  const since = coarseSpan(Math.max(1000, now - Date.parse(wait.since)))
  const next_ms = wait.next_at === null ? null : Date.parse(wait.next_at) - now
  const next = wait.state === 'open' ? '' : `; it is tried again ${sayNext(next_ms)}`
  return `${sayUpstream(wait)} So since ${since}${next}.`
}
