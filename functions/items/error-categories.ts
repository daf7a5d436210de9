import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { OUTCOMES } from '../../shared/items/vocabulary.ts'
import { timestamp } from '../../shared/kernel/answer-fields.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { countErrorCategories } from '../../shared/traces/queries/step-errors.ts'
import { catchUpSearch } from '../../shared/traces/verbs/index-steps.ts'
import { timeRange } from '../../shared/traces/wire/step-query.ts'

const ErrorCategory = z.object({
  outcome: z.enum(OUTCOMES),
  error_code: z.string().nullable().describe('Null where a step returned, but did not work.'),
  tool_name: z.string().nullable().describe('Null where the step is no tool call.'),
  outcome_reason: z.string().nullable(),
  steps: z.int().min(0).describe('Steps of this kind.'),
  last_at: timestamp,
})

import { checkPeriod } from '../../shared/http/validation.ts'

export const countStepErrors = endpoint({
  method: 'get',
  path: '/v1/steps/error-categories',
  tag: 'Items',
  operation_id: 'countStepErrors',
  summary: 'Count steps that did not work',
  description: `By error code, tool and reason, the most frequent first; the first ${LIMITS.error_categories} of them.`,
  auth: 'any',
  heavy: true,
  query: z.strictObject({ project_id: uuid('Only steps of this project.').optional(), ...timeRange }),
  answers: {
    200: {
      description: 'The counts.',
      schema: z
        .object({
          total_steps: z.int().min(0).describe('Steps that did not work, in all categories.'),
          categories: z.array(ErrorCategory),
        })
        .openapi('StepErrors'),
    },
  },
  errors: ['not_found'],
  prepare: ctx => catchUpSearch(ctx),
  async handle({ ctx, principal, query }) {
    const { project_id, from, to } = query
    checkPeriod(query)
    const scope = await scopeOf(ctx, principal, project_id)
    const project_ids = await projectIdsOf(ctx.db, scope)
    const { total_steps, categories } = await countErrorCategories(ctx.sql, {
      project_ids,
      from,
      to,
      limit: LIMITS.error_categories,
    })
    return {
      total_steps,
      categories: categories.map(one => ({ ...one, last_at: one.last_at.toISOString() })),
    }
  },
})
