// What the host hands every invocation. Connections, clock, randomness and ids come from here and nowhere else,
// so nothing in a function knows whether it runs in Node, in a container of its own or in workerd.

import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { Cluster, Redis as SingleRedis } from 'ioredis'
import type { Sql } from 'postgres'
import type { InvokeAgent } from './agents/rules/invoke-agent.ts'
import type { Get, Post, SendMail } from './kernel/outside.ts'
import type { Pool } from './kernel/pool.ts'
import type { Telemetry } from './traces/rules/telemetry.ts'
import type { Log } from './upkeep/rules/log-events.ts'

export type Database = PostgresJsDatabase
export type Redis = SingleRedis | Cluster
export type { Sql }

/** One connection, for one transaction at a time. */
export interface ReadConnection {
  /** Another one once the connection broke off, since what a transaction had set is gone with it. */
  sql: Sql
}

/** The consumer of this process. */
export interface OwnConsumer {
  /**
   * Keeps places for items that are about to be submitted, so that they may be claimed for it at once. Undefined where
   * anything else waits for it.
   */
  reserve(items: number): Places | undefined
}

/** Places that were kept: for one claim at most, of the engine, and given back in any case. */
export interface Places {
  fill(claim: object): void
  giveBack(): void
}

export interface ReadConnections {
  /** How many there are. */
  size: number
  /** Waits while all are taken. */
  take(): Promise<ReadConnection>
  give(connection: ReadConnection): void
}

export interface Config {
  /** The origin callers reach this installation at, without a trailing slash. */
  base_url: string
  /**
   * 32 random bytes in hex that are never stored in the database; signing and sealing keys derive from it. Where a
   * process holds only some of these keys, the set of them.
   */
  master_key: string
  /** How long one invocation of the consumer may take, where each is called for; none where consumers stay up. */
  consume_ms?: number
  /** How many consumers may be awake at once where each is an invocation; LIMITS.consumers unless told. */
  consumers_max?: number
  /** Whether the tick also hears calls that prove nothing, because the platform's cron cannot. */
  tick_open?: boolean
  /** The bearer that reads the metrics; nobody does without. */
  metrics_token?: string
  /** The credential of whoever operates the installation; no account has it, and nobody is the operator without. */
  operator_key?: string
}

export interface Context {
  sql: Sql
  db: Database
  /** What callers' reads run on, apart from the engine's connections: no read keeps a claim waiting. */
  reads: ReadConnections
  /** Callers' reads that may take seconds, by account: they leave a connection to all others. */
  heavyReads: Pool
  redis: Redis
  config: Config
  /** Milliseconds since 1970 by the host's clock; facts take their time from the database's. */
  now(): number
  newId(): string
  newRunId(): string
  random(bytes: Uint8Array): void
  /** Asks for so many consumers, one unless told, after the commit that made work; may get lost, the tick mends that. */
  notify(consumers?: number): void
  /** Where there is one in this process. */
  consumer?: OwnConsumer
  /** Keeps the invocation alive until the promise settles, after the answer was sent. */
  waitUntil(promise: Promise<unknown>): void
  invokeAgent: InvokeAgent
  /** Whether this host reaches agents: elsewhere `invokeAgent` rejects. */
  reachesAgents: boolean
  post: Post
  get: Get
  /** Null where mails are left to another function. */
  mail: SendMail | null
  /** Null where nobody collects. */
  telemetry: Telemetry | null
  /**
   * Makes sure that this master key is the installation's, where the host answers before that is known: what is asked
   * waits for it. @throws where it is not, or PostgreSQL does not answer
   */
  join?(): Promise<void>
  /** Resolves, at once where it is known, with what keeps Redis away, which a command that fails may not say. */
  redisTrouble?(): Promise<unknown>
  /** Where a request came from, as far as this host can tell: an IPv4 address, or the /64 of an IPv6 one. */
  addressOf(request: Request): string | null
  /** Bytes of large bodies that are held at once, by account. */
  bodies: Pool
  /** Of those whose sender proves nothing before they are read, by what they are sent to. */
  unprovenBodies: Pool
  /** Passwords that are hashed at once, by who asks. */
  hashes: Pool
  log: Log
}
