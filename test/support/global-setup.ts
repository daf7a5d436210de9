// Starts the PostgreSQL (or uses that of TEST_DATABASE_URL, or the cluster of CITUS_URL) and the Redis that all test
// files share, and makes the database that they clone; on a cluster it is distributed.

import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { distribute } from '../../infra/distribute.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import { closeDatabase, dropDatabase, makeCluster, nodesOf } from './citus.ts'
import { migrate } from './migrate.ts'
import { removeAbandoned, tempFolder } from './temp-folder.ts'

export const TEMPLATE = 'assay_template'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * `nodes`: those of a cluster, the coordinator first; otherwise empty. `cloneBy`: the way of `create database` that
     * costs least on this server.
     */
    stores: { databaseUrl: string; redisUrl: string; nodes: string[]; cloneBy: 'file_copy' | 'wal_log' }
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned()
  const parts = new AsyncDisposableStack()
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  try {
    const at = { dataDir: folder.path }
    // In workerd each request opens up to three connections of its own, and tests send fifty requests at once.
    const starting = [givenOrStarted(at), startRedis(at)] as const
    for (const store of await Promise.allSettled(starting)) {
      if (store.status === 'fulfilled') parts.defer(() => store.value.stop())
    }
    const [database, redis] = await Promise.all(starting)
    const nodes = process.env.CITUS_URL ? await nodesOf(process.env.CITUS_URL) : []
    await (nodes.length > 0 ? makeDistributed(nodes) : makeTemplate(database.url))
    const cloneBy = await cheapestClone(database.url)
    project.provide('stores', { databaseUrl: database.url, redisUrl: redis.url, nodes, cloneBy })
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
  return () => parts.disposeAsync()
}

/** The server of whoever runs the tests, of any supported version, with a role that may make databases and roles. */
async function givenOrStarted(at: { dataDir: string }): Promise<{ url: string; stop(): Promise<void> }> {
  const cluster = process.env.CITUS_URL
  if (cluster) {
    const nodes = await nodesOf(cluster)
    return { url: cluster, stop: () => dropDatabase(nodes, TEMPLATE) }
  }
  const url = process.env.TEST_DATABASE_URL
  if (!url) return startPostgres({ ...at, connections: 250, durable: false })
  const stop = async () => {
    const sql = postgres(url, { max: 1 })
    await sql`alter database ${sql(TEMPLATE)} allow_connections true`
    await sql`drop database ${sql(TEMPLATE)}`
    await sql.end()
  }
  return { url, stop }
}

/**
 * Copying files takes two checkpoints. Without fsync they cost nothing (16 ms a clone, and 33 through the WAL; on a disk
 * 33 and 68); with it they wait for the disk (1,235 ms, and 109 through the WAL).
 */
async function cheapestClone(databaseUrl: string): Promise<'file_copy' | 'wal_log'> {
  const sql = postgres(databaseUrl, { max: 1 })
  const [shown] = await sql<{ fsync: string }[]>`show fsync`
  await sql.end()
  return shown!.fsync === 'off' ? 'file_copy' : 'wal_log'
}

async function makeTemplate(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 })
  try {
    await sql`create database ${sql(TEMPLATE)}`
    const url = new URL(databaseUrl)
    url.pathname = `/${TEMPLATE}`
    await migrate(url.href)
    // A database with open connections cannot be cloned.
    await sql`alter database ${sql(TEMPLATE)} allow_connections false`
  } finally {
    await sql.end()
  }
}

async function makeDistributed(nodes: readonly string[]): Promise<void> {
  await dropDatabase(nodes, TEMPLATE)
  const url = await makeCluster(nodes, TEMPLATE)
  await migrate(url)
  await distribute({ url }, { apply: true, shards: 4, say: () => {} })
  await closeDatabase(nodes, TEMPLATE)
}
