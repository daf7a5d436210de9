// The endpoints inside workerd. A socket belongs to the invocation that opened it, so each invocation gets its own
// connections, opened when first used and ended after the answer was sent.

import { endpoints } from '../../functions/index.ts'
import type { Context } from '../../shared/context.ts'
import { newId, newRunId } from '../../shared/domain/ids.ts'
import { createApp } from '../../shared/http/app.ts'
import { openApiDocument } from '../../shared/http/openapi.ts'
import { serveReference } from '../../shared/http/reference.ts'
import { openConnections } from '../node/connections.ts'
import { createPost, type Outside } from './post.ts'

export interface Env {
  DATABASE_URL: string
  REDIS_URL: string
  /** 32 bytes in hex. */
  MASTER_KEY: string
  BASE_URL: string
  /** Where a POST wakes a consumer; without it work waits for the tick. */
  CONSUMER_URL?: string
  /** A network service that callbacks and alerts go out by, which allows public addresses and perhaps some others. */
  OUTSIDE?: Outside
  /** Those others, as CIDR blocks with commas between them. */
  ALLOW_CALLBACK_NETWORKS?: string
}

interface Execution {
  waitUntil(promise: Promise<unknown>): void
}

interface Invocation extends Context {
  /** Resolves when all that `waitUntil` was given has settled and the connections are closed. */
  end(): Promise<void>
}

// Found by request, since one app serves them all.
const invocations = new WeakMap<Request, Invocation>()
const contextFor = (request: Request) => invocations.get(request)!
const app = createApp(endpoints, contextFor)
serveReference(app, () => openApiDocument(endpoints), contextFor)

export default {
  async fetch(request: Request, env: Env, execution: Execution): Promise<Response> {
    const invocation = open(env)
    invocations.set(request, invocation)
    const response = await app.fetch(request)
    if (response.body === null) {
      execution.waitUntil(invocation.end())
      return response
    }
    // A streamed answer needs its connections until its last byte.
    const { readable, writable } = new TransformStream()
    const sent = response.body.pipeTo(writable).catch(() => {})
    execution.waitUntil(sent.then(() => invocation.end()))
    return new Response(readable, response)
  },
}

function open(env: Env): Invocation {
  const connections = openConnections({
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    pool: { sql: 2, db: 1, lanes: 1 },
  })
  const pending: Promise<unknown>[] = []
  const random = (bytes: Uint8Array) => {
    crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  }
  const log: Context['log'] = (level, event, fields) =>
    console.error(JSON.stringify({ at: new Date().toISOString(), level, event, ...fields }))
  const waitUntil = (promise: Promise<unknown>) => {
    pending.push(
      promise.catch(error => log('error', 'background_failed', { error: String(error?.stack ?? error) })),
    )
  }
  return {
    sql: connections.sql,
    db: connections.db,
    lanes: connections.lanes,
    redis: connections.redis,
    config: { base_url: env.BASE_URL, master_key: env.MASTER_KEY },
    now: Date.now,
    newId: () => newId(Date.now(), random),
    newRunId: () => newRunId(Date.now(), random),
    random,
    poke() {
      if (env.CONSUMER_URL) waitUntil(fetch(env.CONSUMER_URL, { method: 'POST' }))
    },
    waitUntil,
    invokeAgent: () => Promise.reject(new Error('workerd serves endpoints only: run the consumer in Node')),
    post: createPost(env.OUTSIDE, env.ALLOW_CALLBACK_NETWORKS?.split(',') ?? []),
    mail: null, // workerd sends none: the tick in Node does
    addressOf: request => request.headers.get('cf-connecting-ip'),
    log,
    async end() {
      while (pending.length > 0) await pending.shift()
      await connections.close()
    },
  }
}
