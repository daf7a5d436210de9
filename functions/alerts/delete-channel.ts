import { removeAlertChannel } from '../../shared/alerts/verbs/alerts.ts'
import { AlertChannel, alertChannelOf } from '../../shared/alerts/wire/alerts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'

export const deleteAlertChannel = endpoint({
  method: 'delete',
  path: '/v1/projects/{projectId}/alert-channels/{channelId}',
  tag: 'Projects',
  operation_id: 'deleteAlertChannel',
  summary: 'Stop sending alerts to a channel',
  description: 'Messages that were written before are still delivered.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project', channelId: 'alert channel' },
  answers: { 200: { description: 'The channel that was.', schema: AlertChannel } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    return alertChannelOf(await removeAlertChannel(ctx, params.projectId, params.channelId))
  },
})
