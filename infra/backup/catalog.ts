// Reads from PostgreSQL's catalog what to back up: every table, so that a new table is never forgotten.

import type { Sql } from 'postgres'
import type { Header, TableOfBackup } from './format.ts'

/** Its one row describes this installation; a restore writes the row of the place it restores to. */
const NOT_COPIED = ['installation']

export type Catalog = Pick<Header, 'tables' | 'partitions'>

/**
 * Reads the tables that hold rows. A partitioned table is listed by its partitions, since reading the table itself
 * would keep the tick from creating new partitions.
 */
export async function readCatalog(sql: Sql): Promise<Catalog> {
  const tables = await sql<TableOfBackup[]>`
    select c.relname as name, array_agg(a.attname order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
      and not a.attisdropped and a.attgenerated = '' and c.relname <> all(${NOT_COPIED})
    group by c.relname order by c.relname`
  const partitions = await sql<Catalog['partitions'][number][]>`
    select c.relname as name, p.relname as "of", pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relnamespace = current_schema()::regnamespace and c.relispartition and c.relkind = 'r'
    order by c.relname`
  return { tables: [...tables], partitions: [...partitions] }
}

/** Returns the last value of each sequence by name; sequences that were never used are left out. */
export async function readSequences(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; last: string }[]>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() and last_value is not null order by 1`
  return Object.fromEntries(rows.map(({ name, last }) => [name, Number(last)]))
}

/** Returns the time of the newest migration; undefined where there was none. */
export async function readMigration(sql: Sql): Promise<number | undefined> {
  const [there] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as found`
  if (!there!.found) return undefined
  const [row] = await sql<{ at: string | null }[]>`
    select max(created_at)::text as at from drizzle.__drizzle_migrations`
  return row!.at === null ? undefined : Number(row!.at)
}

export async function countRows(sql: Sql, tables: readonly TableOfBackup[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const [row] = await sql<{ n: string }[]>`select count(*)::text as n from ${sql(name)}`
    counts[name] = Number(row!.n)
  }
  return counts
}

/** Quotes a name as an SQL identifier. */
export const named = (name: string) => `"${name.replaceAll('"', '""')}"`
export const listed = (names: readonly string[]) => names.map(named).join(', ')
