// A Node process that plays some or all of the parts: the API, the queue consumer with the agent runtime, the tick.
// On one machine all of them run in one process; on a platform each is a process of its own.

import { endpoints } from '../../functions/index.ts'
import { answerMetrics, isMetrics } from '../../functions/metrics.ts'
import { findBundle } from '../../shared/agents/queries/bundles.ts'
import type { Context } from '../../shared/context.ts'
import { createApp } from '../../shared/http/app.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'
import { serveReference } from '../../shared/openapi/reference.ts'
import { stopDelivering } from '../../shared/outbox/verbs/deliver.ts'
import { listenForWakes, publishWake } from '../../shared/redis/wake.ts'
import { stopReading } from '../../shared/schedules/verbs/source-reader.ts'
import { ensureStepPartitions } from '../../shared/upkeep/queries/partitions.ts'
import type { LogLevel } from '../../shared/upkeep/rules/log-events.ts'
import { readFigures } from '../../shared/upkeep/verbs/metrics.ts'
import { sweep } from '../../shared/upkeep/verbs/sweep.ts'
import { createInvoker } from '../runtime/invoker.ts'
import { remoteRuntime } from './agents.ts'
import { type ConnectionOptions, openConnections } from './connections.ts'
import { type ConsumerLoop, startConsumer } from './consumer.ts'
import { createContext } from './context.ts'
import type { Exporter } from './exporter.ts'
import { beginning, joinInstallation, onceReachable } from './installation.ts'
import { readJsx } from './jsx.ts'
import { addressOf, listen } from './listen.ts'
import type { Listener } from './listening.ts'
import { PARTS, type Part } from './parts.ts'
import { keepPrices } from './price-updates.ts'
import { createOutside } from './reach.ts'

export interface ServerOptions extends ConnectionOptions {
  port: number
  host: string
  /** Where the agent runtime keeps its sockets and logs. */
  dataDir: string
  /**
   * 32 bytes in hex; or what prepares the database and finds the key there. That is tried until PostgreSQL answers, while
   * callers are told that it is away.
   */
  masterKey: string | (() => Promise<string>)
  /** Aborted, a start that waits for PostgreSQL ends. */
  stop?: AbortSignal
  /** The origin callers use, when it is not the address listened on. */
  baseUrl?: string
  parts?: readonly Part[]
  /** Networks (CIDR) that agents' declarations may name although they are private. */
  allowPrivateNetworks?: string[]
  /** Where the function is that runs bundles; this process does unless given. */
  runtimeUrl?: string | undefined
  /** Without it, alerts go by webhook only. */
  mail?: Context['mail'] | undefined
  /** Networks (CIDR) that callbacks and alerts may be sent to although they are private. */
  allowCallbackNetworks?: string[]
  /** Networks (CIDR) of proxies that are believed where a request came from. */
  trustedProxies?: string[] | undefined
  /** The bearer that reads GET /metrics; nobody does without. */
  metricsToken?: string | undefined
  /** Opens accounts and nothing that is in them; nobody is the operator without it. */
  operatorKey?: string | undefined
  /** Exports traces and measurements; it is closed with the server. */
  telemetry?: Exporter | null
  /** Where the list of prices is fetched from, once a day; it stays as it came unless told. */
  pricesUrl?: string | undefined
  /** Where lines of the log go; standard error unless told. */
  writeLog?: (line: string) => void
  /** The least that is written; all unless told. */
  logLevel?: LogLevel | undefined
}

export interface Server {
  port: number
  url: string
  /** Set where the installation was restored and nobody has let it go on. */
  heldSince: Date | null
  close(): Promise<void>
}

/** Starts the process's parts; resolves when it takes requests. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const parts = new Set(options.parts ?? PARTS)
  const closing = new AsyncDisposableStack()
  const connections = openConnections(options)
  closing.defer(() => connections.close())
  const { masterKey, metricsToken: metrics_token, operatorKey: operator_key } = options
  const config = {
    base_url: options.baseUrl ?? '',
    master_key: typeof masterKey === 'string' ? masterKey : '',
    ...(metrics_token === undefined ? {} : { metrics_token }),
    ...(operator_key === undefined ? {} : { operator_key }),
  }
  const invoker = createInvoker({
    loadBundle: hash => findBundle(connections.sql, hash),
    dataDir: options.dataDir,
    allowPrivateNetworks: options.allowPrivateNetworks ?? [],
    runtime: remoteRuntime(options.runtimeUrl, () => config.master_key),
  })
  closing.defer(() => invoker.close())

  const consumer = parts.has('consumer') ? startConsumer(() => ctx) : null
  const notify = () => (consumer ? consumer.notify() : publishWake(connections.redis))
  const { writeLog, logLevel, telemetry = null } = options
  const { begin, join } = beginning(async () => {
    if (typeof masterKey === 'function') config.master_key = await masterKey()
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
    invokeAgent: invoker.invoke,
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
  const working = closing.use(new AsyncDisposableStack()) // ends after the last request
  const listener = parts.has('api') ? await listenForCallers(options, ctx) : undefined
  if (listener) closing.defer(() => listener.close())
  const { port, url } = listener ?? { port: 0, url: '' }
  config.base_url ||= url
  const heldSince = await onceReachable(ctx.log, begin, options.stop).catch(async error => {
    await closing.disposeAsync()
    throw error
  })
  if (heldSince !== null) ctx.log('warn', 'held', { since: heldSince, mend: 'assay admin go-on' })
  if (consumer) keepAwake(consumer, connections.redis, working)
  if (parts.has('tick')) closing.defer(startTick(ctx))
  // Without a tick in this process only Redis wakes its consumer, and Redis may be away.
  else if (consumer) closing.defer(every(LIMITS.self_notify_ms, () => consumer.notify()))
  return { port, url, heldSince, close: () => closing.disposeAsync() }
}

/** Wakes the consumer now, and whenever somebody says that there is work. */
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
  const timer = setInterval(() => {
    sweeping ??= sweep(ctx).finally(() => {
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
  return listen({ port, host, proxies, log: ctx.log }, request =>
    isMetrics(request) ? answerMetrics(ctx, request) : app.fetch(request),
  )
}
