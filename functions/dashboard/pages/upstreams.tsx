// What items need outside: each with its state, why, the next try, its limits, and what waits for it; and the form that
// limits a provider before its first call.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { limitsText } from '../../../shared/pacing/rules/declared-limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { upstreamName } from '../../../shared/upstreams/rules/upstream-words.ts'
import { hostOf, shownName } from '../../../shared/view/upstream.ts'
import { Field, Press } from '../parts/form.tsx'
import { List, Pager } from '../parts/list.tsx'
import { brief, count, When } from '../parts/text.tsx'
import { NextTry, perMinute, RunLinks, UpstreamState } from '../parts/upstream-facts.tsx'
import { LimitFields, LimitsInBrief, limitFields, limitsOf } from '../parts/upstream-limits.tsx'
import { ofProject } from '../shell/addresses.ts'
import { type Around, action, type Entered, page, type View, type Visit } from '../shell/page.ts'

type Upstream = Schemas['Upstream']

/** As many as a page may hold. */
const ROWS = 25
/** Of the runs that wait for one; its own page has more. */
const RUNS = 3

export const upstreamsPage = page({
  path: '/dashboard/projects/{projectId}/upstreams',
  /** The cursor counts the rows before it: the API answers with all of them. */
  query: z.strictObject({ cursor: z.coerce.number().int().min(1).optional() }),
  show: (visit): Promise<View> => upstreamsView(visit, visit.query.cursor),
})

async function upstreamsView(
  { api, params, request, now, member, mayChange }: Visit<{ projectId: string }>,
  from = 0,
  entered: Entered = {},
): Promise<View> {
  const project_id = params.projectId
  const { data } = await api.GET('/v1/upstreams', { params: { query: { project_id } } })
  const to = from + ROWS
  return {
    title: 'Upstreams',
    project_id,
    menu: 'health',
    cli: 'assay upstreams\nassay limits',
    live: { every_s: 5 },
    body: (
      <>
        <h1>Upstreams</h1>
        <p>
          Providers and agents that items need: what they let through, and why they do not. What needs one
          that is closed waits, without a retry used; one item tries now and then, and the others follow once
          it goes well.
        </p>
        <Upstreams {...{ project_id, now, mayChange }} rows={data!.slice(from, to)} />
        <Pager request={request} next={data!.length > to ? String(to) : null} />
        {member.role === 'owner' ? (
          <NewLimits project_id={project_id} entered={entered} />
        ) : (
          <p class="dim">Owner role required to set limits.</p>
        )}
      </>
    ),
  }
}

const Upstreams = ({ project_id, rows, now, mayChange }: Around & { rows: readonly Upstream[] }) => (
  <List
    id="upstreams"
    rows={rows}
    columns={[
      {
        label: 'Upstream',
        cell: row => (
          <a href={ofProject(project_id, `upstreams/${row.id}`)}>
            <bdi>{shownName(row)}</bdi>
          </a>
        ),
      },
      { label: 'State', cell: row => <UpstreamState of={row} /> },
      { label: 'Since', numeric: true, cell: row => <When at={row.since} now={now} /> },
      { label: 'Why', cell: row => row.reason && <bdi>{brief(row.reason)}</bdi> },
      { label: 'Next try', numeric: true, cell: row => <NextTry of={row} now={now} /> },
      { label: 'Limits', cell: row => <LimitsInBrief of={row} /> },
      { label: 'Items a minute', numeric: true, cell: perMinute },
      { label: 'Waiting', numeric: true, cell: row => count(row.waiting_items) },
      {
        label: 'Runs',
        cell: row => (
          <>
            <RunLinks ids={row.runs.slice(0, RUNS)} />
            {row.runs.length > RUNS && `, and ${count(row.runs.length - RUNS)} more`}
          </>
        ),
      },
      {
        label: '',
        cell: row =>
          mayChange &&
          row.state !== 'open' && (
            <Press label="Try now" action={ofProject(project_id, `upstreams/${row.id}/retry`)} />
          ),
      },
    ]}
    empty={<p>No provider and no agent was closed or reported a limit lately, and no limit is set.</p>}
  />
)

const NewLimits = ({ project_id, entered }: { project_id: string; entered: Entered }) => (
  <>
    <h2>Set limits for a host</h2>
    <p class="dim">
      Also before its first call. They hold from the next call on, for all runs together; of these and of what
      answers report, the lower counts.
    </p>
    <form class="stack" method="post" action={ofProject(project_id, 'upstreams')} novalidate>
      <Field label="Host" hint="Such as api.openai.com, or an agent's URL without its query.">
        <input
          name="host"
          required
          maxlength={LIMITS.upstream_host_characters}
          value={entered.host}
          autocapitalize="none"
        />
      </Field>
      <Field
        label="Variable with the credential"
        hint="Such as OPENAI_API_KEY. Leave empty for every credential of the host."
      >
        <input name="label" maxlength={LIMITS.name_characters} value={entered.label} autocapitalize="none" />
      </Field>
      <LimitFields entered={entered} />
      <div>
        <button class="primary">Set limits</button>
      </div>
    </form>
  </>
)

export const setHostLimits = action({
  path: '/dashboard/projects/{projectId}/upstreams',
  least: 'owner',
  form: z.strictObject({ host: z.string().trim(), label: z.string().trim(), ...limitFields }),
  again: (visit, entered) => upstreamsView(visit, 0, entered),
  async act({ api, params }, { host, label, ...form }) {
    const named = { project_id: params.projectId, host: hostOf(host) }
    const body = { ...named, ...limitsOf(form) }
    const { data } = await api.PUT('/v1/upstreams', { body: label === '' ? body : { ...body, label } })
    const said = `${upstreamName(data!)}: ${limitsText(data!)}, from the next call on.`
    return { to: ofProject(params.projectId, 'upstreams'), said }
  },
})
