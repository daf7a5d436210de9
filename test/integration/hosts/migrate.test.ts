import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterEach, expect, inject, test } from 'vitest'
import {
  grantTenantReads,
  migrate as migrateInstallation,
  migrateOnceReachable,
} from '../../../infra/migrate.ts'
import { openConnections } from '../../../infra/node/connections.ts'
import { readForAccount } from '../../../shared/accounts/queries/tenant.ts'
import { grantTenantRole } from '../../../shared/accounts/queries/tenant-role.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { migrate } from '../../support/migrate.ts'

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

/** An empty database, and a connection to administer it. */
async function emptyDatabase() {
  const url = new URL(inject('stores').databaseUrl)
  const admin = postgres(url.href, { max: 1, onnotice: () => {} })
  const name = `test_${randomBytes(6).toString('hex')}`
  await admin`create database ${admin(name)}`
  parts.defer(async () => {
    await admin`drop database ${admin(name)} with (force)`
    await admin.end()
  })
  url.pathname = `/${name}`
  return { url: url.href, name, admin }
}

async function tables(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1 })
  const rows = await sql`select tablename from pg_tables where schemaname = 'public' order by 1`
  await sql.end()
  return rows.map(row => row.tablename)
}

test('a database of a checkout from before the first release is refused, with what to do', async () => {
  const { url } = await emptyDatabase()
  await migrate(url)
  const sql = postgres(url, { max: 1 })
  await sql`update drizzle.__drizzle_migrations set created_at = created_at - 1000`
  await sql.end()
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'schema_unreleased',
    message: expect.stringContaining('assay backup FILE'),
  })
})

test('an invalid URL is refused without being shown, since it holds a password', async () => {
  await expect(migrate('postgres://assay:a-secret@no host/assay')).rejects.toMatchObject({
    code: 'database_url_unusable',
    message: expect.not.stringContaining('a-secret'),
  })
})

