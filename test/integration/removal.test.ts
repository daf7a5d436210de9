// What a deleted project leaves behind.

import postgres from 'postgres'
import { expect, it } from 'vitest'
import { RUN_TABLES } from '../../shared/store/removal.ts'
import { testDatabase } from '../support/stores.ts'

it('every table with rows of a run loses them when the run is removed', async () => {
  const database = await testDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ name: string }[]>`
      select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'run_id' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace = 'public'::regnamespace
        and not exists (
          select from pg_constraint f
          where f.conrelid = c.oid and f.contype = 'f' and f.confrelid = 'runs'::regclass and f.confdeltype = 'c'
        )
        -- These go with their project, agent or schedule; the run may go before. Causes are counted down with triage.
        and c.relname not in ('recoveries', 'alerts', 'occurrences', 'source_reads', 'cause_runs')
      order by 1`
    const removed: readonly string[] = [...RUN_TABLES, 'purges'] // purges go with the run itself
    expect(rows.map(row => row.name)).toContain('items')
    expect(rows.map(row => row.name).filter(name => !removed.includes(name))).toEqual([])
  } finally {
    await sql.end()
    await database.drop()
  }
})
