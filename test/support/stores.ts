// Stores for a test: a database and a Redis database of its own in the shared servers, or servers of its own to kill.

import { randomBytes } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { inject } from 'vitest'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import type { Store } from '../../infra/local/store.ts'
import { migrate } from '../../infra/migrate.ts'
import { copyDatabase, dropDatabase } from './citus.ts'
import { TEMPLATE } from './global-setup.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

export interface TestStore {
  url: string
  drop(): Promise<void>
}

/** A database with the current schema and nothing in it. */
export const testDatabase = (): Promise<TestStore> => databaseLike(TEMPLATE)

/** A database without a schema, as a new installation finds it. */
export const emptyDatabase = (): Promise<TestStore> => databaseLike('template1')

/**
 * An empty database of a PostgreSQL of its own that keeps its commits: for processes of Assay that migrate, which refuse
 * the shared one.
 */
export async function durableDatabase(): Promise<TestStore> {
  const folder = await tempFolder()
  const server = await startPostgres({ dataDir: folder.path, connections: 250 })
  return {
    url: server.url,
    async drop() {
      await server.stop()
      await folder.remove()
    },
  }
}

async function databaseLike(template: string): Promise<TestStore> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const { databaseUrl, nodes, cloneBy } = inject('stores')
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  if (template === TEMPLATE && nodes.length > 0) {
    await copyDatabase(nodes, name, template)
    return { url: url.href, drop: () => dropDatabase(nodes, name) }
  }
  await administer(
    async sql => sql`create database ${sql(name)} template ${sql(template)} strategy ${sql.unsafe(cloneBy)}`,
  )
  return {
    url: url.href,
    async drop() {
      await administer(async sql => sql`drop database if exists ${sql(name)} with (force)`)
    },
  }
}

const REDIS_DATABASES = 64

/** Numbers of the Redis databases that tests of this worker use. */
const taken = new Set<number>()

/**
 * An empty logical database of the shared Redis: empty it with `flushdb`, since `flushall` reaches other tests. It is
 * this test's while the worker's PostgreSQL connection holds an advisory lock on the number, so any end of the worker
 * frees it.
 */
export async function testRedis(): Promise<TestStore> {
  const number = await takeNumber()
  const url = `${inject('stores').redisUrl}/${number}`
  const { Redis } = await import('ioredis')
  const redis = new Redis(url)
  await redis.flushdb()
  redis.disconnect()
  return {
    url,
    async drop() {
      await administer(async sql => sql`select pg_advisory_unlock(hashtext('redis database'), ${number})`)
      taken.delete(number)
    },
  }
}

async function takeNumber(): Promise<number> {
  for (let number = 1; number < REDIS_DATABASES; number++) {
    if (taken.has(number)) continue // a session gets a lock that it holds once more
    taken.add(number)
    const [row] = await administer(
      async sql => sql`select pg_try_advisory_lock(hashtext('redis database'), ${number}) as held`,
    )
    if (row?.held) return number
    taken.delete(number)
  }
  throw new Error(`all ${REDIS_DATABASES - 1} Redis databases are in use: a test does not drop what it took`)
}

let administration: Sql | undefined

/** Over one connection of this worker: to sign in takes a few milliseconds, and an engine would four times. */
function administer<T>(statement: (sql: Sql) => Promise<T>): Promise<T> {
  administration ??= postgres(inject('stores').databaseUrl, { max: 1, onnotice: () => {} })
  return statement(administration)
}

export interface PrivateStores {
  databaseUrl: string
  redisUrl: string
  postgres: Store
  redis: Store
  /** Starts it again where it was, after the test has stopped or killed it; the URL stays the same. */
  restartPostgres(): Promise<void>
  restartRedis(): Promise<void>
  close(): Promise<void>
}

/** Servers of the test's own, migrated, to be stopped or killed; in `place`, if given. */
export async function privateStores(place?: TempFolder): Promise<PrivateStores> {
  const folder = place ?? (await tempFolder())
  // Six processes with their default pools hold up to 144 connections together.
  const at = { dataDir: folder.path, connections: 250 }
  const [database, redis] = await Promise.all([startPostgres(at), startRedis(at)])
  await migrate(database.url)
  const stores: PrivateStores = {
    databaseUrl: database.url,
    redisUrl: redis.url,
    postgres: database,
    redis,
    async restartPostgres() {
      stores.postgres = await startPostgres(at)
    },
    async restartRedis() {
      stores.redis = await startRedis(at)
    },
    async close() {
      await Promise.all([stores.postgres.stop(), stores.redis.stop()])
      await folder.remove()
    },
  }
  return stores
}
