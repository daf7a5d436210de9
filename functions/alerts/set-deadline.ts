import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, projectIn, scheduleIn } from '../../shared/http/scope.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { setDeadline as set } from '../../shared/schedules/verbs/deadlines.ts'
import { Deadline, deadlineOf, NewDeadline } from '../../shared/schedules/wire/deadlines.ts'

export const setDeadline = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/deadlines',
  tag: 'Projects',
  operation_id: 'setDeadline',
  summary: 'Set by when something must have finished each day',
  description:
    "A dead man's switch: when a schedule had an occurrence in the day before and its run has not ended, or an agent has no run of that day that ended, the rule not_finished alerts. There is one deadline for each schedule and each agent; setting it again changes it.",
  auth: 'any',
  atomic: true,
  params: { projectId: 'project' },
  body: NewDeadline,
  answers: { 201: { description: 'The deadline.', schema: Deadline } },
  errors: ['invalid_timezone', 'too_many_deadlines', 'not_found'],
  async handle({ ctx, principal, params, body }) {
    await projectIn(ctx, principal, params.projectId)
    const schedule =
      body.schedule_id === undefined ? undefined : await scheduleIn(ctx, principal, body.schedule_id)
    const agent = await agentIn(ctx, principal, schedule?.agent_id ?? body.agent_id!)
    if (agent.project_id !== params.projectId)
      throw new ApiError('invalid_request', 'The schedule or agent is one of another project.')
    const order = {
      project_id: params.projectId,
      agent_id: agent.id,
      schedule_id: schedule?.id ?? null,
      finished_by: body.finished_by,
      timezone: body.timezone ?? schedule?.timezone ?? 'UTC',
    }
    return deadlineOf(await set(ctx, order))
  },
})
