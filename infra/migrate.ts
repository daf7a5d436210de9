// Migrates the database of DATABASE_MIGRATE_URL, else of DATABASE_URL, to the schema in ./drizzle. Guarantee: several
// migrations at once wait for each other, and a change that waits for a table lock, behind which all later statements
// wait, gives up after LOCK_WAIT_MS, lets others pass and is tried again. It refuses a PostgreSQL that may lose commits it has confirmed, and a role that may
// not change the schema, before it writes anything.

import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import postgres, { type Sql } from 'postgres'
import { ensureTenantRole, TENANT_READS } from '../shared/accounts/queries/tenant-role.ts'
import type { Sql as ProductSql } from '../shared/context.ts'
import { LIMITS } from '../shared/kernel/limits.ts'
import { storeFault } from '../shared/kernel/store-errors.ts'
import { isUnreachable } from '../shared/kernel/unreachable.ts'
import { ensureStepPartitions } from '../shared/upkeep/queries/partitions.ts'
import {
  findRunningRoles,
  grantsFor,
  MIGRATION_LOCK,
  readRoleState,
  rightsFor,
} from '../shared/upkeep/queries/running-role.ts'
import { faultsOf } from '../shared/upkeep/rules/faults.ts'
import { SCHEMA } from '../shared/upkeep/rules/schema.gen.ts'
import { ExitError, endOf } from './local/exit-error.ts'
import { logWithoutContext } from './node/log.ts'
import { type PostgresTarget, postgresOptions } from './node/postgres-options.ts'
import { migrationTarget, readSettings } from './node/settings.ts'
import { refusalOf } from './node/store-errors.ts'

const FOLDER = `${import.meta.dirname}/../drizzle`
const OLDEST = 15
const LOCK_WAIT_MS = 1000
const LOCK_TRIES = 30
// lock_not_available, deadlock_detected: a change of two tables may meet a statement that locks them in another order.
const IN_THE_WAY = ['55P03', '40P01']

/**
 * @param upTo the time of the last migration to apply; all by default
 * @param mayLoseCommits whether a PostgreSQL is accepted that may lose commits it has confirmed, for data that nobody keeps
 */
