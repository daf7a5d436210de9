import { addAlertChannel } from '../../shared/alerts/verbs/alerts.ts'
import { AlertChannel, alertChannelOf, NewAlertChannel } from '../../shared/alerts/wire/alerts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'

export const createAlertChannel = endpoint({
  method: 'post',
  path: '/v1/projects/{projectId}/alert-channels',
  tag: 'Projects',
  operation_id: 'createAlertChannel',
  summary: "Send a project's alerts to a webhook or an e-mail address",
  description:
    'A webhook gets each alert, its end and the digests of runs as JSON, as blocks of Slack or as a card of Teams, signed and repeated like a callback. Mail takes an SMTP server, which whoever runs the installation names. The same URL added again is the channel it was, with what is said of it now.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project' },
  body: NewAlertChannel,
  answers: { 201: { description: 'The channel.', schema: AlertChannel } },
  errors: ['too_many_channels'],
  async handle({ ctx, principal, params, body }) {
    await projectIn(ctx, principal, params.projectId)
    return alertChannelOf(await addAlertChannel(ctx, params.projectId, body))
  },
})
