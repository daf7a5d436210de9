// Writes a run that has ended, with any number of items, straight into the database.

import { newRunId } from '../../shared/kernel/ids.ts'
import type { Bench } from './stack.ts'

/** Items in bulk, each with an answer of about 200 bytes; every 20th is failed. */
export async function runOfItems({ client, sql }: Bench, count: number): Promise<string> {
  const [project] = await sql`select id from projects limit 1`
  const { data: agent } = await client.POST('/v1/agents', { body: { name: 'results', slug: 'results' } })
  const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  const run_id = newRunId(Date.now(), random)
  const failed = Math.floor(count / 20)
  await sql`
    insert into runs (id, project_id, agent_id, total_items, next_seq, ok, failed, undecided, started_at, finished_at)
    values (${run_id}, ${project!.id}, ${agent!.id}, ${count}, ${count + 1}, ${count - failed}, ${failed}, 0, now(), now())`
  for (let first = 1; first <= count; first += 100_000)
    await sql`
      insert into items (project_id, run_id, seq, line, status, outcome, attempt, item_id, partition_key, error_code, input, output,
        started_at, completed_at, cost_micro)
      select (select project_id from runs where id = ${run_id}), ${run_id}, g, g, case when g % 20 = 0 then 'failed' else 'completed' end::item_status,
        case when g % 20 = 0 then 'failed' else 'ok' end::outcome, 1, 'ticket-' || g, 'tenant-' || g % 100,
        case when g % 20 = 0 then 'tool_call_error' end, '{"text": "where is parcel ' || g || '?"}',
        '{"label": "delivery", "why": "' || repeat(md5(g::text) || ' ', 5) || '"}', now(), now(), g % 5000
      from generate_series(${first}::int, ${Math.min(count, first + 99_999)}::int) g`
  await sql.unsafe('vacuum analyze items')
  return run_id
}
