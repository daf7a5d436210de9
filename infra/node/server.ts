// Runs some or all parts in a Node process: the API, the queue consumer with the agent runtime, the tick. On one
// machine all of them run in one process; on a platform each is a process of its own.

import { endpoints } from '../../functions/index.ts'
import { answerMetrics, isMetrics } from '../../functions/metrics.ts'
import { findBundle } from '../../shared/agents/queries/bundles.ts'
import type { Context } from '../../shared/context.ts'
import { createApp } from '../../shared/http/app.ts'
import { errorAnswer } from '../../shared/http/error-answer.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'
import { serveReference } from '../../shared/openapi/reference.ts'
import { stopDelivering } from '../../shared/outbox/verbs/deliver.ts'
import { listenForWakes, publishWake } from '../../shared/redis/wake.ts'
import { stopReading } from '../../shared/sources/verbs/source-reader.ts'
import { ensureStepPartitions } from '../../shared/upkeep/queries/partitions.ts'
import type { LogLevel } from '../../shared/upkeep/rules/log-events.ts'
import { readFigures } from '../../shared/upkeep/verbs/metrics.ts'
import { choresInTurn, sweep } from '../../shared/upkeep/verbs/sweep.ts'
import { createInvoker, type Invoker, type InvokerOptions } from '../runtime/invoker.ts'
import { remoteRuntime } from './agents.ts'
import { compressing } from './compression.ts'
import { type ConnectionOptions, openConnections } from './connections.ts'
import { type ConsumerLoop, startConsumer } from './consumer.ts'
import { createContext } from './context.ts'
import type { Exporter } from './exporter.ts'
import { beginning, joinInstallation, onceReachable } from './installation.ts'
import { readJsx } from './jsx.ts'
import { addressOf, listen } from './listen.ts'
import type { Listener } from './listening.ts'
import { foreignHost } from './own-host.ts'
import { PARTS, type Part } from './parts.ts'
import { keepPrices } from './price-updates.ts'
import { createOutside } from './reach.ts'

export interface ServerOptions extends ConnectionOptions {
  port: number
  host: string
  /** The folder for the agent runtime's sockets and logs. */
  dataDir: string
  /** 32 bytes in hex; undefined where only `prepare` will find it. */
  masterKey: string | undefined
  /**
   * Prepares the database and returns the key. It is retried until PostgreSQL answers; meanwhile callers get an error that says
   * PostgreSQL is unreachable.
   */
  prepare?: () => Promise<string>
  /** Ends a start that waits for PostgreSQL, when aborted. */
  stop?: AbortSignal
  /** The origin callers use, where it differs from the listening address. */
  baseUrl?: string
  parts?: readonly Part[]
  /** Private networks (CIDR) that agents' declarations may name. */
  allowPrivateNetworks?: string[]
  /** The URL of the function that runs bundles; by default this process does. */
  runtimeUrl?: string | undefined
  /** The bounds of one process of a bundle; by default those of LIMITS. */
  processBounds?: Pick<InvokerOptions, 'processItems' | 'memoryMib'>
  /** Sends mail; without it alerts go by webhook only. */
  mail?: Context['mail'] | undefined
  /** Private networks (CIDR) that callbacks and alerts may be sent to. */
  allowCallbackNetworks?: string[]
  /** Networks (CIDR) of proxies whose X-Forwarded-For is believed. */
  trustedProxies?: string[] | undefined
  /** The bearer for GET /metrics; without it nobody can read them. */
  metricsToken?: string | undefined
  /** The operator's credential: it opens accounts, but not what is in them. Without it there is no operator. */
  operatorKey?: string | undefined
  /** Exports traces and measurements; closed with the server. */
  telemetry?: Exporter | null
  /** The URL of the price list, fetched once a day; without it the built-in list stays. */
  pricesUrl?: string | undefined
  /** Writes a line of the log; to the standard stream of its level by default. */
  writeLog?: (line: string, level: LogLevel) => void
  /** The lowest level that is written; all by default. */
  logLevel?: LogLevel | undefined
}

export interface Server {
  port: number
  url: string
  /** Set where the installation was restored and nobody has let it continue. */
  heldSince: Date | null
  close(): Promise<void>
}

