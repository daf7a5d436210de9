// Stops every run of an agent, after a page that says what that would cancel. Guarantee: each run is cancelled
// separately, so a run that cannot be cancelled does not stop the others.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import { runName } from '../../../shared/view/run.ts'
import { count, counted } from '../parts/text.tsx'
import { ofAgent, ofProject, ofRun } from '../shell/addresses.ts'
import { each } from '../shell/each.ts'
import { action, page } from '../shell/page.ts'

const SHOWN = 10

async function openRuns(api: Client, agentId: string) {
  const { data } = await api.GET('/v1/agents/{agentId}', { params: { path: { agentId } } })
  const agent = data!
  const query = {
    project_id: agent.project_id,
    agent: agent.slug,
    state: 'open',
    limit: LIMITS.runs_page.max,
  } as const
  const { data: open = [] } = await api.GET('/v2/runs', { params: { query } })
  // A run that is still being submitted cannot be cancelled yet.
  const runs = open.filter(run => run.status !== 'materializing')
  return { agent, runs, arriving: open.length - runs.length, isAll: open.length < LIMITS.runs_page.max }
}

export const stopAgentPage = page({
  path: '/dashboard/agents/{agentId}/stop',
  least: 'operator',
  async show({ api, params }) {
    const { agent, runs, arriving } = await openRuns(api, params.agentId)
    const to = (page: string) => `${ofProject(agent.project_id, page)}?agent_id=${agent.id}`
    return {
      title: `Stop ${agent.slug}`,
      project_id: agent.project_id,
      menu: 'agents',
      cli: runs
        .slice(0, SHOWN)
        .map(run => `assay cancel ${run.id}`)
        .join('\n'),
      body: (
        <>
          <h1>Stop everything of {agent.slug}?</h1>
          {runs.length === 0 ? <p class="lead">No run of it is open.</p> : <Stop agent={agent} runs={runs} />}
          {arriving > 0 && (
            <p>
              <b>{counted(arriving, 'run')} still being submitted</b> can be cancelled once all of it is
              there.
            </p>
          )}
          <p class="dim">
            What starts new runs of it stays on: <a href={to('schedules')}>its schedules</a>,{' '}
            <a href={to('triggers')}>its triggers</a>,{' '}
            <a href={ofProject(agent.project_id, 'recoveries')}>recoveries</a> that go on, and a source that
            is being read.
          </p>
        </>
      ),
    }
  },
})

const Stop = ({ agent, runs }: Pick<Awaited<ReturnType<typeof openRuns>>, 'agent' | 'runs'>) => {
  const sum = (of: 'queued' | 'running' | 'paused') => runs.reduce((all, run) => all + run[of], 0)
  const [queued, running, held] = [sum('queued'), sum('running'), sum('paused')]
  return (
    <>
      <ul>
        <li>
          {counted(runs.length, 'open run')} would be cancelled:{' '}
          {runs.slice(0, SHOWN).map((run, at) => (
            <>
              {at > 0 && ', '}
              <a href={ofRun(run.id)}>{runName(run)}</a>
            </>
          ))}
          {runs.length > SHOWN && ` and ${count(runs.length - SHOWN)} more`}
        </li>
        {queued > 0 && (
          <li>{counted(queued, 'queued item')} will not run, and can be replayed later from their runs.</li>
        )}
        {held > 0 && <li>{counted(held, 'held item')} will be cancelled.</li>}
        <li>
          {running === 0
            ? 'No item is in flight.'
            : `${counted(running, 'item')} in flight finish and are graded and paid for, or are aborted: their steps and cost so far stay.`}
        </li>
      </ul>
      <form class="actions" method="post" action={ofAgent(agent.id, 'stop')}>
        <button class="danger">Stop, let {counted(running, 'item')} finish</button>
        <button class="danger" name="in_flight" value="abort">
          Stop now, abort {counted(running, 'item')}
        </button>
        <a class="button" href={ofAgent(agent.id)}>
          Let it run
        </a>
      </form>
    </>
  )
}

export const stopAgent = action({
  path: '/dashboard/agents/{agentId}/stop',
  least: 'operator',
  form: z.strictObject({ in_flight: z.enum(['finish', 'abort']).default('finish') }),
  async act({ api, params }, body) {
    const { agent, runs, isAll } = await openRuns(api, params.agentId)
    const { done, refused } = await each(
      runs.map(run => run.id),
      async runId => void (await api.POST('/v2/runs/{runId}/cancel', { params: { path: { runId } }, body })),
    )
    const [first] = refused
    const rest =
      first === undefined ? '' : ` ${counted(refused.length, 'run')} could not be: ${first.message}`
    const more = isAll ? '' : ' More may be open: stop it again.'
    const ends =
      body.in_flight === 'abort' ? 'what was in flight was aborted' : 'items in flight still finish'
    return {
      to: ofProject(agent.project_id, `runs?agent=${agent.slug}`),
      said: `${counted(done.length, 'run')} cancelled; ${ends}.${rest}${more}`,
    }
  },
})
