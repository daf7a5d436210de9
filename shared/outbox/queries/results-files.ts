// Queues files with the results of ended runs. Guarantee: one file is queued for each run of a schedule that names a
// receiver, in the transaction that takes the run off `ended_runs`.

import type { Sql } from '../../context.ts'
import { isFirstRun } from '../../items/tables/runs.ts'
import { byProject } from '../../kernel/each-project.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { messageId } from '../../kernel/message-id.ts'
import type { ResultFormat } from '../../results/vocabulary.ts'

/** Returns how many it queued. */
export async function queueResultsFiles(sql: Sql, runs: readonly RunKey[]): Promise<number> {
  let queued = 0
  for (const [project_id, own] of byProject(runs)) {
    const { count } = await sql`
      insert into deliveries (id, project_id, run_id, kind, url, run)
      select ${sql.unsafe(messageId(`r.id::text || ' run.results'`))}, ${project_id}::uuid, r.id, 'run.results', s.results->>'url',
        to_jsonb(r) || jsonb_build_object('results_format', s.results->>'format')
      from runs r join occurrences o on o.project_id = ${project_id} and o.run_id = r.id
        join schedules s on s.project_id = ${project_id} and s.id = o.schedule_id
      where r.project_id = ${project_id} and r.id = any(${own.map(run => run.run_id)}::uuid[]) and ${sql.unsafe(isFirstRun('r'))}
        and s.results is not null
      on conflict do nothing`
    queued += count
  }
  return queued
}

/** The run whose results a message carries; undefined once the run or the message is gone. */
export async function findResultsFile(sql: Sql, delivery_id: string) {
  const [row] = await sql<(RunKey & { format: ResultFormat; is_purged: boolean })[]>`
    select r.project_id, r.id as run_id, d.run->>'results_format' as format, r.payloads_purged_at is not null as is_purged
    from deliveries d join runs r on r.project_id = d.project_id and r.id = d.run_id where d.id = ${delivery_id}`
  return row
}
