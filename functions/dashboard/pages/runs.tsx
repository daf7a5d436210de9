// The runs of a project, newest first, with whether each ran and whether it worked.

import type { Child } from 'hono/jsx'
import * as z from 'zod'
import { OUTCOMES, RUN_STATUSES } from '../../../shared/items/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { runName } from '../../../shared/view/run.ts'
import { sayStarter } from '../../../shared/view/start.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { among, anyAmong, Choice } from '../parts/choice.tsx'
import { Field } from '../parts/form.tsx'
import { figure, List, nextOf, Pager } from '../parts/list.tsx'
import { MiniBars } from '../parts/mini-bars.tsx'
import { notOk } from '../parts/run-groups.ts'
import { readSavedViews, SavedViews } from '../parts/saved-views.tsx'
import { ShareOk } from '../parts/share-ok.tsx'
import { Tags } from '../parts/tags.tsx'
import { Code, count, money, RunState, statusWord, When } from '../parts/text.tsx'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

const DAY_MS = 86_400_000
const day = z.literal('').or(z.iso.date()).optional()

const VERDICTS = { '': 'any', not_ok: 'not ok', ok: 'ok', degraded: 'degraded', failed: 'failed' }
/** Where a run stands, by which its status alone does not ask. */
const STATES = ['held', 'open'] as const
const isState = (status: string | undefined): status is (typeof STATES)[number] =>
  STATES.some(one => one === status)
const STATUSES = { '': 'any', held: 'waits for you', open: 'open', ...among(RUN_STATUSES, statusWord) }

const RunsQuery = z.strictObject({
  agent: z.string().optional(),
  item_id: z.string().optional(),
  tag: z.string().optional(),
  status: z
    .literal('')
    .or(z.enum([...STATES, ...RUN_STATUSES]))
    .optional(),
  outcome: z
    .literal('')
    .or(z.enum([...OUTCOMES, 'not_ok']))
    .optional(),
  from: day,
  to: day,
  replay_of: z.uuid().optional(),
  cause_id: z.string().optional(),
  cursor: z.string().optional(),
})
type RunsQuery = z.output<typeof RunsQuery>

export const runsPage = page({
  path: '/dashboard/projects/{projectId}/runs',
  query: RunsQuery,
  async show({ api, params: { projectId: project_id }, query, request, member, now }) {
    const { agent, item_id, tag, status, outcome, from, to, replay_of, cause_id } = query
    const asked = defined({
      agent,
      item_id,
      tag,
      ...(isState(status) ? { state: status } : { status }),
      outcome,
      replay_of,
      cause_id,
      from: from && `${from}T00:00:00Z`,
      to: to && new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS).toISOString(),
      cursor: query.cursor,
    })
    const [{ data: runs = [], response }, { data: agents = [] }, views] = await Promise.all([
      api.GET('/v2/runs', {
        params: { query: { project_id, ...asked, limit: LIMITS.runs_shown } },
      }),
      agentsOf(api, project_id),
      readSavedViews(api, project_id, 'runs'),
    ])
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
            {member.role !== 'viewer' && (
              <a class="button primary" href={ofProject(project_id, 'submit')}>
                Submit items
              </a>
            )}
          </div>
          <SavedViews list="runs" {...{ views, project_id, request, member }} />
          <Filters query={query} agents={agents} />
          <OnlyThose query={query} project_id={project_id} />
          <Runs
            runs={runs}
            isWhole={query.cursor === undefined && nextOf(response) === null}
            now={now}
            empty={Object.keys(asked).length > 0 ? <NoneFound project_id={project_id} /> : <NoneYet />}
          />
          <Pager request={request} next={nextOf(response)} />
        </>
      ),
    }
  },
})

const Filters = ({ query, agents }: { query: RunsQuery; agents: readonly Schemas['Agent'][] }) => (
  <form class="filters" method="get">
    <Choice name="agent" label="Agent" options={anyAmong(agents.map(one => one.slug))} chosen={query.agent} />
    <Choice name="status" label="Ran" options={STATUSES} chosen={query.status} />
    <Choice name="outcome" label="Worked" options={VERDICTS} chosen={query.outcome} />
    <Field label="From (UTC)">
      <input name="from" type="date" value={query.from ?? ''} />
    </Field>
    <Field label="To (UTC)">
      <input name="to" type="date" value={query.to ?? ''} />
    </Field>
    <Field label="With item">
      <input name="item_id" value={query.item_id ?? ''} placeholder="your own item id" size={14} />
    </Field>
    <Field label="Tag">
      <input name="tag" value={query.tag ?? ''} maxlength={LIMITS.tag_characters} size={10} />
    </Field>
    {(['replay_of', 'cause_id'] as const).map(
      name => query[name] && <input type="hidden" name={name} value={query[name]} />,
    )}
    <button>Show</button>
  </form>
)

/** Names the filters that only links set. */
const OnlyThose = ({
  query: { replay_of, cause_id },
  project_id,
}: {
  query: RunsQuery
  project_id: string
}) =>
  (replay_of ?? cause_id) === undefined ? (
    ''
  ) : (
    <p id="only-those">
      {replay_of !== undefined && (
        <>
          Only replays of <a href={ofRun(replay_of)}>one run</a>.{' '}
        </>
      )}
      {cause_id !== undefined && (
        <>
          Only runs with items of <a href={ofProject(project_id, `causes/${cause_id}`)}>one cause</a>.{' '}
        </>
      )}
      <a href={ofProject(project_id, 'runs')}>Show all runs</a>
    </p>
  )

interface RunsProps {
  runs: readonly Schemas['Run'][]
  /** These are all the runs, so the page may sort them itself. */
  isWhole: boolean
  now: number
  empty: Child
}

const Runs = ({ runs, isWhole, now, empty }: RunsProps) => (
  <List<Schemas['Run']>
    id="runs"
    rows={runs}
    columns={[
      {
        label: 'Run',
        cell: run => (
          <>
            <a href={ofRun(run.id)}>{runName(run)}</a>{' '}
            <Tags of={run} list="" most={{ tags: 3, all: `${ofRun(run.id)}#tags` }} />
          </>
        ),
      },
      // One cell, since the page has a bound in bytes and each cell costs thirty for each of its runs.
      {
        label: 'Agent, started by',
        cell: run =>
          run.started_by === null ? run.agent_slug : `${run.agent_slug}, ${sayStarter(run.started_by)}`,
      },
      { label: 'Status', cell: run => <RunState of={run} /> },
      { label: 'Worked', cell: run => <ShareOk of={run} /> },
      { label: 'Ran / Worked', cell: run => <MiniBars run={run} /> },
      figure('Items', run => run.total_items, count, isWhole),
      figure('Not ok', notOk, count, isWhole),
      figure('To decide', run => run.undecided_count, count, isWhole),
      figure('Cost', run => run.cost_usd, money, isWhole),
      { label: 'Created', numeric: true, cell: run => <When at={run.created_at} now={now} /> },
    ]}
    empty={empty}
  />
)

const NoneFound = ({ project_id }: { project_id: string }) => (
  <p>
    No run passes these filters. <a href={ofProject(project_id, 'runs')}>Show all runs</a>
  </p>
)

const NoneYet = () => (
  <>
    <p>No run here yet. Items come from a file, a schedule, a webhook or your own code:</p>
    <Code>assay submit items.jsonl --agent my-agent --item-id id --watch</Code>
  </>
)
