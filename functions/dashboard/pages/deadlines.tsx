// By when something must have finished: the part of the page of alerts that lists deadlines, and what its forms do.

import * as z from 'zod'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Field, Press } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { ofProject } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { action } from '../shell/page.ts'

export const Deadlines = ({
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
              <Press label="Remove" action={ofProject(project_id, `deadlines/${one.id}/delete`)} />
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
