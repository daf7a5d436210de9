// Sends one HTTP request to an agent: node:http with keep-alive, no redirects, and a body that can be abandoned midway.
// Guarantee: the connection is released exactly once, whether the body ends, fails, is left early or is aborted; and a
// request is sent once, since an agent that closed its connection may have started.

import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import {
  type AgentRequest,
  type AgentResponse,
  EndlessInterim,
  NotReached,
  NotSent,
} from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Destination, Waiting } from './agent-sockets.ts'

/** The destination of a request, and how long its response may take. */
export interface Endpoint {
  to: Destination
  /** Most milliseconds to wait for the response's head; 0 leaves that to the caller's signal. */
  head_ms: number
}

/** A response with all its headers. */
export interface HttpAnswer extends AgentResponse {
  headers: http.IncomingHttpHeaders
}

/** Callbacks of the endpoint's owner. */
export interface RequestOwner {
  /** Called once the request is over: without an error, or with the one the reader will get. */
  over(error?: Error): void
  /** Explains an error, for example that the process behind the socket died. */
  explain(error: Error): Error | Promise<Error>
}

const BUFFERED_CHUNKS = 16 // of at most 64 KiB each, before the socket is paused

const TRANSPORT: RequestOwner = { over() {}, explain: error => error }

/** Sends the request and resolves with the head of the response. */
export function send(endpoint: Endpoint, request: AgentRequest, owner = TRANSPORT): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { sockets, name, options } = endpoint.to
    let body: ResponseBody | undefined
    let timer: NodeJS.Timeout | undefined
    let outgoing: http.ClientRequest | undefined

    const fail = (error: Error): void => {
      finish(error)
      Promise.resolve(owner.explain(named(error, outgoing, request))).then(reject, reject)
    }
    const abort = (): void => {
      const error = abortError(request.signal)
      if (body) body.fail(error)
      else giveUp(error)
    }
    const giveUp = (error: Error): void => {
      if (outgoing) outgoing.destroy(error)
      else {
        sockets.leave(name, waiting)
        fail(new NotSent('no connection to the agent became free', { cause: error }))
      }
    }
    const finish = (error?: Error): void => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', abort)
      owner.over(error)
    }
    const start = (isNew: boolean): void => {
      const late = () => giveUp(new Error(`the agent sent no response head within ${endpoint.head_ms} ms`))
      if (endpoint.head_ms > 0) timer = setTimeout(late, endpoint.head_ms)
      try {
        const headers = headersOf(endpoint.to, request)
        outgoing = (sockets.secure ? https : http).request({ ...options, headers })
      } catch (error) {
        return fail(error as Error) // must not throw: another request's event may have started this one
      }
      request.onSent?.()
      noteConnection(outgoing, sockets.secure)
      if (isNew) sockets.watch(name, outgoing)
      boundInterim(outgoing, giveUp)
      outgoing.once('response', incoming => {
        clearTimeout(timer)
        body = new ResponseBody(incoming, finish, owner.explain)
        resolve({
          status: incoming.statusCode ?? 0,
          contentType: incoming.headers['content-type'] ?? '',
          header: name => String(incoming.headers[name] ?? '') || null,
          headers: incoming.headers,
          body,
        })
      })
      outgoing.on('error', error => (body ? body.fail(error) : fail(error)))
      outgoing.end(request.body)
    }

    if (request.signal.aborted)
      return fail(
        new NotSent('the request was given up before it began', { cause: abortError(request.signal) }),
      )
    request.signal.addEventListener('abort', abort)
    const waiting: Waiting = { start, fail }
    sockets.enter(name, waiting)
  })
}

/** Requests that had a connection, which may be one that is used again. */
const connected = new WeakSet<http.ClientRequest>()

function noteConnection(outgoing: http.ClientRequest, isSecure: boolean): void {
  const note = () => connected.add(outgoing)
  outgoing.once('socket', socket => {
    if (socket.connecting) socket.once(isSecure ? 'secureConnect' : 'connect', note)
    else note()
  })
}

function boundInterim(outgoing: http.ClientRequest, giveUp: (error: Error) => void): void {
  let answers = 0
  outgoing.on('information', () => {
    if (++answers > LIMITS.interim_answers)
      giveUp(new EndlessInterim(`the agent sent more than ${answers - 1} answers 1xx, which record nothing`))
  })
}

/** Of a request that had no connection, the error says that its agent was not reached. */
function named(error: Error, outgoing: http.ClientRequest | undefined, { signal }: AgentRequest): Error {
  if (outgoing === undefined || connected.has(outgoing) || signal.aborted) return error
  const { code } = error as NodeJS.ErrnoException
  return Object.assign(new NotReached(error.message, { cause: error }), { code })
}

/** All headers as alternating names and values, which Node writes unchanged; set one by one they cost a fifth more. */
function headersOf(to: Destination, { headers, body }: AgentRequest): string[] {
  const all = ['host', to.host, 'content-length', String(Buffer.byteLength(body))]
  if (to.credentials !== undefined && headers.authorization === undefined)
    all.push('authorization', to.credentials)
  for (const name in headers) all.push(name, headers[name]!)
  return all
}

/** The response's chunks as they arrive, uncopied, for one reader. */
class ResponseBody implements AsyncIterableIterator<Uint8Array> {
  readonly #incoming: IncomingMessage
  readonly #finish: (error?: Error) => void
  readonly #explain: RequestOwner['explain']
  #chunks: Uint8Array[] = []
  #over = false
  #error: Promise<Error> | undefined
  #wake: (() => void) | undefined

  constructor(incoming: IncomingMessage, finish: (error?: Error) => void, explain: RequestOwner['explain']) {
    this.#incoming = incoming
    this.#finish = finish
    this.#explain = explain
    incoming.on('data', (chunk: Uint8Array) => {
      this.#chunks.push(chunk)
      if (this.#chunks.length >= BUFFERED_CHUNKS) incoming.pause()
      this.#signal()
    })
    incoming.on('end', () => this.#end())
    // Node says of a cut response that it was aborted, as if we had done it.
    const cut = (cause?: Error) =>
      this.fail(new Error('the connection closed before the response ended', { cause }))
    incoming.on('error', error =>
      incoming.aborted || error.message === 'aborted' ? cut(error) : this.fail(error),
    )
    incoming.on('close', () => {
      if (!this.#over) cut()
    })
  }

  /** Ends the body with an error; the reader still gets the chunks that have arrived. */
  fail(error: Error): void {
    if (this.#over) return
    this.#error = Promise.resolve(this.#explain(error))
    this.#end(error)
    this.#incoming.destroy()
  }

  #end(error?: Error): void {
    if (this.#over) return
    this.#over = true
    this.#finish(error)
    this.#signal()
  }

  #signal(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    while (this.#chunks.length === 0 && !this.#over) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    const chunk = this.#chunks.shift()
    if (chunk) {
      if (!this.#over && this.#chunks.length === 0) this.#incoming.resume()
      return { value: chunk, done: false }
    }
    const error = this.#error
    this.#error = undefined
    if (error) throw await error
    return { value: undefined, done: true }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#chunks = []
    if (!this.#over) {
      this.#end()
      this.#incoming.destroy()
    }
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error
    ? signal.reason
    : new DOMException('the request was aborted', 'AbortError')
}
