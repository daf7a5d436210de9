import { updateProject as update } from '../../shared/accounts/verbs/projects.ts'
import { Project, projectOf } from '../../shared/accounts/wire/account.ts'
import { changedSettings } from '../../shared/accounts/wire/project-settings.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { projectIn } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { budgetCents, label } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { budgetChanges } from '../../shared/prices/wire/budgets.ts'

const Changes = z
  .strictObject({
    name: label(LIMITS.name_characters, 'For example production.').optional(),
    credit_cents: budgetCents
      .nullable()
      .optional()
      .describe('Money the project may spend in all; null is no bound.'),
    ...changedSettings,
    ...budgetChanges,
  })
  .refine(changes => Object.keys(changes).length > 0, 'must change something')

export const updateProject = endpoint({
  method: 'patch',
  path: '/v1/projects/{projectId}',
  tag: 'Projects',
  operation_id: 'updateProject',
  summary: 'Change a project',
  description:
    'Only what is named changes; a limit that is null goes back to what the installation sets. Holds for every further request and item within five seconds.',
  auth: 'session',
  role: 'owner',
  atomic: true,
  params: { projectId: 'project' },
  body: Changes,
  answers: { 200: { description: 'The project.', schema: Project } },
  errors: ['quota_exceeded'],
  async handle({ ctx, principal, params, body }) {
    await projectIn(ctx, principal, params.projectId)
    await update(ctx, params.projectId, body)
    return projectOf(await projectIn(ctx, principal, params.projectId))
  },
})
