import * as z from 'zod'
import { listAlertSettings } from '../../shared/alerts/queries/alerts.ts'
import { setAlertRule } from '../../shared/alerts/verbs/alerts.ts'
import { AlertRuleChange, AlertRuleSetting, alertRulesOf } from '../../shared/alerts/wire/alerts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, projectIn } from '../../shared/http/scope.ts'
import { ApiError } from '../../shared/kernel/errors.ts'

export const updateAlertRule = endpoint({
  method: 'patch',
  path: '/v1/projects/{projectId}/alert-rules',
  tag: 'Projects',
  operation_id: 'updateAlertRule',
  summary: 'Set an alert rule',
  description: 'Mutes or enables a rule for all agents of the project, or for one of them.',
  auth: 'any',
  atomic: true,
  params: { projectId: 'project' },
  body: AlertRuleChange,
  answers: { 200: { description: 'The rules as they hold now.', schema: z.array(AlertRuleSetting) } },
  errors: [],
  async handle({ ctx, principal, params, body }) {
    await projectIn(ctx, principal, params.projectId)
    const agent = body.agent_id === undefined ? null : await agentIn(ctx, principal, body.agent_id)
    if (agent !== null && agent.project_id !== params.projectId) {
      throw new ApiError('invalid_request', 'Field "agent_id" names an agent of another project.')
    }
    await setAlertRule(ctx, params.projectId, body)
    return alertRulesOf(await listAlertSettings(ctx.db, params.projectId))
  },
})
