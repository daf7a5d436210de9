// One agent: its versions, its budgets, and a run by hand.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { REPORT_CALLS, sayCalls } from '../../../shared/view/model-calls.ts'
import { checkBudget } from '../parts/agent-budget.ts'
import { BudgetFields, BudgetLines } from '../parts/budget-lines.tsx'
import { VersionsOfAgent } from '../parts/code-versions.tsx'
import { Field, Sure } from '../parts/form.tsx'
import { InputFields, inputOf, propertiesOf } from '../parts/input-form.tsx'
import { List, nextOf, Pager } from '../parts/list.tsx'
import { AllowUnpriced } from '../parts/start-fields.tsx'
import { Code, cents, count, When } from '../parts/text.tsx'
import { ofAgent, ofItem, ofProject } from '../shell/addresses.ts'
import { bodyText, dollars, jsonText } from '../shell/form-values.ts'
import { action, type Entered, page, type View, type Visit } from '../shell/page.ts'

type Agent = Schemas['AgentRead']
type Deployment = Schemas['Deployment']

const AgentQuery = z.strictObject({ cursor: z.string().optional(), as: z.literal('json').optional() })

export const agentPage = page({
  path: '/dashboard/agents/{agentId}',
  query: AgentQuery,
  show: visit => agentView(visit),
})

/** The agent's page; its form for a run keeps what was entered. */
async function agentView(
  { api, params, query, request, ctx, mayChange }: Visit<{ agentId: string }, z.output<typeof AgentQuery>>,
  entered: Entered = {},
): Promise<View> {
  const { as, ...at } = query
  const [{ data }, { data: deployments = [], response }] = await Promise.all([
    api.GET('/v1/agents/{agentId}', { params: { path: params } }),
    api.GET('/v1/agents/{agentId}/deployments', { params: { path: params, query: defined(at) } }),
  ])
  const agent = data!
  const current = deployments.find(one => one.is_current)
  return {
    title: agent.slug,
    project_id: agent.project_id,
    menu: 'agents',
    cli: `assay deployments ${agent.slug}`,
    body: (
      <>
        <div class="head">
          <div>
            <h1>{agent.name}</h1>
            <p>{agent.description}</p>
            <p class="dim">
              <code>{agent.slug}</code> ·{' '}
              <a href={`${ofProject(agent.project_id, 'runs')}?agent=${agent.slug}`}>its runs</a> ·{' '}
              <a href={`${ofProject(agent.project_id, 'schedules')}?agent_id=${agent.id}`}>its schedules</a> ·{' '}
              <a href={`${ofProject(agent.project_id, 'triggers')}?agent_id=${agent.id}`}>its triggers</a>
            </p>
          </div>
          {mayChange && <Acts agent={agent} isDeployed={current !== undefined} />}
        </div>
        {mayChange && current && (
          <RunNow agent={agent} current={current} asJson={as === 'json'} entered={entered} />
        )}
        <h2>Budgets</h2>
        <Budgets agent={agent} mayChange={mayChange} now={ctx.now()} />
        <h2>Versions</h2>
        <Deployments agent={agent} deployments={deployments} mayChange={mayChange} now={ctx.now()} />
        <Pager request={request} next={nextOf(response)} />
        <VersionsOfAgent versions={agent.code_versions} now={ctx.now()} />
      </>
    ),
  }
}

interface OfAgent {
  agent: Agent
  mayChange: boolean
  now: number
}

const Acts = ({ agent, isDeployed }: { agent: Agent; isDeployed: boolean }) => (
  <div class="actions">
    {isDeployed && (
      <a class="button primary" href={`${ofProject(agent.project_id, 'submit')}?agent=${agent.slug}`}>
        Submit items
      </a>
    )}
    <a class="button danger" href={ofAgent(agent.id, 'stop')}>
      Stop…
    </a>
    <Sure
      label="Delete"
      consequence="For good: its deployments, runs and items go too. Runs under way are cancelled."
      action={ofAgent(agent.id, 'delete')}
    />
  </div>
)

/** Where its calls are recorded, or there are none, nothing. */
const CallsNote = ({ agent: { model_calls } }: { agent: Agent }) => {
  const said = sayCalls(model_calls)
  return said === undefined ? null : (
    <p id="model-calls" class="v-degraded">
      {said[0]!.toUpperCase()}
      {said.slice(1)}. <span class="dim">{REPORT_CALLS}</span>
    </p>
  )
}

const Budgets = ({ agent, mayChange, now }: OfAgent) => (
  <>
    <CallsNote agent={agent} />
    <BudgetLines budgets={agent.budgets} now={now} />
    {agent.budgets.length === 0 && (
      <p class="dim">No budget by day or month. The project's budgets apply too.</p>
    )}
    {mayChange && (
      <details>
        <summary>Set</summary>
        <form class="stack" method="post" action={ofAgent(agent.id, 'budgets')}>
          <BudgetFields budgets={agent.budgets} entered={{}} />
          <div>
            <button>Save</button>
          </div>
        </form>
      </details>
    )}
  </>
)

export const setAgentBudgets = action({
  path: '/dashboard/agents/{agentId}/budgets',
  least: 'operator',
  form: z.strictObject({ day_budget_cents: dollars, month_budget_cents: dollars }),
  async act({ api, params }, body) {
    await api.PATCH('/v1/agents/{agentId}', { params: { path: params }, body })
    return { to: ofAgent(params.agentId), said: 'Saved.' }
  },
})

