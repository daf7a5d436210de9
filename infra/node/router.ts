// Sends each request to the function that serves it, where neither the platform nor its ingress can tell by path.
// Guarantee: bodies pass as they come, both ways; an answer that breaks off there breaks off here, so that nobody takes
// it for whole; and whatever no function answered is an error like any other.

import type { Agent, IncomingMessage, ServerResponse } from 'node:http'
import type { Agent as SecureAgent } from 'node:https'
import { isDashboardPath } from '../../functions/dashboard/shell/addresses.ts'
import { errorAnswer } from '../../shared/http/error-answer.ts'
import { noOperation } from '../../shared/http/no-operation.ts'
import { createRoutes, type Route } from '../../shared/http/routes.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { newId } from '../../shared/kernel/ids.ts'
import { invalid } from '../local/exit-error.ts'
import { type Address, type Listener, listening } from './listening.ts'
import { logLine, tellReady } from './log.ts'
import { listeningAt, readSettings } from './settings.ts'
import { endOnCrash, endOnSignal, endStart } from './stop.ts'

// Not by import, which reads every export and so loads all of fetch: half of what a start of the router would take.
const http = process.getBuiltinModule('node:http')
/** TLS is loaded by the first request that needs it: within a cluster none does. */
const https = () => process.getBuiltinModule('node:https')

export interface RouterOptions extends Address {
  routes: readonly Route[]
  /** Where units are, with `{unit}` for the name: http://assay-{unit}.assay.svc.cluster.local */
  unitUrl: string
  writeLog?: (line: string) => void
}

/** Between two machines only, so that neither end passes them on. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]
const CHARACTERS_LOGGED = 300
const CONSUMER = 'consume'
const HEALTH_PATH = '/healthz'
/** Platforms keep a function that nobody asks for longer. */
const NOTIFY_AGAIN_MS = 10_000
const PORT = 8080

/** Serves the router until the process is asked to stop. */
export async function serveRouter(routes: readonly Route[]): Promise<void> {
  endOnCrash()
  try {
    const settings = readSettings(process.env)
    const unitUrl = settings.need('ASSAY_UNIT_URL')
    const listener = await startRouter({ ...listeningAt(settings, PORT), routes, unitUrl })
    tellReady({ unit: 'router', url: listener.url })
    endOnSignal(listener)
  } catch (error) {
    endStart(error)
  }
}

/** @throws ExitError when `unitUrl` cannot lead to units */
export async function startRouter(options: RouterOptions): Promise<Listener> {
  const find = createRoutes(options.routes)
  const write = options.writeLog ?? (line => process.stderr.write(line))
  const addressOf = unitAddresses(options.unitUrl)
  const notify = notifierOf(addressOf(CONSUMER, new URL(`http://router${HEALTH_PATH}`)))
  const server = http.createServer((incoming, outgoing) => {
    const url = requestUrl(incoming)
    const method = incoming.method!
    // Without a Response: that loads all of fetch, and nothing else here does that is asked for while it starts.
    if (url.pathname === HEALTH_PATH)
      return void outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
    const route = find(method, url.pathname)
    if (route === undefined) {
      const error = noOperation(options.routes, { method, url: url.href })
      return void answer(outgoing, errorAnswer(error, requestId()))
    }
    const { unit } = route
    if (route.makes_work) notify()
    forward(incoming, outgoing, addressOf(unit, url), cause => {
      const request_id = requestId()
      const fields = {
        request_id,
        unit,
        method,
        path: url.pathname,
        error: cause.slice(0, CHARACTERS_LOGGED),
      }
      write(`${logLine('error', 'unit_did_not_answer', fields)}\n`)
      return errorAnswer(notAnswered(unit, request_id), request_id)
    })
  })
  server.requestTimeout = 0 // an upload may take as long as it takes; the functions have bounds of their own
  return listening(server.listen(options.port, options.host), options)
}

const requestId = () => newId(Date.now(), bytes => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>))

/** As the app sees it: without the dots, and never another host's. */
function requestUrl({ url = '/' }: IncomingMessage): URL {
  const text = url.startsWith('/') ? `http://router${url}` : url
  return URL.canParse(text) ? new URL(text) : new URL('http://router/')
}

