// Creates the invocation context in workerd. Settings have the same names as in Node; what workerd offers instead of a
// setting is a binding. Connections last as long as the context: see unit.ts.

import type { Context } from '../../shared/context.ts'
import { publishWake } from '../../shared/redis/wake.ts'
import { type Joined, join } from '../../shared/upkeep/verbs/installation.ts'
import { ExitError } from '../local/exit-error.ts'
import { createCallerAddress } from '../node/caller-address.ts'
import { type Connections, openPools, type Pool } from '../node/connections.ts'
import { createContext, logLevelOf } from '../node/context.ts'
import { checkedInstallation } from '../node/installation-name.ts'
import { logAs } from '../node/log.ts'
import { absentDatabase, absentStore, NO_STORES, whyAbsent } from '../node/no-stores.ts'
import { openRedis } from '../node/redis.ts'
import * as redisClient from '../node/redis-client.ts'
import { openPostgresSocket } from './postgres-socket.ts'
import { createOutside, type Outside } from './reach.ts'

export interface Env {
  DATABASE_URL?: string | null
  REDIS_URL?: string | null
  /** The name of this installation, where others share its Redis. */
  ASSAY_INSTALLATION?: string | null
  /** 32 bytes in hex. */
  ASSAY_MASTER_KEY?: string | null
  /** Keys derived from the master key for this unit only, instead of it. */
  ASSAY_KEYS?: string | null
  BASE_URL?: string | null
  /** Comma-separated networks (CIDR) of proxies whose X-Forwarded-For is believed. */
  ASSAY_TRUSTED_PROXIES?: string | null
  /** The bearer for GET /metrics; without it nobody can read them. */
  ASSAY_METRICS_TOKEN?: string | null
  /** The operator's credential; without it there is no operator. */
  ASSAY_OPERATOR_KEY?: string | null
  /** The lowest level that is logged: info, warn or error. */
  ASSAY_LOG_LEVEL?: string | null
  /** Comma-separated networks (CIDR) that OUTSIDE allows in addition to public addresses. */
  ASSAY_ALLOW_CALLBACK_NETWORKS?: string | null
  /** The network service for callbacks and alerts. */
  OUTSIDE?: Outside
  /** The queue whose handler notifies Assay's consumer; without it work waits for the tick. */
  WAKE?: { send(consumers: number): Promise<unknown> }
}

export interface WorkerdContext extends Context {
  /** Resolves when all promises passed to `waitUntil` have settled and the connections are closed. */
  end(): Promise<void>
}

/** The consoles of the levels, which platforms show and count by. */
const CONSOLE = { info: 'log', warn: 'warn', error: 'error' } as const

/** Shared by all contexts of this isolate, which come and go. */
const joined: Joined = {}

/** Opens a context; with a null pool the unit gets no store and no secret. */
export function openContext(env: Env, pool: Pool | null): WorkerdContext {
  logAs(env.ASSAY_INSTALLATION || undefined)
  const connections = pool === null ? NO_STORES : openStores(env, pool)
  const master_key = pool === null ? '' : env.ASSAY_KEYS || env.ASSAY_MASTER_KEY || ''
  const ctx = createContext({
    connections,
    config: {
      base_url: env.BASE_URL?.replace(/\/+$/, '') ?? '',
      master_key,
      ...(env.ASSAY_OPERATOR_KEY ? { operator_key: env.ASSAY_OPERATOR_KEY } : {}),
      ...(env.ASSAY_METRICS_TOKEN ? { metrics_token: env.ASSAY_METRICS_TOKEN } : {}),
    },
    notify(consumers = 1) {
      publishWake(connections.redis) // for consumers that are awake
      if (env.WAKE) ctx.waitUntil(env.WAKE.send(consumers))
    },
    ...createOutside(env.OUTSIDE, listOf(env.ASSAY_ALLOW_CALLBACK_NETWORKS)),
    mail: null, // nodemailer needs Node, so a tick there sends mails
    addressOf: addressBehind(listOf(env.ASSAY_TRUSTED_PROXIES)),
    // A context lasts as long as an invocation: asking for the time would be a round trip in each.
    idClock: { now: Date.now, known: async () => {} },
    ...(pool !== null && { join: () => joinWith(master_key, connections) }),
    logLevel: logLevelOf(env.ASSAY_LOG_LEVEL || undefined),
    writeLog: (line, level) => console[CONSOLE[level]](line),
  })
  return {
    ...ctx,
    async end() {
      await ctx.idle()
      await connections.close()
    },
  }
}

/** The process cannot be ended here, so each request is refused, and readiness says why. */
async function joinWith(masterKey: string, { sql, redis }: Connections): Promise<void> {
  const noStore = whyAbsent(sql) ?? whyAbsent(redis)
  if (noStore) throw noStore
  if (masterKey === '') throw notBound('ASSAY_MASTER_KEY')
  await join(sql, masterKey, joined)
}

function openStores(env: Env, pool: Pool): Connections {
  const openTls = openPostgresSocket
  const database = orAbsent(
    () => openPools({ databaseUrl: need(env, 'DATABASE_URL'), pool, openTls }),
    absentDatabase,
  )
  const redis = orAbsent(() => {
    const installation = checkedInstallation(env.ASSAY_INSTALLATION || undefined)
    return openRedis({ url: need(env, 'REDIS_URL'), installation }, redisClient)
  }, absentStore)
  return {
    ...database,
    redis,
    async close() {
      if (!whyAbsent(redis)) redis.disconnect()
      await database.close()
    },
  }
}

/** Opens a store; readiness reports a missing or invalid URL. */
function orAbsent<T>(open: () => T, absent: (why: Error) => T): T {
  try {
    return open()
  } catch (error) {
    if (error instanceof ExitError) return absent(error)
    throw error
  }
}

function need(env: Env, name: 'DATABASE_URL' | 'REDIS_URL'): string {
  const value = env[name]
  if (value) return value
  throw notBound(name)
}

const notBound = (name: string) =>
  new ExitError('setting_missing', `${name} is not set: bind it, in config.capnp or wrangler.toml.`)

const listOf = (text: string | null | undefined) => text?.split(',').map(part => part.trim()) ?? []

/** Finds the caller's address from the socket's, which workerd gives with its port; callers can fake headers. */
function addressBehind(proxies: readonly string[]): Context['addressOf'] {
  const callerOf = createCallerAddress(proxies)
  return request => {
    const socket = (request as { cf?: { clientIp?: string } }).cf?.clientIp
    if (socket === undefined) return request.headers.get('cf-connecting-ip') // Cloudflare writes it itself
    return callerOf(
      socket.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''),
      request.headers.get('x-forwarded-for'),
    )
  }
}
