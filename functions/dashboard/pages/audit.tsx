// Who changed what in a project, and when.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import { ACTIONS, sayDid } from '../../../shared/view/audit.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { Choice } from '../parts/choice.tsx'
import { List, linkWith, Pager } from '../parts/list.tsx'
import { scheduleName } from '../parts/occurrence.tsx'
import { Id, When } from '../parts/text.tsx'
import { ofAgent, ofProject, ofSchedule } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

const AuditQuery = z.strictObject({
  action: z.string().optional(),
  actor_id: z.string().optional(),
  cursor: z.string().optional(),
})
type AuditQuery = z.output<typeof AuditQuery>

export const auditPage = page({
  path: '/dashboard/projects/{projectId}/audit',
  query: AuditQuery,
  async show({ api, params: { projectId: project_id }, query, request, now }) {
    const [{ data }, named] = await Promise.all([
      api.GET('/v1/audit', {
        params: { query: { project_id, ...defined({ ...query, action: query.action || undefined }) } },
      }),
      readNames(api, project_id),
    ])
    return {
      title: 'Audit',
      project_id,
      menu: 'audit',
      cli: 'assay audit',
      body: (
        <>
          <h1>Audit</h1>
          <p class="dim">Every change by a member or a key, kept in the transaction that made it.</p>
          <Filter query={query} request={request} />
          <List
            id="audit"
            rows={data!.entries}
            columns={[
              { label: 'When', cell: one => <When at={one.created_at} now={now} /> },
              {
                label: 'Who',
                cell: one => (
                  <a href={linkWith(request, { actor_id: one.actor.id, cursor: undefined })}>
                    {one.actor.name}
                  </a>
                ),
              },
              { label: 'Did', cell: one => sayDid(one.action) },
              { label: 'Fields', cell: one => one.fields.join(', ') },
              {
                label: 'To',
                cell: one => one.target_id && <Of id={one.target_id} {...{ project_id, named }} />,
              },
            ]}
            empty={<p>Nothing was changed that fits.</p>}
          />
          <Pager request={request} next={data!.next_cursor} />
        </>
      ),
    }
  },
})

/** Names and links of the project's current agents and schedules, by id. */
async function readNames(api: Client, project_id: string): Promise<Map<string, Target>> {
  const [{ data: agents = [] }, { data: schedules = [] }] = await Promise.all([
    agentsOf(api, project_id),
    api.GET('/v1/schedules', { params: { query: { project_id } } }),
  ])
  return new Map<string, Target>([
    ...agents.map(one => [one.id, { name: one.slug, href: ofAgent(one.id) }] as const),
    ...schedules.map(one => [one.id, { name: scheduleName(one), href: ofSchedule(one.id) }] as const),
  ])
}

interface Target {
  name: string
  href: string
}

/** A link with the target's name where it is known; any other id links to the jump, which finds it. */
const Of = ({ id, named, project_id }: { id: string; named: Map<string, Target>; project_id: string }) => {
  const known = named.get(id)
  return known ? (
    <a href={known.href}>{known.name}</a>
  ) : (
    <a href={ofProject(project_id, `jump?go=1&q=${id}`)}>
      <Id of={id} />
    </a>
  )
}

/** A link may name an action that is not offered: it is shown as what the list is filtered by. */
const optionsOf = ({ action }: AuditQuery) => ({
  '': 'anything',
  ...ACTIONS,
  ...(action && { [action]: sayDid(action) }),
})

const Filter = ({ query, request }: { query: AuditQuery; request: Request }) => (
  <form class="filters" method="get">
    <Choice name="action" label="What" options={optionsOf(query)} chosen={query.action ?? ''} />
    {query.actor_id && <input type="hidden" name="actor_id" value={query.actor_id} />}
    <button>Show</button>
    {(query.actor_id || query.action) && (
      <a href={linkWith(request, { actor_id: undefined, action: undefined, cursor: undefined })}>Show all</a>
    )}
  </form>
)