function unitAddresses(template: string): (unit: string, url: URL) => URL {
  const example = template.replace('{unit}', 'unit')
  if (!template.includes('{unit}') || !URL.canParse(example) || !/^https?:/.test(example))
    throw invalid(`ASSAY_UNIT_URL: "${template}" must look like http://assay-{unit}.assay.svc.cluster.local.`)
  return (unit, { pathname, search }) =>
    new URL(template.replace('{unit}', unit).replace(/\/$/, '') + pathname + search)
}

/**
 * Lets a consumer that sleeps start beside the function that will call it, and not after it. How it goes is no matter:
 * that function calls it anyway.
 */
function notifierOf(consumer: URL): () => void {
  let asked = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - asked < NOTIFY_AGAIN_MS) return
    asked = performance.now()
    const { get } = consumer.protocol === 'https:' ? https() : http
    get(consumer, { agent: keptFor(consumer) }, response => response.resume()).once('error', () => {})
  }
}

const notAnswered = (unit: string, request_id: string) =>
  new ApiError(
    'internal',
    `The function "${unit}" did not answer; the router's log names request ${request_id}.`,
    'Ask again; what is sent with an Idempotency-Key is taken once.',
  )

/** Kept connections are for requests that can be sent twice: the other end may close one just as it is taken up. */
const kept = new http.Agent({ keepAlive: true })
let keptSecure: SecureAgent | undefined
function keptFor(to: URL): Agent {
  if (to.protocol === 'http:') return kept
  keptSecure ??= new (https().Agent)({ keepAlive: true })
  return keptSecure
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  to: URL,
  failed: (cause: string) => Response,
): void {
  const { request } = to.protocol === 'https:' ? https() : http
  const hasBody =
    Number(incoming.headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in incoming.headers
  const upstream = request(to, {
    method: incoming.method,
    headers: forwardedHeaders(incoming, to),
    agent: hasBody ? false : keptFor(to),
  })
  upstream.once('response', response => {
    if (isForeign(response) && !isDashboardPath(requestUrl(incoming).pathname)) {
      response.resume()
      return void answer(outgoing, refusal(response) ?? failed(`it answered ${response.statusCode}`))
    }
    outgoing.writeHead(response.statusCode!, endToEnd(response))
    outgoing.flushHeaders()
    response.pipe(outgoing)
    response.once('close', () => response.complete || outgoing.destroy())
  })
  upstream.once('error', error => {
    incoming.unpipe(upstream)
    if (outgoing.headersSent || outgoing.destroyed) return // how it ends is for the response to say
    if (upstream.reusedSocket && !hasBody) return forward(incoming, outgoing, to, failed)
    answer(outgoing, failed(error.message))
  })
  outgoing.once('close', () => outgoing.writableFinished || upstream.destroy())
  incoming.pipe(upstream)
}

/** An error that a proxy before the function wrote: functions answer in JSON, but for pages. */
const isForeign = ({ statusCode, headers }: IncomingMessage) =>
  statusCode! >= 400 && !headers['content-type']?.startsWith('application/json')

function refusal({ statusCode }: IncomingMessage): Response | undefined {
  if (statusCode !== 429) return undefined
  const error = new ApiError('rate_limited', 'Too many requests are under way.', 'Ask again in a second.', 1)
  return errorAnswer(error, requestId())
}

function forwardedHeaders(incoming: IncomingMessage, to: URL): Record<string, string[] | string> {
  const { headersDistinct: given, socket } = incoming
  const hops = [...(given['x-forwarded-for'] ?? []), socket.remoteAddress ?? 'unknown']
  return {
    ...endToEnd(incoming),
    host: to.host,
    // Asked to close, a function that answers before an upload ends would break it off, its answer with it.
    connection: 'keep-alive',
    'x-forwarded-for': hops.join(', '),
    'x-forwarded-host': given['x-forwarded-host'] ?? given.host ?? '',
    'x-forwarded-proto': given['x-forwarded-proto'] ?? 'http',
  }
}

function endToEnd({ headers, headersDistinct }: IncomingMessage): Record<string, string[]> {
  const named = headers.connection?.split(',').map(name => name.trim().toLowerCase()) ?? []
  const dropped = new Set([...HOP_BY_HOP, ...named])
  return Object.fromEntries(
    Object.entries(headersDistinct).filter(([name]) => !dropped.has(name)) as [string, string[]][],
  )
}

async function answer(outgoing: ServerResponse, response: Response): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
}
