// Says what cancelling a run does, and does it.

import * as z from 'zod'
import { abortedInFlight } from '../../../shared/view/run.ts'
import { runOf } from '../parts/run-reads.ts'
import { counted, money } from '../parts/text.tsx'
import { ofRun } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

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
            <li>
              {counted(run.running, 'item')} in flight will finish, be graded and be paid for. Cancelled now,
              they are aborted instead: their steps and cost so far stay, and nothing that comes later counts.
            </li>
            <li>
              {counted(ended, 'item')} ended already; verdicts, outputs and the {money(run.cost_usd)} spent
              stay as they are.
            </li>
            {run.paused > 0 && <li>{counted(run.paused, 'held item')} will be cancelled.</li>}
          </ul>
          <p>What did not run can be replayed later from the page of the run.</p>
          <form class="actions" method="post" action={ofRun(run.id, 'cancel')}>
            <button class="danger">Cancel the run</button>
            {run.running > 0 && (
              <button class="danger" name="in_flight" value="abort">
                Cancel it now: abort {counted(run.running, 'item')} in flight
              </button>
            )}
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
  form: z.strictObject({ in_flight: z.enum(['finish', 'abort']).default('finish') }),
  async act({ api, params }, body) {
    const { data } = await api.POST('/v2/runs/{runId}/cancel', {
      params: { path: { runId: params.runId } },
      body,
    })
    const rest = body.in_flight === 'abort' ? abortedInFlight(data!.aborted) : 'items in flight still finish.'
    return { to: ofRun(params.runId), said: `The run was cancelled; ${rest}` }
  },
})