/** One run over one item, by hand. */
const RunNow = ({
  agent,
  current,
  asJson,
  entered,
}: {
  agent: Agent
  current: Deployment
  asJson: boolean
  entered: Entered
}) => {
  const isJson = asJson || entered.input !== undefined
  const properties = isJson ? undefined : propertiesOf(current.declaration.input_schema)
  return (
    <>
      <h2>Run it now</h2>
      <form class="stack" method="post" action={ofAgent(agent.id, 'run')}>
        {properties ? (
          <>
            <InputFields properties={properties} entered={entered} />
            <p class="dim">
              Or <a href={`${ofAgent(agent.id)}?as=json`}>write the input as JSON</a>.
            </p>
          </>
        ) : (
          <Field label="Input, as JSON">
            <textarea name="input" dir="auto" spellcheck={false} required>
              {entered.input ?? '{}'}
            </textarea>
          </Field>
        )}
        <Field label="Your own id of the item" hint="Leave empty to use the id that Assay gives it.">
          <input name="item_id" value={entered.item_id ?? ''} />
        </Field>
        <Field label="Budget in dollars" hint="Leave empty for no limit.">
          <input name="budget_usd" inputmode="decimal" value={entered.budget_usd ?? ''} />
        </Field>
        <AllowUnpriced checked={entered.allow_unpriced !== undefined} />
        <div>
          <button class="primary">Run</button>
        </div>
      </form>
    </>
  )
}

const Deployments = ({
  agent,
  deployments,
  mayChange,
  now,
}: OfAgent & { deployments: readonly Deployment[] }) => (
  <List
    id="deployments"
    rows={deployments}
    columns={[
      {
        label: 'Version',
        cell: one => (
          <>
            v{count(one.version)} {one.is_current && <b>current</b>}
          </>
        ),
      },
      { label: 'Runs as', cell: one => (one.kind === 'url' ? <code>{one.url}</code> : 'a bundle') },
      { label: 'Declares', cell: one => declared(one) },
      { label: 'Deployed', cell: one => <When at={one.created_at} now={now} /> },
      {
        label: '',
        numeric: true,
        cell: one =>
          mayChange &&
          !one.is_current && (
            <Sure
              label="Make it current"
              consequence="Runs from now on execute it, and its schedules and triggers become what it declares. Runs under way go on with theirs."
              action={ofAgent(agent.id, `deployments/${one.id}/promote`)}
            />
          ),
      },
    ]}
    empty={
      <>
        <p>Nothing is deployed: no run can start.</p>
        <Code>assay deploy agent.ts</Code>
      </>
    }
  />
)

function declared({ declaration, checks }: Deployment): string {
  const { schedules = [], triggers = [], item_budget_cents, retries, concurrency } = declaration
  const parts = [
    item_budget_cents === undefined ? '' : `${cents(item_budget_cents)} an item`,
    retries === undefined ? '' : `${count(retries)} ${retries === 1 ? 'retry' : 'retries'}`,
    concurrency === undefined ? '' : `${count(concurrency)} at once`,
    ...schedules.map(schedule => schedule.cron),
    ...triggers.map(trigger => trigger.name),
    checks.length === 0 ? '' : `checks ${checks.join(' ')}`,
  ]
  return parts.filter(Boolean).join(', ')
}

export const runAgent = action({
  path: '/dashboard/agents/{agentId}/run',
  least: 'operator',
  form: z.looseObject({
    input: jsonText.optional(),
    item_id: z.string(),
    budget_usd: dollars,
    allow_unpriced: z.string().optional(),
  }),
  again: (visit, entered) => {
    const request = new Request(new URL(ofAgent(visit.params.agentId), visit.request.url))
    return agentView({ ...visit, request, query: {} }, entered)
  },
  async act({ api, params }, { input, item_id, budget_usd, allow_unpriced: allowed, ...fields }) {
    const allow_unpriced = allowed !== undefined
    const budget_cents = budget_usd ?? undefined
    await checkBudget(api, { agent_id: params.agentId, budget_cents, allow_unpriced })
    const text = input ?? inputOf(await currentProperties(), fields)
    const { data } = await api.POST('/v1/agents/{agentId}/runs', {
      params: { path: params },
      body: { input: null },
      bodySerializer: () =>
        bodyText(defined({ item_id, budget_cents, ...(allow_unpriced && { allow_unpriced }) }), {
          input: text,
        }),
    })
    return { to: ofItem(data!.record_id), said: 'Its run was started.' }

    async function currentProperties() {
      const { data: deployments = [] } = await api.GET('/v1/agents/{agentId}/deployments', {
        params: { path: params },
      })
      return propertiesOf(deployments.find(one => one.is_current)?.declaration.input_schema) ?? []
    }
  },
})

export const promoteDeployment = action({
  path: '/dashboard/agents/{agentId}/deployments/{deploymentId}/promote',
  async act({ api, params }) {
    await api.POST('/v1/agents/{agentId}/deployments/{deploymentId}/promote', { params: { path: params } })
    return { to: ofAgent(params.agentId), said: 'The next run executes it.' }
  },
})

export const deleteAgent = action({
  path: '/dashboard/agents/{agentId}/delete',
  async act({ api, params }) {
    const { data } = await api.GET('/v1/agents/{agentId}', { params: { path: params } })
    await api.DELETE('/v1/agents/{agentId}', { params: { path: params } })
    return { to: ofProject(data!.project_id, 'agents'), said: `${data!.slug} is gone.` }
  },
})
