// Serves one unit of functions as a Node process, the way OpenFaaS and Knative run it. Guarantee: on a stop signal it
// claims nothing more and finishes its items; nothing it accepted is lost.

import './threads.ts'
import { answerMetrics, isMetrics } from '../../functions/metrics.ts'
import type { Config, Context } from '../../shared/context.ts'
import { createApp } from '../../shared/http/app.ts'
import type { Operation } from '../../shared/http/no-operation.ts'
import type { Endpoint } from '../../shared/http/operation.ts'
import { answerPlatform, type PlatformFunction, platformBearer } from '../../shared/http/platform-function.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { stopDelivering } from '../../shared/outbox/verbs/deliver.ts'
import { listenForWakes, publishWake } from '../../shared/redis/wake.ts'
import { stopReading } from '../../shared/sources/verbs/source-reader.ts'
import { type Joined, join, MasterKeyDiffers } from '../../shared/upkeep/verbs/installation.ts'
import { readFigures } from '../../shared/upkeep/verbs/metrics.ts'
import { answerReadiness } from '../../shared/upkeep/verbs/readiness.ts'
import { ExitError } from '../local/exit-error.ts'
import { createNotifier } from '../notify.ts'
import { compressing } from './compression.ts'
import { type Connections, openWith, poolOf } from './connections.ts'
import { createContext, logLevelOf } from './context.ts'
import { keepHeapSmall } from './heap.ts'
import { endWhereRefused, refuseUnfit } from './installation.ts'
import { addressOf, listen } from './listen.ts'
import { NO_STORES } from './no-stores.ts'
import { createOutside } from './reach.ts'
import { warnOfUnknown } from './setting-names.ts'
import {
  connectionsFrom,
  keysFrom,
  listeningAt,
  operatorKeyFrom,
  processSettings,
  type Settings,
  storesFrom,
} from './settings.ts'
import { endOnCrash, endOnSignal, endStart } from './stop.ts'
import { refusalOf } from './store-errors.ts'
import { openTelemetry } from './telemetry.ts'

export interface FunctionUnit {
  name: string
  endpoints: readonly Endpoint[]
  platform?: PlatformFunction
  /** Most connections to PostgreSQL, unless a setting says otherwise; a unit with 0 gets no store and no secret. */
  connections: number
  /** The operations of other units, for the unit that gets requests without a matching route. */
  operations?: readonly Operation[]
  /** Adds the endpoints' documentation. */
  serveReference?: (app: ReturnType<typeof createApp>, contextFor: () => Context) => void
  /** Adds the dashboard's pages. */
  serveDashboard?: (app: ReturnType<typeof createApp>, contextFor: () => Context) => void
  /** The agent runtime, for the unit that executes items. */
  createAgents?: (at: { connections: Connections; settings: Settings }) => {
    invoke: Context['invokeAgent']
    close(): Promise<void>
  }
  /** Sends mail, for the unit that delivers messages. */
  createMail?: (settings: Settings) => Context['mail'] | undefined
}

const PORT = 8080
const HEALTH_PATH = '/healthz'
/** Readiness of this unit itself; the router sends callers to the unit that has it as an operation. */
const READY_PATH = '/health/ready'

/** Serves the unit until the process is asked to stop. */
export function serveFunction(unit: FunctionUnit): Promise<void> {
  keepHeapSmall()
  return serve(unit).catch(error => endStart(refusalOf(error) ?? error))
}

async function serve(unit: FunctionUnit): Promise<void> {
  endOnCrash()
  const settings = processSettings()
  const closing = new AsyncDisposableStack()
  const connections = await connectionsOf(unit, settings)
  closing.defer(() => connections.close())
  const agents = unit.createAgents?.({ connections, settings })
  if (agents) closing.defer(() => agents.close())
  const consumerUrl = settings.get('ASSAY_CONSUMER_URL')
  const config = configFrom(unit, settings, consumerUrl !== undefined)
  const telemetry = await openTelemetry(settings)
  const mail = unit.createMail ? unit.createMail(settings) : null
  if (consumerUrl !== undefined && isOnlyForWork(unit)) wakeEarly(consumerUrl)
  const joined: Joined = {}
  const ctx = createContext({
    connections,
    config,
    notify(consumers) {
      publishWake(connections.redis) // for consumers that are awake
      notifier?.notify(consumers)
    },
    addressOf,
    ...(unit.connections > 0 && { join: () => join(connections.sql, config.master_key, joined) }),
    logLevel: logLevelOf(settings.get('ASSAY_LOG_LEVEL')),
    telemetry,
    ...createOutside(settings.networks('ASSAY_ALLOW_CALLBACK_NETWORKS') ?? []),
    ...(agents ? { invokeAgent: agents.invoke } : {}),
    ...(mail === undefined ? {} : { mail }),
  })
  const { redis, newId, waitUntil, log } = ctx
  if (unit.connections > 0) endWhereUnfit(ctx)
  const notifies = consumerUrl !== undefined && unit.connections > 0
  const bearer = notifies ? await platformBearer(config.master_key) : ''
  const notifier = notifies
    ? createNotifier({ url: consumerUrl, bearer, redis, fetch, newId, waitUntil, log })
    : undefined
  if (telemetry) {
    // The figures describe the whole installation, so only one kind of process sends them.
    telemetry.start(log, unit.platform?.name === 'tick' ? () => readFigures(ctx) : undefined)
    closing.defer(() => telemetry.close())
  }
  const invocations = new Set<Promise<unknown>>()
  closing.defer(async () => {
    stopDelivering(ctx)
    stopReading(ctx)
    await Promise.all(invocations) // they release their claims and notify their successor
    notifier?.close()
    await ctx.idle()
  })

  const stop = new AbortController()
  const listener = await listen(
    {
      ...listeningAt(settings, PORT),
      proxies: settings.networks('ASSAY_TRUSTED_PROXIES'),
      log,
    },
    handlerOf(unit, ctx, stop.signal, invocations),
  )
  closing.defer(() => listener.close())
  warnOfUnknown(process.env, log)
  log('info', 'ready', { unit: unit.name, url: listener.url })
  endOnSignal({ onStop: () => stop.abort(), close: () => closing.disposeAsync() })
}

