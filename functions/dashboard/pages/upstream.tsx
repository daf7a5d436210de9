// One upstream: what it lets through and why, its limits and where they come from, its use, what waits for it; and the
// actions on it. Guarantee: who may not set limits sees them as text.

import * as z from 'zod'
import { notFound } from '../../../shared/http/scope.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { limitsText } from '../../../shared/pacing/rules/declared-limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { upstreamName } from '../../../shared/upstreams/rules/upstream-words.ts'
import { shownName } from '../../../shared/view/upstream.ts'
import { Choice } from '../parts/choice.tsx'
import { Fact } from '../parts/fact.tsx'
import { Press, Sure } from '../parts/form.tsx'
import { Crumb, count, counted, Id, When } from '../parts/text.tsx'
import { NextTry, perMinute, RunLinks, UpstreamState } from '../parts/upstream-facts.tsx'
import { countsFor, LimitFields, LimitList, limitFields, limitsOf } from '../parts/upstream-limits.tsx'
import { UseLine } from '../parts/use-line.tsx'
import { ofProject } from '../shell/addresses.ts'
import { action, type Entered, page, type View, type Visit } from '../shell/page.ts'

type Upstream = Schemas['Upstream']
type Named = { projectId: string; upstreamId: string }

export const upstreamPage = page({
  path: '/dashboard/projects/{projectId}/upstreams/{upstreamId}',
  show: (visit): Promise<View> => upstreamView(visit),
})

/** The API has no read of one: a project has few. */
async function readUpstream(api: Client, { projectId, upstreamId }: Named): Promise<Upstream> {
  const { data } = await api.GET('/v1/upstreams', { params: { query: { project_id: projectId } } })
  // A link from before its first call has the id of its limit.
  const found =
    data!.find(({ id }) => id === upstreamId) ??
    data!.find(row => row.declared_limits.some(({ id, set_in }) => set_in === 'project' && id === upstreamId))
  if (found === undefined) throw notFound('upstream')
  return found
}

/** A refused form keeps what was entered. */
async function upstreamView(
  { api, params, now, member, mayChange }: Visit<Named>,
  entered: Entered = {},
): Promise<View> {
  const upstream = await readUpstream(api, params)
  const { project_id } = upstream
  return {
    title: shownName(upstream),
    project_id,
    menu: 'health',
    cli: 'assay upstreams\nassay limits',
    live: { every_s: 5 },
    body: (
      <>
        <Crumb href={ofProject(project_id, 'upstreams')}>Upstreams</Crumb>
        <h1>
          <bdi>{shownName(upstream)}</bdi>
        </h1>
        <Standing upstream={upstream} now={now} mayChange={mayChange} />
        <h2>Limits</h2>
        <p class="dim">Of several limits the lower counts.</p>
        <LimitList of={upstream} />
        {upstream.agent_id !== null ? (
          <p class="dim">An agent declares it for its own items: change its declaration, and deploy it.</p>
        ) : member.role === 'owner' ? (
          <SetLimits upstream={upstream} entered={entered} />
        ) : (
          <p class="dim">Owner role required to set limits.</p>
        )}
        <h2>Use</h2>
        <Use of={upstream} />
        <h2>What waits for it</h2>
        <Waiting of={upstream} />
      </>
    ),
  }
}

const Standing = ({ upstream, now, mayChange }: { upstream: Upstream; now: number; mayChange: boolean }) => {
  const { state, kind, deployment_id, reason, since, status, probes } = upstream
  const isClosed = state !== 'open'
  return (
    <section id="standing" data-live aria-label="What it lets through">
      <p class="dim">{kind === 'agent' ? "An agent's address." : 'A credential at a provider.'}</p>
      <dl class="facts">
        <Fact name="State">
          <UpstreamState of={upstream} />
        </Fact>
        <Fact name="Since">
          <When at={since} now={now} />
        </Fact>
        {status !== null && <Fact name="HTTP status">{status}</Fact>}
        {isClosed && (
          <Fact name="Next try">
            <NextTry of={upstream} now={now} />
          </Fact>
        )}
        {isClosed && <Fact name="Tries">{count(probes)}</Fact>}
        <Fact name="Items a minute">{perMinute(upstream) || 'as many as come'}</Fact>
        {deployment_id !== null && (
          <Fact name="Of one deployment">
            <Id of={deployment_id} />
          </Fact>
        )}
      </dl>
      {reason !== '' && (
        <p>
          <span class="dim">Why:</span> <bdi>{reason}</bdi>
        </p>
      )}
      {mayChange && isClosed && (
        <Press label="Try now" action={ofProject(upstream.project_id, `upstreams/${upstream.id}/retry`)} />
      )}
    </section>
  )
}

/** Those that can be set and unset here. */
const ofProjectAlone = ({ declared_limits }: Upstream) =>
  declared_limits.filter(({ set_in }) => set_in === 'project')

