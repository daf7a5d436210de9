// One run: whether it ran beside whether it worked, what failed alike, and its items.

import { ofItem, ofRun } from '../frame/addresses.ts'
import { action, page } from '../frame/page.ts'
import { Bar, ranParts, workedParts } from '../parts/bar.tsx'
import { List } from '../parts/list.tsx'
import { cents, count, counted, money, Status, span, Verdict, When } from '../parts/text.tsx'

export const runPage = page({
  path: '/dashboard/runs/{runId}',
  async show({ api, params, ctx, member }) {
    const path = { runId: params.runId }
    const [{ data: run }, { data: items = [] }] = await Promise.all([
      api.GET('/v2/runs/{runId}', { params: { path } }),
      api.GET('/v2/runs/{runId}/items', { params: { path, query: { outcome: 'not_ok', limit: 20 } } }),
    ])
    if (run === undefined) throw new Error('The API answered without a run.')
    const now = ctx.now()
    const isOpen = run.finished_at === null
    return {
      title: run.name ?? run.agent_slug,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay run ${run.id}`,
      live: isOpen ? { events: ofRun(run.id, 'events') } : undefined,
      body: (
        <>
          <div class="head">
            <div>
              <h1>{run.name ?? run.agent_slug}</h1>
              <p id="run-state" data-live>
                <Status of={run.status} /> · <Verdict of={run.worst_outcome_status} /> ·{' '}
                {counted(run.total_items, 'item')} · {run.agent_slug}
                {run.deployment_version !== null && ` v${run.deployment_version}`} ·{' '}
                <When at={run.created_at} now={now} />
              </p>
            </div>
            <div class="actions" id="run-actions" data-live>
              {isOpen && member.role !== 'viewer' && (
                <form method="post" action={ofRun(run.id, 'cancel')}>
                  <button class="danger" data-key="c">
                    Cancel run
                  </button>
                </form>
              )}
            </div>
          </div>
          <Bar id="ran" title="Did it run" parts={ranParts(run)} total={run.total_items} />
          <Bar id="worked" title="Did it work" parts={workedParts(run)} total={run.total_items} />
          <dl class="facts" id="run-facts" data-live>
            <div>
              <dt>Spent</dt>
              <dd>
                {money(run.cost_usd)}
                {run.budget_cents !== null && ` of ${cents(run.budget_cents)}`}
              </dd>
            </div>
            <div>
              <dt>Unpriced items</dt>
              <dd>{count(run.unpriced_item_count)}</dd>
            </div>
            <div>
              <dt>Tokens in, out</dt>
              <dd>
                {count(run.total_input_tokens)}, {count(run.total_output_tokens)}
              </dd>
            </div>
            <div>
              <dt>Waited</dt>
              <dd>{run.started_at ? span(Date.parse(run.started_at) - Date.parse(run.created_at)) : '—'}</dd>
            </div>
            <div>
              <dt>Ran for</dt>
              <dd>
                {run.started_at
                  ? span((run.finished_at ? Date.parse(run.finished_at) : now) - Date.parse(run.started_at))
                  : '—'}
              </dd>
            </div>
          </dl>
          <h2>Items that did not work</h2>
          <List
            id="items"
            rows={items}
            href={item => ofItem(item.id)}
            columns={[
              { label: 'Item', cell: item => <a href={ofItem(item.id)}>{item.item_id}</a> },
              { label: 'Ran', cell: item => <Status of={item.status} /> },
              { label: 'Worked', cell: item => <Verdict of={item.worst_outcome_status ?? null} /> },
              {
                label: 'Why',
                cell: item => item.degraded_reason ?? item.error_message ?? item.outcome_reason ?? '',
              },
            ]}
            empty={<p>Every verdict so far is ok.</p>}
          />
        </>
      ),
    }
  },
})

/** The run's events for the page's script. */
export const runEvents = page({
  path: '/dashboard/runs/{runId}/events',
  show: ({ fetch, params, request }) =>
    fetch(`/v2/runs/${params.runId}/events`, {
      headers: { 'last-event-id': request.headers.get('last-event-id') ?? '' },
      signal: request.signal,
    }),
})

export const cancelRun = action({
  path: '/dashboard/runs/{runId}/cancel',
  async act({ api, params }) {
    await api.POST('/v2/runs/{runId}/cancel', { params: { path: { runId: params.runId } } })
    return { to: ofRun(params.runId), said: 'The run was cancelled; items at work may still end.' }
  },
})
