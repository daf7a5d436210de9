// Brings a database to the schema in ./drizzle. Several at once are safe: they wait for each other. A PostgreSQL that
// may lose what it has confirmed is refused before anything is written to it.

import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import postgres, { type Sql } from 'postgres'
import { ensureTenantRole, TENANT_READS } from '../shared/store/tenant-role.ts'
import { Refusal } from './local/refusal.ts'
import { postgresOptions } from './node/postgres-options.ts'
import { readSettings } from './node/settings.ts'
import { adviceOf } from './node/store-trouble.ts'

const FOLDER = `${import.meta.dirname}/../drizzle`
const OLDEST = 16
// Any number that other users of the same database are unlikely to pick.
const LOCK = 7_261_538_905_417n
const LOCK_WAIT_MS = 1000
const LOCK_TRIES = 30
// lock_not_available, deadlock_detected: a migration that changes two tables may meet a statement that has them in turn.
const IN_THE_WAY = ['55P03', '40P01']

/** @param upTo the time of the last migration to apply; all there are unless told */
export async function migrate(databaseUrl: string, databaseCa?: string, upTo?: number): Promise<void> {
  const { url, ssl, prepare } = postgresOptions({ url: databaseUrl, ca: databaseCa })
  if (!prepare) {
    throw new Refusal(
      'migrate_directly',
      'migrations hold a lock for a session, which a pooler does not keep together: name the database itself.',
    )
  }
  const sql = postgres(url, { ssl, max: 1, connect_timeout: 10, onnotice: () => {} })
  try {
    await refuseUnsafe(sql)
    await sql`select pg_advisory_lock(${LOCK.toString()}::bigint)`
    // The lock is the session's and goes with it.
    await refuseWithoutRole(sql)
    if (upTo === undefined) await applyWhileOthersWork(sql)
    else await applyUpTo(sql, upTo)
    await grantTenantReads(sql)
  } catch (error) {
    const advice = adviceOf(error, 'DATABASE')
    throw advice === undefined ? error : new Refusal('postgres_not_trusted', advice)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

export const applyWhileOthersWork = (sql: Sql, migrationsFolder = FOLDER): Promise<unknown> =>
  whileOthersWork(sql, () => applyMigrations(drizzle(sql), { migrationsFolder }))

/** After every migration: callers' reads see what has a policy or a view for them by now. */
export async function grantTenantReads(sql: Sql): Promise<void> {
  for (const statement of TENANT_READS) await whileOthersWork(sql, () => sql.unsafe(statement))
}

/**
 * Whoever waits for a lock on a table makes all wait that come after, so it waits for a short time and lets them pass.
 * The timeout comes after the advisory lock, which it would bound as well.
 */
async function whileOthersWork(sql: Sql, change: () => Promise<unknown>): Promise<void> {
  await sql`select set_config('lock_timeout', ${LOCK_WAIT_MS.toString()}, false)`
  for (let tries = LOCK_TRIES; ; tries--) {
    try {
      await change()
      return
    } catch (error) {
      if (!isInTheWay(error)) throw error
      if (tries > 1) continue
      throw new Refusal(
        'migration_waits',
        'a transaction holds a table that is to be changed (see pg_stat_activity). Nothing was changed: end it, then run this again.',
      )
    }
  }
}

/** When each migration there is was made, oldest first. */
export async function migrationTimes(): Promise<number[]> {
  const { entries } = await readJournal()
  return entries.map(entry => entry.when)
}

interface Journal {
  entries: { when: number; tag: string }[]
}

const JOURNAL = join('meta', '_journal.json')
const readJournal = async (): Promise<Journal> => JSON.parse(await readFile(join(FOLDER, JOURNAL), 'utf8'))

/** The library takes a folder, so it gets one with the first of them alone. */
async function applyUpTo(sql: Sql, upTo: number): Promise<void> {
  const journal = await readJournal()
  const entries = journal.entries.filter(entry => entry.when <= upTo)
  const folder = await mkdtemp(join(tmpdir(), 'assay-migrations-'))
  try {
    await mkdir(join(folder, 'meta'))
    await writeFile(join(folder, JOURNAL), JSON.stringify({ ...journal, entries }))
    for (const { tag } of entries) await copyFile(join(FOLDER, `${tag}.sql`), join(folder, `${tag}.sql`))
    await applyWhileOthersWork(sql, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const isInTheWay = (error: unknown): boolean =>
  error instanceof Error &&
  (IN_THE_WAY.includes((error as { code?: string }).code ?? '') || isInTheWay(error.cause))

async function refuseUnsafe(sql: Sql): Promise<void> {
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings
    where name in ('server_version_num', 'fsync', 'full_page_writes', 'synchronous_commit')`
  const settings = Object.fromEntries(rows.map(row => [row.name, row.setting]))
  const major = Math.floor(Number(settings.server_version_num) / 10_000)
  if (major < OLDEST) {
    throw new Refusal('postgres_too_old', `PostgreSQL ${major} is too old: ${OLDEST} or newer is needed.`)
  }
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter(name => settings[name] === 'off')
  if (off.length > 0) {
    throw new Refusal(
      'unsafe_postgres',
      `this PostgreSQL runs with ${off.join(' and ')} off and may lose items it has confirmed. Switch ${off.length === 1 ? 'it' : 'them'} on (server, database and role settings), then start again.`,
    )
  }
}

/** Policies name the role, so it is there before them; it belongs to the server, and another database may have made it. */
async function refuseWithoutRole(sql: Sql): Promise<void> {
  const statements = await ensureTenantRole(sql)
  if (statements.length === 0) return
  throw new Refusal(
    'tenant_role_missing',
    `reads for callers run under a role that this database user may not set up. As a user who may, run: ${statements.join('; ')}; then start again.`,
  )
}

if (import.meta.main) {
  try {
    const settings = readSettings(process.env)
    await migrate(settings.need('DATABASE_URL'), settings.get('DATABASE_CA'))
    console.log('the schema is up to date')
  } catch (error) {
    console.error(error instanceof Refusal ? `${error.code}: ${error.message}` : error)
    process.exitCode = 1
  }
}
