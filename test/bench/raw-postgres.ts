// Measures PostgreSQL alone with rows of the same size: the yardsticks for every other figure. `plain` is the usual way of
// bulk writes: arrays and unnest, one statement at a time, tables with default settings. `tuned` uses all that Assay uses:
// packed columns, free space on the pages, two connections.

import type { Bench } from './stack.ts'

export type Way = 'plain' | 'tuned'

export interface RawFigures {
  insert: number
  update: number
  both: number
}

const CHUNK = { plain: 1000, tuned: { insert: 2000, update: 1000 } }
const RUN_ID = '01990000-0000-7000-8000-000000000000'

/** Rows a second for a bulk insert, for a bulk update by key, and for both in sequence. */
export async function rawPostgres(
  sql: Bench['sql'],
  way: Way,
  rows: number,
  input: (i: number) => string,
  output: string,
): Promise<RawFigures> {
  await sql`drop table if exists raw_rows`
  await sql.unsafe(`create table raw_rows (
    run_id uuid not null, seq int not null, line int not null, status item_status not null, attempt smallint not null,
    item_id text not null, input text not null, output text, completed_at timestamptz, primary key (run_id, seq)
  ) ${way === 'tuned' ? 'with (fillfactor = 33)' : ''}`)
  const { insert, update } = way === 'plain' ? plain(sql, input, output) : tuned(sql, input, output)
  const insertMs = await timed(way === 'plain' ? 1 : 2, rows / insert.chunk, insert.send)
  const updateMs = await timed(way === 'plain' ? 1 : 2, rows / update.chunk, update.send)
  await sql`drop table raw_rows`
  const perSecond = (ms: number) => (rows / ms) * 1000
  return { insert: perSecond(insertMs), update: perSecond(updateMs), both: perSecond(insertMs + updateMs) }
}

function plain(sql: Bench['sql'], input: (i: number) => string, output: string) {
  const chunk = CHUNK.plain
  const seqsOf = (i: number) => Array.from({ length: chunk }, (_, j) => i * chunk + j + 1)
  return {
    insert: {
      chunk,
      send: (i: number) => {
        const seqs = seqsOf(i)
        return sql`insert into raw_rows (run_id, seq, line, status, attempt, item_id, input)
          select ${RUN_ID}, seq, seq, 'queued', 0, item_id, input
          from unnest(${seqs}::int[], ${seqs.map(n => `item-${n}`)}::text[], ${seqs.map(input)}::text[])
            t(seq, item_id, input)`
      },
    },
    update: {
      chunk,
      send: (i: number) =>
        sql`update raw_rows r set status = 'completed', output = f.output, completed_at = now()
          from unnest(${seqsOf(i)}::int[], ${Array<string>(chunk).fill(output)}::text[]) f(seq, output)
          where r.run_id = ${RUN_ID} and r.seq = any(${seqsOf(i)}::int[]) and r.seq = f.seq`,
    },
  }
}

function tuned(sql: Bench['sql'], input: (i: number) => string, output: string) {
  const { insert, update } = CHUNK.tuned
  const outputs = Array<string>(update).fill(output).join('\x1e')
  return {
    insert: {
      chunk: insert,
      send: (i: number) => {
        const inputs = Array.from({ length: insert }, (_, j) => input(i * insert + j)).join('\x1e')
        return sql`insert into raw_rows (run_id, seq, line, status, attempt, item_id, input)
          select ${RUN_ID}, ${i * insert}::int + n, ${i * insert}::int + n, 'queued', 0, 'item-' || n, input
          from string_to_table(${inputs}, E'\\x1e') with ordinality t(input, n)`
      },
    },
    update: {
      chunk: update,
      send: (i: number) => {
        const seqs = `{${Array.from({ length: update }, (_, j) => i * update + j + 1).join(',')}}`
        return sql`update raw_rows r set status = 'completed', output = f.output, completed_at = now()
          from rows from (unnest(${seqs}::text::int[]), string_to_table(${outputs}, E'\\x1e')) as f(seq, output)
          where r.run_id = ${RUN_ID} and r.seq = any(${seqs}::text::int[]) and r.seq = f.seq`
      },
    },
  }
}

async function timed(reads: number, count: number, send: (i: number) => Promise<unknown>): Promise<number> {
  const started = performance.now()
  let next = 0
  const connection = async () => {
    while (next < count) await send(next++)
  }
  await Promise.all(Array.from({ length: reads }, connection))
  return performance.now() - started
}
