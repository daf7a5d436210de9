// All causes of a project, the most frequent first: why items did not work, or wait for somebody.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { runName } from '../../../shared/view/run.ts'
import { doubtOf } from '../../../shared/view/verdict.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { Causes } from '../parts/causes.tsx'
import { anyAmong, Choice } from '../parts/choice.tsx'
import { Field } from '../parts/form.tsx'
import { Pager } from '../parts/list.tsx'
import { runOf } from '../parts/run-reads.ts'
import { shellOptions } from '../parts/shell-options.ts'
import { Crumb, counted, many } from '../parts/text.tsx'
import { ofProject, ofRun, ROOT } from '../shell/addresses.ts'
import { cookieOf, LAST_PROJECT } from '../shell/browser-session.ts'
import { page } from '../shell/page.ts'

const STATES = { '': 'all', waiting: 'with items to decide' }

const filters = {
  run_id: z.string().optional(),
  agent: z.string().optional(),
  state: z.enum(['', 'waiting']).optional(),
}

type Asked = z.output<z.ZodObject<typeof filters>>

/** The causes of the project that was viewed last. */
export const causesOfLast = page({
  path: '/dashboard/causes',
  query: z.strictObject(filters),
  async show({ api, ctx, request }) {
    const { data: projects = [] } = await api.GET('/v1/projects')
    const last = cookieOf(ctx, request, LAST_PROJECT)
    const { id } = projects.find(one => one.id === last) ?? projects[0] ?? {}
    const location = id ? ofProject(id, 'causes') + new URL(request.url).search : `${ROOT}/projects`
    return new Response(null, { status: 303, headers: { location } })
  },
})

export const causesPage = page({
  path: '/dashboard/projects/{projectId}/causes',
  query: z.strictObject({ ...filters, cursor: z.string().optional() }),
  async show({ api, params: { projectId: project_id }, query, request, now, mayChange: mayAct }) {
    const { cursor, state, ...narrower } = query
    const filter = defined(narrower)
    const isFiltered = state === 'waiting' || Object.keys(filter).length > 0
    const [causes, { data: agents = [] }, judged, run] = await Promise.all([
      api.GET('/v1/causes', {
        params: {
          query: {
            project_id,
            ...filter,
            ...(state === 'waiting' && { waiting: 'true' as const }),
            ...defined({ cursor }),
            limit: LIMITS.causes_page,
          },
        },
      }),
      agentsOf(api, project_id),
      api.GET('/v1/verdicts', { params: { query: { project_id, limit: LIMITS.verdicts_page.max } } }),
      filter.run_id === undefined ? undefined : runOf(api, filter.run_id),
    ])
    const { rows, total, next_cursor } = causes.data!
    return {
      title: 'Causes',
      project_id,
      menu: 'triage',
      cli: `assay causes${shellOptions({ run: query.run_id, agent: query.agent })}`,
      body: (
        <>
          <Crumb href={ofProject(project_id, 'triage')}>Triage</Crumb>
          <h1>Causes</h1>
          <p class="dim">Why items did not work, or are held: similar ones are one cause.</p>
          <Filters query={query} agents={agents} />
          <Total total={total} run={run} all={isFiltered ? ofProject(project_id, 'causes') : undefined} />
          <Causes
            causes={rows}
            isWhole={query.cursor === undefined && next_cursor === null}
            project_id={project_id}
            {...(run && { run })}
            doubt={doubtOf(judged.data!.rows)}
            now={now}
            mayAct={mayAct}
          />
          {rows.length === 0 && <p class="empty">No item that fits has a cause.</p>}
          <Pager request={request} next={next_cursor} />
        </>
      ),
    }
  },
})

const Filters = ({ query, agents }: { query: Asked; agents: readonly Schemas['Agent'][] }) => (
  <form class="filters" method="get">
    <Choice name="state" label="Which" options={STATES} chosen={query.state} />
    <Choice name="agent" label="Agent" options={anyAmong(agents.map(one => one.slug))} chosen={query.agent} />
    <Field label="Run, by its id">
      <input name="run_id" value={query.run_id ?? ''} size={36} />
    </Field>
    <button>Show</button>
  </form>
)

interface TotalProps {
  total: number
  run: Schemas['Run'] | undefined
  /** Where causes are shown unfiltered; undefined where they are. */
  all: string | undefined
}

const Total = ({ total, run, all }: TotalProps) => (
  <p id="causes-total">
    {many(total, 'cause', LIMITS.causes_counted)}
    {run && (
      <>
        {' of '}
        <a href={ofRun(run.id)}>{runName(run)}</a>, {counted(run.total_items, 'item')}
      </>
    )}
    {all !== undefined && (
      <>
        {' · '}
        <a href={all}>Show all</a>
      </>
    )}
  </p>
)
