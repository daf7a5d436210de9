// Opens PostgreSQL and Redis. Guarantee: nothing connects before it is used, and `close` ends all connections; every
// wait for a store is bounded, and a connection that did not answer within it is given up.
//
// Drizzle replaces the date and JSON codecs of the client it is given, so it gets a client of its own: raw `sql` reads
// timestamptz as Date and writes objects as jsonb, as postgres.js does by default.

import type { Duplex } from 'node:stream'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import type { Database, ReadConnection, ReadConnections, Redis, Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { untilGiven } from '../../shared/kernel/unreachable.ts'
import { ExitError } from '../local/exit-error.ts'
import { postgresOptions } from './postgres-options.ts'
import { openRedis, type RedisClient } from './redis.ts'
import * as redisClient from './redis-client.ts'
import { silenceOf } from './silence.ts'

export interface Connections {
  sql: Sql
  db: Database
  reads: ReadConnections
  redis: Redis
  /** See Context. */
  silence?: () => Promise<unknown>
  close(): Promise<void>
}

interface DatabaseTarget {
  /** Includes `?pgbouncer=true` where a pooler in transaction mode is in front of PostgreSQL. */
  databaseUrl: string
  /** The CA certificates of the servers, in PEM; Node's own by default. */
  databaseCa?: string | undefined
  /** Milliseconds after which an idle connection is closed; LIMITS.store_rest_ms by default. */
  rest_ms?: number
  /** Connects by TLS on hosts without Node's TLS. */
  openTls?: (hostname: string, port: number) => Duplex
}

export interface ConnectionOptions extends DatabaseTarget {
  /** Names one server, or the nodes of a cluster. */
  redisUrl: string
  redisCa?: string | undefined
  /** The name of the installation, where it shares Redis with others. */
  installation?: string | undefined
  /** Most connections to PostgreSQL: for raw statements, for Drizzle's, and for callers' reads. */
  pool?: Pool
}

export interface Pool {
  sql: number
  db: number
  reads?: number
}

/**
 * Splits a budget of connections into pools. A unit that no caller reaches serves no reads, so `sql` gets all but one.
 * Elsewhere a statement that waits for a row must leave a connection for the next statement, which may be the probe's;
 * the rest goes to reads first. Each pool has at least one connection, even beyond the budget.
 */
export function poolOf(budget: number, { servesReads }: { servesReads: boolean }): Pool {
  if (!servesReads) return { sql: Math.max(1, budget - 1), db: 1, reads: 1 }
  const db = Math.max(1, Math.floor(budget / 5))
  const reads = Math.max(1, Math.min(Math.ceil((budget - db) / 2), budget - db - 2))
  return { sql: Math.max(1, budget - db - reads), db, reads }
}

// Counters and micro-dollars stay below 2^53: a bigint column is read as a number.
const types = { bigint: { to: 20, from: [20], serialize: String, parse: Number } }
// Read connections serve both raw `sql` and Drizzle: a time is read as Date, which Drizzle accepts too. A text is sent
// unchanged, since converting it to a Date would cut it to milliseconds.
const readTypes = {
  ...types,
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    serialize: (time: Date | string) => (time instanceof Date ? time.toISOString() : time),
    parse: (text: string) => new Date(text),
  },
}
// The driver counts tries over all connections: by its own rule a pool that lost PostgreSQL for a second waits 20 s.
const reconnectAfter = (tries: number) => Math.min(0.05 * 2 ** tries, 1) // seconds

/** @throws ExitError where the driver lacks its patch; patches/README.md says what would happen without it. */
export const openConnections = (options: ConnectionOptions): Connections => openWith(redisClient, options)

/** Like openConnections, with a Redis client that the caller has loaded. @throws ExitError like openConnections */
export function openWith(client: RedisClient, options: ConnectionOptions): Connections {
  const database = openPools(options)
  const { redisUrl: url, redisCa: ca, installation } = options
  const redis = openRedis({ url, ca, installation }, client)
  return {
    ...database,
    redis,
    async close() {
      redis.disconnect()
      await database.close()
    },
  }
}

/** Opens PostgreSQL with the pools of a serving process. @throws ExitError like openConnections */
export function openPools(
  options: DatabaseTarget & Pick<ConnectionOptions, 'pool'>,
): Omit<Connections, 'redis'> {
  const { pool, rest_ms = LIMITS.store_rest_ms } = options
  const { open, openDb, isPooled } = clientsOf(options)
  // Idle connections are closed, except those that one submission and the claim of its items need: with only one of
  // each, items that began after an idle time took 27 ms instead of 16.
  const idle_timeout = rest_ms / 1000
  const sql = open(pool?.sql ?? 12, { idle_timeout, idle_min: 2 })
  const db = openDb(pool?.db ?? 6, { idle_timeout, idle_min: 1 })
  const readOptions = { types: readTypes, query_timeout: LIMITS.store_read_ms / 1000 }
  const openOne = (onclose: () => void) => open(1, { ...readOptions, max_lifetime: null, onclose })
  const reads = openReadConnections(pool?.reads ?? 6, rest_ms, openOne)
  const silence = silenceOf(open, isPooled)
  return {
    sql,
    db: db.db,
    reads,
    silence: silence.ask,
    async close() {
      await Promise.all([silence.end(), ...[sql, db, reads].map(pool => pool.end({ timeout: 5 }))])
    },
  }
}

