// Serves one unit of functions as a worker. Guarantee: no invocation uses the sockets of another one, which workerd
// forbids.
//
// With HOST bound, the functions run in an actor that nothing evicts, and its sockets belong to it as long as it lives.
// Without HOST a request opens connections at first use and closes them after its response.

import { DurableObject } from 'cloudflare:workers'
import { answerMetrics, isMetrics } from '../../functions/metrics.ts'
import type { Context } from '../../shared/context.ts'
import { createApp } from '../../shared/http/app.ts'
import { type Codings, type Compressor, compressed } from '../../shared/http/compression.ts'
import type { Operation } from '../../shared/http/no-operation.ts'
import type { Endpoint } from '../../shared/http/operation.ts'
import { type PlatformFunction, platformBearer } from '../../shared/http/platform-function.ts'
import { errorText } from '../../shared/kernel/error-text.ts'
import { createNotifier, type Notifier } from '../notify.ts'
import { type Env, openContext } from './context.ts'

export interface WorkerdUnit {
  endpoints: readonly Endpoint[]
  /** Whether it gets PostgreSQL and Redis. */
  asksStores: boolean
  /** The function that the platform's cron calls. */
  scheduled?: PlatformFunction
  /**
   * Whether it handles the queue's notifications by calling the consumer, which runs agents and therefore runs in Node.
   */
  wakes?: boolean
  /** The operations of other units, for the unit that gets requests without a matching route. */
  operations?: readonly Operation[]
  /** Adds the endpoints' documentation. */
  serveReference?: (app: ReturnType<typeof createApp>, contextFor: (request: Request) => Context) => void
  /** Adds the dashboard's pages. */
  serveDashboard?: (app: ReturnType<typeof createApp>, contextFor: (request: Request) => Context) => void
}

interface Actor {
  fetch(request: Request): Promise<Response>
  tick(): Promise<void>
  wake(consumers: number): Promise<void>
}

interface UnitEnv extends Env {
  HOST?: { getByName(name: string): Actor }
  /** The URL of the consumer function; a consumer that is always awake needs no call. */
  ASSAY_CONSUMER_URL?: string | null
  /** Lets anybody who reaches the worker run its tick: for a developer's machine. */
  ASSAY_TEST_SCHEDULED?: string | null
}

/** A batch of messages, each with the number of consumers requested. */
interface Batch {
  messages: { body: number }[]
}

interface Execution {
  waitUntil(promise: Promise<unknown>): void
}

// There is one actor for each unit: fourteen of them stay below PostgreSQL's default of a hundred connections.
const POOL = { sql: 2, db: 1, reads: 2 }
const POOL_OF_REQUEST = { sql: 2, db: 1, reads: 1 }

/**
 * Whether a developer tries the cron: Wrangler answers this address of `wrangler dev --test-scheduled` only for workers
 * that it bundles itself. Nothing but .dev.vars binds the variable.
 */
const isCronTest = ({ ASSAY_TEST_SCHEDULED }: UnitEnv, { url }: Request) =>
  ASSAY_TEST_SCHEDULED === 'true' && new URL(url).pathname === '/__scheduled'
const CODINGS: Codings = { gzip: () => new CompressionStream('gzip') as Compressor }
/** Without it workerd compresses whatever has a `content-encoding`. */
const COMPRESSED = { encodeBody: 'manual' }

/** Returns the handlers of the worker and the class of its actor. */
export function workerOf(unit: WorkerdUnit) {
  const [pool, poolOfRequest] = unit.asksStores ? [POOL, POOL_OF_REQUEST] : [null, null]
  const contexts = new WeakMap<Request, Context>()
  const contextFor = (request: Request) => contexts.get(request)!
  const app = createApp(unit.endpoints, contextFor, unit.operations)
  unit.serveReference?.(app, contextFor)
  unit.serveDashboard?.(app, contextFor)

  async function answer(ctx: Context, request: Request, env: UnitEnv): Promise<Response> {
    if (unit.scheduled && isCronTest(env, request)) return testCron(unit.scheduled, ctx)
    contexts.set(request, ctx)
    const isOfMetrics = unit.scheduled && isMetrics(request)
    const response = await (isOfMetrics ? answerMetrics(ctx, request) : app.fetch(request))
    return compressed(request, response, CODINGS, COMPRESSED)
  }

  class Host extends DurableObject<UnitEnv> {
    readonly #ctx: Context
    #notifier: Promise<Notifier> | undefined
    constructor(state: unknown, env: UnitEnv) {
      super(state, env)
      this.#ctx = openContext(env, pool)
    }
    fetch(request: Request) {
      return answer(this.#ctx, request, this.env)
    }
    async tick() {
      await runScheduled(unit.scheduled!, this.#ctx)
    }
    async wake(consumers: number) {
      this.#notifier ??= notifierOf(this.#ctx, this.env.ASSAY_CONSUMER_URL!)
      ;(await this.#notifier).notify(consumers) // the calls stay open after this one returns
    }
  }

  return {
    Host,
    handlers: {
      async fetch(request: Request, env: UnitEnv, execution: Execution): Promise<Response> {
        if (env.HOST) return env.HOST.getByName('host').fetch(request)
        const ctx = openContext(env, poolOfRequest)
        const response = await answer(ctx, request, env)
        if (response.body === null) {
          execution.waitUntil(ctx.end())
          return response
        }
        // A streamed response needs its connections until its last byte.
        const { readable, writable } = new TransformStream()
        const sent = response.body.pipeTo(writable).catch(() => {})
        execution.waitUntil(sent.then(() => ctx.end()))
        return new Response(readable, { ...COMPRESSED, status: response.status, headers: response.headers })
      },
      async scheduled(_event: unknown, env: UnitEnv): Promise<void> {
        if (env.HOST) return env.HOST.getByName('host').tick()
        const ctx = openContext(env, pool)
        await runScheduled(unit.scheduled!, ctx)
        await ctx.end()
      },
      async queue({ messages }: Batch, env: UnitEnv): Promise<void> {
        if (!unit.wakes || !env.ASSAY_CONSUMER_URL) return
        const consumers = Math.max(...messages.map(message => message.body))
        if (env.HOST) return env.HOST.getByName('host').wake(consumers)
        const ctx = openContext(env, poolOfRequest)
        const notifier = await notifierOf(ctx, env.ASSAY_CONSUMER_URL)
        notifier.notify(consumers)
        await ctx.end() // when the consumers have answered
      },
    },
  }
}

async function testCron(fn: PlatformFunction, ctx: Context): Promise<Response> {
  return (await runScheduled(fn, ctx))
    ? new Response('Ran scheduled event')
    : new Response('The scheduled event failed: the log says how', { status: 500 })
}

/** Returns whether it did its work. */
async function runScheduled({ name, run }: PlatformFunction, ctx: Context): Promise<boolean> {
  const never = new AbortController().signal // workerd signals no stop; it ends whatever outlives its drain
  try {
    await ctx.join?.()
    await run(ctx, { stop: never, onWake: () => () => {} })
    return true
  } catch (error) {
    ctx.log('error', `${name}_failed`, { error: errorText(error) }) // a platform's cron reads no answer
    return false
  }
}

async function notifierOf(ctx: Context, url: string): Promise<Notifier> {
  const { redis, newId, waitUntil, log } = ctx
  const bearer = await platformBearer(ctx.config.master_key)
  return createNotifier({ url, bearer, redis, fetch, newId, waitUntil, log })
}
