// Builds the indexes for the keys of migration 0059, which begin with the project. Guarantee: reads and writes continue
// meanwhile; after an interruption it continues with the remaining indexes; and the previous version still finds its
// rows by run until it is gone.

import { setTimeout } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { tell } from './node/log.ts'

/** The migration that uses these indexes. */
export const NEEDS_KEYS = '0059_key_by_project'

const KEYS = {
  items: 'run_id, seq',
  attempts: 'run_id, seq, attempt',
  due_items: 'run_id, seq',
  triage: 'run_id, seq',
  purges: 'run_id, kind',
  steps: 'run_id, seq, step_no',
  step_index: 'run_id, seq, step_no',
}

const TRIES = 5
const PAUSE_MS = 1000
// undefined_table: a weekly partition of steps was dropped. deadlock_detected: two builds wait for each other's
// snapshot.
const [GONE, DEADLOCK] = ['42P01', '40P01']

export async function buildKeys(sql: Sql): Promise<void> {
  // No lock timeout: a build waits for older transactions, and nobody waits for the build.
  await sql`set lock_timeout = 0`
  for (const [table, columns] of Object.entries(KEYS))
    for (const leaf of await leavesOf(sql, table)) {
      const started_ms = performance.now()
      await buildIndex(sql, leaf, `${leaf}_by_project`, `project_id, ${columns}`)
      await buildIndex(sql, leaf, `${leaf}_by_run`, columns)
      tell('info', 'key_built', { table: leaf, ms: Math.round(performance.now() - started_ms) })
    }
  await sql`reset lock_timeout`
}

/** The table, or its partitions, if they have rows; the migration itself makes the key of an empty one. */
async function leavesOf(sql: Sql, table: string): Promise<string[]> {
  const leaves = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and (oid = to_regclass(${table})
      or oid in (select inhrelid from pg_inherits where inhparent = to_regclass(${table})))`
  const filled: string[] = []
  for (const { name } of leaves) {
    const rows = await unlessGone(() => sql`select from ${sql(name)} limit 1`)
    if (rows?.count === 1) filled.push(name)
  }
  return filled
}

async function buildIndex(sql: Sql, table: string, name: string, columns: string): Promise<void> {
  for (let tries = TRIES; ; tries--) {
    const [index] = await sql<{ indisvalid: boolean }[]>`
      select indisvalid from pg_index where indexrelid = to_regclass(${name})`
    if (index?.indisvalid) return
    // An interrupted build left this invalid index.
    if (index) await sql.unsafe(`drop index concurrently ${name}`)
    try {
      await unlessGone(() => sql.unsafe(`create unique index concurrently ${name} on ${table} (${columns})`))
      return
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK || tries === 1) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}

async function unlessGone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if ((error as { code?: string }).code !== GONE) throw error
  }
}
