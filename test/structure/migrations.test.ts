// Migrations after the first, which makes the schema of 0.1.0. Guarantee: while a version is rolled out, the one
// before works on the changed schema, so what it reads stays until a migration says which release stopped reading it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { takeFunctions } from '../../shared/claims/queries/take-functions.ts'
import * as schema from '../../shared/tables.ts'

const TAKE_FUNCTIONS = takeFunctions({ looksUpLists: true })
const FOLDER = join(import.meta.dirname, '../../drizzle')
const FIRST = '0000_init.sql'
/** Stands above a statement that removes something, as `-- contract: not read since v1.2.0`. */
const MARKER = /^\s*-- contract: not read since v\d+\.\d+\.\d+$/m
/** Stands above a statement that requires what an older version does not write. */
const FILLED = /^\s*-- filled by a trigger before insert$/m
const NARROWS: Record<string, RegExp> = {
  'takes away what is read': /\bdrop\s+(table|column|type|view|function|schema|index)\b/i,
  renames: /\brename\b/i,
  'refuses rows that were written so far': /\bset\s+not\s+null\b/i,
  'rewrites the table': /\bset\s+data\s+type\b|\balter\s+column\s+\S+\s+type\b/i,
  'refuses rows without the new column':
    /\badd\s+column\b(?![^;]*\bdefault\b)(?![^;]*\bgenerated\b)[^;]*\bnot\s+null\b/i,
}

// A function does its work only when it is called.
const FUNCTIONS = /\bcreate\s+(or\s+replace\s+)?function\b[\s\S]*?\$\$[\s\S]*?\$\$/gi

/** What the version before could not work with; others see that a function is gone only when the migration ends. */
function narrowings(migration: string): string[] {
  const made = [...migration.matchAll(/\bcreate function (\w+)/gi)].map(([, name]) => name)
  return migration
    .replaceAll(FUNCTIONS, '')
    .split(/;|--> statement-breakpoint/)
    .flatMap(statement => {
      if (MARKER.test(statement) || FILLED.test(statement)) return []
      if (made.includes(/\bdrop function (\w+)/i.exec(statement)?.[1])) return []
      const sql = statement.replaceAll(/^\s*--.*$/gm, '')
      return Object.entries(NARROWS).flatMap(([what, pattern]) =>
        pattern.test(sql) ? [`${what}: ${sql.trim()}`] : [],
      )
    })
}

it('a migration only adds, or names the release that stopped reading what it removes', () => {
  const files = readdirSync(FOLDER).filter(name => name.endsWith('.sql'))
  expect(files).toContain(FIRST)
  const wrong = files
    .filter(name => name > FIRST)
    .flatMap(name => narrowings(readFileSync(join(FOLDER, name), 'utf8')).map(what => `${name} ${what}`))
  expect(wrong).toEqual([])
})

it.for([
  ['drop table runs', 1],
  ['drop function one(runs)', 1],
  ['drop function one(runs);create function one(r runs) returns int return 1', 0],
  ['drop index "triage_open"', 1],
  ['alter table "runs" drop column "name"', 1],
  ['alter table "runs" rename column "name" to "title"', 1],
  ['alter table "runs" alter column "name" set not null', 1],
  ['alter table "runs" alter column "ok" set data type bigint', 1],
  ['alter table "runs" add column "kind" text not null', 1],
  ["alter table runs add column kind text default 'x' not null", 0],
  ['alter table "runs" add column "kind" text', 0],
  ['create index x on runs (name)', 0],
  ['create function f() returns int language plpgsql as $$ begin drop table runs; end $$', 0],
  ['-- filled by a trigger before insert\nalter table "runs" alter column "name" set not null', 0],
  ['-- contract: not read since v1.2.0\ndrop table runs', 0],
  ['-- contract: some day\ndrop table runs', 1],
] as const)('the check finds that %j narrows the schema %i times', ([sql, times]) => {
  expect(narrowings(`select 1;${sql};`)).toHaveLength(times)
})

// During a rollout several versions call a function by its name, so its meaning never changes under that name. What
// stands in the database is compared with the source by a test of claims.
it('functions of the database are made once, and only their source says what they are', () => {
  const files = readdirSync(FOLDER)
    .filter(name => name.endsWith('.sql'))
    .map(name => [`drizzle/${name}`, readFileSync(join(FOLDER, name), 'utf8')] as const)
  for (const definition of TAKE_FUNCTIONS) {
    const [, name] = /^CREATE FUNCTION (\w+)/.exec(definition)!
    const made = files.flatMap(([, text]) => text.match(new RegExp(`FUNCTION ${name}\\(`, 'g')) ?? [])
    expect(made).toHaveLength(2) // for newer and older servers
  }
})

// Such a function reads a name that is both as the column.
it('no column is named like a variable of such a function', () => {
  const variables = TAKE_FUNCTIONS.flatMap(definition => {
    const declared = [/\(([^)]*)\)/, /DECLARE([\s\S]*?)BEGIN/].map(part => part.exec(definition)?.[1] ?? '')
    return [...declared.join(',').matchAll(/(\w+) \w+(?:\[\])?\s*(?:[,;]|$)/g)].map(([, name]) => name!)
  })
  expect(variables).toEqual(expect.arrayContaining(['of_run', 'lookahead', 'room', 'due_seqs']))
  const columns = Object.values(schema)
    .filter(table => is(table, PgTable))
    .flatMap(table => getTableConfig(table).columns.map(({ name }) => name))
  expect(columns.filter(name => variables.includes(name))).toEqual([])
})

it('the tables are what the migrations make, so a change of one has its migration', async () => {
  const last = readdirSync(join(FOLDER, 'meta')).filter(name => name.endsWith('_snapshot.json'))
  const made = JSON.parse(readFileSync(join(FOLDER, 'meta', last.sort().at(-1)!), 'utf8'))
  expect(await generateMigration(made, generateDrizzleJson(schema, made.id))).toEqual([])
})
