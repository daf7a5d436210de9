// Cancels a run: nothing more of it is dispatched; items in flight finish and keep their verdicts.

import type { Context } from '../context.ts'
import { ApiError } from '../domain/errors.ts'
import { fault } from '../domain/fault.ts'
import { LIMITS } from '../domain/limits.ts'
import { stopCancelled, sweepStopped } from '../store/stop.ts'
import { deliverSoon } from './deliver.ts'
import { traceRunEnd } from './run-trace.ts'

/**
 * Stops a run and ends its first few thousand items at once; the consumer ends the others.
 *
 * @throws ApiError `run_already_ended` when the run is not in the project, has finished or was cancelled before.
 */
export async function cancelRun(ctx: Context, run: { project_id: string; run_id: string }): Promise<void> {
  const { project_id, run_id } = run
  if (!(await stopCancelled(ctx.sql, { id: run_id, project_id })))
    throw new ApiError('run_already_ended', `Run ${run_id} has ended already; there is nothing to cancel.`)
  await fault('cancel.before_commit')
  if (await sweepStopped(ctx.sql, run_id, LIMITS.sweep_items)) ctx.poke()
  else {
    deliverSoon(ctx)
    traceRunEnd(ctx, run_id)
  }
}
