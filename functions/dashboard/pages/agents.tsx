// The agents of a project, and how each of them is doing.

import { okShare } from '../../../shared/items/rules/run-words.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { type Column, figure, List } from '../parts/list.tsx'
import { Code, count, money, When } from '../parts/text.tsx'
import { ofAgent, ofProject, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

export const agentsPage = page({
  path: '/dashboard/projects/{projectId}/agents',
  async show({ api, params: { projectId: project_id }, now }) {
    const { data: agents = [] } = await agentsOf(api, project_id, { activity: 'true' })
    return {
      title: 'Agents',
      project_id,
      menu: 'agents',
      cli: 'assay agents',
      body: (
        <>
          <h1>Agents</h1>
          <Agents {...{ agents, project_id, now }} />
        </>
      ),
    }
  },
})

type Agent = Schemas['ListedAgent']

const doing = (one: Agent) => one.activity!
const ended = (one: Agent) => doing(one).ok + doing(one).not_ok - doing(one).over_budget
/** -1 where no item ended: such agents sort last. */
const shareOk = (one: Agent) => (ended(one) === 0 ? -1 : doing(one).ok / ended(one))

const scoreOf = ({ ok, not_ok, over_budget }: Schemas['AgentActivity']) =>
  okShare({ ok, degraded: not_ok - over_budget, failed: 0 })

interface AgentsProps {
  agents: readonly Agent[]
  project_id: string
  now: number
}

/** The columns that agents can be sorted by. */
const figures = (project_id: string, now: number): Column<Agent>[] => [
  {
    label: 'Last run',
    numeric: true,
    value: one => Date.parse(doing(one).last_run?.created_at ?? '1970-01-01'),
    cell: one => <LastRun of={doing(one).last_run} now={now} />,
  },
  {
    ...figure('Worked, 7 days', shareOk),
    cell: one => (ended(one) === 0 ? <span class="dim">—</span> : `${scoreOf(doing(one))} ok`),
  },
  figure('Cost, 30 days', one => doing(one).cost_usd, money),
  figure('Open runs', one => doing(one).open_runs),
  {
    ...figure('Held items', (one: Agent) => doing(one).held),
    cell: one => <Held of={one} project_id={project_id} />,
  },
]

const Agents = ({ agents, project_id, now }: AgentsProps) => (
  <List
    id="agents"
    rows={agents}
    columns={[
      {
        label: 'Agent',
        cell: one => (
          <>
            <a href={ofAgent(one.id)}>{one.slug}</a>
            {one.description && <div class="dim">{one.description}</div>}
          </>
        ),
      },
      {
        label: 'Version',
        numeric: true,
        cell: one => (one.deployed_version === null ? <b>not deployed</b> : `v${one.deployed_version}`),
      },
      ...figures(project_id, now),
      {
        label: '',
        numeric: true,
        cell: one => <a href={ofProject(project_id, `runs?agent=${one.slug}`)}>Runs</a>,
      },
    ]}
    empty={<NoneYet />}
  />
)

const LastRun = ({ of: run, now }: { of: Schemas['AgentActivity']['last_run']; now: number }) =>
  run === null ? (
    <When at={null} now={now} />
  ) : (
    <a href={ofRun(run.id)}>
      <When at={run.created_at} now={now} />
    </a>
  )

const Held = ({ of: one, project_id }: { of: Agent; project_id: string }) =>
  doing(one).held === 0 ? (
    '0'
  ) : (
    <a href={ofProject(project_id, `triage?agent_id=${one.id}&kind=quarantine`)}>{count(doing(one).held)}</a>
  )

const NoneYet = () => (
  <>
    <p>No agent yet. Make one, try it, and deploy it:</p>
    <Code>{'assay init my-agent\ncd my-agent\nassay deploy agent.ts'}</Code>
  </>
)
