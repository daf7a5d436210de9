// Limits of upstreams: in words, with where each comes from, and the fields of a form that sets them.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { type DeclaredLimits, limitsText } from '../../../shared/pacing/rules/declared-limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { declaredText, reportedText } from '../../../shared/view/upstream.ts'
import { whole } from '../shell/form-values.ts'
import type { Entered } from '../shell/page.ts'
import { Field } from './form.tsx'
import { List } from './list.tsx'
import { count } from './text.tsx'

type Upstream = Schemas['Upstream']

/** For a row of a list. */
export const LimitsInBrief = ({ of: { declared_limits, reported_limits } }: { of: Upstream }) => (
  <>
    {declared_limits.map(limits => (
      <div class="limit">{declaredText(limits)}</div>
    ))}
    {reported_limits.length > 0 && (
      <div class="limit dim">reported: {reported_limits.map(reportedText).join(', ')}</div>
    )}
  </>
)

/** Each with where it comes from. */
export const LimitList = ({ of: upstream }: { of: Upstream }) => (
  <List
    id="limits"
    rows={[
      ...upstream.declared_limits.map(limits => ({
        text: limitsText(limits),
        from: setIn(upstream, limits),
        left: '',
      })),
      ...upstream.reported_limits.map(limit => ({
        text: reportedText(limit),
        from: 'reported by its answers',
        left: count(limit.left),
      })),
    ]}
    columns={[
      { label: 'Limit', cell: row => row.text },
      { label: 'Where it comes from', cell: row => <bdi>{row.from}</bdi> },
      { label: 'Left, by the latest answer', numeric: true, cell: row => row.left },
    ]}
    empty={<p>None was set, and none was reported by its answers.</p>}
  />
)

function setIn(upstream: Upstream, { set_in, label }: Upstream['declared_limits'][number]): string {
  if (set_in === 'declaration') return 'declared by an agent, for its own items'
  const of = countsFor(upstream, label)
  return set_in === 'project'
    ? `set by people, for ${of}`
    : `of a schedule whose run is at work, in place of the project's, for ${of}`
}

/** What a limit that was set for a variable, or for none, counts for. */
export function countsFor({ kind, host }: Upstream, label: string | null): string {
  if (label !== null) return `${label} alone`
  return kind === 'agent' ? 'this address' : `every credential of ${host}`
}

/** The fields of a form that sets limits. */
export const limitFields = {
  requests: z.string().trim(),
  tokens: z.string().trim(),
  in_flight: whole,
}

/** Empty fields set no limit. */
export const limitsOf = (form: { requests: string; tokens: string; in_flight: number | null }) =>
  defined({
    requests: form.requests || undefined,
    tokens: form.tokens || undefined,
    in_flight: form.in_flight ?? undefined,
  })

export const LimitFields = ({ set = {}, entered }: { set?: DeclaredLimits; entered: Entered }) => (
  <>
    <Field label="Requests" hint="A number and a unit (s, min, h or d), such as 500/min.">
      <input name="requests" maxlength={LIMITS.name_characters} value={entered.requests ?? set.requests} />
    </Field>
    <Field label="Tokens" hint="Of input and output together, such as 200000/min.">
      <input name="tokens" maxlength={LIMITS.name_characters} value={entered.tokens ?? set.tokens} />
    </Field>
    <Field label="Items in flight" hint="Of all runs together.">
      <input name="in_flight" inputmode="numeric" value={entered.in_flight ?? set.in_flight} />
    </Field>
  </>
)
