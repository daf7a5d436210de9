import { estimateRun } from '../../shared/claims/verbs/estimate.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { findRunVersions } from '../../shared/items/queries/run-versions.ts'
import { codeVersionOf } from '../../shared/items/wire/code-versions.ts'
import { Run, type RunRow, runOf } from '../../shared/items/wire/runs.ts'
import { withRecovered } from '../../shared/recovery/queries/recovered.ts'
import { estimateAnswer } from '../../shared/upstreams/wire/estimate.ts'

export const getRun = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}',
  tag: 'Runs',
  operation_id: 'getRun',
  summary: 'Get the rollup of a run',
  description:
    'How far it is and how it went: a run can be `completed` and `degraded`. Of an open run also how long it still takes.',
  auth: 'any',
  params: { runId: 'run' },
  answers: { 200: { description: 'The run.', schema: Run } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const [run] = (await withRecovered(ctx.sql, [await runIn(ctx, principal, params.runId)])) as [RunRow]
    const key = { project_id: run.project_id, run_id: run.id }
    const estimate = run.finished_at === null ? await estimateRun(ctx.sql, key) : undefined
    const code_versions = (await findRunVersions(ctx.sql, run)).map(codeVersionOf)
    return {
      ...runOf(run),
      code_versions,
      ...(estimate && { estimate: estimateAnswer(estimate, ctx.now()) }),
    }
  },
})
