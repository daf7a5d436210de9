// Says what cancelling a run does, and does it. A run that was cancelled before, and whose items in flight still
// finish, can be cancelled again to abort these.

import * as z from 'zod'
import { canBeCancelled } from '../../../shared/items/rules/lifecycle.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { abortedInFlight } from '../../../shared/view/run.ts'
import { runOf } from '../parts/run-reads.ts'
import { counted, money } from '../parts/text.tsx'
import { ofRun } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

type Run = Schemas['Run']

/** Whether somebody cancelled the run before. */
const isCancelled = ({ status }: Run) => status === 'cancelled'

export const cancelRunPage = page({
  path: '/dashboard/runs/{runId}/cancel',
  least: 'operator',
  async show({ api, params }) {
    const run = await runOf(api, params.runId)
    const name = run.name ?? run.agent_slug
    const title = isCancelled(run) ? `Abort what is in flight of ${name}` : `Cancel ${name}`
    return {
      title,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay cancel ${run.id}${isCancelled(run) ? ' --now' : ''}`,
      body: (
        <>
          <h1>{title}?</h1>
          {canBeCancelled(run) ? <Choices run={run} /> : <Nothing run={run} />}
        </>
      ),
    }
  },
})

const Choices = ({ run }: { run: Run }) => (
  <>
    <ul>
      {run.queued > 0 && <li>{counted(run.queued, 'queued item')} will not run.</li>}
      {run.running > 0 && <InFlight run={run} />}
      <li>
        {counted(run.completed + run.failed, 'item')} ended already; verdicts, outputs and the{' '}
        {money(run.cost_usd)} spent stay as they are.
      </li>
      {run.paused > 0 && <li>{counted(run.paused, 'held item')} will be cancelled.</li>}
    </ul>
    <p>What did not run can be replayed later from the page of the run.</p>
    <form class="actions" method="post" action={ofRun(run.id, 'cancel')}>
      {!isCancelled(run) && <button class="danger">Cancel the run</button>}
      {run.running > 0 && (
        <button class="danger" name="in_flight" value="abort">
          {isCancelled(run) ? 'Abort' : 'Cancel it now: abort'} {counted(run.running, 'item')} in flight
        </button>
      )}
      <a class="button" href={ofRun(run.id)}>
        {run.stop_reason === null ? 'Let it run' : 'Leave it as it is'}
      </a>
    </form>
  </>
)

const InFlight = ({ run }: { run: Run }) =>
  isCancelled(run) ? (
    <li>
      The run was cancelled, and {counted(run.running, 'item')} in flight still{' '}
      {run.running === 1 ? 'finishes' : 'finish'}. If aborted, the steps and the cost so far stay, and nothing
      that comes later counts.
    </li>
  ) : (
    <li>
      {counted(run.running, 'item')} in flight will finish, be graded and be paid for. Cancelled now, they are
      aborted instead: their steps and cost so far stay, and nothing that comes later counts.
    </li>
  )

const Nothing = ({ run }: { run: Run }) => (
  <>
    <p class="lead">
      {run.status === 'materializing'
        ? 'The run is still being submitted. It can be cancelled once all of it is there.'
        : 'Nothing is left to cancel: the run has ended.'}
    </p>
    <p>
      <a href={ofRun(run.id)}>Back to the run</a>
    </p>
  </>
)

export const cancelRun = action({
  path: '/dashboard/runs/{runId}/cancel',
  form: z.strictObject({ in_flight: z.enum(['finish', 'abort']).default('finish') }),
  async act({ api, params }, body) {
    const { data } = await api.POST('/v2/runs/{runId}/cancel', {
      params: { path: { runId: params.runId } },
      body,
    })
    const { aborted, running } = data!
    const rest = running > 0 ? 'items in flight still finish.' : 'nothing was in flight.'
    const said = body.in_flight === 'abort' ? abortedInFlight(aborted) : rest
    return { to: ofRun(params.runId), said: `The run was cancelled; ${said}` }
  },
})
