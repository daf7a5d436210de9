// One HTTP request to an agent: node:http with kept connections, no redirects, a body that can be given up midway.
// Guarantee: the connection is released exactly once, whether the body ends, fails, is left early or is aborted.

import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { AgentRequest, AgentResponse } from '../../shared/engine/agent-port.ts'

/** Where a request goes and over which kept connections. */
export interface Endpoint {
  options: http.RequestOptions
  secure: boolean
  /** Whether to ask once more when a kept connection turns out closed; not where the request may have closed it. */
  retry_stale: boolean
  /** Bound on the wait for the response's head; 0 leaves it to the caller's signal. */
  head_ms: number
}

/** An answer with all that its head says. */
export interface HttpAnswer extends AgentResponse {
  headers: http.IncomingHttpHeaders
}

/** What the owner of the endpoint does when the request is over. */
export interface RequestOwner {
  /** The request is over: cleanly, or with the error the reader will see. */
  over(error?: Error): void
  /** Says what an error means, for example that the process behind the socket died. */
  explain(error: Error): Error | Promise<Error>
}

const BUFFERED_CHUNKS = 16 // of at most 64 KiB each, before the socket is paused

const TRANSPORT: RequestOwner = { over() {}, explain: error => error }

/** Sends the request and resolves with the head of the response. */
export function send(endpoint: Endpoint, request: AgentRequest, owner = TRANSPORT): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let body: ResponseBody | undefined
    let retried = false
    let timer: NodeJS.Timeout | undefined
    let outgoing: http.ClientRequest

    const fail = (error: Error): void => {
      finish(error)
      Promise.resolve(owner.explain(error)).then(reject, reject)
    }
    const abort = (): void => {
      const error = abortError(request.signal)
      if (body) body.fail(error)
      else outgoing.destroy(error)
    }
    const finish = (error?: Error): void => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', abort)
      owner.over(error)
    }
    const start = (): void => {
      outgoing = (endpoint.secure ? https : http).request(endpoint.options)
      for (const name in request.headers) outgoing.setHeader(name, request.headers[name]!)
      outgoing.once('response', incoming => {
        clearTimeout(timer)
        body = new ResponseBody(incoming, finish, owner.explain)
        resolve({
          status: incoming.statusCode ?? 0,
          contentType: incoming.headers['content-type'] ?? '',
          headers: incoming.headers,
          body,
        })
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (body) {
          body.fail(error)
          return
        }
        // The server closed a kept connection just as it was taken up again: nothing was read, so ask once more.
        const reset = error.code === 'ECONNRESET' || error.code === 'EPIPE'
        if (reset && endpoint.retry_stale && outgoing.reusedSocket && !retried) {
          retried = true
          return start()
        }
        fail(error)
      })
      outgoing.end(request.body)
    }

    if (request.signal.aborted) return fail(abortError(request.signal))
    request.signal.addEventListener('abort', abort)
    if (endpoint.head_ms > 0) {
      const late = () => new Error(`the agent sent no response head within ${endpoint.head_ms} ms`)
      timer = setTimeout(() => outgoing.destroy(late()), endpoint.head_ms)
    }
    start()
  })
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
    incoming.on('error', error => this.fail(error))
    incoming.on('close', () => this.fail(new Error('the connection closed before the response ended')))
  }

  /** Ends the body with an error; what already arrived is still read first. */
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
