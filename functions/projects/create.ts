import * as z from 'zod'
import { createProject as create } from '../../shared/accounts/verbs/projects.ts'
import { Project, projectOf } from '../../shared/accounts/wire/account.ts'
import { newSettings } from '../../shared/accounts/wire/project-settings.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { budgetCents, label } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { budgetChanges } from '../../shared/prices/wire/budgets.ts'

export const createProject = endpoint({
  method: 'post',
  path: '/v1/projects',
  tag: 'Projects',
  operation_id: 'createProject',
  summary: 'Create a project',
  description: 'Agents, runs and keys belong to one project; what is done in one is not seen in another.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  body: z.strictObject({
    name: label(LIMITS.name_characters, 'For example production.'),
    ...newSettings,
    ...budgetChanges,
    credit_cents: budgetCents
      .nullable()
      .optional()
      .describe('Money the project may spend in all; null is no bound.'),
  }),
  answers: { 201: { description: 'The project.', schema: Project } },
  errors: ['quota_exceeded'],
  handle: async ({ ctx, principal, body }) =>
    projectOf(await create(ctx, { account_id: principal.account_id, ...body })),
})
