// What the tables of a database have in them, to compare before and after a backup.

import type { Sql } from 'postgres'

/**
 * Row count and rows of each table, whatever the order of its rows. The ids of the `numbered` tables are left out: a new
 * cluster gives them anew.
 */
export async function contentOf(
  sql: Sql,
  { numbered = [] }: { numbered?: readonly string[] } = {},
): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and not relispartition and relname <> 'installation' order by 1`
  const content: Record<string, string> = {}
  for (const { name } of tables) {
    const rows = await sql<{ row: string }[]>`
      select (to_jsonb(t) - ${numbered.includes(name) ? 'id' : ''})::text as row from ${sql(name)} t`
    content[name] = `${rows.length} ${rows.map(({ row }) => row).sort()}`
  }
  return content
}
