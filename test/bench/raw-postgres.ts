// What this PostgreSQL can do at best with rows of the same size: the yardstick for every other figure.

import type { Bench } from './stack.ts'

const INSERT_CHUNK = 2000
const UPDATE_CHUNK = 1000

/** Rows a second for bulk insert and for bulk update by key, two connections at work as in the engine. */
export async function rawPostgres(sql: Bench['sql'], rows: number, input: string, output: string) {
  await sql`drop table if exists raw_rows`
  await sql`create table raw_rows (
    run_id uuid not null, seq int not null, line int not null, status item_status not null, attempt smallint not null,
    item_id text not null, input text not null, output text, completed_at timestamptz, primary key (run_id, seq)
  ) with (fillfactor = 33)`
  const runId = '01990000-0000-7000-8000-000000000000'
  const inputs = Array(INSERT_CHUNK).fill(input).join('\x1e')
  const insertStarted = performance.now()
  await inPairs(
    rows / INSERT_CHUNK,
    i =>
      sql`insert into raw_rows (run_id, seq, line, status, attempt, item_id, input)
      select ${runId}, ${i * INSERT_CHUNK}::int + n, ${i * INSERT_CHUNK}::int + n, 'queued', 0, 'item-' || n, input
      from string_to_table(${inputs}, E'\\x1e') with ordinality t(input, n)`,
  )
  const insertMs = performance.now() - insertStarted
  const outputs = Array(UPDATE_CHUNK).fill(output).join('\x1e')
  const updateStarted = performance.now()
  await inPairs(rows / UPDATE_CHUNK, i => {
    const seqs = `{${Array.from({ length: UPDATE_CHUNK }, (_, j) => i * UPDATE_CHUNK + j + 1).join(',')}}`
    return sql`update raw_rows r set status = 'completed', output = f.output, completed_at = now()
      from rows from (unnest(${seqs}::text::int[]), string_to_table(${outputs}, E'\\x1e')) as f(seq, output)
      where r.run_id = ${runId} and r.seq = any(${seqs}::text::int[]) and r.seq = f.seq`
  })
  const updateMs = performance.now() - updateStarted
  await sql`drop table raw_rows`
  return {
    insert: (rows / insertMs) * 1000,
    update: (rows / updateMs) * 1000,
    both: (rows / (insertMs + updateMs)) * 1000,
  }
}

async function inPairs(count: number, send: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await send(next++)
  }
  await Promise.all([lane(), lane()])
}
