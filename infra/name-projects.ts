// Gives rows from before migration 0054 the project of their run. Guarantee: each piece is one short statement that
// skips locked rows, so a running version waits for one piece at most and no deadlock can form. After an interruption
// it continues with the remaining rows; once it has ended, no row without a project can be written.

import { setTimeout } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { tell } from './node/log.ts'
import { inTheWay, whileOthersWork } from './while-others-work.ts'

/** The migration that needs all rows to have their project. */
export const NEEDS_PROJECTS = '0055_require_project_of_run'

const OF_RUN = 'from runs where runs.id = t.run_id'
const OF_DELIVERY = 'from deliveries where deliveries.id = t.delivery_id'
const OWNERS = {
  items: OF_RUN,
  attempts: OF_RUN,
  due_items: OF_RUN,
  steps: OF_RUN,
  unindexed_steps: OF_RUN,
  purges: OF_RUN,
  replays: OF_RUN,
  ended_runs: OF_RUN,
  suspected_items: OF_RUN,
  delivery_tries: OF_DELIVERY,
}
type Table = keyof typeof OWNERS

const PIECE_PAGES = 256 // some 2,500 items or 10,000 steps
const PASSES = 30 // most passes, each of which finds rows that others hold
const PAUSE_MS = 1000
const UNDEFINED_TABLE = '42P01'

export async function nameProjects(sql: Sql): Promise<void> {
  // Updates lost in a crash are done again; the next migration's commit waits for the disk, and so for all of them.
  await sql`set synchronous_commit = off`
  for (const table of Object.keys(OWNERS) as Table[]) {
    const started_ms = performance.now()
    const rows = await nameAll(sql, table)
    await whileOthersWork(sql, () => sql.unsafe(requireNamed(table)))
    // Scans the table without blocking others; the next migration trusts this constraint instead of scanning under its
    // lock.
    await whileOthersWork(sql, () =>
      sql.unsafe(`alter table ${table} validate constraint ${table}_project_named`),
    )
    const ms = Math.round(performance.now() - started_ms)
    if (rows > 0) tell('info', 'rows_moved', { table, rows, ms })
  }
  await sql`reset synchronous_commit`
}

const requireNamed = (table: Table) => `do $$ begin
  if not exists (select from pg_constraint
    where conrelid = '${table}'::regclass and conname = '${table}_project_named') then
    alter table ${table} add constraint ${table}_project_named check (project_id is not null) not valid;
  end if;
end $$`

/** Returns the number of rows that got their project. @throws ExitError after PASSES passes */
async function nameAll(sql: Sql, table: Table): Promise<number> {
  let rows = 0
  for (let passes = PASSES; passes > 0; passes--) {
    for (const leaf of await leavesOf(sql, table)) rows += await nameLeaf(sql, table, leaf)
    if (!(await isAnyUnnamed(sql, table))) return rows
    await removeOrphans(sql, table)
    if (!(await isAnyUnnamed(sql, table))) return rows
    await setTimeout(PAUSE_MS)
  }
  throw inTheWay()
}

interface Leaf {
  name: string
  pages: number
}

/** The table, or its partitions; partitions may be added or dropped meanwhile. */
const leavesOf = (sql: Sql, table: Table) => sql<Leaf[]>`
  select oid::regclass::text as name,
    (pg_relation_size(oid) / current_setting('block_size')::int)::int as pages
  from pg_class where relkind = 'r' and (oid = to_regclass(${table})
    or oid in (select inhrelid from pg_inherits where inhparent = to_regclass(${table})))`

async function nameLeaf(sql: Sql, table: Table, { name, pages }: Leaf): Promise<number> {
  let rows = 0
  for (let from = 0; from < pages; from += PIECE_PAGES) {
    const piece = `update ${name} t set project_id = (select project_id ${OWNERS[table]})
      where ctid = any(array(
        select ctid from ${name} where ctid >= '(${from},0)' and ctid < '(${from + PIECE_PAGES},0)'
          and project_id is null for no key update skip locked))`
    try {
      await whileOthersWork(sql, async () => {
        rows += (await sql.unsafe(piece)).count
      })
    } catch (error) {
      if ((error as { code?: string }).code === UNDEFINED_TABLE) break // a weekly partition of steps was dropped
      throw error
    }
  }
  return rows
}

async function isAnyUnnamed(sql: Sql, table: Table): Promise<boolean> {
  const [found] = await sql.unsafe(`select exists (select from ${table} where project_id is null) as any`)
  return found!.any
}

/** Deletes rows that remained after their run was removed: they belong to nobody, and nobody sees them. */
const removeOrphans = (sql: Sql, table: Table) =>
  whileOthersWork(sql, () =>
    sql.unsafe(`delete from ${table} where (tableoid, ctid) in (
      select tableoid, ctid from ${table} t where project_id is null and not exists (select ${OWNERS[table]})
      for update skip locked)`),
  )
