// What the host gives every invocation. Connections, clock, randomness and ids come only from here, so no function
// knows whether it runs in Node, in a container of its own or in workerd.

import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Cluster, Redis as SingleRedis } from 'ioredis'
import type { Sql } from 'postgres'
import type { LoadBundle } from './agents/rules/bundle-load.ts'
import type { InvokeAgent } from './agents/rules/invoke-agent.ts'
import type { Get, Post, SendMail } from './kernel/outside.ts'
import type { Pool } from './kernel/pool.ts'
import type { Unpack } from './submission/rules/file-text.ts'
import type { Telemetry } from './traces/rules/telemetry.ts'
import type { Log } from './upkeep/rules/log-events.ts'

export type Database = PostgresJsDatabase
/** The client, and the installation's name (ASSAY_INSTALLATION), with which every key begins (redis/keys.ts). */
export type Redis = (SingleRedis | Cluster) & { readonly installation?: string }
export type { Sql }

/** One connection, for one transaction at a time. */
export interface ReadConnection {
  /** Another client once the connection broke, since the settings of its transaction are lost with it. */
  sql: Sql
}

/** The consumer of this process. */
export interface OwnConsumer {
  /**
   * Reserves places for items that are about to be submitted, so that they may be claimed for this consumer at once.
   * Undefined if it lacks room or other items wait for it.
   */
  reserve(items: number, project_id: string): Places | undefined
}

/** Reserved places: for at most one `Claim` of the engine, and given back in any case. */
export interface Places {
  fill(claim: object): void
  giveBack(): void
}

export interface ReadConnections {
  /** How many connections there are. */
  size: number
  /** Waits while all are taken. */
  take(): Promise<ReadConnection>
  give(connection: ReadConnection): void
}

/** Whoever asked for a change. */
export interface Caller {
  kind: 'key' | 'session'
  id: string
  /** @throws ApiError that says why it may not make this any more */
  refuse(): Promise<never>
}

export interface Config {
  /** The origin callers reach this installation at, without a trailing slash. */
  base_url: string
  /**
   * 32 random bytes in hex that are never stored in the database; signing and sealing keys derive from it. If a
   * process holds only some of these keys, this is the set of them.
   */
  master_key: string
  /** How long one invocation of the consumer may take, if each is called; unset if consumers stay up. */
  consume_ms?: number
  /** How many consumers may be awake at once, if each is an invocation; by default LIMITS.consumers. */
  consumers_max?: number
  /** Whether the tick also accepts calls without credentials, because the platform's cron can send none. */
  tick_open?: boolean
  /** The bearer token that reads the metrics; unset, nobody can read them. */
  metrics_token?: string
  /** The operator's credential, which no account has; unset, nobody is the operator. */
  operator_key?: string
}

export interface Context {
  sql: Sql
  db: Database
  /** Connections for callers' reads, separate from the engine's: no read keeps a claim waiting. */
  reads: ReadConnections
  /** Who asked for what is not made in the transaction that looked them up: whatever makes work asks again as it commits. */
  caller?: Caller
  /** Bounds callers' reads that may take seconds, by account: they leave a connection to all other reads. */
  heavyReads: Pool
  redis: Redis
  config: Config
  /** Milliseconds since 1970 by the host's clock; stored facts use the database's clock. */
  now(): number
  newId(): string
  newRunId(): string
  random(bytes: Uint8Array): void
  /** Asks for consumers, by default one, after the commit that made work; if that is lost, the tick finds the work. */
  notify(consumers?: number): void
  /** The consumer of this process, if it has one. */
  consumer?: OwnConsumer
  /** Keeps the invocation alive until the promise settles, after the answer was sent. */
  waitUntil(promise: Promise<unknown>): void
  invokeAgent: InvokeAgent
  /** Whether this host reaches agents; if not, `invokeAgent` rejects. */
  reachesAgents: boolean
  /** Null where no runtime of bundles is near; a deploy then warns that nobody loaded its bundle. */
  loadBundle: LoadBundle | null
  post: Post
  get: Get
  /** Unpacks what sources send. */
  unpack: Unpack
  /** Null if mails are left to another function. */
  mail: SendMail | null
  /** Null if nobody collects telemetry. */
  telemetry: Telemetry | null
  /**
   * Checks that this master key is the installation's, on hosts that answer before that is known: requests wait for it.
   * @throws if it is not, or PostgreSQL does not answer
   */
  join?(): Promise<void>
  /** Resolves with the error that keeps Redis away, at once if known; a command that fails may not name it. */
  redisTrouble?(): Promise<unknown>
  /** Resolves with the reason if PostgreSQL answers nobody, with undefined if it does, however slow a statement is. */
  silence?(): Promise<unknown>
  /** Where a request came from, as far as this host knows: an IPv4 address, or the /64 of an IPv6 one. */
  addressOf(request: Request): string | null
  /** Bounds the bytes of large bodies held at once, by account. */
  bodies: Pool
  /** The same for bodies whose sender can be verified only after reading them, by the account they are sent to. */
  unprovenBodies: Pool
  /** Bounds the passwords hashed at once, by caller. */
  hashes: Pool
  log: Log
}