const SetLimits = ({ upstream, entered }: { upstream: Upstream; entered: Entered }) => {
  const { project_id, id, label } = upstream
  const declared_limits = ofProjectAlone(upstream)
  const set = declared_limits.find(limits => limits.label === label) ?? declared_limits[0]
  const of = ofProject(project_id, `upstreams/${id}/limits`)
  return (
    <>
      <h3>{set === undefined ? 'Set limits' : 'Change limits'}</h3>
      <p class="dim">They hold from the next call on, for all runs together. An empty field sets no limit.</p>
      <form class="stack" method="post" action={of} novalidate>
        {label !== null && (
          <Choice
            name="scope"
            label="For"
            options={{ label: countsFor(upstream, label), host: countsFor(upstream, null) }}
            chosen={entered.scope ?? (set?.label === null ? 'host' : 'label')}
          />
        )}
        <LimitFields set={set ?? {}} entered={entered} />
        <div>
          <button class="primary">Set limits</button>
        </div>
      </form>
      {set !== undefined && <Unset upstream={upstream} action={`${of}/unset`} />}
    </>
  )
}

const Unset = ({ upstream, action }: { upstream: Upstream; action: string }) => {
  const { label } = upstream
  const declared_limits = ofProjectAlone(upstream)
  const ofHost = declared_limits.some(limits => limits.label === null)
  const others = label !== null && ofHost ? ' Those of every credential end for the other ones too.' : ''
  return (
    <div class="actions unset">
      {label !== null && declared_limits.length > 1 && (
        <form method="post" action={action}>
          <input type="hidden" name="scope" value="label" />
          <button>Unset those of {label} alone</button>
        </form>
      )}
      <Sure
        label={declared_limits.length > 1 ? 'Unset all' : 'Unset'}
        consequence={`${declared_limits.map(limitsText).join('; ')}: no longer from the next call on.${others} What its answers report still counts.`}
        action={action}
      />
    </div>
  )
}

const Use = ({ of: { calls_used } }: { of: Upstream }) =>
  calls_used.length === 0 ? (
    <p id="use" data-live>
      Calls are counted once a limit is known and items call it.
    </p>
  ) : (
    <UseLine calls={calls_used} />
  )

const Waiting = ({ of: { waiting_items, runs } }: { of: Upstream }) => (
  <div id="waiting" data-live>
    <p>
      {waiting_items === 0
        ? 'No item waits for it.'
        : waiting_items < LIMITS.upstream_items_counted
          ? `${counted(waiting_items, 'item')}.`
          : `${count(waiting_items)} items or more.`}
    </p>
    {runs.length > 0 && (
      <p>
        {runs.length === LIMITS.upstream_runs ? 'The newest runs' : 'Runs'}: <RunLinks ids={runs} />
      </p>
    )}
  </div>
)

export const retryUpstream = action({
  path: '/dashboard/projects/{projectId}/upstreams/{upstreamId}/retry',
  async act({ api, params: { projectId, upstreamId } }) {
    const { data } = await api.POST('/v1/upstreams/{upstreamId}/retry', { params: { path: { upstreamId } } })
    return { to: ofProject(projectId, `upstreams/${upstreamId}`), said: `${data!.host} is being tried.` }
  },
})

export const setLimits = action({
  path: '/dashboard/projects/{projectId}/upstreams/{upstreamId}/limits',
  least: 'owner',
  form: z.strictObject({ scope: z.enum(['label', 'host']).optional(), ...limitFields }),
  again: (visit, entered) => upstreamView(visit, entered),
  async act({ api, params }, { scope, ...form }) {
    const { project_id, host, label } = await readUpstream(api, params)
    const body = { project_id, host, ...limitsOf(form) }
    const isOfLabel = scope === 'label' && label !== null
    const { data } = await api.PUT('/v1/upstreams', { body: isOfLabel ? { ...body, label } : body })
    return {
      to: ofProject(project_id, `upstreams/${params.upstreamId}`),
      said: `${upstreamName(data!)}: ${limitsText(data!)}, from the next call on.`,
    }
  },
})

export const unsetLimits = action({
  path: '/dashboard/projects/{projectId}/upstreams/{upstreamId}/limits/unset',
  least: 'owner',
  form: z.strictObject({ scope: z.literal('label').optional() }),
  async act({ api, params }, { scope }) {
    const { project_id, host, label } = await readUpstream(api, params)
    const query = scope === undefined || label === null ? {} : { label }
    const path = { upstreamId: params.upstreamId }
    await api.DELETE('/v1/upstreams/{upstreamId}/limits', { params: { path, query } })
    // Its own page is gone if it was never called.
    const said = `${upstreamName({ host, label: query.label ?? null })} has no limit of yours any more.`
    return { to: ofProject(project_id, 'upstreams'), said }
  },
})
