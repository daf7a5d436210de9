// A project at a glance: latest runs, runs in progress, items that need a decision, and alerts.

import { okShare } from '../../../shared/items/rules/run-words.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { itemsWaiting } from '../../../shared/view/upstream.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { Attention } from '../parts/attention.tsx'
import { BudgetLines } from '../parts/budget-lines.tsx'
import { Causes } from '../parts/causes.tsx'
import { ChartDays } from '../parts/chart-days.tsx'
import { Fact } from '../parts/fact.tsx'
import { FirstOf } from '../parts/list.tsx'
import { ModelUsage } from '../parts/model-usage.tsx'
import { standingRecoveries } from '../parts/recovery-lines.tsx'
import { groupsOf } from '../parts/run-groups.ts'
import { RunGroups, RunLines } from '../parts/run-lists.tsx'
import { stoppedShort } from '../parts/stopped-runs.tsx'
import { Code, cents, count, counted, money, percent } from '../parts/text.tsx'
import { ofProject } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

type Activity = Schemas['Activity']
type Runs = readonly Schemas['Run'][]

interface Listed {
  project_id: string
  now: number
}

const RUNS_SHOWN = 10
/** The newest runs, in which runs of the same agent and name are grouped. */
const RUNS_GROUPED = 60
const CAUSES_SHOWN = 5
const ALERTS_SHOWN = 5
const MODELS_SHOWN = 5

export const overviewPage = page({
  path: '/dashboard/projects/{projectId}',
  async show({ api, params, now, mayChange: mayAct }) {
    const { projectId: project_id } = params
    const [project, activity, open, latest, causes, alerts, agents, usage, recoveries, upstreams] =
      await readOverview(api, project_id)
    const isNew = latest.data!.length === 0
    return {
      title: 'Overview',
      project_id,
      menu: '',
      cli: 'assay runs\nassay triage',
      live: { every_s: 10 },
      body: (
        <>
          <div class="head">
            <h1>{project.data!.name}</h1>
            {mayAct && (
              <a class="button primary" href={ofProject(project_id, 'submit')}>
                Submit items
              </a>
            )}
          </div>
          {isNew ? (
            <FirstSteps agent={agents.data![0]?.slug} />
          ) : (
            <>
              <Today activity={activity.data!} project={project.data!} now={now} />
              <Attention
                activity={activity.data!}
                alerts={alerts.data!.alerts}
                hasMoreAlerts={alerts.data!.next_cursor !== null}
                itemsWait={itemsWaiting(upstreams.data!, open.data!)}
                stopped={stoppedShort(latest.data!)}
                recoveries={recoveries}
                project_id={project_id}
                now={now}
                mayAct={mayAct}
              />
              <Charts activity={activity.data!} project_id={project_id} />
              <RunningNow open={open.data!} project_id={project_id} now={now} mayAct={mayAct} />
              <LatestRuns latest={latest.data!} project_id={project_id} now={now} />
              <WhyNot found={causes.data!} project_id={project_id} now={now} mayAct={mayAct} />
              <CostByModel models={usage.data!.models} project_id={project_id} />
            </>
          )}
        </>
      ),
    }
  },
})

const RunningNow = ({ open, project_id, now, mayAct }: Listed & { open: Runs; mayAct: boolean }) => {
  const inFlight = open.filter(run => run.queued + run.running > 0 || run.status === 'materializing')
  return (
    <div id="running-now" data-live>
      {inFlight.length > 0 && <h2>Running now</h2>}
      {inFlight.length > 0 && <RunLines runs={inFlight} now={now} mayAct={mayAct} />}
      {open.length === RUNS_SHOWN && (
        <p class="first-of">
          <span class="dim">Of the {RUNS_SHOWN} newest open runs, </span>
          {inFlight.length === 0
            ? 'none has items at work or queued. '
            : `${inFlight.length} have items at work or queued. `}
          <a href={ofProject(project_id, 'runs?status=open')}>All open runs</a>
        </p>
      )}
    </div>
  )
}

const LatestRuns = ({ latest, project_id, now }: Listed & { latest: Runs }) => {
  const groups = groupsOf(latest)
  const isWhole = latest.length < RUNS_GROUPED
  const of = `${counted(groups.length, 'group')}${isWhole ? '' : ` of the newest ${RUNS_GROUPED} runs`}`
  const shown = Math.min(groups.length, RUNS_SHOWN)
  return (
    <>
      <h2>Latest runs, those with most not ok first</h2>
      <RunGroups groups={groups.slice(0, RUNS_SHOWN)} now={now} />
      <FirstOf
        shown={shown}
        total={isWhole && shown === groups.length ? shown : of}
        noun="runs"
        href={ofProject(project_id, 'runs')}
      />
    </>
  )
}

type WhyNotProps = Listed & { found: Schemas['CausePage']; mayAct: boolean }

const WhyNot = ({ found: { rows, total }, project_id, now, mayAct }: WhyNotProps) => (
  <div id="why-not" data-live>
    {rows.length > 0 && <h2>Why items did not work</h2>}
    <Causes causes={rows} isWhole={rows.length === total} project_id={project_id} now={now} mayAct={mayAct} />
    <FirstOf shown={rows.length} total={total} noun="causes" href={ofProject(project_id, 'causes')} />
  </div>
)

