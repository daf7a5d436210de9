// What the forms of deadlines do: one is set and removed.

import * as z from 'zod'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { ofProject } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { action } from '../shell/page.ts'
import { alertsView } from './alerts.tsx'

export const setDeadline = action({
  path: '/dashboard/projects/{projectId}/deadlines',
  least: 'operator',
  form: z.strictObject({
    agent: z.string(),
    cron: z.string().optional(),
    finished_by: z.string(),
    timezone: z.string().optional(),
  }),
  again: (visit, entered) => alertsView(visit, {}, entered),
  async act({ api, params }, { agent, cron, ...more }) {
    const project_id = params.projectId
    const to = ofProject(project_id, 'alerts')
    const { data: agents = [] } = await api.GET('/v1/agents', { params: { query: { project_id } } })
    const agent_id = agents.find(one => one.slug === agent.trim())?.id
    if (agent_id === undefined)
      throw new ApiError('invalid_request', `Field "agent": there is no agent ${agent}.`)
    let of: { agent_id: string } | { schedule_id: string } = { agent_id }
    if (cron !== undefined && cron.trim() !== '') {
      const { data } = await api.GET('/v1/schedules', { params: { query: { agent_id } } })
      const schedule = data!.find(one => one.cron === cron.trim())
      if (schedule === undefined)
        throw new ApiError('invalid_request', `Field "cron": agent ${agent} has no schedule ${cron}.`)
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