/**
 * Checks the database at startup and not at the first request, since a request waits only for the master key's check.
 */
function endWhereUnfit(ctx: Context): void {
  endWhereRefused(ctx.log, async () => {
    const joining = await ctx.join!().then(
      () => undefined,
      error => error,
    )
    await refuseUnfit(ctx.sql) // its error says more than that of a failed join
    if (joining instanceof MasterKeyDiffers) throw new ExitError('master_key_differs', joining.message)
    if (joining) throw joining
  })
}

async function connectionsOf(
  { connections, platform }: FunctionUnit,
  settings: Settings,
): Promise<Connections> {
  if (connections === 0) return NO_STORES
  const pool = poolOf(connectionsFrom(settings) ?? connections, { servesReads: platform === undefined })
  const client = await import('./redis-client.ts')
  return openWith(client, { ...storesFrom(settings), pool })
}

const isOnlyForWork = ({ endpoints }: FunctionUnit) =>
  endpoints.length > 0 && endpoints.every(endpoint => endpoint.makes_work)

/**
 * A unit started to make work requests the consumer early, so that both start at once; it calls the consumer anyway.
 */
function wakeEarly(consumerUrl: string): void {
  void fetch(`${consumerUrl.replace(/\/$/, '')}${HEALTH_PATH}`)
    .then(response => response.body?.cancel())
    .catch(() => {})
}

/** Consumers that are started by calls end after `consume_ms`; a deployment that may need longer reports that. */
function configFrom({ connections }: FunctionUnit, settings: Settings, areCalled: boolean): Config {
  const seconds = settings.whole('ASSAY_CONSUME_SECONDS', LIMITS.consume_seconds)
  const consume_ms = seconds !== undefined ? seconds * 1000 : areCalled ? LIMITS.consume_ms : undefined
  const consumers = settings.whole('ASSAY_CONSUMERS_MAX', LIMITS.consumers)
  const metrics_token = settings.get('ASSAY_METRICS_TOKEN')
  const operator_key = operatorKeyFrom(settings)
  return {
    base_url: settings.baseUrl() ?? '',
    master_key: connections > 0 ? keysFrom(settings) : '',
    tick_open: settings.flag('ASSAY_TICK_OPEN'),
    ...(consume_ms === undefined ? {} : { consume_ms }),
    ...(consumers === undefined ? {} : { consumers_max: consumers }),
    ...(metrics_token === undefined ? {} : { metrics_token }),
    ...(operator_key === undefined ? {} : { operator_key }),
  }
}

/** A platform's own calls may have any path, since they address the service and not an operation in it. */
function handlerOf(unit: FunctionUnit, ctx: Context, stop: AbortSignal, invocations: Set<Promise<unknown>>) {
  const app = createApp(unit.endpoints, () => ctx, unit.operations)
  unit.serveReference?.(app, () => ctx)
  unit.serveDashboard?.(app, () => ctx)
  const { platform } = unit
  const isApart = unit.connections > 0 && unit.endpoints.every(({ path }) => path !== READY_PATH)
  return compressing(request => {
    const { pathname } = new URL(request.url)
    if (pathname === HEALTH_PATH) return Response.json({ status: 'ok' })
    if (pathname === READY_PATH && isApart) return answerReadiness(ctx)
    if (platform === undefined) return app.fetch(request)
    if (isMetrics(request)) return answerMetrics(ctx, request)
    const onWake = (wake: (aborted?: string) => void) => listenForWakes(ctx.redis, wake)
    // The invocation continues even if the caller disconnects.
    const answer = answerPlatform(ctx, platform, request, { stop, onWake })
    invocations.add(answer)
    return answer.finally(() => invocations.delete(answer))
  })
}
