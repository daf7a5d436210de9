// The deliveries of a project: callbacks of runs and alerts, and the result of each attempt.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import { DELIVERY_STATES } from '../../../shared/outbox/vocabulary.ts'
import { anyAmong, Choice } from '../parts/choice.tsx'
import { List, Pager } from '../parts/list.tsx'
import { Code, count, Status, span, When } from '../parts/text.tsx'
import { ofDelivery, ofProject, ofRun } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

const KINDS = {
  'run.finished': 'a run ended',
  'alert.raised': 'an alert',
  'alert.resolved': 'the end of an alert',
  'run.digest': 'the digest of a run',
  'channel.test': 'a test',
  'run.results': 'the results of a run',
}

export const deliveriesPage = page({
  path: '/dashboard/projects/{projectId}/deliveries',
  query: z.strictObject({
    state: z.enum([...DELIVERY_STATES, '']).optional(),
    run_id: z.string().optional(),
    cursor: z.string().optional(),
  }),
  async show({ api, params: { projectId: project_id }, query, request, now }) {
    const { data } = await api.GET('/v1/deliveries', { params: { query: { project_id, ...defined(query) } } })
    return {
      title: 'Deliveries',
      project_id,
      menu: 'deliveries',
      cli: 'assay deliveries',
      live: query.cursor === undefined ? { every_s: 10 } : undefined,
      body: (
        <>
          <h1>Deliveries</h1>
          <p class="dim">
            Callbacks and alerts, each tried four times within minutes, signed, and kept for thirty days.
          </p>
          <form class="filters" method="get">
            <Choice name="state" label="State" options={anyAmong(DELIVERY_STATES)} chosen={query.state} />
            {query.run_id && <input type="hidden" name="run_id" value={query.run_id} />}
            <button>Show</button>
            {(query.state || query.run_id) && <a href={ofProject(project_id, 'deliveries')}>Show all</a>}
          </form>
          <List
            id="deliveries"
            rows={data!.deliveries}
            columns={[
              { label: 'Event', cell: one => <a href={ofDelivery(one.id)}>{KINDS[one.kind]}</a> },
              { label: 'To', cell: one => one.url },
              { label: 'State', cell: one => <Status of={one.state} /> },
              { label: 'Tries', numeric: true, cell: one => count(one.try_count) },
              { label: 'Last answer', cell: one => one.last_status ?? one.last_error ?? '' },
              { label: 'Made', numeric: true, cell: one => <When at={one.created_at} now={now} /> },
            ]}
            empty={
              query.state || query.run_id ? (
                <p>No delivery passes these filters.</p>
              ) : (
                <>
                  <p>Nothing was sent. A run reports its end to the URL it was submitted with:</p>
                  <Code>
                    assay submit items.jsonl --agent my-agent --callback-url https://example.com/done
                  </Code>
                </>
              )
            }
          />
          <Pager request={request} next={data!.next_cursor} />
        </>
      ),
    }
  },
})

export const deliveryPage = page({
  path: '/dashboard/deliveries/{deliveryId}',
  async show({ api, params, member, now }) {
    const { data } = await api.GET('/v1/deliveries/{deliveryId}', { params: { path: params } })
    const one = data!
    return {
      title: 'Delivery',
      project_id: one.project_id,
      menu: 'deliveries',
      cli: `assay deliveries show ${one.id}`,
      live: one.state === 'pending' ? { every_s: 3 } : undefined,
      body: (
        <>
          <div class="head">
            <div>
              <h1>Delivery: {KINDS[one.kind]}</h1>
              <p id="delivery-state" data-live>
                <Status of={one.state} /> to <code>{one.url}</code>
                {one.due_at && (
                  <>
                    , next try <When at={one.due_at} now={now} />
                  </>
                )}
              </p>
              {one.run_id && (
                <p>
                  <a href={ofRun(one.run_id)}>The run</a>
                </p>
              )}
            </div>
            {member.role !== 'viewer' && one.state !== 'pending' && (
              <form method="post" action={ofDelivery(one.id, 'resend')}>
                <button class="primary" data-key="r" data-asks>
                  Send again
                </button>
              </form>
            )}
          </div>
          <h2>Tries</h2>
          <List
            id="tries"
            rows={one.tries}
            columns={[
              { label: 'Try', cell: row => count(row.try) },
              { label: 'When', cell: row => <When at={row.started_at} now={now} /> },
              {
                label: 'Took',
                numeric: true,
                cell: row => (row.duration_ms === null ? '' : span(row.duration_ms)),
              },
              { label: 'Answer', cell: row => row.status ?? '' },
              { label: 'Error', cell: row => row.error ?? '' },
            ]}
            empty={<p>Not tried yet.</p>}
          />
          <h2>What is sent</h2>
          <Code wrap>
            {one.body === null ? 'Retention has taken it.' : JSON.stringify(one.body, null, 2)}
          </Code>
        </>
      ),
    }
  },
})

export const resendDelivery = action({
  path: '/dashboard/deliveries/{deliveryId}/resend',
  async act({ api, params }) {
    await api.POST('/v1/deliveries/{deliveryId}/resend', { params: { path: params } })
    return { to: ofDelivery(params.deliveryId), said: 'It is being sent again, under the same id.' }
  },
})