/** Starts the process's parts; resolves when they work. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const parts = new Set(options.parts ?? PARTS)
  const closing = new AsyncDisposableStack()
  const connections = openConnections(options)
  closing.defer(() => connections.close())
  const { masterKey = '', prepare, metricsToken: metrics_token, operatorKey: operator_key } = options
  const config = {
    base_url: options.baseUrl ?? '',
    master_key: masterKey,
    ...(metrics_token === undefined ? {} : { metrics_token }),
    ...(operator_key === undefined ? {} : { operator_key }),
  }
  const invoker = createInvoker({
    loadBundle: hash => findBundle(connections.sql, hash),
    dataDir: options.dataDir,
    agentLog: `${options.dataDir}/agents.log`,
    allowPrivateNetworks: options.allowPrivateNetworks ?? [],
    runtime: remoteRuntime(options.runtimeUrl, () => config.master_key),
    ...options.processBounds,
  })
  closing.defer(() => invoker.close())

  const consumer = parts.has('consumer') ? startConsumer(() => ctx) : null
  const notify = () => (consumer ? consumer.notify() : publishWake(connections.redis))
  const { writeLog, logLevel, telemetry = null } = options
  const { begin, join } = beginning(async () => {
    if (prepare) config.master_key = await prepare()
    const since = await joinInstallation(connections.sql, config.master_key)
    await ensureStepPartitions(connections.sql, ctx.now()) // before the first step, not at the first tick
    return since
  })
  const ctx = createContext({
    connections,
    config,
    join,
    notify,
    ...(consumer && { consumer: consumer.given }),
    ...reachedBy(invoker, consumer !== null || options.runtimeUrl !== undefined),
    ...createOutside(options.allowCallbackNetworks ?? []),
    addressOf,
    logLevel,
    telemetry,
    ...(options.mail ? { mail: options.mail } : {}),
    ...(writeLog ? { writeLog } : {}),
  })
  if (options.pricesUrl) closing.defer(keepPrices(options.pricesUrl, ctx.log))
  if (telemetry) {
    telemetry.start(ctx.log, parts.has('tick') ? () => readFigures(ctx) : undefined)
    closing.defer(() => telemetry.close())
  }
  closing.defer(() => {
    stopDelivering(ctx)
    stopReading(ctx)
    return ctx.idle()
  })
  const working = closing.use(new AsyncDisposableStack()) // disposed after the last request
  const listener = parts.has('api') ? await listenForCallers(options, ctx) : undefined
  if (listener) closing.defer(() => listener.close())
  const { port, url } = listener ?? { port: 0, url: '' }
  config.base_url ||= url
  const heldSince = await onceReachable(ctx.log, begin, options.stop).catch(async error => {
    await closing.disposeAsync()
    throw error
  })
  await takePart(ctx, heldSince)
  if (consumer) keepAwake(consumer, connections.redis, working)
  if (parts.has('tick')) closing.defer(startTick(ctx))
  // Without a tick in this process only Redis notifies its consumer, and Redis may be unreachable.
  else if (consumer) closing.defer(every(LIMITS.self_notify_ms, () => consumer.notify()))
  return { port, url, heldSince, close: () => closing.disposeAsync() }
}

/** @param runsCode whether this process runs agents' code anyway; else it loads none at a deploy either */
const reachedBy = (invoker: Invoker, runsCode: boolean) => ({
  invokeAgent: invoker.invoke,
  ...(runsCode && { loadBundle: invoker.load }),
})

/** Waits until the process knows what ids need, and logs whether the installation is held. */
async function takePart(ctx: Context, heldSince: Date | null): Promise<void> {
  await ctx.join?.()
  if (heldSince !== null) ctx.log('warn', 'held', { since: heldSince, mend: 'assay admin go-on' })
}

/** Notifies the consumer now, and on every notification over Redis. */
function keepAwake(consumer: ConsumerLoop, redis: Context['redis'], closing: AsyncDisposableStack): void {
  closing.defer(() => consumer.close())
  closing.defer(listenForWakes(redis, consumer.notify))
  consumer.notify()
}

function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms)
  return () => clearInterval(timer)
}

/** Sweeps every second, one sweep at a time. */
function startTick(ctx: Context): () => Promise<void> {
  let sweeping: Promise<unknown> | null = null
  const inTurn = choresInTurn()
  const timer = setInterval(() => {
    sweeping ??= sweep(ctx, inTurn(ctx.now())).finally(() => {
      sweeping = null
    })
  }, LIMITS.tick_ms)
  return async () => {
    clearInterval(timer)
    await sweeping
  }
}

async function listenForCallers(
  { port, host, trustedProxies: proxies }: ServerOptions,
  ctx: Context,
): Promise<Listener> {
  const app = createApp(endpoints, () => ctx)
  serveReference(
    app,
    () => openApiDocument(endpoints),
    () => ctx,
  )
  await readJsx()
  const { serveDashboard } = await import('../../functions/dashboard/index.ts')
  serveDashboard(app, endpoints, () => ctx)
  const hasProxies = (proxies ?? []).length > 0
  const answer = (request: Request) => {
    const foreign = foreignHost(request.url, { host, base_url: ctx.config.base_url, hasProxies })
    if (foreign !== undefined) return errorAnswer(foreign, ctx.newId())
    return isMetrics(request) ? answerMetrics(ctx, request) : app.fetch(request)
  }
  return listen({ port, host, proxies, log: ctx.log }, compressing(answer))
}
