import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { uuid } from '../../shared/kernel/fields.ts'
import { failureClusters } from '../../shared/triage/verbs/clusters.ts'
import { Clusters } from '../../shared/triage/wire/clusters.ts'

const DESCRIPTION = `All failed items (status failed or budget_exceeded), decided about or not, by what went wrong with what prompt. Two are in one cluster when they share their error_code and the first 200 characters of the canonicalized input prompt; those that are alone are counted under \`other\`, as are clusters beyond the 1,000 largest.

The prompt of an input is: a string itself; of an object the first of its fields \`prompt\`, \`messages\`, \`message\`, \`text\` that says anything (a string, or an array of messages whose \`content\` is a string or an array of parts with a \`text\`); of anything else its JSON with sorted keys. It is canonicalized by composing Unicode (NFC), folding runs of white space and control characters to one space, and trimming.

Cached for 30 seconds, but never beyond the next failure. Items a run's budget ended before they were dispatched count under \`other\` until the tick has read their inputs.`

export const listClusters = endpoint({
  method: 'get',
  path: '/v1/durable/runs/clusters',
  tag: 'Items',
  operation_id: 'listClusters',
  summary: 'List failure clusters',
  description: DESCRIPTION,
  auth: 'any',
  heavy: true,
  query: z.strictObject({ project_id: uuid('Only failures of this project.').optional() }),
  answers: { 200: { description: 'The clusters.', schema: Clusters } },
  errors: ['not_found'],
  async handle({ ctx, principal, query }) {
    const scope = await scopeOf(ctx, principal, query.project_id)
    const project_ids = await projectIdsOf(ctx.db, scope)
    return failureClusters(ctx, project_ids)
  },
})
