// Says what cancelling a run does, and does it.

import { ofRun } from '../frame/addresses.ts'
import { action, page } from '../frame/page.ts'
import { counted, money } from '../parts/text.tsx'
import { runOf } from './run-reads.ts'

export const cancelRunPage = page({
  path: '/dashboard/runs/{runId}/cancel',
  least: 'operator',
  async show({ api, params }) {
    const run = await runOf(api, params.runId)
    const name = run.name ?? run.agent_slug
    const ended = run.completed + run.failed
    return {
      title: `Cancel ${name}`,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay cancel ${run.id}`,
      body: (
        <>
          <h1>Cancel {name}?</h1>
          <ul>
            <li>{counted(run.queued, 'queued item')} will not run.</li>
            <li>{counted(run.running, 'item')} at work will finish, be graded and be paid for.</li>
            <li>
              {counted(ended, 'item')} ended already; verdicts, outputs and the {money(run.cost_usd)} spent
              stay as they are.
            </li>
            {run.paused > 0 && <li>{counted(run.paused, 'held item')} will be cancelled.</li>}
          </ul>
          <p>What did not run can be replayed later from the page of the run.</p>
          <form class="actions" method="post" action={ofRun(run.id, 'cancel')}>
            <button class="danger">Cancel the run</button>
            <a class="button" href={ofRun(run.id)}>
              Let it run
            </a>
          </form>
        </>
      ),
    }
  },
})

export const cancelRun = action({
  path: '/dashboard/runs/{runId}/cancel',
  async act({ api, params }) {
    await api.POST('/v2/runs/{runId}/cancel', { params: { path: { runId: params.runId } } })
    return { to: ofRun(params.runId), said: 'The run was cancelled; items at work still finish.' }
  },
})
