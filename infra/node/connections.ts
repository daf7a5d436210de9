// Opens PostgreSQL and Redis. Guarantee: nothing connects before it is used, and `close` ends all of it.
//
// Drizzle replaces the date and JSON codecs of the client it is given, so it gets a client of its own: raw `sql`
// reads timestamptz as Date and writes objects as jsonb, as postgres.js does out of the box.

import { drizzle } from 'drizzle-orm/postgres-js'
import { Redis } from 'ioredis'
import postgres from 'postgres'
import type { Database, Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import * as tables from '../../shared/schema/tables.ts'

export interface Connections {
  sql: Sql
  db: Database
  redis: Redis
  close(): Promise<void>
}

export interface ConnectionOptions {
  databaseUrl: string
  redisUrl: string
  /** Connections to PostgreSQL at most: for raw statements, and for Drizzle's. */
  pool?: { sql: number; db: number }
}

// Counters and micro-dollars stay below 2^53: a bigint column is read as a number.
const types = { bigint: { to: 20, from: [20], serialize: String, parse: Number } }
// All connections count together: by the driver's own rule a pool that lost PostgreSQL for a second waits 20 s.
const reconnectAfter = (tries: number) => Math.min(0.05 * 2 ** tries, 1) // seconds
const REDIS_WAIT_MS = 2000 // Redis holds hints: a caller falls back rather than wait for it

export function openConnections({ databaseUrl, redisUrl, pool }: ConnectionOptions): Connections {
  const connection = {
    application_name: 'assay',
    // A process that hangs, or whose network does, in the middle of a transaction must not keep its locks.
    idle_in_transaction_session_timeout: LIMITS.transaction_idle_ms,
  }
  const base = { types, prepare: true, onnotice: () => {}, connection, backoff: reconnectAfter }
  // The types of postgres.js name the parsed bigint; callers declare their row shapes anyway.
  const sql = postgres(databaseUrl, { ...base, max: pool?.sql ?? 12 }) as unknown as Sql
  const drizzled = postgres(databaseUrl, { ...base, max: pool?.db ?? 6 }) as unknown as Sql
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: REDIS_WAIT_MS,
    commandTimeout: REDIS_WAIT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: tries => Math.min(50 * 2 ** Math.min(tries, 6), REDIS_WAIT_MS),
  })
  redis.on('error', () => {}) // reported by the command that fails, and by /health/ready
  return {
    sql,
    db: drizzle(drizzled, { schema: tables }),
    redis,
    async close() {
      redis.disconnect()
      await Promise.all([sql.end({ timeout: 5 }), drizzled.end({ timeout: 5 })])
    },
  }
}
