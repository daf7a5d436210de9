import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { tagRun } from '../../shared/items/verbs/tag-run.ts'
import { Run, runOf } from '../../shared/items/wire/runs.ts'
import { tags } from '../../shared/kernel/fields.ts'

export const updateRun = endpoint({
  method: 'patch',
  path: '/v2/runs/{runId}',
  tag: 'Runs',
  operation_id: 'updateRun',
  summary: 'Change the tags of a run',
  description: 'The list takes the place of the tags that it has. Nothing of how it runs changes.',
  auth: 'any',
  atomic: true,
  params: { runId: 'run' },
  body: z.strictObject({ tags }).openapi({ example: { tags: ['acme', 'checked'] } }),
  answers: { 200: { description: 'The run.', schema: Run } },
  errors: [],
  async handle({ ctx, principal, params, body }) {
    const { project_id, id: run_id } = await runIn(ctx, principal, params.runId)
    await tagRun(ctx, { project_id, run_id }, body.tags)
    return runOf(await runIn(ctx, principal, run_id))
  },
})
