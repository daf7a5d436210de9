// The alerts of a project, their channels, deadlines and rules.

import * as z from 'zod'
import { ALERT_RULES, ALERT_STATES } from '../../../shared/alerts/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { Channels, GivenUp } from '../parts/alert-channels.tsx'
import { AlertList } from '../parts/alert-list.tsx'
import { Deadlines } from '../parts/deadlines.tsx'
import { Field, RoleRequired } from '../parts/form.tsx'
import { List, Pager } from '../parts/list.tsx'
import { ofProject } from '../shell/addresses.ts'
import { action, type Entered, page, type View, type Visit } from '../shell/page.ts'

type Rule = Schemas['AlertRule']

const AlertsQuery = z.strictObject({
  rule: z.enum([...ALERT_RULES, '']).optional(),
  state: z.enum([...ALERT_STATES, '']).optional(),
  cursor: z.string().optional(),
})

export const alertsPage = page({
  path: '/dashboard/projects/{projectId}/alerts',
  query: AlertsQuery,
  show: visit => alertsView(visit, visit.query),
})

type Asked = Visit<{ projectId: string }>

/** The alerts page; a refused form keeps what was entered. */
export async function alertsView(
  { api, params: { projectId: project_id }, request, now, mayChange }: Asked,
  query: z.output<typeof AlertsQuery> = {},
  entered: Entered = {},
): Promise<View> {
  const { alerts, next, rules, channels, deadlines, agents, schedules, givenUp } = await readAlerts(
    api,
    project_id,
    query,
  )
  return {
    title: 'Alerts',
    project_id,
    menu: 'alerts',
    cli: 'assay alerts',
    live: query.cursor === undefined ? { every_s: 15 } : undefined,
    body: (
      <>
        <h1>Alerts</h1>
        {!mayChange && <RoleRequired least="operator" />}
        <AlertList alerts={alerts} named={{ agents, schedules }} now={now} mayChange={mayChange} />
        <Pager request={request} next={next} />
        <h2>Where they go</h2>
        <GivenUp project_id={project_id} deliveries={givenUp} now={now} />
        <Channels project_id={project_id} channels={channels} mayChange={mayChange} entered={entered} />
        <h2>Deadlines</h2>
        <Deadlines {...{ project_id, deadlines, agents, schedules, mayChange, entered }} />
        <h2>Rules</h2>
        <Rules project_id={project_id} rules={rules} agents={agents} mayChange={mayChange} />
      </>
    ),
  }
}

async function readAlerts(api: Client, project_id: string, query: z.output<typeof AlertsQuery>) {
  const of_project = { params: { path: { projectId: project_id } } }
  const of = <Q extends object>(query: Q) => ({ params: { query: { project_id, ...query } } })
  const [alerts, rules, channels, deadlines, agents, schedules, givenUp] = await Promise.all([
    api.GET('/v1/alerts', of(defined(query))),
    api.GET('/v1/projects/{projectId}/alert-rules', of_project),
    api.GET('/v1/projects/{projectId}/alert-channels', of_project),
    api.GET('/v1/projects/{projectId}/deadlines', of_project),
    agentsOf(api, project_id),
    api.GET('/v1/schedules', of({ limit: LIMITS.schedules_page.max })),
    api.GET('/v1/deliveries', of({ state: 'failed' as const })),
  ])
  return {
    alerts: alerts.data!.alerts,
    next: alerts.data!.next_cursor,
    rules: rules.data ?? [],
    channels: channels.data ?? [],
    deadlines: deadlines.data ?? [],
    agents: agents.data ?? [],
    schedules: schedules.data ?? [],
    givenUp: givenUp.data!.deliveries,
  }
}

const Rules = ({
  project_id,
  rules,
  agents,
  mayChange,
}: {
  project_id: string
  rules: readonly Rule[]
  agents: readonly Schemas['Agent'][]
  mayChange: boolean
}) => (
  <List
    id="rules"
    rows={rules}
    columns={[
      {
        label: 'Rule',
        cell: rule => (
          <>
            {rule.about} {rule.agent_id && <b>Only {slugOf(agents, rule.agent_id)}.</b>}
            <br />
            <code class="dim">{rule.rule}</code>
          </>
        ),
      },
      {
        label: 'From',
        cell: rule =>
          !mayChange ? (
            [
              rule.enabled ? 'alerts' : 'muted',
              ...Object.entries(rule.bounds).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`),
            ].join(', ')
          ) : (
            <RuleForm project_id={project_id} rule={rule} />
          ),
      },
    ]}
    empty={<p>There are no rules.</p>}
  />
)

const RuleForm = ({ project_id, rule }: { project_id: string; rule: Rule }) => (
  <form class="filters" method="post" action={ofProject(project_id, 'alert-rules')}>
    <input type="hidden" name="rule" value={rule.rule} />
    {rule.agent_id && <input type="hidden" name="agent_id" value={rule.agent_id} />}
    {Object.entries(rule.bounds).map(([name, value]) => (
      <Field label={name.replaceAll('_', ' ')}>
        <input name={`bound:${name}`} inputmode="decimal" value={String(value)} />
      </Field>
    ))}
    <label class="inline">
      <input type="checkbox" name="enabled" checked={rule.enabled} /> alerts
    </label>
    <button>Set</button>
  </form>
)

const slugOf = (agents: readonly Schemas['Agent'][], agent_id: string) =>
  agents.find(one => one.id === agent_id)?.slug ?? 'a deleted agent'

export const setAlertRule = action({
  path: '/dashboard/projects/{projectId}/alert-rules',
  form: z.looseObject({
    rule: z.enum(ALERT_RULES),
    agent_id: z.string().optional(),
    enabled: z.literal('on').optional(),
  }),
  async act({ api, params }, { rule, agent_id, enabled, ...fields }) {
    const bounds = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name.replace(/^bound:/, ''), boundOf(value)]),
    )
    await api.PATCH('/v1/projects/{projectId}/alert-rules', {
      params: { path: params },
      body: { rule, enabled: enabled === 'on', bounds, ...defined({ agent_id }) },
    })
    return { to: ofProject(params.projectId, 'alerts'), said: `${rule} is ${enabled ? 'on' : 'muted'}.` }
  },
})

/** An empty field is not zero: NaN is sent as null, which the API refuses naming the field. */
const boundOf = (text: unknown) => (text === '' ? Number.NaN : Number(text))
