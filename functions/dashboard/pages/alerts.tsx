// What went wrong without anybody asking, which of it is told, and to whom.

import * as z from 'zod'
import { ALERT_RULES, ALERT_STATES } from '../../../shared/outbox/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Field } from '../parts/form.tsx'
import { List, Pager } from '../parts/list.tsx'
import { When } from '../parts/text.tsx'
import { ofProject, ofRun, ofSchedule } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { action, page } from '../shell/page.ts'
import { Channels } from './alert-channels.tsx'
import { Deadlines } from './deadlines.tsx'

type Alert = Schemas['Alert']
type Rule = Schemas['AlertRule']

export const alertsPage = page({
  path: '/dashboard/projects/{projectId}/alerts',
  query: z.strictObject({
    rule: z.enum([...ALERT_RULES, '']).optional(),
    state: z.enum([...ALERT_STATES, '']).optional(),
    cursor: z.string().optional(),
  }),
  async show({ api, params, query, request, ctx, member }) {
    const project_id = params.projectId
    const [{ data }, { data: rules = [] }, { data: channels = [] }, { data: deadlines = [] }] =
      await Promise.all([
        api.GET('/v1/alerts', { params: { query: { project_id, ...defined(query) } } }),
        api.GET('/v1/projects/{projectId}/alert-rules', { params: { path: params } }),
        api.GET('/v1/projects/{projectId}/alert-channels', { params: { path: params } }),
        api.GET('/v1/projects/{projectId}/deadlines', { params: { path: params } }),
      ])
    const mayChange = member.role !== 'viewer'
    return {
      title: 'Alerts',
      project_id,
      menu: 'alerts',
      cli: 'assay alerts',
      live: query.cursor === undefined ? { every_s: 15 } : undefined,
      body: (
        <>
          <h1>Alerts</h1>
          <AlertList alerts={data!.alerts} now={ctx.now()} />
          <Pager request={request} next={data!.next_cursor} />
          <h2>Where they go</h2>
          <Channels project_id={project_id} channels={channels} mayChange={mayChange} />
          <h2>Deadlines</h2>
          <Deadlines project_id={project_id} deadlines={deadlines} mayChange={mayChange} />
          <h2>Rules</h2>
          <Rules project_id={project_id} rules={rules} mayChange={mayChange} />
        </>
      ),
    }
  },
})

const AlertList = ({ alerts, now }: { alerts: readonly Alert[]; now: number }) => (
  <List
    id="alerts"
    rows={alerts}
    columns={[
      {
        label: 'What happened',
        cell: one => (
          <>
            {one.run_id ? (
              <a href={ofRun(one.run_id)}>{one.message}</a>
            ) : one.schedule_id ? (
              <a href={ofSchedule(one.schedule_id)}>{one.message}</a>
            ) : (
              one.message
            )}
            <br />
            <span class="dim">{one.advice}</span>
          </>
        ),
      },
      { label: 'Do', cell: one => <code>{one.command}</code> },
      {
        label: 'State',
        cell: one =>
          one.resolved_at === null ? (
            'open'
          ) : (
            <>
              resolved <When at={one.resolved_at} now={now} />
            </>
          ),
      },
      { label: 'Since', cell: one => <When at={one.since} now={now} /> },
    ]}
    empty={
      <p>No alert. A rule alerts once about a schedule, an agent or a project until that is resolved.</p>
    }
  />
)

const Rules = ({
  project_id,
  rules,
  mayChange,
}: {
  project_id: string
  rules: readonly Rule[]
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
            {rule.about} {rule.agent_id && <span class="dim">For one agent.</span>}
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
          ),
      },
    ]}
    empty={<p>There are no rules.</p>}
  />
)

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

/** An emptied field is no zero: NaN goes out as null, which the API refuses by name. */
const boundOf = (text: unknown) => (text === '' ? Number.NaN : Number(text))