function readOverview(api: Client, project_id: string) {
  const path = { projectId: project_id }
  const runs = (limit: number, state?: 'open') =>
    api.GET('/v2/runs', { params: { query: { project_id, limit, ...(state ? { state } : {}) } } })
  return Promise.all([
    api.GET('/v1/projects/{projectId}', { params: { path } }),
    api.GET('/v1/projects/{projectId}/activity', { params: { path } }),
    runs(RUNS_SHOWN, 'open'),
    runs(RUNS_GROUPED),
    api.GET('/v1/causes', { params: { query: { project_id, limit: CAUSES_SHOWN } } }),
    api.GET('/v1/alerts', { params: { query: { project_id, state: 'open', limit: ALERTS_SHOWN } } }),
    agentsOf(api, project_id),
    api.GET('/v1/projects/{projectId}/models', { params: { path, query: {} } }),
    standingRecoveries(api, project_id),
    api.GET('/v1/upstreams', { params: { query: { project_id } } }),
  ])
}

const replaysOf = ({ replayed, replayed_ok }: Activity['days'][number]) =>
  replayed > 0 && ` · ${count(replayed_ok)} of ${counted(replayed, 'replay')} ok`

const Today = ({
  activity,
  project,
  now,
}: {
  activity: Activity
  project: Schemas['Project']
  now: number
}) => {
  const today = activity.days.at(-1)!
  const failed = today.failed - today.over_budget
  const spent = project.spent_cents
  return (
    <dl class="facts" id="today" data-live>
      <Fact name="Submitted today (UTC)">
        {counted(today.items, 'item')} in {counted(today.runs, 'run')}
      </Fact>
      <Fact name="Ok, of what ran">
        {count(today.ok)} <span class="dim">({okShare({ ...today, failed }) ?? '–'})</span>
        {replaysOf(today)}
      </Fact>
      <Fact name="Not ok">
        {count(today.degraded)} degraded · {count(failed)} failed
        {today.over_budget > 0 && ` · ${count(today.over_budget)} over budget`}
      </Fact>
      <Fact name="Cost of today's runs">
        {today.unpriced_item_count > 0 && 'at least '}
        {money(today.cost_usd)}
      </Fact>
      <Fact name="Spent of credit">
        {cents(spent)}{' '}
        {project.credit_cents === null
          ? '(no limit)'
          : `of ${cents(project.credit_cents)} (${percent(spent, project.credit_cents)})`}
      </Fact>
      {project.budgets.length > 0 && (
        <Fact name={`Budgets (${project.timezone})`}>
          <BudgetLines budgets={project.budgets} now={now} />
        </Fact>
      )}
      <Fact name="At work now">
        {count(project.running)} of at most {count(project.concurrency)}{' '}
        <a href={ofProject(project.id, 'health')}>What limits it</a>
      </Fact>
    </dl>
  )
}

const Charts = ({ activity, project_id }: { activity: Activity; project_id: string }) => (
  <div class="charts">
    <ChartDays
      id="items-by-day"
      title="Items by day"
      show={count}
      href={day => runsOf(project_id, day)}
      days={activity.days.map(day => ({
        day: day.day,
        parts: [
          { kind: 'ok', label: 'ok', value: day.ok },
          { kind: 'degraded', label: 'degraded', value: day.degraded },
          { kind: 'failed', label: 'failed', value: day.failed },
        ],
      }))}
    />
    <ChartDays
      id="spend-by-day"
      title="Cost by day"
      show={money}
      href={day => runsOf(project_id, day)}
      days={activity.days.map(day => ({
        day: day.day,
        parts: [{ kind: 'running', label: 'cost', value: day.cost_usd }],
      }))}
    />
  </div>
)

const runsOf = (project_id: string, day: string) => `${ofProject(project_id, 'runs')}?from=${day}&to=${day}`

const CostByModel = ({
  models,
  project_id,
}: {
  models: readonly Schemas['ModelUsage'][]
  project_id: string
}) =>
  models.length === 0 ? (
    ''
  ) : (
    <>
      <h2>Cost by agent and model, the last {LIMITS.model_usage_days.default} days</h2>
      <ModelUsage models={models.slice(0, MODELS_SHOWN)} />
      <FirstOf
        shown={Math.min(models.length, MODELS_SHOWN)}
        total={models.length}
        noun="models"
        href={ofProject(project_id, 'models')}
      />
    </>
  )

const FirstSteps = ({ agent }: { agent: string | undefined }) => (
  <div class="empty">
    <p>Nothing has run here yet. Three steps lead to the first verdicts:</p>
    <ol>
      <li>
        {agent === undefined ? 'Deploy an agent' : `Deploy an agent (${agent} is there already)`}
        <Code>assay deploy agent.ts</Code>
      </li>
      <li>
        Submit items, one JSON object a line
        <Code>assay submit items.jsonl --agent {agent ?? 'my-agent'} --item-id id</Code>
      </li>
      <li>
        Watch them here, or in the terminal
        <Code>assay watch RUN</Code>
      </li>
    </ol>
  </div>
)
