import * as z from 'zod'
import { listAlertSettings } from '../../shared/alerts/queries/alerts.ts'
import { AlertRuleSetting, alertRulesOf } from '../../shared/alerts/wire/alerts.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'

export const listAlertRules = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/alert-rules',
  tag: 'Projects',
  operation_id: 'listAlertRules',
  summary: "List a project's alert rules",
  description: 'Every rule as it holds for the project, then what is set for single agents.',
  auth: 'any',
  params: { projectId: 'project' },
  answers: { 200: { description: 'The rules.', schema: z.array(AlertRuleSetting) } },
  errors: [],
  async handle({ ctx, principal, params }) {
    await projectIn(ctx, principal, params.projectId)
    return alertRulesOf(await listAlertSettings(ctx.db, params.projectId))
  },
})
