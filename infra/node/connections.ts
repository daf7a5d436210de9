// Opens PostgreSQL and Redis. Guarantee: nothing connects before it is used, and `close` ends all of it; whatever waits
// for a store waits for a bounded time, and a connection that did not answer in it is given up.
//
// Drizzle replaces the date and JSON codecs of the client it is given, so it gets a client of its own: raw `sql`
// reads timestamptz as Date and writes objects as jsonb, as postgres.js does out of the box.

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

export interface Connections {
  sql: Sql
  db: Database
  reads: ReadConnections
  redis: Redis
  close(): Promise<void>
}

interface DatabaseTarget {
  /** With `?pgbouncer=true` where a pooler in transaction mode stands before PostgreSQL. */
  databaseUrl: string
  /** Certificates of who signed those of the servers, in PEM; what Node knows unless given. */
  databaseCa?: string | undefined
  /** Milliseconds after which a connection that nobody uses is closed; LIMITS.store_rest_ms unless given. */
  rest_ms?: number
  /** Connects by TLS where Node's own way does not exist. */
  openTls?: (hostname: string, port: number) => Duplex
}

export interface ConnectionOptions extends DatabaseTarget {
  /** Of one server, or of nodes of a cluster. */
  redisUrl: string
  redisCa?: string | undefined
  /** Connections to PostgreSQL at most: for raw statements, for Drizzle's, and for callers' reads. */
  pool?: Pool
}

export interface Pool {
  sql: number
  db: number
  reads?: number
}

/**
 * How a budget of connections is split. What no caller reaches reads for none, so its statements have all but one.
 * Elsewhere a statement that waits for a row must leave one for the next, which may be the probe's; what is left goes to
 * reads first. Each kind has one at least.
 */
export function poolOf(budget: number, { servesReads }: { servesReads: boolean }): Pool {
  if (!servesReads) return { sql: Math.max(1, budget - 1), db: 1, reads: 1 }
  const db = Math.max(1, Math.floor(budget / 5))
  const reads = Math.max(1, Math.min(Math.ceil((budget - db) / 2), budget - db - 2))
  return { sql: Math.max(1, budget - db - reads), db, reads }
}

// Counters and micro-dollars stay below 2^53: a bigint column is read as a number.
const types = { bigint: { to: 20, from: [20], serialize: String, parse: Number } }
// A connection serves both: a time is read as Date, which Drizzle takes as well, and a text is sent as it stands, since
// making a Date of it would cut it to milliseconds.
const readTypes = {
  ...types,
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    serialize: (time: Date | string) => (time instanceof Date ? time.toISOString() : time),
    parse: (text: string) => new Date(text),
  },
}
// All connections count together: by the driver's own rule a pool that lost PostgreSQL for a second waits 20 s.
const reconnectAfter = (tries: number) => Math.min(0.05 * 2 ** tries, 1) // seconds

/** @throws ExitError where the driver lacks its patch: patches/README.md says what would become of it. */
export const openConnections = (options: ConnectionOptions): Connections => openWith(redisClient, options)

/** With a client of Redis that was loaded for it. @throws ExitError like openConnections */
export function openWith(client: RedisClient, options: ConnectionOptions): Connections {
  const database = openPools(options)
  const redis = openRedis({ url: options.redisUrl, ca: options.redisCa }, client)
  return {
    ...database,
    redis,
    async close() {
      redis.disconnect()
      await database.close()
    },
  }
}

/** PostgreSQL with the pools of a process that serves. @throws ExitError like openConnections */
export function openPools(
  options: DatabaseTarget & Pick<ConnectionOptions, 'pool'>,
): Omit<Connections, 'redis'> {
  const { pool, rest_ms = LIMITS.store_rest_ms } = options
  const { open, openDb } = clientsOf(options)
  // What nobody asked for a while is closed, but what one submission needs and the claim of its items beside it: with one of
  // each alone, items that began after a rest took 27 ms in place of 16.
  const idle_timeout = rest_ms / 1000
  const sql = open(pool?.sql ?? 12, { idle_timeout, idle_min: 2 })
  const db = openDb(pool?.db ?? 6, { idle_timeout, idle_min: 1 })
  const readOptions = { types: readTypes, query_timeout: LIMITS.store_read_ms / 1000 }
  const openOne = (onclose: () => void) => open(1, { ...readOptions, max_lifetime: null, onclose })
  const reads = openReadConnections(pool?.reads ?? 6, rest_ms, openOne)
  return {
    sql,
    db: db.db,
    reads,
    async close() {
      await Promise.all([sql, db, reads].map(pool => pool.end({ timeout: 5 })))
    },
  }
}

/** PostgreSQL alone, by one connection of each kind that is used. @throws ExitError like openConnections */
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
    openDb(max: number, more: object = {}) {
      const client = open(max, more)
      return { db: drizzle(client), end: client.end.bind(client) as Sql['end'] }
    },
  }
}

/** A transaction that was given no connection has not begun, so it waits for one. */
function patient(client: Sql): Sql {
  const begin = client.begin.bind(client) as (work: (tx: unknown) => unknown) => Promise<unknown>
  const waiting = (work: (tx: unknown) => unknown) => {
    let begun = false
    const once = (tx: unknown) => {
      begun = true
      return work(tx)
    }
    return untilGiven(
      () => begin(once),
      () => !begun,
    )
  }
  return Object.assign(client, { begin: waiting })
}

const unpatched = () =>
  new ExitError(
    'driver_unpatched',
    'the PostgreSQL driver was installed without the patch it needs, since npm was told to run no scripts: run "npx patch-package", then start again.',
  )

interface OpenReadConnection extends ReadConnection {
  /** Ends its connection; the next is opened when it is asked something. */
  renew(): void
  resting?: NodeJS.Timeout
}

/**
 * Clients of one connection each, rather than transactions of a pool: in postgres.js 3.4 a pool's transaction whose
 * connection dies writes to a socket that is gone, which ends the process.
 */
function openReadConnections(count: number, rest_ms: number, open: (onclose: () => void) => unknown) {
  const reads = Array.from({ length: count }, () => {
    const opened = () => {
      // What was waiting on a connection that broke off must not go on, by itself, on the next one; one that was ended
      // at rest closes later, when another is in its place.
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
      // By hand, since the driver cannot tell a connection that somebody reads on from one that rests.
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
