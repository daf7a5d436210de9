// Creates the invocation context of a Node host: one for all invocations, since a long-lived process shares its
// connections.

import type { LoadBundle } from '../../shared/agents/rules/bundle-load.ts'
import type { InvokeAgent } from '../../shared/agents/rules/invoke-agent.ts'
import type { Config, Context } from '../../shared/context.ts'
import { errorText } from '../../shared/kernel/error-text.ts'
import { type FillRandom, newId, newRunId } from '../../shared/kernel/ids.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Get, Post, SendMail } from '../../shared/kernel/outside.ts'
import { Pool } from '../../shared/kernel/pool.ts'
import type { Telemetry } from '../../shared/traces/rules/telemetry.ts'
import type { LogLevel } from '../../shared/upkeep/rules/log-events.ts'
import { invalid } from '../local/exit-error.ts'
import { unpack } from '../packing/packing.ts'
import type { Connections } from './connections.ts'
import { askClock, createIdClock, type IdClock } from './id-clock.ts'
import { LOG_LEVELS, logLine, writeLine } from './log.ts'
import { whyAbsent } from './no-stores.ts'
import { watchRedis } from './store-errors.ts'

/** @throws ExitError when the text is no log level */
export function logLevelOf(text: string | undefined): LogLevel | undefined {
  const level = LOG_LEVELS.find(level => level === text)
  if (level !== undefined || text === undefined) return level
  throw invalid(`ASSAY_LOG_LEVEL is ${text}: it takes ${LOG_LEVELS.join(', ')}.`)
}

export interface ContextOptions {
  connections: Connections
  config: Config
  /** Notifies this host's consumers; without it work waits for the tick. */
  notify?: (consumers?: number) => void
  /** The consumer of this process, if there is one. */
  consumer?: Context['consumer']
  invokeAgent?: InvokeAgent
  /** Loads bundles once at a deploy; by default nobody does. */
  loadBundle?: LoadBundle
  post?: Post
  get?: Get
  /** Null leaves mails to another process; undefined makes them fail, since no mail server is set. */
  mail?: SendMail | null
  /** Receives traces and measurements; without it none are collected. */
  telemetry?: Telemetry | null
  /** Writes a line of the log; to the standard stream of its level by default. */
  writeLog?: (line: string, level: LogLevel) => void
  /** The lowest level that is written; all by default. */
  logLevel?: LogLevel | undefined
  addressOf?: Context['addressOf']
  join?: Context['join']
  /** The time of ids; by default PostgreSQL's. */
  idClock?: IdClock
}

export interface NodeContext extends Context {
  /** Resolves when all promises passed to `waitUntil` have settled. */
  idle(): Promise<void>
}

const storesOf = ({ sql, db, reads, redis, silence }: Connections) => ({
  sql,
  db,
  reads,
  redis,
  ...(silence && { silence }),
})

export function createContext(options: ContextOptions): NodeContext {
  const { connections, config } = options
  const writeLog = options.writeLog ?? writeLine
  const pending = new Set<Promise<unknown>>()
  const random = (bytes: Uint8Array) => {
    crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  }
  const stocked = stockOf(random)
  const { idClock = createIdClock(askClock(connections.sql)) } = options
  const least = LOG_LEVELS.indexOf(options.logLevel ?? 'info')
  const log: Context['log'] = (level, event, fields) => {
    if (LOG_LEVELS.indexOf(level) < least) return
    writeLog(logLine(level, event, fields), level)
  }
  const noRedis = whyAbsent(connections.redis)
  const redisTrouble = noRedis ? () => Promise.resolve(noRedis) : watchRedis(connections.redis, log)
  return {
    ...storesOf(connections),
    config,
    now: Date.now,
    newId: () => newId(idClock.now(), stocked),
    newRunId: () => newRunId(idClock.now(), stocked),
    random,
    notify: options.notify ?? (() => {}),
    ...(options.consumer && { consumer: options.consumer }),
    waitUntil(promise) {
      const settled = promise
        .catch(error => log('error', 'background_failed', { error: errorText(error) }))
        .finally(() => pending.delete(settled))
      pending.add(settled)
    },
    reachesAgents: options.invokeAgent !== undefined,
    invokeAgent: options.invokeAgent ?? noRuntime,
    loadBundle: options.loadBundle ?? null,
    post: options.post ?? reachesNothing('post'),
    get: options.get ?? reachesNothing('get'),
    unpack,
    mail: options.mail === undefined ? noMailServer : options.mail,
    telemetry: options.telemetry ?? null,
    addressOf: options.addressOf ?? (() => null),
    ...(options.join && { join: joinThen(options.join, idClock.known) }),
    redisTrouble,
    heavyReads: new Pool(
      {
        size: Math.max(1, Math.min(LIMITS.heavy_reads, connections.reads.size - 1)),
        share: LIMITS.heavy_reads_per_account,
      },
      'heavy_reads',
    ),
    bodies: new Pool(
      { size: LIMITS.bodies_bytes, share: LIMITS.bodies_bytes_per_account },
      'large_body_bytes',
    ),
    unprovenBodies: new Pool(
      { size: LIMITS.unproven_bodies_bytes, share: LIMITS.trigger_items_bytes },
      'unproven_body_bytes',
    ),
    hashes: new Pool({ size: LIMITS.password_hashes, share: LIMITS.password_hashes }, 'password_hashes'),
    log,
    async idle() {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}

/** Whoever takes part knows the time of the database before it makes ids. */
const joinThen = (join: () => Promise<void>, know: () => Promise<void>) => async () => {
  await join()
  await know()
}

const noRuntime: InvokeAgent = () =>
  Promise.reject(new Error('this process has no agent runtime: pass invokeAgent'))

const reachesNothing = (pass: string) => () =>
  Promise.reject(new Error(`this process reaches nothing outside: pass ${pass}`))

const noMailServer: SendMail = () =>
  Promise.reject(new Error('no mail server is set: ASSAY_SMTP_URL and ASSAY_MAIL_FROM name one'))

const STOCK_BYTES = 4096

/** Buffers random bytes: each request to an agent needs ids, and a system call costs 3.6 µs. Each byte is used once. */
function stockOf(random: FillRandom): FillRandom {
  const stock = new Uint8Array(STOCK_BYTES)
  let left = 0
  return bytes => {
    if (left < bytes.length) {
      random(stock)
      left = STOCK_BYTES
    }
    bytes.set(stock.subarray(left - bytes.length, left))
    left -= bytes.length
  }
}
