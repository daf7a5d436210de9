// Serves the agent runtime as a function of its own: takes requests to bundles from consumers and runs them in
// processes on this machine. Guarantee: nothing runs without the bearer; a consumer that disconnects ends its request;
// missing code is requested from the consumer, so the runtime needs no store.

import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BundleToLoad, type LoadBundle, LoadsBusy } from '../../shared/agents/rules/bundle-load.ts'
import type { AgentRequest, InvokeAgent } from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { liveHeaders } from '../../shared/kernel/live-answer.ts'
import { NDJSON } from '../../shared/protocol/rules/protocol.ts'
import { BundleWanted, CarriedBundles } from './carried-bundles.ts'
import { BUNDLE_WANTED, HOP_HEADERS, type HopRequest, LOAD_PATH, LOADS_BUSY, withEnd } from './hop.ts'

export interface RuntimeOptions {
  port: number
  host: string
  /** The bearer that consumers send. */
  bearer: string
  invoke: InvokeAgent
  load: LoadBundle
  /** The code of bundles, for `invoke`. */
  bundles?: CarriedBundles
}

export interface RuntimeServer {
  url: string
  /** Takes no more requests; open ones may end within LIMITS.drain_ms. */
  close(): Promise<void>
}

export async function serveRuntime(options: RuntimeOptions): Promise<RuntimeServer> {
  const { port, host, bearer, invoke, load, bundles = new CarriedBundles() } = options
  const expected = Buffer.from(`Bearer ${bearer}`)
  const server = http.createServer((request, response) => {
    if (request.url === '/healthz') return answer(response, 200, { status: 'ok' })
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return refuse(
        response,
        401,
        'unauthenticated',
        'The agent runtime is called by consumers of this installation only.',
      )
    if (request.method !== 'POST')
      return refuse(response, 404, 'not_found', 'The agent runtime is called with POST.')
    const passed =
      request.url === LOAD_PATH
        ? loadFor(load, request, response)
        : pass({ invoke, bundles }, request, response)
    passed.catch(() => response.destroy())
  })
  server.requestTimeout = 0 // an item may take a day; consumers close requests that they give up
  server.listen(port, host)
  await once(server, 'listening')
  const { port: bound } = server.address() as { port: number }
  return {
    url: `http://${host}:${bound}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), LIMITS.drain_ms).unref()
      }),
  }
}

/** Runs one request, for as long as its consumer waits. */
async function pass(
  { invoke, bundles }: Required<Pick<RuntimeOptions, 'invoke' | 'bundles'>>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort(new Error('the consumer went away')))
  const text = await bodyOf(incoming)
  if (text === undefined) return refuseLarge(outgoing)
  const line = text.indexOf('\n')
  const { target, headers, code, items = 1 }: HopRequest = JSON.parse(text.slice(0, line))
  const body = text.slice(line + 1)
  const request: AgentRequest = { headers, body, signal: gone.signal, itemsOpen: () => items }
  const end = crypto.randomUUID()
  const head: Record<string, string> = { ...liveHeaders(NDJSON), [HOP_HEADERS.end]: end }
  let answered: AsyncIterable<Uint8Array>
  let release = () => {}
  try {
    if (code !== undefined) release = await bundles.hold(target.bundle_hash ?? '', code)
    const response = await invoke(target, request)
    head[HOP_HEADERS.status] = String(response.status)
    head[HOP_HEADERS.type] = encodeURIComponent(response.contentType)
    answered = response.body
  } catch (error) {
    if (error instanceof BundleWanted) return refuse(outgoing, BUNDLE_WANTED, 'bundle_wanted', error.message)
    answered = failing(error)
  } finally {
    release()
  }
  if (outgoing.destroyed) return
  outgoing.writeHead(200, head)
  outgoing.flushHeaders()
  await pipeline(Readable.from(withEnd(answered, end), { objectMode: false, highWaterMark: 0 }), outgoing)
}

/** Loads one bundle, for a deploy. */
async function loadFor(load: LoadBundle, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const text = await bodyOf(incoming)
  if (text === undefined) return refuseLarge(outgoing)
  try {
    answer(outgoing, 200, await load(JSON.parse(text) as BundleToLoad))
  } catch (error) {
    if (!(error instanceof LoadsBusy)) throw error
    refuse(outgoing, LOADS_BUSY, 'loads_busy', error.message)
  }
}

// biome-ignore lint/correctness/useYield: it fails before there is anything to say
async function* failing(error: unknown): AsyncGenerator<Uint8Array> {
  throw error
}

async function bodyOf(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > LIMITS.runtime_request_bytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const refuseLarge = (response: ServerResponse) =>
  refuse(response, 413, 'body_too_large', `A request has at most ${LIMITS.runtime_request_bytes} bytes.`)

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  answer(response, status, { error: { code, message } })
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
