// Sends requests to addresses that callers named. Guarantee: the connection goes to an address that was checked after
// it was resolved; no redirect is followed; no receiver of a message can make this process read more than a bound or
// wait longer than the signal allows.

import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Get, OutsideRequest, Post } from '../../shared/kernel/outside.ts'
import { JudgedNames, refuseLiteral } from '../outside/judged-lookup.ts'
import { allowsOutside } from '../outside/networks.ts'

export interface Outside {
  post: Post
  get: Get
}

/** @param allowNetworks private networks that may be reached, as CIDR blocks */
export function createOutside(allowNetworks: readonly string[]): Outside {
  const allows = allowsOutside(allowNetworks)
  const names = new JudgedNames(allows)

  /** Resolves with the response once its headers have arrived. */
  async function ask(method: 'GET' | 'POST', asked: OutsideRequest): Promise<IncomingMessage> {
    const { body, signal } = asked
    const headers =
      typeof body === 'string' ? asked.headers : { ...asked.headers, 'content-length': body.bytes }
    const url = new URL(asked.url)
    refuseLiteral(url, allows)
    signal.throwIfAborted()
    const lookup = names.lookupFor(asked.account_id)
    const { request } = url.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      // No kept-alive connection: the receiver may close one just as it is reused.
      const outgoing = request(url, { method, headers, agent: false, lookup, signal })
      outgoing.on('error', error => reject(inWords(error, signal)))
      // Without a listener the connection would close with neither an error nor a response, and the try never end.
      outgoing.once('upgrade', (incoming, socket) => {
        socket.destroy()
        incoming.push(null)
        resolve(incoming)
      })
      let answers = 0
      outgoing.on('information', () => {
        if (++answers > LIMITS.interim_answers)
          outgoing.destroy(new Error(`The host sent more than ${answers - 1} answers 1xx, and no other.`))
      })
      outgoing.once('response', resolve)
      if (typeof body === 'string') outgoing.end(body)
      else pipeline(Readable.from(body.read()), outgoing).catch(error => outgoing.destroy(error))
    })
  }

  return {
    async post(asked) {
      const incoming = await ask('POST', asked)
      await drained(incoming)
      incoming.socket.destroy() // a receiver that responds before the file's end wants no more of it
      return { status: incoming.statusCode! }
    },
    async get(asked) {
      const incoming = await ask('GET', { ...asked, body: '' })
      incoming.on('error', () => {}) // reading reports errors; without a reader nobody needs them
      const { statusCode, headers } = incoming
      return {
        status: statusCode!,
        header: name => [headers[name]].flat()[0],
        framed: headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined,
        body: read(incoming, asked.signal),
      }
    },
  }
}

/** Resolves however the response ends: only its status matters. */
function drained(incoming: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > LIMITS.delivery_answer_bytes) incoming.destroy()
    })
    incoming.on('error', () => {})
    incoming.once('close', resolve)
    if (incoming.closed) resolve()
  })
}

async function* read(incoming: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* incoming
  } catch (error) {
    throw signal.aborted
      ? signal.reason
      : new Error('The connection was cut before the answer ended.', { cause: error })
  }
}

const CAUSES: Record<string, string> = {
  ENOTFOUND: 'The name of the host does not resolve.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  ECONNREFUSED: 'Nothing listens there.',
  ECONNRESET: 'The receiver closed the connection without an answer.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ETIMEDOUT: 'The host did not take the connection in time.',
}

function inWords(error: NodeJS.ErrnoException, signal: AbortSignal): Error {
  if (!signal.aborted) return new Error(CAUSES[error.code ?? ''] ?? error.message, { cause: error })
  return signal.reason?.name === 'TimeoutError'
    ? new Error(`There was no answer within ${LIMITS.delivery_ms / 1000} s.`)
    : signal.reason
}
