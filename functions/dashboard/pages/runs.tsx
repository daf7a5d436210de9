// The runs of a project, newest first, whether they ran beside whether they worked.

import { z } from 'zod'
import { ofProject, ofRun } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { page } from '../frame/page.ts'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { count, money, Status, Verdict, When } from '../parts/text.tsx'

export const runsPage = page({
  path: '/dashboard/projects/{projectId}/runs',
  query: z.strictObject({
    agent: z.string().optional(),
    item_id: z.string().optional(),
    cursor: z.string().optional(),
  }),
  async show({ api, params, query, request, ctx }) {
    const project_id = params.projectId
    // A form's empty field means any.
    const agent = query.agent || undefined
    const item_id = query.item_id || undefined
    const [{ data: runs = [], response }, { data: agents = [] }] = await Promise.all([
      api.GET('/v2/runs', {
        params: { query: { project_id, ...defined({ agent, item_id, cursor: query.cursor }), limit: 50 } },
      }),
      api.GET('/v1/agents', { params: { query: { project_id } } }),
    ])
    const now = ctx.now()
    return {
      title: 'Runs',
      project_id,
      menu: 'runs',
      cli: 'assay runs',
      live: query.cursor === undefined ? { every_s: 5 } : undefined,
      body: (
        <>
          <div class="head">
            <h1>Runs</h1>
            <a class="button primary" href={ofProject(project_id, 'submit')}>
              Submit items
            </a>
          </div>
          <form class="filters" method="get">
            <label>
              <span class="label">Agent</span>
              <select name="agent">
                <option value="">any</option>
                {agents.map(one => (
                  <option value={one.slug} selected={one.slug === agent}>
                    {one.slug}
                  </option>
                ))}
              </select>
            </label>
            <label>
              <span class="label">Touched item</span>
              <input name="item_id" value={item_id ?? ''} placeholder="your own item id" />
            </label>
            <button>Show</button>
          </form>
          <List
            id="runs"
            rows={runs}
            href={run => ofRun(run.id)}
            columns={[
              { label: 'Run', cell: run => <a href={ofRun(run.id)}>{run.name ?? run.agent_slug}</a> },
              { label: 'Agent', cell: run => run.agent_slug },
              { label: 'Ran', cell: run => <Status of={run.status} /> },
              { label: 'Worked', cell: run => <Verdict of={run.worst_outcome_status} /> },
              { label: 'Items', numeric: true, cell: run => count(run.total_items) },
              { label: 'Not ok', numeric: true, cell: run => count(run.degraded_count + run.failed) },
              { label: 'To decide', numeric: true, cell: run => count(run.undecided_count) },
              { label: 'Cost', numeric: true, cell: run => money(run.cost_usd) },
              { label: 'Created', numeric: true, cell: run => <When at={run.created_at} now={now} /> },
            ]}
            empty={
              <>
                <p>No run here yet. Items come from a file, a schedule, a webhook or your own code:</p>
                <pre>
                  <code>npx assay submit items.jsonl --agent my-agent --watch</code>
                </pre>
              </>
            }
          />
          <Pager request={request} next={nextOf(response)} />
        </>
      ),
    }
  },
})
