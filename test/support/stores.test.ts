import { Redis } from 'ioredis'
import postgres from 'postgres'
import { afterAll, expect, test } from 'vitest'
import { eventually } from './eventually.ts'
import { testDatabase, testRedis } from './stores.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

test('each of two test databases has the schema and none of the rows of the other', async () => {
  const [one, other] = await Promise.all([testDatabase(), testDatabase()])
  parts.defer(() => one.drop())
  parts.defer(() => other.drop())
  const sql = { one: postgres(one.url, { max: 1 }), other: postgres(other.url, { max: 1 }) }
  await sql.one`insert into accounts (id, name) values (gen_random_uuid(), 'a')`
  expect(await sql.one`select name from accounts`).toEqual([{ name: 'a' }])
  expect(await sql.other`select name from accounts`).toEqual([])
  await Promise.all([sql.one.end(), sql.other.end()])
})

test('a test database can be dropped while a client is connected', async () => {
  const database = await testDatabase()
  const sql = postgres(database.url, { max: 1 })
  await sql`select 1`
  await database.drop()
  await expect(sql`select 1`).rejects.toThrow()
  await sql.end()
})

test('two test Redis databases share no keys, and a dropped one is handed out again empty', async () => {
  const [one, other] = [await testRedis(), await testRedis()]
  parts.defer(() => other.drop())
  expect(one.url).not.toBe(other.url)
  const first = new Redis(one.url)
  const second = new Redis(other.url)
  await first.set('key', 'value')
  expect(await second.get('key')).toBeNull()
  first.disconnect()
  await one.drop()
  // Another test file may take the number first.
  const again = await eventually(async () => {
    const next = await testRedis()
    parts.defer(() => next.drop())
    expect(next.url).toBe(one.url)
    return next
  })
  const third = new Redis(again.url)
  expect(await third.get('key')).toBeNull()
  second.disconnect()
  third.disconnect()
})