/** Opens PostgreSQL only, with one connection each for `sql` and `db`. @throws ExitError like openConnections */
export function openDatabase(target: DatabaseTarget): Pick<Connections, 'sql' | 'db' | 'close'> {
  const { open, openDb } = clientsOf(target)
  const [sql, db] = [open(1), openDb(1)]
  return {
    sql,
    db: db.db,
    async close() {
      await Promise.all([sql, db].map(pool => pool.end({ timeout: 5 })))
    },
  }
}

function clientsOf({ databaseUrl, databaseCa, openTls }: DatabaseTarget) {
  if (!('isPatched' in postgres)) throw unpatched()
  const { url, ...session } = postgresOptions({ url: databaseUrl, ca: databaseCa }, openTls)
  const base = {
    types,
    onnotice: () => {},
    backoff: reconnectAfter,
    connect_timeout: LIMITS.store_connect_ms / 1000,
    query_timeout: LIMITS.store_answer_ms / 1000,
    ...session,
  }
  // The types of postgres.js name the parsed bigint; callers declare their row shapes anyway.
  const open = (max: number, more: object = {}) =>
    patient(postgres(url, { ...base, ...more, max }) as unknown as Sql)
  return {
    open,
    isPooled: !session.prepare,
    openDb(max: number, more: object = {}) {
      const client = open(max, more)
      return { db: drizzle(client), end: client.end.bind(client) as Sql['end'] }
    },
  }
}

/** Makes `begin` wait for a connection: a transaction that got none has not started, so it can be tried again. */
function patient(client: Sql): Sql {
  const begin = client.begin.bind(client) as (work: (tx: unknown) => unknown) => Promise<unknown>
  const waiting = (work: (tx: unknown) => unknown) => {
    let started = false
    const once = (tx: unknown) => {
      started = true
      return work(tx)
    }
    return untilGiven(
      () => begin(once),
      () => !started,
    )
  }
  return Object.assign(client, { begin: waiting })
}

const unpatched = () =>
  new ExitError(
    'driver_unpatched',
    'the PostgreSQL driver was installed without the patch it needs, since npm was configured to run no scripts: run "npx patch-package", then start again.',
  )

interface OpenReadConnection extends ReadConnection {
  /** Ends its connection; the next query opens another. */
  renew(): void
  resting?: NodeJS.Timeout
}

/**
 * Opens clients of one connection each instead of transactions on a pool: in postgres.js 3.4 a pool's transaction whose
 * connection dies writes to a socket that is gone, which ends the process.
 */
function openReadConnections(count: number, rest_ms: number, open: (onclose: () => void) => unknown) {
  const reads = Array.from({ length: count }, () => {
    const opened = () => {
      // Queries waiting on a broken connection must not continue on the next one by themselves. A connection ended
      // while idle closes later, when another has already replaced it; hence the check.
      const sql = open(() => {
        if (connection.sql === sql) connection.renew()
      }) as Sql
      return sql
    }
    const connection: OpenReadConnection = {
      sql: opened(),
      renew() {
        void connection.sql.end({ timeout: 0 })
        connection.sql = opened()
      },
    }
    return connection
  })
  const free = [...reads]
  const waiting = new Set<(connection: ReadConnection) => void>()
  let isOver = false
  return {
    size: count,
    async take(): Promise<ReadConnection> {
      const connection = free.pop()
      clearTimeout(connection?.resting)
      return connection ?? taken()
    },
    give(connection: OpenReadConnection) {
      const [next] = waiting
      if (next) return next(connection)
      free.push(connection)
      // A timer of our own: the driver cannot distinguish a connection in use by a reader from an idle one.
      if (!isOver) connection.resting = setTimeout(() => connection.renew(), rest_ms)
    },
    async end(options: { timeout: number }) {
      isOver = true
      for (const { resting } of reads) clearTimeout(resting)
      await Promise.all(reads.map(({ sql }) => sql.end(options)))
    },
  }

  function taken(): Promise<ReadConnection> {
    return new Promise((resolve, reject) => {
      const next = (connection: ReadConnection) => {
        clearTimeout(timer)
        waiting.delete(next)
        resolve(connection)
      }
      const timer = setTimeout(() => {
        waiting.delete(next)
        const code = 'QUERY_TIMEOUT'
        reject(Object.assign(new Error('no connection for reads became free in time'), { code }))
      }, LIMITS.store_answer_ms)
      waiting.add(next)
    })
  }
}
