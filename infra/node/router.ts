// Forwards each request to the function that serves it, where neither the platform nor its ingress can route by path.
// Guarantee: bodies are streamed both ways; a response that breaks off upstream breaks off here too, so that nobody
// takes it for complete; a request that no function answered gets an ordinary API error.

import type { Agent, IncomingMessage, ServerResponse } from 'node:http'
import type { Agent as SecureAgent } from 'node:https'
import { isDashboardPath } from '../../functions/dashboard/shell/addresses.ts'
import { errorAnswer } from '../../shared/http/error-answer.ts'
import { noOperation } from '../../shared/http/no-operation.ts'
import { createRoutes, type Route } from '../../shared/http/routes.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import type { LogLevel } from '../../shared/upkeep/rules/log-events.ts'
import { invalid } from '../local/exit-error.ts'
import { type Address, type Listener, listening } from './listening.ts'
import { logLine, reportReady, writeLine } from './log.ts'
import { lacksHost, NO_HOST, refuse, requestId } from './malformed.ts'
import { listeningAt, processSettings } from './settings.ts'
import { endOnCrash, endOnSignal, endStart } from './stop.ts'

// Not imported: an import reads every export and so loads all of fetch, which would be half of the router's start time.
const http = process.getBuiltinModule('node:http')
/** The first request that needs TLS loads it; within a cluster none does. */
const https = () => process.getBuiltinModule('node:https')

export interface RouterOptions extends Address {
  routes: readonly Route[]
  /** The URL of the units, with `{unit}` for the name: http://assay-{unit}.assay.svc.cluster.local */
  unitUrl: string
  writeLog?: (line: string, level: LogLevel) => void
}

/** Headers that apply to one connection only, so they are not forwarded. */
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
/** Shorter than the time for which platforms keep an idle function. */
const NOTIFY_AGAIN_MS = 10_000
const PORT = 8080

/** Serves the router until the process gets a stop signal. */
export async function serveRouter(routes: readonly Route[]): Promise<void> {
  endOnCrash()
  try {
    const settings = processSettings()
    const unitUrl = settings.need('ASSAY_UNIT_URL')
    const listener = await startRouter({ ...listeningAt(settings, PORT), routes, unitUrl })
    reportReady({ unit: 'router', url: listener.url })
    endOnSignal(listener)
  } catch (error) {
    endStart(error)
  }
}

/** @throws ExitError when `unitUrl` is no URL with `{unit}` */
export async function startRouter(options: RouterOptions): Promise<Listener> {
  const find = createRoutes(options.routes)
  const write = options.writeLog ?? writeLine
  const addressOf = unitAddresses(options.unitUrl)
  const notify = notifierOf(addressOf(CONSUMER, new URL(`http://router${HEALTH_PATH}`)))
  const server = http.createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    if (lacksHost(incoming)) return refuse(outgoing, NO_HOST)
    const url = requestUrl(incoming)
    const method = incoming.method!
    // Written without a Response, which loads all of fetch; nothing else requested during the start does.
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
      write(logLine('error', 'unit_did_not_answer', fields), 'error')
      return errorAnswer(notAnswered(unit, request_id), request_id)
    })
  })
  server.requestTimeout = 0 // uploads may take long; the functions have their own bounds
  return listening(server.listen(options.port, options.host), options)
}

/** The URL as the app sees it: with dot segments resolved, and never with another host. */
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
 * Requests the consumer's health, so that an idle consumer starts together with the function that will call it, not
 * after it. The result does not matter, since that function calls the consumer anyway.
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

/**
 * Keep-alive is only for requests that can be sent twice: the other end may close a connection just as it is reused.
 */
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
    if (outgoing.headersSent || outgoing.destroyed) return // the response's own events handle its end
    if (upstream.reusedSocket && !hasBody) return forward(incoming, outgoing, to, failed)
    answer(outgoing, failed(error.message))
  })
  outgoing.once('close', () => outgoing.writableFinished || upstream.destroy())
  incoming.pipe(upstream)
}

/** Whether a proxy in front of the function wrote the error: functions respond in JSON, except for pages. */
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
    // With `close`, a function that responds before an upload ends would cut it off, and its own response with it.
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
