import { findCurrentDeployment } from '../../shared/agents/queries/deployments.ts'
import { checksOf } from '../../shared/agents/rules/deploy-plan.ts'
import type { Context } from '../../shared/context.ts'
import { findRecordedItems } from '../../shared/grading/queries/recorded-calls.ts'
import type { GradeChoices } from '../../shared/grading/rules/grading.ts'
import { RegradeTally, readsInputs, rulesOf } from '../../shared/grading/rules/regrade.ts'
import { Grade, GradeQuery } from '../../shared/grading/wire/grade.ts'
import { openCursor, sealCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, agentOrdered, runIn } from '../../shared/http/scope.ts'
import { sinceMs } from '../../shared/kernel/elapsed.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import type { RunKey } from '../../shared/kernel/ids.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const gradeRun = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}/grade',
  tag: 'Runs',
  operation_id: 'gradeRun',
  summary: 'Grade what a run recorded by the rules of today',
  description: `Nothing is run and nothing changes: the recorded answers are graded as they would be now, by what the current version of the agent declares or by what the query says. An answer is about a part of the run, of so many items at most, fewer where they are long; the parts add up.`,
  auth: 'any',
  params: { runId: 'run' },
  query: GradeQuery,
  answers: { 200: { description: 'What differs.', schema: Grade } },
  errors: ['not_found', 'invalid_cursor'],
  async handle({ ctx, principal, params, query: { cursor, limit, agent: slug, ...asked } }) {
    const run = await runIn(ctx, principal, params.runId)
    if (run.steps_purged_at !== null || run.payloads_purged_at !== null)
      throw new ApiError(
        'invalid_request',
        `Retention has removed what run ${run.id} recorded, so it can't be graded again.`,
        'Grade a newer run, or let the project keep steps and payloads for longer in its settings.',
      )
    const { account_id } = principal
    const filters = { run_id: run.id, agent: slug, ...asked }
    const identity = { list: 'grade', account_id, project_id: run.project_id, filters }
    const after = cursor === undefined ? 0 : Number((await openCursor(ctx, identity, cursor))[0])
    const { id, slug: agent } =
      slug === undefined
        ? await agentIn(ctx, principal, run.agent_id)
        : await agentOrdered(ctx, principal, { agent: slug, project_id: run.project_id })
    const current = await findCurrentDeployment(ctx.db, { project_id: run.project_id, agent_id: id })
    const { rules, declared } = rulesOf(current && { ...current, checks: checksOf(current) }, asked)
    const { tally, last_seq } = await gradePart(
      ctx,
      { project_id: run.project_id, run_id: run.id, after, limit },
      declared,
    )
    const next_cursor = last_seq === null ? null : await sealCursor(ctx, identity, [String(last_seq)])
    return { agent, version: current?.version ?? null, ...rules, ...tally.result(), next_cursor }
  },
})

interface Part extends RunKey {
  after: number
  limit: number
}

/**
 * Grades items after `after` until the run's end (`last_seq` is then null), `limit` items, or LIMITS.regrade_ms: one
 * request must not delay others for longer.
 */
async function gradePart(ctx: Context, { after, limit, ...run }: Part, declared: GradeChoices) {
  const tally = new RegradeTally()
  const withInputs = readsInputs(declared)
  const began_ms = ctx.now()
  for (let last_seq = after; ; ) {
    const found = await findRecordedItems(ctx.sql, run, {
      after: last_seq,
      most: after + limit - last_seq,
      withInputs,
    })
    for (const item of found.items) tally.item(item, declared)
    if (found.last_seq === null) return { tally, last_seq: null }
    last_seq = found.last_seq
    if (last_seq - after >= limit || sinceMs(ctx.now(), began_ms) >= LIMITS.regrade_ms)
      return { tally, last_seq }
  }
}