test('a database that a newer version has migrated is left as it is', async () => {
  const { url } = await emptyDatabase()
  await migrate(url)
  const sql = postgres(url, { max: 1 })
  parts.defer(() => sql.end())
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('next', ${Date.now() * 2})`
  await sql`drop table saved_views cascade` // which the newer version does not have
  await expect(migrate(url)).resolves.toBeUndefined()
  expect(await tables(url)).not.toContain('saved_views')
})

test('through a pooler, a migration is refused if there is anything to migrate, and else there is nothing to do', async () => {
  const { url } = await emptyDatabase()
  const pooled = `${url}?pgbouncer=true`
  await expect(migrate(pooled)).rejects.toMatchObject({ code: 'migrate_directly' })
  await migrate(url)
  await expect(migrate(pooled)).resolves.toBeUndefined()
})

test('migration waits for an unreachable PostgreSQL for a given time, not for a number of tries', async () => {
  const url = 'postgres://assay@127.0.0.1:1/assay'
  const said: string[] = []
  const wait_ms = 1.5 * LIMITS.store_start_ms
  const waiting = migrateOnceReachable({ url, ca: undefined }, line => said.push(line), wait_ms)
  await expect(waiting).rejects.toMatchObject({ code: 'postgres_unreachable' })
  expect(said).toEqual([expect.stringContaining('waiting for it')])
})

test('concurrent migrations of an empty database make one schema, and another migration changes nothing', async () => {
  const { url } = await emptyDatabase()
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)])
  const made = await tables(url)
  expect(made).toContain('items')
  await migrate(url)
  expect(await tables(url)).toEqual(made)
})

// A dump is restored with an empty search_path, where a function body kept as text does not find our tables.
test('functions in SQL are bound to the objects they name, so a dump of the database can be restored', async () => {
  const { url } = await emptyDatabase()
  await migrate(url)
  const sql = postgres(url, { max: 1 })
  const functions = await sql`
    select proname as name, prosqlbody is not null as bound from pg_proc join pg_language l on l.oid = prolang
    where pronamespace = 'public'::regnamespace and lanname = 'sql'`
  await sql.end()
  expect(functions.map(fn => fn.name)).toContain('run_status_of')
  // Its row may be of any type, and it names nothing else.
  expect(functions.filter(fn => !fn.bound).map(fn => fn.name)).toEqual(['ended_items'])
})

test('a database that may lose confirmed commits is refused and left as it is', async () => {
  const { url, name, admin } = await emptyDatabase()
  await admin`alter database ${admin(name)} set synchronous_commit = off`
  await expect(migrateInstallation(url)).rejects.toMatchObject({
    code: 'unsafe_postgres',
    message: expect.stringContaining('synchronous_commit off'),
  })
  expect(await tables(url)).toEqual([])
})

/** The URL of a database whose owner has no rights beyond it. */
async function ownedDatabase() {
  const { url, name, admin } = await emptyDatabase()
  const owner = `owner_of_${name}`
  await admin.unsafe(`create role ${owner} login password 'x'; alter database ${name} owner to ${owner}`)
  const own = new URL(url)
  own.username = owner
  own.password = 'x'
  parts.defer(async () => {
    const there = postgres(url, { max: 1, onnotice: () => {} })
    await there.unsafe(`drop owned by ${owner} cascade`)
    await there.end()
    await admin.unsafe(`alter database ${name} owner to current_user; drop role ${owner}`)
  })
  return { url: own.href, owner, admin }
}

test('a user who may not set up the role of reads gets the grant an administrator has to run, and nothing is written', async () => {
  const { url, owner } = await ownedDatabase()
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'tenant_role_missing',
    message: expect.stringContaining(`grant assay_tenant to ${owner}`),
  })
  expect(await tables(url)).toEqual([])
})

test('a user who was granted the role can migrate, and its reads see their own account only', async () => {
  const { url, owner, admin } = await ownedDatabase()
  await admin.unsafe(grantTenantRole(owner))
  await migrate(url)
  const connections = openConnections({ databaseUrl: url, redisUrl: inject('stores').redisUrl })
  parts.defer(() => connections.close())
  const account_id = '00000000-0000-7000-8000-000000000001'
  await connections.sql`insert into accounts ${connections.sql({ id: account_id, name: 'mine' })}`
  await connections.sql`insert into accounts ${connections.sql({ id: account_id.replace(/1$/, '2'), name: 'theirs' })}`
  const seen = await readForAccount(
    connections.reads,
    account_id,
    ({ sql }) => sql`select name from accounts`,
  )
  expect([...seen]).toEqual([{ name: 'mine' }])
})

test('a migration that waits for a table lock lets others pass, and runs when the table is free', async () => {
  const { url } = await emptyDatabase()
  await migrate(url)
  const sql = postgres(url, { max: 3, onnotice: () => {} })
  parts.defer(() => sql.end())
  const reader = await sql.reserve()
  await reader`begin`
  await reader`select from assay_tenant.triage`
  const migrating = migrate(url)
  await expect
    .poll(() => sql`select from pg_locks where not granted and relation = 'assay_tenant.triage'::regclass`, {
      timeout: 20_000,
    })
    .toHaveLength(1)
  await sql`select from assay_tenant.triage` // would wait behind the migration until the reader commits
  await reader`commit`
  reader.release()
  await migrating
})

test('granting the views of reads does not deadlock with a read that uses them in another order', async () => {
  const { url } = await emptyDatabase()
  await migrate(url)
  const sql = postgres(url, { max: 3, onnotice: () => {} })
  parts.defer(() => sql.end())
  const reader = await sql.reserve()
  await reader`begin`
  await reader`select from assay_tenant.triage`
  const own = postgres(url, { max: 1, onnotice: () => {} })
  const granting = grantTenantReads(own).finally(() => own.end())
  await expect
    .poll(() => sql`select from pg_locks where not granted and relation = 'assay_tenant.triage'::regclass`, {
      timeout: 20_000,
    })
    .toHaveLength(1)
  await reader`select from assay_tenant.items`
  await reader`select from assay_tenant.step_index`
  await reader`commit`
  reader.release()
  await granting
})
