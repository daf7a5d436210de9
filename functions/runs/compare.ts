import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { runIn } from '../../shared/http/scope.ts'
import { findRunVersions } from '../../shared/items/queries/run-versions.ts'
import type { RunRow } from '../../shared/items/wire/runs.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { type Replayed, withRecovered } from '../../shared/recovery/queries/recovered.ts'
import { compareItems } from '../../shared/results/queries/compare.ts'
import { RunComparison, runComparisonOf } from '../../shared/results/wire/compare.ts'

type Counted = RunRow & Replayed

export const compareRuns = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}/compare',
  tag: 'Runs',
  operation_id: 'compareRuns',
  summary: 'Compare a run with another, item by item',
  description: `Items are the same where they have the same item_id; those without one of yours are in no other run. It reads both batches, so a million items take many seconds; runs of more than ${LIMITS.compared_items} items are refused.`,
  auth: 'any',
  heavy: true,
  params: { runId: 'run' },
  query: z.strictObject({ with: uuid('The run to compare with, usually an earlier one.') }),
  answers: { 200: { description: 'What differs.', schema: RunComparison } },
  errors: ['not_found'],
  async handle({ ctx, principal, params, query }) {
    const [after, before] = (await withRecovered(ctx.sql, [
      await runIn(ctx, principal, params.runId),
      await runIn(ctx, principal, query.with),
    ])) as [Counted, Counted]
    for (const { id, total_items } of [before, after])
      if (total_items > LIMITS.compared_items)
        throw new ApiError(
          'invalid_request',
          `Run ${id} has ${total_items} items, more than the ${LIMITS.compared_items} that are compared.`,
          'Read the items of both with GET /v2/runs/{runId}/items, or export them, and compare those.',
        )
    const [earlier, later] = [await findRunVersions(ctx.sql, before), await findRunVersions(ctx.sql, after)]
    return runComparisonOf(
      { ...before, versions: earlier },
      { ...after, versions: later },
      await compareItems(ctx.sql, before, after),
    )
  },
})
