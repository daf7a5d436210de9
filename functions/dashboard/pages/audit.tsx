// Who changed what in a project, and when.

import * as z from 'zod'
import { Field } from '../parts/form.tsx'
import { List, linkWith, Pager } from '../parts/list.tsx'
import { Id, When } from '../parts/text.tsx'
import { defined } from '../shell/defined.ts'
import { page } from '../shell/page.ts'

export const auditPage = page({
  path: '/dashboard/projects/{projectId}/audit',
  query: z.strictObject({
    action: z.string().optional(),
    actor_id: z.string().optional(),
    cursor: z.string().optional(),
  }),
  async show({ api, params, query, request, ctx }) {
    const project_id = params.projectId
    const { data } = await api.GET('/v1/audit', { params: { query: { project_id, ...defined(query) } } })
    const now = ctx.now()
    return {
      title: 'Audit',
      project_id,
      menu: 'audit',
      cli: 'assay audit',
      body: (
        <>
          <h1>Audit</h1>
          <p class="dim">Every change by a member or a key, kept in the transaction that made it.</p>
          <form class="filters" method="get">
            <Field label="Operation">
              <input name="action" value={query.action ?? ''} placeholder="createApiKey" />
            </Field>
            {query.actor_id && <input type="hidden" name="actor_id" value={query.actor_id} />}
            <button>Show</button>
            {(query.actor_id || query.action) && (
              <a href={linkWith(request, { actor_id: undefined, action: undefined, cursor: undefined })}>
                Show all
              </a>
            )}
          </form>
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
              { label: 'Did', cell: one => <code>{one.action}</code> },
              { label: 'Fields', cell: one => one.fields.join(', ') },
              { label: 'To', cell: one => one.target_id && <Id of={one.target_id} /> },
            ]}
            empty={<p>Nothing was changed that fits.</p>}
          />
          <Pager request={request} next={data!.next_cursor} />
        </>
      ),
    }
  },
})
