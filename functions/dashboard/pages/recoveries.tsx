// The recoveries of a project, their progress, and aborting one.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { isOver, sayStage, sayStanding, sayWarnings } from '../../../shared/view/recovery.ts'
import { ACTION_VERBS, actionOn } from '../parts/action-words.ts'
import { namesOfCohorts } from '../parts/cohort-names.ts'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { NextSteps, Tried, triedItems } from '../parts/recovery-report.tsx'
import { Crumb, count, money, When } from '../parts/text.tsx'
import { ofProject, ofRecovery, ofRun } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

type Recovery = Schemas['Recovery']

const LIVE_S = 3

export const recoveriesPage = page({
  path: '/dashboard/projects/{projectId}/recoveries',
  query: z.strictObject({ cursor: z.string().optional() }),
  async show({ api, params: { projectId: project_id }, query, request, now }) {
    const asked = { params: { query: { project_id, ...defined(query) } } }
    const { data = [], response } = await api.GET('/v1/recoveries', asked)
    const { words } = await namesOfCohorts(
      api,
      data.map(one => one.filter),
    )
    return {
      title: 'Recoveries',
      project_id,
      menu: 'triage',
      cli: 'assay recoveries',
      live: data.every(isOver) ? undefined : { every_s: LIVE_S },
      body: (
        <>
          <Crumb href={ofProject(project_id, 'triage')}>Triage</Crumb>
          <h1>Recoveries</h1>
          <List
            id="recoveries"
            rows={data}
            columns={[
              {
                label: 'Recovery',
                cell: one => <a href={ofRecovery(one.id)}>{one.name ?? words(one.filter)}</a>,
              },
              { label: 'What', cell: one => ACTION_VERBS[one.action] },
              { label: 'State', cell: sayStanding },
              { label: 'Worked', numeric: true, cell: one => count(one.ok) },
              { label: 'Still fail', numeric: true, cell: one => count(one.degraded + one.failed) },
              { label: 'Unchanged', numeric: true, cell: one => count(one.unchanged) },
              { label: 'Cost', numeric: true, cell: sayCost },
              { label: 'By', cell: one => one.created_by !== null && <bdi>{one.created_by}</bdi> },
              { label: 'Made', numeric: true, cell: one => <When at={one.created_at} now={now} /> },
            ]}
            empty={
              <p>
                Nothing was acted on as a whole yet. In triage, choose what has the same cause and replay or
                dismiss it.
              </p>
            }
          />
          <Pager request={request} next={nextOf(response)} />
        </>
      ),
    }
  },
})

export const recoveryProgressPage = page({
  path: '/dashboard/recoveries/{recoveryId}',
  async show({ api, params, mayChange: mayAct }) {
    const { data } = await api.GET('/v1/recoveries/{recoveryId}', { params: { path: params } })
    const recovery = data!
    const [{ words }, tried] = await Promise.all([
      namesOfCohorts(api, [recovery.filter]),
      triedItems(api, recovery),
    ])
    const name = recovery.name ?? actionOn(recovery.action, words(recovery.filter))
    return {
      title: name,
      project_id: recovery.project_id,
      menu: 'triage',
      cli: `assay recoveries ${recovery.id}`,
      live: isOver(recovery) ? undefined : { every_s: LIVE_S },
      body: (
        <>
          <Crumb href={ofProject(recovery.project_id, 'recoveries')}>Recoveries</Crumb>
          <h1>{name}</h1>
          <section id="standing" data-live>
            <p class="lead">{sayStanding(recovery)}.</p>
            <OfCause recovery={recovery} />
            <ul>
              {recovery.stages.map(stage => (
                <li>
                  {sayStage(stage, recovery)}
                  {stage.run_ids.map((run_id, i) => (
                    <>
                      {' '}
                      <a href={ofRun(run_id)}>{stage.run_ids.length === 1 ? 'The run' : `Run ${i + 1}`}</a>
                    </>
                  ))}
                </li>
              ))}
              {sayWarnings(recovery).map(warning => (
                <li>{warning}</li>
              ))}
              {recovery.paused > 0 && <li>{count(recovery.paused)} held</li>}
              {recovery.action === 'replay' && <li>{sayCost(recovery)} spent</li>}
            </ul>
          </section>
          <div id="next" data-live>
            {mayAct && !isOver(recovery) && recovery.status !== 'aborting' && <Abort recovery={recovery} />}
            <NextSteps recovery={recovery} mayAct={mayAct} />
          </div>
          <Tried items={tried} />
        </>
      ),
    }
  },
})

const OfCause = ({ recovery: { filter, project_id } }: { recovery: Recovery }) =>
  filter.cause_id ? (
    <p>
      <a href={ofProject(project_id, `causes/${filter.cause_id}`)}>Its cause</a>
    </p>
  ) : (
    ''
  )

const Abort = ({ recovery }: { recovery: Recovery }) => (
  <form class="actions" method="post" action={ofRecovery(recovery.id, 'abort')}>
    <button class="danger" data-asks>
      Abort
    </button>
    <span class="dim">
      {recovery.action === 'replay'
        ? 'Items at work finish; what did not run waits in triage again.'
        : 'What was decided stays so; the rest waits in triage.'}
    </span>
  </form>
)

export const abortRecovery = action({
  path: '/dashboard/recoveries/{recoveryId}/abort',
  async act({ api, params }) {
    await api.POST('/v1/recoveries/{recoveryId}/abort', { params: { path: params } })
    return { to: ofRecovery(params.recoveryId), said: 'The recovery is being aborted.' }
  },
})

const sayCost = ({ cost_usd, unpriced_item_count }: Recovery): string =>
  (unpriced_item_count > 0 ? 'at least ' : '') + money(cost_usd)
