import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { recountRun } from '../../shared/items/queries/verify.ts'
import { Verification, verificationOf } from '../../shared/items/wire/verify.ts'
import { recountBudgets } from '../../shared/prices/queries/budgets.ts'
import { tallyOf } from '../../shared/prices/rules/budgets.ts'

export const verifyRun = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}/verify',
  tag: 'Runs',
  operation_id: 'verifyRun',
  summary: 'Prove that no item of a run was lost or counted twice',
  description:
    'Counts items and steps again and compares them with the counters of the run, all in one snapshot.',
  auth: 'any',
  heavy: true,
  params: { runId: 'run' },
  answers: { 200: { description: 'Both counts and where they differ.', schema: Verification } },
  errors: [],
  async handle({ ctx, principal, params }) {
    const run = await runIn(ctx, principal, params.runId)
    const [{ counters, recount }, budgets] = await Promise.all([
      recountRun(ctx.sql, { project_id: run.project_id, run_id: run.id }),
      recountBudgets(ctx.sql, run.id),
    ])
    return verificationOf(run.id, counters, recount, budgets.map(tallyOf))
  },
})
