// The agent runtime as a function of its own: takes requests to bundles from consumers, and runs them in the processes of
// this machine. Guarantee: whoever lacks the bearer runs nothing; a consumer that goes away takes its request with it.

import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../../shared/domain/limits.ts'
import { NDJSON } from '../../shared/domain/protocol.ts'
import type { AgentRequest, InvokeAgent } from '../../shared/engine/agent-port.ts'
import { liveHeaders } from '../../shared/kernel/live-answer.ts'
import { HOP_HEADERS, type HopRequest, withEnd } from './hop.ts'

export interface RuntimeOptions {
  port: number
  host: string
  /** What consumers prove themselves with. */
  bearer: string
  invoke: InvokeAgent
}

export interface RuntimeServer {
  url: string
  /** Takes no more requests; those under way may end within a bound. */
  close(): Promise<void>
}

export async function serveRuntime({ port, host, bearer, invoke }: RuntimeOptions): Promise<RuntimeServer> {
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
    pass(invoke, request, response).catch(() => response.destroy())
  })
  server.requestTimeout = 0 // an item may take a day; consumers close what they give up
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
async function pass(invoke: InvokeAgent, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController()
  outgoing.once('close', () => gone.abort(new Error('the consumer went away')))
  const text = await bodyOf(incoming)
  if (text === undefined)
    return refuse(
      outgoing,
      413,
      'body_too_large',
      `A request has at most ${LIMITS.runtime_request_bytes} bytes.`,
    )
  const line = text.indexOf('\n')
  const { target, headers }: HopRequest = JSON.parse(text.slice(0, line))
  const request: AgentRequest = { headers, body: text.slice(line + 1), signal: gone.signal }
  const end = crypto.randomUUID()
  const head: Record<string, string> = { ...liveHeaders(NDJSON), [HOP_HEADERS.end]: end }
  let body: AsyncIterable<Uint8Array>
  try {
    const response = await invoke(target, request)
    head[HOP_HEADERS.status] = String(response.status)
    head[HOP_HEADERS.type] = encodeURIComponent(response.contentType)
    body = response.body
  } catch (error) {
    body = failing(error)
  }
  if (outgoing.destroyed) return
  outgoing.writeHead(200, head)
  outgoing.flushHeaders()
  await pipeline(Readable.from(withEnd(body, end), { objectMode: false, highWaterMark: 0 }), outgoing)
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

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  answer(response, status, { error: { code, message } })
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
