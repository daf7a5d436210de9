import * as z from 'zod'
import { listAlertChannels as list } from '../../shared/alerts/queries/alerts.ts'
import { AlertChannel, alertChannelOf } from '../../shared/alerts/wire/alerts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'

export const listAlertChannels = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/alert-channels',
  tag: 'Projects',
  operation_id: 'listAlertChannels',
  summary: "List where a project's alerts go",
  description: 'Webhooks and e-mail addresses, oldest first.',
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The channels.', schema: z.array(AlertChannel) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    return (await list(ctx.db, params.projectId)).map(alertChannelOf)
  },
})
