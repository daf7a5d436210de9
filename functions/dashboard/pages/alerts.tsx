// What went wrong without anybody asking, which of it is told, and to whom.

import { z } from 'zod'
import {
  ALERT_RULES,
  ALERT_STATES,
  CHANNEL_DIGESTS,
  CHANNEL_FORMATS,
} from '../../../shared/domain/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofDelivery, ofProject, ofRun, ofSchedule } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { action, page } from '../frame/page.ts'
import { Field } from '../parts/form.tsx'
import { List, Pager } from '../parts/list.tsx'
import { When } from '../parts/text.tsx'

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

const Channels = ({
  project_id,
  channels,
  mayChange,
}: {
  project_id: string
  channels: readonly Schemas['AlertChannel'][]
  mayChange: boolean
}) => (
  <>
    <List
      id="channels"
      rows={channels}
      columns={[
        { label: 'To', cell: one => one.url },
        { label: 'Format', cell: one => one.format },
        { label: 'Digests of runs', cell: one => one.digest },
        {
          label: '',
          cell: one =>
            mayChange && (
              <form method="post" action={ofProject(project_id, `alert-channels/${one.id}/test`)}>
                <button>Send a test</button>
              </form>
            ),
        },
        {
          label: '',
          numeric: true,
          cell: one =>
            mayChange && (
              <form method="post" action={ofProject(project_id, `alert-channels/${one.id}/delete`)}>
                <button>Remove</button>
              </form>
            ),
        },
      ]}
      empty={<p>Nowhere but here. Add a webhook or an address, so that nobody has to look.</p>}
    />
    {mayChange && (
      <form class="filters" method="post" action={ofProject(project_id, 'alert-channels')}>
        <Field label="Webhook, or mailto: and an address">
          <input name="url" required placeholder="https://example.com/alerts" />
        </Field>
        <Field label="Format">
          <select name="format">
            <option value="">as the URL tells</option>
            {CHANNEL_FORMATS.map(format => (
              <option value={format}>{format}</option>
            ))}
          </select>
        </Field>
        <Field label="Digests of runs">
          <select name="digest">
            {CHANNEL_DIGESTS.map(digest => (
              <option value={digest} selected={digest === 'scheduled'}>
                {digest}
              </option>
            ))}
          </select>
        </Field>
        <button class="primary">Add</button>
      </form>
    )}
  </>
)

const Deadlines = ({
  project_id,
  deadlines,
  mayChange,
}: {
  project_id: string
  deadlines: readonly Schemas['Deadline'][]
  mayChange: boolean
}) => (
  <>
    <List
      id="deadlines"
      rows={deadlines}
      columns={[
        { label: 'What', cell: one => [one.agent_slug, one.cron].filter(Boolean).join(' ') },
        { label: 'Finished by', cell: one => `${one.finished_by} ${one.timezone}` },
        {
          label: '',
          numeric: true,
          cell: one =>
            mayChange && (
              <form method="post" action={ofProject(project_id, `deadlines/${one.id}/delete`)}>
                <button>Remove</button>
              </form>
            ),
        },
      ]}
      empty={<p>Nothing must have finished by a time of day. Set one, and silence is told too.</p>}
    />
    {mayChange && (
      <form class="filters" method="post" action={ofProject(project_id, 'deadlines')}>
        <Field label="Agent (its slug)">
          <input name="agent" required placeholder="nightly" />
        </Field>
        <Field label="Cron of its schedule; leave empty for any run">
          <input name="cron" placeholder="0 2 * * *" />
        </Field>
        <Field label="Finished by">
          <input name="finished_by" required placeholder="06:30" />
        </Field>
        <Field label="Time zone; the schedule's own unless told">
          <input name="timezone" placeholder="Europe/Berlin" />
        </Field>
        <button class="primary">Set</button>
      </form>
    )}
  </>
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

export const addAlertChannel = action({
  path: '/dashboard/projects/{projectId}/alert-channels',
  form: z.strictObject({
    url: z.string(),
    format: z.enum([...CHANNEL_FORMATS, '']).optional(),
    digest: z.enum(CHANNEL_DIGESTS).optional(),
  }),
  async act({ api, params }, { url, ...more }) {
    const body = { url, ...defined(more) }
    await api.POST('/v1/projects/{projectId}/alert-channels', { params: { path: params }, body })
    return { to: ofProject(params.projectId, 'alerts'), said: `Alerts go to ${body.url} from now on.` }
  },
})

export const removeAlertChannel = action({
  path: '/dashboard/projects/{projectId}/alert-channels/{channelId}/delete',
  async act({ api, params }) {
    const { data } = await api.DELETE('/v1/projects/{projectId}/alert-channels/{channelId}', {
      params: { path: params },
    })
    const to = ofProject(params.projectId, 'alerts')
    const undo = { action: ofProject(params.projectId, 'alert-channels'), fields: { url: data!.url } }
    return { to, said: `Nothing goes to ${data!.url} any more.`, undo }
  },
})

export const testAlertChannel = action({
  path: '/dashboard/projects/{projectId}/alert-channels/{channelId}/test',
  async act({ api, params }) {
    const { data } = await api.POST('/v1/projects/{projectId}/alert-channels/{channelId}/test', {
      params: { path: params },
    })
    return { to: ofDelivery(data!.delivery_id), said: 'A test message is on its way.' }
  },
})

export const setDeadline = action({
  path: '/dashboard/projects/{projectId}/deadlines',
  least: 'operator',
  form: z.strictObject({
    agent: z.string(),
    cron: z.string().optional(),
    finished_by: z.string(),
    timezone: z.string().optional(),
  }),
  async act({ api, params }, { agent, cron, ...more }) {
    const project_id = params.projectId
    const to = ofProject(project_id, 'alerts')
    const { data: agents = [] } = await api.GET('/v1/agents', { params: { query: { project_id } } })
    const agent_id = agents.find(one => one.slug === agent.trim())?.id
    if (agent_id === undefined) return { to, said: `There is no agent ${agent}.` }
    let of: { agent_id: string } | { schedule_id: string } = { agent_id }
    if (cron !== undefined && cron.trim() !== '') {
      const { data } = await api.GET('/v1/schedules', { params: { query: { agent_id } } })
      const schedule = data!.find(one => one.cron === cron.trim())
      if (schedule === undefined) return { to, said: `Agent ${agent} has no schedule ${cron}.` }
      of = { schedule_id: schedule.id }
    }
    const body = { ...of, finished_by: more.finished_by, ...defined({ timezone: more.timezone }) }
    await api.POST('/v1/projects/{projectId}/deadlines', { params: { path: params }, body })
    return { to, said: `${agent} must have finished by ${more.finished_by}.` }
  },
})

export const removeDeadline = action({
  path: '/dashboard/projects/{projectId}/deadlines/{deadlineId}/delete',
  async act({ api, params }) {
    await api.DELETE('/v1/projects/{projectId}/deadlines/{deadlineId}', { params: { path: params } })
    return { to: ofProject(params.projectId, 'alerts'), said: 'The deadline is gone.' }
  },
})
