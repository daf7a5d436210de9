// Cancels a run: no more of its items are dispatched. Items in flight finish and keep their verdicts, or are aborted:
// aborted items end with what was recorded so far, and later answers do not count.

import { writeFor } from '../../accounts/queries/callers.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { deliverSoon } from '../../outbox/verbs/deliver.ts'
import { publishAbort } from '../../redis/wake.ts'
import { traceRunEnd } from '../../settling/verbs/run-trace.ts'
import { abortClaims, stopCancelled, sweepStopped } from '../queries/stop.ts'

/** What becomes of items in flight. */
export const IN_FLIGHT = ['finish', 'abort'] as const

export interface CancelOrder extends RunKey {
  in_flight?: (typeof IN_FLIGHT)[number] | undefined
}

/** How many items were aborted, and what their steps had cost by then. */
export interface AbortedItems {
  items: number
  cost_micro: number
}

/**
 * Stops a run and ends its first few thousand items at once; the consumer ends the others.
 *
 * @throws ApiError `run_already_ended` when the run is not in the project, is still materializing or has finished.
 */
export async function cancelRun(ctx: Context, order: CancelOrder): Promise<AbortedItems> {
  const { run_id, in_flight } = order
  const found = await writeFor(ctx, sql => stopCancelled(sql, order))
  if (found !== 'stopped') throw notCancelled(run_id, found)
  await fault('cancel.before_commit')
  const aborted = in_flight === 'abort' ? await abort(ctx, order) : { items: 0, cost_micro: 0 }
  if (await sweepStopped(ctx.sql, order, LIMITS.sweep_items)) ctx.notify()
  else {
    deliverSoon(ctx)
    traceRunEnd(ctx, run_id)
  }
  return aborted
}

// One code for both: callers know it since before there was a message for each.
const notCancelled = (run_id: string, state: 'ended' | 'materializing') =>
  state === 'ended'
    ? new ApiError('run_already_ended', `Run ${run_id} has ended already: nothing of it is left to cancel.`)
    : new ApiError(
        'run_already_ended',
        `Run ${run_id} is still being submitted: it can be cancelled once all its items are there.`,
        'Cancel it again when its submission has been answered; a submission that is broken off leaves no run.',
      )

/** Aborts all claims of a stopped run, which gets no new ones. Their holders are notified, or find out soon. */
async function abort(ctx: Context, run: RunKey): Promise<AbortedItems> {
  const aborted = { items: 0, cost_micro: 0 }
  for (let more = true; more; ) {
    const taken = await abortClaims(ctx.sql, run, LIMITS.claims_aborted_at_once)
    aborted.items += taken.items
    aborted.cost_micro += taken.cost_micro
    more = taken.more
  }
  publishAbort(ctx.redis, run.run_id)
  return aborted
}