export async function migrate(
  databaseUrl: string,
  databaseCa?: string,
  upTo?: number,
  mayLoseCommits = false,
): Promise<void> {
  const { url, ssl, prepare, connection } = postgresOptions({ url: databaseUrl, ca: databaseCa })
  const sql = postgres(url, { ssl, prepare, max: 1, connect_timeout: 10, onnotice: () => {}, connection })
  try {
    await refuseUnsafe(sql, mayLoseCommits)
    if (!prepare) return await refuseThroughPooler(sql)
    const there = await findTables(sql)
    if (there === 'done by owner') return
    await sql`select pg_advisory_lock(${MIGRATION_LOCK.toString()}::bigint)`
    // The lock belongs to the session and is released when it ends.
    await refuseWithoutRole(sql)
    if (await isNewer(sql)) return // a version beside this one brought it there, and granted what it needs
    await refuseUnreleased(sql)
    // After that lock, whose wait it would limit too.
    await sql`select set_config('lock_timeout', ${LOCK_WAIT_MS.toString()}, false)`
    await changeSchema(sql, upTo)
  } catch (error) {
    throw refusalOf(error) ?? error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Each part may be done again. @throws ExitError `migration_waits` after LOCK_TRIES waits for a lock */
async function changeSchema(sql: Sql, upTo: number | undefined, tries = LOCK_TRIES): Promise<void> {
  try {
    if (upTo === undefined) await apply(sql)
    else await applyUpTo(sql, upTo)
    await grantTenantReads(sql)
    // Done before the first item, so that no step lands in the default partition and has to be moved.
    if (upTo === undefined) await ensureStepPartitions(sql as unknown as ProductSql, Date.now())
    for (const role of await findRunningRoles(sql))
      for (const statement of rightsFor(role)) await sql.unsafe(statement)
  } catch (error) {
    if (!isInTheWay(error)) throw error
    if (tries > 1) return changeSchema(sql, upTo, tries - 1)
    throw new ExitError(
      'migration_waits',
      'a transaction holds a table that is to be changed (see pg_stat_activity). End it, then run this again: nothing is half done.',
    )
  }
}

/** Applies the migrations of a folder in one transaction. */
export const apply = (sql: Sql, migrationsFolder = FOLDER): Promise<void> =>
  applyMigrations(drizzle(sql), { migrationsFolder })

const isInTheWay = (error: unknown): boolean =>
  error instanceof Error &&
  (IN_THE_WAY.includes((error as { code?: string }).code ?? '') || isInTheWay(error.cause))

/** Runs after every migration: grants callers' reads access to what has a policy or a view for them by then. */
export async function grantTenantReads(sql: Sql): Promise<void> {
  for (const statement of TENANT_READS) await sql.unsafe(statement)
}

/** Returns the time at which each migration was made, oldest first. */
export async function migrationTimes(): Promise<number[]> {
  const { entries } = await readJournal()
  return entries.map(entry => entry.when)
}

interface Journal {
  entries: { when: number; tag: string }[]
}

const JOURNAL = join('meta', '_journal.json')
const readJournal = async (): Promise<Journal> => JSON.parse(await readFile(join(FOLDER, JOURNAL), 'utf8'))

/** Applies the migrations up to a time. The library takes a folder, so it gets one with those migrations only. */
async function applyUpTo(sql: Sql, upTo: number): Promise<void> {
  const journal = await readJournal()
  const entries = journal.entries.filter(entry => entry.when <= upTo)
  const folder = await mkdtemp(join(tmpdir(), 'assay-migrations-'))
  try {
    await mkdir(join(folder, 'meta'))
    await writeFile(join(folder, JOURNAL), JSON.stringify({ ...journal, entries }))
    for (const { tag } of entries) await copyFile(join(FOLDER, `${tag}.sql`), join(folder, `${tag}.sql`))
    await apply(sql, folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function refuseUnsafe(sql: Sql, mayLoseCommits: boolean): Promise<void> {
  const rows = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings
    where name in ('server_version_num', 'fsync', 'full_page_writes', 'synchronous_commit')`
  const settings = Object.fromEntries(rows.map(row => [row.name, row.setting]))
  const major = Math.floor(Number(settings.server_version_num) / 10_000)
  if (major < OLDEST) {
    throw new ExitError('postgres_too_old', `PostgreSQL ${major} is too old: ${OLDEST} or newer is needed.`)
  }
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter(name => settings[name] === 'off')
  if (off.length > 0 && !mayLoseCommits) {
    throw new ExitError(
      'unsafe_postgres',
      `this PostgreSQL runs with ${off.join(' and ')} off and may lose items it has confirmed. Switch ${off.length === 1 ? 'it' : 'them'} on (server, database and role settings), then start again.`,
    )
  }
}

/** Through a pooler, nothing may be left to migrate. */
async function refuseThroughPooler(sql: Sql): Promise<void> {
  const { version } = await readRoleState(sql as unknown as ProductSql)
  if ((version ?? 0) >= SCHEMA.version) return
  throw new ExitError(
    'migrate_directly',
    'the schema is to be migrated, for which a session holds a lock, and a pooler keeps none: name the database itself by DATABASE_MIGRATE_URL.',
  )
}

interface Rights {
  role: string
  database: string
  schema: string | null
  may_make_schemas: boolean
  may_make_tables: boolean | null
  /** The owner of the tables; null where there are none. */
  owner: string | null
  owns: boolean | null
}

/**
 * Finds whether tables exist, or are up to date by another owner.
 * @throws ExitError where this role may not migrate.
 */
async function findTables(sql: Sql): Promise<'none' | 'some' | 'done by owner'> {
  const [rights] = await sql<Rights[]>`
    select current_user::text as role, current_database()::text as database, current_schema()::text as schema,
      has_database_privilege(current_database(), 'create') as may_make_schemas,
      has_schema_privilege(current_schema(), 'create') as may_make_tables, pg_get_userbyid(relowner)::text as owner,
      pg_has_role(relowner, 'usage') as owns
    from (values (1)) one left join pg_class on pg_class.oid = to_regclass('runs')`
  const { role, database, schema, may_make_schemas, may_make_tables, owner, owns } = rights!
  if (owns === false) {
    const state = await readRoleState(sql)
    if ((state.version ?? 0) >= SCHEMA.version) return 'done by owner'
    const [fault] = faultsOf(state)
    if (fault?.dependency === 'role') throw new ExitError(fault.code, `the role ${fault.says}.`)
    throw new ExitError(
      'schema_of_another_role',
      `the tables belong to the role "${owner}", and "${role}" may not bring them up to date: set DATABASE_MIGRATE_URL to a URL that signs in as "${owner}".`,
    )
  }
  const lacking = [
    ...(may_make_schemas ? [] : [`grant create on database "${database}" to "${role}"`]),
    ...(may_make_tables ? [] : [`grant usage, create on schema "${schema ?? 'public'}" to "${role}"`]),
  ]
  if (lacking.length === 0) return owner === null ? 'none' : 'some'
  throw new ExitError(
    'schema_not_permitted',
    `the role "${role}" may not make the schema. As the owner of the database, run: ${lacking.join('; ')}; or set DATABASE_MIGRATE_URL to a URL of a role that may.`,
  )
}

const isNewer = async (sql: Sql): Promise<boolean> =>
  ((await readRoleState(sql as unknown as ProductSql)).version ?? 0) > SCHEMA.version

/** Refuses a database of a checkout from before the first release, whose migrations are not those of any release. */
async function refuseUnreleased(sql: Sql): Promise<void> {
  const version = (await readRoleState(sql)).version ?? 0
  const [first] = await migrationTimes()
  if (version === 0 || version >= first!) return
  throw new ExitError(
    'schema_unreleased',
    'this database was made by a checkout from before 0.1.0: start it once at the commit that CHANGELOG.md names, back up there (`npx --no assay backup FILE`), and restore that file into a new installation of this version.',
  )
}

/** Policies name this role, so it must exist first. It belongs to the server, so another database may have made it. */
async function refuseWithoutRole(sql: Sql): Promise<void> {
  const statements = await ensureTenantRole(sql)
  if (statements.length === 0) return
  throw new ExitError(
    'tenant_role_missing',
    `reads for callers run under a role that this database user may not set up. As a user who may, run: ${statements.join('; ')}; then start again.`,
  )
}

/**
 * Migrates, and retries for `wait_ms` while PostgreSQL is unreachable, since it may start later; reports each reason
 * once.
 */
export async function migrateOnceReachable(
  { url, ca }: PostgresTarget,
  say: (line: string) => void,
  wait_ms: number,
): Promise<void> {
  const until_ms = performance.now() + wait_ms
  for (let reported = ''; ; ) {
    try {
      return await migrate(url, ca)
    } catch (error) {
      if (!isUnreachable(error)) throw error
      const fault = storeFault(error, 'DATABASE')
      const why = fault
        ? `PostgreSQL ${fault.says}`
        : `PostgreSQL does not answer (${(error as Error).message})`
      if (performance.now() + LIMITS.store_start_ms > until_ms)
        throw new ExitError(
          fault?.code ?? 'postgres_unreachable',
          `${why}: ${fault?.fix ?? 'start it, or name another by its URL'}.`,
        )
      if (why !== reported) say(`${why}; waiting for it`)
      reported = why
      await setTimeout(LIMITS.store_start_ms)
    }
  }
}

/** The grants as a script for psql, to be run by the role that migrates. */
const grantsText = (
  role: string,
) => `-- Grants the role ${JSON.stringify(role)} what it needs to run Assay on tables that another role owns. Run this as the owner, which
-- has assay_tenant with admin option, after infra/migrate.ts. It may be run repeatedly; later migrations grant what they add.
set lock_timeout = '5s'; -- if this time runs out, run the script again
${grantsFor(role).join(';\n')};
`

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { grants: { type: 'string' } } })
  if (values.grants !== undefined) return console.log(grantsText(values.grants))
  const say = (why: string) => logWithoutContext('warn', 'waiting_for_postgres', { error: why })
  await migrateOnceReachable(migrationTarget(readSettings(process.env)), say, LIMITS.store_start_job_ms)
  logWithoutContext('info', 'migrated')
}

if (import.meta.main) {
  await main().catch(error => {
    const { line, code } = endOf(error)
    console.error(line)
    process.exitCode = code
  })
}
