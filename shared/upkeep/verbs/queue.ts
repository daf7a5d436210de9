// Reports what is queued in a project and why it waits, by the same rules that a claim follows.

import { type ReadRun, readRun } from '../../claims/queries/run-facts.ts'
import { NO_CONSUMER, pacedRun, type Why, waitingForUpstream, waitOf } from '../../claims/rules/why.ts'
import { admissionFacts } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { readTurns } from '../../redis/turns.ts'
import { findPace } from '../../upstreams/queries/pacing.ts'
import { findRunWaits } from '../../upstreams/queries/shown-upstreams.ts'
import type { RunWait } from '../../upstreams/rules/upstream-words.ts'
import { countQueue, listQueuedRuns, listRetries, type QueuedRun } from '../queries/queue.ts'

/** The wait of a run that has only retries left, none of which is due; null otherwise. */
const laterOf = ({ due, next_seq, offered_items }: ReadRun): Why | null =>
  due === 0 && next_seq > offered_items
    ? { token: 'retry_backoff', message: 'All that is left of it waits to be tried again.' }
    : null

/** What keeps more of a run from starting. Nothing outside matters while the account or the installation is stopped. */
function waitOfRun(run: ReadRun, upstream: RunWait | undefined): Why | null {
  const own = waitOf(admissionFacts(run))
  if (upstream === undefined || run.is_held || run.is_suspended || run.stop_reason !== null)
    return own ?? laterOf(run)
  return waitingForUpstream('the run', upstream)
}

/** Where it has room, and what its items need is limited. */
async function paceOf({ sql }: Context, { project_id, deployment, queued }: ReadRun): Promise<Why | null> {
  const paced = deployment === null || queued === 0 ? null : await findPace(sql, project_id, deployment.id)
  return paced === null ? null : pacedRun(paced, queued)
}

/** One that sleeps takes an item within seconds. */
const LONG_MS = 30_000

/** Also where Redis does not say. */
const hasConsumer = async ({ redis }: Context): Promise<boolean> =>
  ['ok', 'unknown'].includes((await readTurns(redis)).consumer.status)

export async function readQueue(ctx: Context, project_id: string) {
  const [totals, queued, retries] = await Promise.all([
    countQueue(ctx.sql, project_id),
    listQueuedRuns(ctx.sql, project_id),
    listRetries(ctx.sql, project_id),
  ])
  const waits = await findRunWaits(
    ctx.sql,
    project_id,
    queued.map(run => run.id),
  )
  const runs: (QueuedRun & { wait: Why | null })[] = []
  for (const run of queued) {
    const facts = await readRun(ctx.sql, { project_id, run_id: run.id })
    if (facts === undefined) continue
    const wait = waitOfRun(facts, waits.get(run.id)) ?? (await paceOf(ctx, facts))
    runs.push({ ...run, wait })
  }
  const isLong = runs.some(({ wait, waited_ms }) => wait === null && waited_ms > LONG_MS)
  if (isLong && !(await hasConsumer(ctx)))
    for (const run of runs) if (run.waited_ms > LONG_MS) run.wait ??= NO_CONSUMER
  return { totals, runs, retries }
}
