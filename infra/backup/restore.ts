// Restores a backup into an empty installation. Guarantee: the file and its origin are verified before anything is
// changed; no text of it becomes a statement, and its rows are loaded by a role that is no superuser; then all of it is
// restored and counted, or nothing; and the restored installation is held until an operator lets it continue.

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { Sql } from 'postgres'
import { ExitError } from '../local/exit-error.ts'
import { migrate, migrationTimes } from '../migrate.ts'
import { countRows, listed, named, readCatalog, readMigration } from './catalog.ts'
import { beginWriting, countServers, type Database, isDistributed, openSession } from './database.ts'
import { type Checked, type Header, readTables, type TableOfBackup } from './format.ts'
import { type Judge, judgeOrigin } from './signature.ts'

/**
 * The migrations from this one on of checkouts before 0.1.0: their tables and columns are those of the first migration,
 * but for `alone` of `due_items`, which is `together` now.
 */
const BEFORE_FIRST = 1795857834425

export interface Restored {
  rows: Record<string, number>
  key_fingerprint: string | null
  held_since: Date
  /** Whether a key that was here before vouches for the file. */
  signed: boolean
}

/** @throws ExitError `backup_newer`, `schema_unreleased`, `already_distributed`, `not_empty`, `not_the_same_schema`, `installation_at_work`, `restore_incomplete`, and those of `judgeOrigin` and `migrate` */
export async function restore(
  database: Database,
  file: string,
  checked: Checked,
  judge: Judge,
  mayLoseCommits = false,
): Promise<Restored> {
  const signed = await judgeOrigin(checked, judge)
  const header = await asOfRelease(checked.header)
  const sql = openSession(database)
  try {
    await refuseDistributed(sql)
    await prepareSchema(sql, database, header, mayLoseCommits)
    const restored = await loadAll(sql, file, checked)
    await migrate(database.url, database.ca, undefined, mayLoseCommits)
    return { ...restored, signed }
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The header, with a migration that this version knows. */
async function asOfRelease(header: Header): Promise<Header> {
  const known = await migrationTimes()
  const [first] = known
  if (header.migration >= BEFORE_FIRST && header.migration < first!) return { ...header, migration: first! }
  if (known.includes(header.migration)) return header
  if (header.migration < BEFORE_FIRST)
    throw new ExitError(
      'schema_unreleased',
      'the backup was taken by a checkout from before 0.1.0: restore it at the commit that CHANGELOG.md names, back up there, and restore that backup with this version.',
    )
  throw new ExitError(
    'backup_newer',
    `the backup was taken by Assay ${header.version}, whose schema this version does not know: restore with that version or a newer one.`,
  )
}

/** Brings the schema to the backup's migration, into which its rows are loaded; later migrations run afterwards. */
async function prepareSchema(
  sql: Sql,
  database: Database,
  { migration, version }: Header,
  mayLoseCommits: boolean,
): Promise<void> {
  const there = await readMigration(sql)
  if (there === undefined || there < migration) {
    if (there !== undefined) await refuseRows(sql)
    return migrate(database.url, database.ca, migration, mayLoseCommits)
  }
  if (there === migration) return
  await refuseRows(sql)
  throw new ExitError(
    'not_the_same_schema',
    `the backup was taken by Assay ${version}, and this database has the schema of a newer one already: name a database without any tables, which is brought from the old schema to the new.`,
  )
}

async function refuseRows(sql: Sql): Promise<void> {
  const tables = await sql<TableOfBackup[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'installation' order by 1`
  const counts = Object.entries(await countRows(sql, tables)).filter(([, rows]) => rows > 0)
  if (counts.length === 0) return
  const found = counts.slice(0, 3).map(([name, rows]) => `${rows} of ${name}`)
  throw new ExitError(
    'not_empty',
    `this installation is not empty (${found.join(', ')}), and a restore never mixes or replaces. Set ASSAY_DATA_DIR to a new folder, or DATABASE_URL to an empty database.`,
  )
}

/** Refuses while a server is connected: it would keep using its own master key, and it holds no lock to detect. */
async function refuseAtWork(sql: Sql): Promise<void> {
  const sessions = await countServers(sql)
  if (sessions === 0) return
  throw new ExitError(
    'installation_at_work',
    `a server is connected to this database (${sessions} sessions): stop it, restore, and start it again.`,
  )
}

/** Refuses a database that is distributed: its keys and functions are not those of the migrations. */
async function refuseDistributed(sql: Sql): Promise<void> {
  if (!(await isDistributed(sql))) return
  throw new ExitError(
    'already_distributed',
    'the tables of this database are distributed over a cluster: name a database of the coordinator without any tables, restore into it, and then distribute it by infra/distribute.ts --apply.',
  )
}

async function loadAll(sql: Sql, file: string, checked: Checked): Promise<Omit<Restored, 'signed'>> {
  const { header, trailer } = checked
  await beginWriting(sql)
  try {
    await refuseRows(sql)
    await refuseAtWork(sql)
    const isBefore = header.tables.some(({ columns }) => columns.includes('alone'))
    if (isBefore) await sql.unsafe('alter table due_items add alone boolean')
    await makePartitions(sql, header)
    await refuseUnknown(sql, header)
    const role = await lowerRole(sql)
    const foreignKeys = await dropForeignKeys(sql)
    await setTriggers(sql, header.tables, 'disable')
    await load(sql, file, checked)
    if (isBefore)
      await sql.unsafe(`update due_items set together = 1 where alone; alter table due_items drop alone`)
    await setTriggers(sql, header.tables, 'enable')
    for (const statement of foreignKeys) await sql.unsafe(statement)
    for (const [name, last] of Object.entries(header.sequences)) {
      await sql`select setval(${named(name)}::regclass, ${last}::bigint)`
    }
    await leaveRole(sql, role)
    const rows = await countRows(sql, header.tables)
    refuseDifference(rows, trailer.rows)
    const [held] = await sql<{ held_since: Date }[]>`
      update installation set held_since = now(), key_fingerprint = ${header.key_fingerprint},
        restored_from = ${header.made_at}
      returning held_since`
    await sql.unsafe('commit')
    return { rows, key_fingerprint: header.key_fingerprint, held_since: held!.held_since }
  } catch (error) {
    await sql.unsafe('rollback').catch(() => {}) // the connection itself may have broken
    throw error
  }
}

/**
 * Continues as a role that owns what this one owns and is no superuser, if this one is: whatever a row makes a function,
 * a cast or a constraint do, it reads no file and runs no program. It exists in this transaction alone.
 */
async function lowerRole(sql: Sql): Promise<string | undefined> {
  const [me] = await sql<{ name: string; rolsuper: boolean }[]>`
    select rolname as name, rolsuper from pg_roles where rolname = current_user`
  if (!me!.rolsuper) return undefined
  const role = `assay_restore_${randomBytes(6).toString('hex')}`
  await sql.unsafe(`create role ${role} nosuperuser nologin nocreaterole nocreatedb`)
  await sql.unsafe(`grant ${named(me!.name)} to ${role}`)
  await sql.unsafe(`set local role ${role}`)
  return role
}

async function leaveRole(sql: Sql, role: string | undefined): Promise<void> {
  if (role === undefined) return
  await sql.unsafe('reset role')
  await sql.unsafe(`drop role ${role}`)
}

/** The bounds of a partition: a range of ids of runs, or all other rows. */
const BOUND = /^FOR VALUES FROM \('([0-9a-f-]{36})'\) TO \('([0-9a-f-]{36})'\)$/

async function makePartitions(sql: Sql, { partitions }: Header): Promise<void> {
  const partitioned = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'p'`
  for (const { name, of, bound } of partitions) {
    if (!partitioned.some(table => table.name === of)) throw unknown(`partitions of ${of}`)
    const [, from, to] = BOUND.exec(bound) ?? []
    if (from === undefined && bound !== 'DEFAULT') throw unknown(`the bound of the partition ${name}`)
    const rows = from === undefined ? 'default' : `for values from ('${from}') to ('${to}')`
    await sql.unsafe(`create table if not exists ${named(name)} partition of ${named(of)} ${rows}`)
  }
}

/** Refuses a file that names anything but the tables, columns and sequences of this schema. */
async function refuseUnknown(sql: Sql, { tables, sequences }: Header): Promise<void> {
  const there = new Map((await readCatalog(sql)).tables.map(({ name, columns }) => [name, columns]))
  for (const { name, columns } of tables) {
    const known = there.get(name)
    if (known === undefined) throw unknown(`the table ${name}`)
    const other = columns.find(column => !known.includes(column))
    if (other !== undefined) throw unknown(`the column ${other} of ${name}`)
  }
  const known = await sql<{ name: string }[]>`
    select sequencename as name from pg_sequences where schemaname = current_schema()`
  const other = Object.keys(sequences).find(name => !known.some(one => one.name === name))
  if (other !== undefined) throw unknown(`the sequence ${other}`)
}

const unknown = (what: string) =>
  new ExitError(
    'backup_unknown',
    `the backup names ${what}, which this schema does not have. Nothing was kept; use another backup.`,
  )

/**
 * Drops all foreign keys and returns the statements that add them again. Checking them at the end costs less, and lets
 * rows come in any order.
 */
async function dropForeignKeys(sql: Sql): Promise<string[]> {
  const keys = await sql<{ table: string; name: string; definition: string }[]>`
    select r.relname as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class r on r.oid = c.conrelid
    where c.contype = 'f' and c.conparentid = 0 and c.connamespace = current_schema()::regnamespace`
  for (const { table, name } of keys) {
    await sql.unsafe(`alter table ${named(table)} drop constraint ${named(name)}`)
  }
  return keys.map(
    ({ table, name, definition }) =>
      `alter table ${named(table)} add constraint ${named(name)} ${definition}`,
  )
}

/** Disables or enables triggers: the rows include what triggers would write. A table's owner may do this. */
async function setTriggers(sql: Sql, tables: readonly TableOfBackup[], to: 'disable' | 'enable') {
  for (const { name } of tables) await sql.unsafe(`alter table ${named(name)} ${to} trigger user`)
}

/** The file is hashed once more, since it may have been replaced after it was checked. */
async function load(sql: Sql, file: string, checked: Checked): Promise<void> {
  const { header, trailer } = checked
  const columnsOf = new Map(header.tables.map(({ name, columns }) => [name, columns]))
  const hash = createHash('sha256')
  let open: Awaited<ReturnType<typeof copyInto>> | undefined
  for await (const { table, chunk, rows } of readTables(file, checked, hash)) {
    if (chunk !== undefined) {
      open ??= await copyInto(sql, table, columnsOf.get(table)!)
      await open.write(chunk)
    }
    if (rows !== undefined) {
      await open?.end()
      open = undefined
    }
  }
  if (hash.digest('hex') === trailer.sha256) return
  throw new ExitError(
    'backup_damaged',
    `${file} changed while it was restored. Nothing was kept; see who writes to it, and try again.`,
  )
}

async function copyInto(sql: Sql, table: string, columns: readonly string[]) {
  const stream = await sql.unsafe(`copy ${named(table)} (${listed(columns)}) from stdin`).writable()
  const failed = finished(stream)
  failed.catch(() => {})
  return {
    async write(chunk: Buffer) {
      if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), failed])
    },
    async end() {
      stream.end()
      await failed
    },
  }
}

function refuseDifference(there: Record<string, number>, wanted: Record<string, number>): void {
  const wrong = Object.keys(wanted).find(name => there[name] !== wanted[name])
  if (wrong === undefined) return
  throw new ExitError(
    'restore_incomplete',
    `${there[wrong]} of ${wanted[wrong]} rows of ${wrong} arrived. Nothing was kept; try again.`,
  )
}
