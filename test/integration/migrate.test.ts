import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterEach, expect, inject, test } from 'vitest'
import { migrate } from '../../infra/migrate.ts'

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

/** A database without any table, and a connection to administer it. */
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

test('several at once on an empty database leave one schema, and once more changes nothing', async () => {
  const { url } = await emptyDatabase()
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)])
  const made = await tables(url)
  expect(made).toContain('items')
  await migrate(url)
  expect(await tables(url)).toEqual(made)
})

test('a database that may lose what it confirmed is refused and left as it is', async () => {
  const { url, name, admin } = await emptyDatabase()
  await admin`alter database ${admin(name)} set synchronous_commit = off`
  await expect(migrate(url)).rejects.toMatchObject({
    code: 'unsafe_postgres',
    message: expect.stringContaining('synchronous_commit off'),
  })
  expect(await tables(url)).toEqual([])
})
