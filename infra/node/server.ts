// A Node process that plays some or all of the parts: the API, the queue consumer with the agent runtime, the tick.
// On one machine all of them run in one process; on a platform each is a process of its own.

import { type HttpBindings, serve } from '@hono/node-server'
import { endpoints } from '../../functions/index.ts'
import type { Context } from '../../shared/context.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { sweep } from '../../shared/engine/sweep.ts'
import { listenForWakes, publishWake } from '../../shared/hints/wake.ts'
import { createApp } from '../../shared/http/app.ts'
import { findBundle } from '../../shared/store/bundles.ts'
import { ensureStepPartitions } from '../../shared/store/partitions.ts'
import { createInvoker } from '../runtime/invoker.ts'
import { openConnections } from './connections.ts'
import { startConsumer } from './consumer.ts'
import { createContext } from './context.ts'
import { createMail, type MailOptions } from './mail.ts'

export const PARTS = ['api', 'consumer', 'tick'] as const
export type Part = (typeof PARTS)[number]

export interface ServerOptions {
  port: number
  host: string
  databaseUrl: string
  redisUrl: string
  /** Where the agent runtime keeps its sockets and logs. */
  dataDir: string
  /** 32 bytes in hex. */
  masterKey: string
  /** The origin callers use, when it is not the address listened on. */
  baseUrl?: string
  parts?: readonly Part[]
  /** Networks (CIDR) that agents' declarations may name although they are private. */
  allowPrivateNetworks?: string[]
  /** Without it, alerts go by webhook only. */
  mail?: MailOptions | undefined
  /** Where lines of the log go; standard error unless told. */
  writeLog?: (line: string) => void
}

export interface Server {
  port: number
  url: string
  close(): Promise<void>
}

/** Starts the process's parts; resolves when it takes requests. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const parts = new Set(options.parts ?? PARTS)
  const closing = new AsyncDisposableStack()
  const connections = openConnections(options)
  closing.defer(() => connections.close())
  const config = { base_url: options.baseUrl ?? '', master_key: options.masterKey }
  const invoker = createInvoker({
    loadBundle: hash => findBundle(connections.sql, hash),
    dataDir: options.dataDir,
    allowPrivateNetworks: options.allowPrivateNetworks ?? [],
  })
  closing.defer(() => invoker.close())

  const consumer = parts.has('consumer') ? startConsumer(() => ctx) : null
  const poke = () => (consumer ? consumer.poke() : publishWake(connections.redis))
  const { writeLog } = options
  const ctx = createContext({
    connections,
    config,
    poke,
    invokeAgent: invoker.invoke,
    addressOf: request => addresses.get(request) ?? null,
    ...(options.mail ? { mail: createMail(options.mail) } : {}),
    ...(writeLog ? { writeLog } : {}),
  })
  closing.defer(() => ctx.idle())
  if (consumer) {
    closing.defer(() => consumer.close())
    closing.defer(listenForWakes(connections.redis, consumer.poke))
    consumer.poke()
    // Without a tick in this process only Redis wakes it, and Redis may be away.
    if (!parts.has('tick')) {
      const timer = setInterval(consumer.poke, LIMITS.self_poke_ms)
      closing.defer(() => clearInterval(timer))
    }
  }
  await ensureStepPartitions(connections.sql, ctx.now()) // before the first step, not at the first tick
  if (parts.has('tick')) closing.defer(startTick(ctx))
  const address = parts.has('api') ? await listen(options, ctx, closing) : { port: 0, url: '' }
  config.base_url ||= address.url
  return { ...address, close: () => closing.disposeAsync() }
}

// Where requests came from; a request is only known by its socket while it is being handled.
const addresses = new WeakMap<Request, string>()

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

async function listen(options: ServerOptions, ctx: Context, closing: AsyncDisposableStack) {
  const app = createApp(endpoints, () => ctx)
  const fetch = (request: Request, env: HttpBindings) => {
    addresses.set(request, env.incoming.socket.remoteAddress ?? '')
    return app.fetch(request, env)
  }
  const server = serve({ fetch: fetch as typeof app.fetch, port: options.port, hostname: options.host })
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))
  closing.defer(
    () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        // Requests under way may end; connections that only wait for another are closed at once.
        if ('closeIdleConnections' in server) server.closeIdleConnections()
        setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), 5000).unref()
      }),
  )
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : options.port
  return { port, url: `http://${options.host}:${port}` }
}
