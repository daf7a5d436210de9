// What items wait for outside: each with its state, why, the next try, and what waits for it; and the try by hand.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { STATE_WORDS, upstreamName } from '../../../shared/upstreams/rules/upstream-words.ts'
import { Press } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { count, When } from '../parts/text.tsx'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

type Upstream = Schemas['Upstream']

export const upstreamsPage = page({
  path: '/dashboard/projects/{projectId}/upstreams',
  async show({ api, params, now, mayChange }) {
    const { data } = await api.GET('/v1/upstreams', { params: { query: { project_id: params.projectId } } })
    return {
      title: 'Upstreams',
      project_id: params.projectId,
      menu: 'health',
      cli: 'assay upstreams',
      live: { every_s: 5 },
      body: (
        <>
          <h1>Upstreams</h1>
          <p>
            Providers and agents that served nobody. What needs them waits, without a retry used; one item
            tries now and then, and the others follow once it goes well.
          </p>
          <Upstreams rows={data!} now={now} mayAct={mayChange} />
        </>
      ),
    }
  },
})

const Upstreams = ({ rows, now, mayAct }: { rows: readonly Upstream[]; now: number; mayAct: boolean }) => (
  <List
    id="upstreams"
    rows={rows}
    columns={[
      { label: 'Upstream', cell: row => <bdi>{nameOf(row)}</bdi> },
      { label: 'State', cell: row => stateOf(row) },
      { label: 'Since', numeric: true, cell: row => <When at={row.since} now={now} /> },
      { label: 'Why', cell: row => <bdi>{row.reason}</bdi> },
      {
        label: 'Next try',
        numeric: true,
        cell: row => row.state !== 'open' && row.next_at !== null && <When at={row.next_at} now={now} />,
      },
      { label: 'Waiting', numeric: true, cell: row => count(row.waiting_items) },
      { label: 'Runs', cell: row => <Runs of={row} /> },
      {
        label: '',
        cell: row =>
          mayAct &&
          row.state !== 'open' && (
            <Press label="Try now" action={ofProject(row.project_id, `upstreams/${row.id}/retry`)} />
          ),
      },
    ]}
    empty={<p>Nothing outside was closed lately: no provider and no agent that items need.</p>}
  />
)

const nameOf = (row: Upstream) => upstreamName(row) + (row.model === null ? '' : ` ${row.model}`)
const stateOf = ({ state, opening }: Upstream) => (state === 'open' && !opening ? 'open' : STATE_WORDS[state])

const Runs = ({ of: { runs } }: { of: Upstream }) => (
  <>
    {runs.map((id, at) => (
      <>
        {at > 0 && ', '}
        <a href={ofRun(id)}>{id.slice(0, 8)}</a>
      </>
    ))}
  </>
)

export const retryUpstream = action({
  path: '/dashboard/projects/{projectId}/upstreams/{upstreamId}/retry',
  async act({ api, params }) {
    const path = { upstreamId: params.upstreamId }
    const { data } = await api.POST('/v1/upstreams/{upstreamId}/retry', { params: { path } })
    return { to: ofProject(params.projectId, 'upstreams'), said: `${data!.host} is being tried.` }
  },
})
