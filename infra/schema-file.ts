// Generates the file that lists what a database must have for this version: the latest migration, tables, sequences. A
// process compares it with the database without loading the tables' definitions.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import * as schema from '../shared/tables.ts'

export const SCHEMA_FILE = 'shared/upkeep/rules/schema.gen.ts'
const JOURNAL = join(import.meta.dirname, '../drizzle/meta/_journal.json')

export async function schemaFile(): Promise<string> {
  const { entries } = JSON.parse(await readFile(JOURNAL, 'utf8')) as {
    entries: { when: number; tag: string }[]
  }
  const { when, tag } = entries.at(-1)!
  const tables = Object.values(schema)
    .filter(table => is(table, PgTable))
    .map(table => getTableConfig(table))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const sequences = tables.flatMap(({ name, columns }) =>
    columns.filter(one => one.getSQLType().endsWith('serial')).map(one => `${name}_${one.name}_seq`),
  )
  const list = (names: readonly string[]) => names.map(name => `    '${name}',`)
  return [
    '// Made by npm run generate from the tables and the migrations.',
    '',
    'export const SCHEMA = {',
    `  migration: '${tag}',`,
    `  version: ${when},`,
    '  tables: [',
    ...list(tables.map(({ name }) => name)),
    '  ],',
    '  sequences: [',
    ...list(sequences),
    '  ],',
    '}',
    '',
  ].join('\n')
}
