// Answers what Node refuses before any handler sees it: requests that are no HTTP, headers that are too long or do not
// arrive. Guarantee: such an answer is an API error in JSON like any other, and the connection is closed after it.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { OWN_HEADERS } from '../../shared/http/error-answer.ts'
import { newId } from '../../shared/kernel/ids.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

interface Refusal {
  status: '400 Bad Request' | '408 Request Timeout' | '431 Request Header Fields Too Large'
  message: string
  hint?: string
}

const NO_HTTP: Refusal = {
  status: '400 Bad Request',
  message: 'The request is malformed: it is no HTTP/1.1 that can be read.',
  hint: 'Send it again; a proxy or a client before the server may have broken it.',
}
const NO_TUNNEL: Refusal = {
  status: '400 Bad Request',
  message: 'This server is no proxy: it opens no tunnel.',
}
const ODD_EXPECTATION = 'The header Expect takes only 100-continue.'
export const NO_HOST = 'The header Host is missing, and HTTP/1.1 needs it.'
export const NO_URL = 'The header Host and the path make no URL.'

export const requestId = () =>
  newId(Date.now(), bytes => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>))

/** By the code of Node's error. */
const REFUSALS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The headers of the request are longer than 16 KiB.',
    hint: 'Mostly cookies of the same host: send the request without them.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '400 Bad Request',
    message: 'The extensions of a chunk of the body are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The headers of the request did not arrive in time.',
    hint: 'Send it again.',
  },
}

/** Call it once the server is made. */
export function answerMalformed(server: Server): void {
  const refused = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return // what still arrives is malformed too
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) return void socket.destroy()
    refused.add(socket)
    endWith(socket, REFUSALS[error.code ?? ''] ?? NO_HTTP)
  })
  server.on('connect', (_: IncomingMessage, socket: Duplex) => endWith(socket, NO_TUNNEL))
  server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) =>
    refuse(response, ODD_EXPECTATION),
  )
}

/** A caller that is still sending gets the answer too, since the connection is destroyed only a moment later. */
function endWith(socket: Duplex, refusal: Refusal): void {
  socket.on('error', () => {}) // the caller may be gone
  socket.end(answerOf(refusal))
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LIMITS.linger_ms)
  socket.once('close', () => clearTimeout(timer))
}

/** Whether a part of another answer is already on its way: a second one would be taken for its body. */
function isAnswering(socket: Duplex): boolean {
  const { _httpMessage: current } = socket as Duplex & { _httpMessage?: ServerResponse | null }
  return current?.headersSent === true
}

/** Answers a request whose head was read and makes no sense. */
export function refuse(response: ServerResponse, message: string): void {
  const [body, headers] = answerParts({ status: '400 Bad Request', message })
  response.writeHead(400, headers).end(body)
}

/** Whether a request lacks the header that every request of HTTP/1.1 has. */
export const lacksHost = ({ httpVersion, headers }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headers.host === undefined

function answerOf(refusal: Refusal): string {
  const [body, headers] = answerParts(refusal)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${refusal.status}\r\n${lines.join('')}\r\n${body}`
}

function answerParts({ message, hint }: Refusal): [string, Record<string, string>] {
  const body = JSON.stringify({ error: { code: 'invalid_request', message, hint } })
  const headers = {
    ...OWN_HEADERS,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId(),
    connection: 'close',
  }
  return [body, headers]
}
