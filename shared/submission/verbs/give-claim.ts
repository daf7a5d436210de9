// Gives items that a submission has claimed to the consumer of this process.

import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { ClaimedItem } from '../../claims/queries/claim.ts'
import { claimOf } from '../../claims/verbs/claim.ts'
import { withSteps } from '../../claims/verbs/recorded-steps.ts'
import type { Context, Places } from '../../context.ts'
import { turn } from '../../kernel/pause.ts'
import type { NewRun, Opened } from '../queries/open-run.ts'

/**
 * Gives the claimed items to this process's consumer. If that fails, the caller still gets its answer, and the items
 * are retried when the lease expires.
 */
export async function giveClaim(
  ctx: Context,
  places: Places,
  run: Omit<NewRun, 'deployment_id'>,
  { account_id, deployment, prices, ...seen }: NonNullable<Opened['run']>,
  taken: readonly ClaimedItem[],
) {
  try {
    const env = await openEnv(ctx, run.project_id, deployment)
    const items = await withSteps(ctx, { ...run, is_replay: false }, taken, [])
    const under_budget = seen.under_budget || run.budget_micro !== null
    places.fill(
      claimOf(
        ctx,
        { ...run, account_id, under_budget, prices, unavailable: null, waited_ms: 0 },
        deployment,
        env,
        items,
      ),
    )
    // The agent's request is written before the caller's answer, its log line and its entry in the log of changes.
    await turn()
  } catch (error) {
    ctx.log('warn', 'turn_failed', { run_id: run.id, error: String(error) })
  }
}
