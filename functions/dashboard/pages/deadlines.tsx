// The actions of the deadlines' forms: set and remove a deadline.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { TIME_HINT, timeOfDay } from '../../../shared/view/time.ts'
import { ofProject } from '../shell/addresses.ts'
import { action } from '../shell/page.ts'
import { alertsView } from './alerts.tsx'

export const setDeadline = action({
  path: '/dashboard/projects/{projectId}/deadlines',
  least: 'operator',
  form: z.strictObject({
    of: z.string().regex(/^(agent|schedule):/, 'must be an agent or a schedule'),
    finished_by: z.string(),
    timezone: z.string().optional(),
  }),
  again: (visit, entered) => alertsView(visit, {}, entered),
  async act({ api, params }, { of, finished_by: typed, timezone }) {
    const finished_by = timeOfDay(typed)
    if (finished_by === undefined) throw new ApiError('invalid_request', `Field "finished_by": ${TIME_HINT}`)
    const [kind, id = ''] = of.split(':')
    const what = kind === 'agent' ? { agent_id: id } : { schedule_id: id }
    const body = { ...what, finished_by, ...defined({ timezone }) }
    await api.POST('/v1/projects/{projectId}/deadlines', { params: { path: params }, body })
    return { to: ofProject(params.projectId, 'alerts'), said: `It must have finished by ${finished_by}.` }
  },
})

export const removeDeadline = action({
  path: '/dashboard/projects/{projectId}/deadlines/{deadlineId}/delete',
  async act({ api, params }) {
    await api.DELETE('/v1/projects/{projectId}/deadlines/{deadlineId}', { params: { path: params } })
    return { to: ofProject(params.projectId, 'alerts'), said: 'The deadline is gone.' }
  },
})
