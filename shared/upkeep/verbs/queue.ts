// Reports what is queued in a project and why it waits, by the same rules that a claim follows.

import { type ReadRun, readRun } from '../../claims/queries/run-facts.ts'
import { type Why, waitOf } from '../../claims/rules/why.ts'
import { admissionFacts } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { countQueue, listQueuedRuns, listRetries, type QueuedRun } from '../queries/queue.ts'

/** The wait of a run that has only retries left, none of which is due; null otherwise. */
const laterOf = ({ due, next_seq, offered_items }: ReadRun): Why | null =>
  due === 0 && next_seq > offered_items
    ? { token: 'retry_backoff', message: 'All that is left of it waits to be tried again.' }
    : null

export async function readQueue(ctx: Context, project_id: string) {
  const [totals, queued, retries] = await Promise.all([
    countQueue(ctx.sql, project_id),
    listQueuedRuns(ctx.sql, project_id),
    listRetries(ctx.sql, project_id),
  ])
  const runs: (QueuedRun & { wait: Why | null })[] = []
  for (const run of queued) {
    const facts = await readRun(ctx.sql, { project_id, run_id: run.id })
    if (facts !== undefined) runs.push({ ...run, wait: waitOf(admissionFacts(facts)) ?? laterOf(facts) })
  }
  return { totals, runs, retries }
}
