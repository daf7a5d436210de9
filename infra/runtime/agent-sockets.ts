// Keep-alive connections to agents. Guarantee: a request takes a free connection first. A bounded number of connections
// per place are being opened at a time, so that the requests of a claim, sent at once, do not overflow a listener's
// queue. If a connection cannot be opened and none is open, waiting requests fail with its error.

import http from 'node:http'
import https from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { LIMITS } from '../../shared/kernel/limits.ts'

/** A request that waits for its connection. */
export interface Waiting {
  /** Makes the request; `isNew` says whether its connection has to be opened. */
  start(isNew: boolean): void
  fail(error: Error): void
}

/** Where requests go, over keep-alive connections. */
export interface Destination {
  sockets: AgentSockets
  /** The key of its connections, in Node's agent too. */
  name: string
  options: http.RequestOptions
  host: string
  /** The `authorization` header from the URL, for requests that have none. */
  credentials: string | undefined
}

interface Place {
  opening: number
  open: number
  /** Waiting requests in order of arrival. */
  waiting: Set<Waiting>
}

const CLOSED = 'connections to agents are closed here'

export class AgentSockets {
  readonly agent: http.Agent
  readonly secure: boolean
  readonly #places = new Map<string, Place>()
  /** Waiting requests of all places: usually 0, and then a connection that becomes free needs no handling. */
  #waiting = 0
  #isClosed = false

  constructor({
    secure = false,
    idle_ms = LIMITS.agent_socket_idle_ms,
  }: { secure?: boolean; idle_ms?: number } = {}) {
    this.secure = secure
    const options = { keepAlive: true, maxFreeSockets: LIMITS.agent_free_sockets, timeout: idle_ms }
    this.agent = secure ? new https.Agent(options) : new http.Agent(options)
    // Runs after the agent's own listener, which has added the connection to the free ones by then.
    this.agent.on('free', (_, options) => {
      if (this.#waiting > 0) this.#startNext(this.agent.getName(options))
    })
  }

  /** @param lookup resolves the host's name for new connections; by default the system does */
  at(url: URL, lookup?: LookupFunction): Destination {
    const { hostname, port, path, auth } = urlToHttpOptions(url)
    const credentials = auth ? `Basic ${Buffer.from(auth).toString('base64')}` : undefined
    const to = this.#to({ host: hostname!, port: Number(port ?? this.#port) }, path!, url.host, credentials)
    return lookup === undefined ? to : { ...to, options: { ...to.options, lookup } }
  }

  /** The destination of a process on this machine. */
  atSocket(socketPath: string): Destination {
    return this.#to({ host: 'localhost', port: this.#port, socketPath }, '/', 'localhost')
  }

  /** Host and port are always set, since Node's agent fills in missing ones before it names a connection. */
  #to(
    end: { host: string; port: number; socketPath?: string },
    path: string,
    host: string,
    credentials?: string,
  ): Destination {
    const options = { ...end, path, method: 'POST', agent: this.agent }
    return { sockets: this, name: this.agent.getName(end), options, host, credentials }
  }

  get #port(): number {
    return this.secure ? 443 : 80
  }

  /** Starts the request now, or once a connection is free or may be opened. */
  enter(name: string, waiting: Waiting): void {
    const place = this.#places.get(name)
    if (this.#isClosed) waiting.fail(new Error(CLOSED))
    else if (this.#hasFree(name)) waiting.start(false)
    else if (place === undefined || place.opening < LIMITS.agent_connects) waiting.start(true)
    else {
      place.waiting.add(waiting)
      this.#waiting++
    }
  }

  /** Removes a request that was given up; does nothing if it has started. */
  leave(name: string, waiting: Waiting): void {
    if (this.#places.get(name)?.waiting.delete(waiting)) this.#waiting--
  }

  /** Tracks the new connection of a request; call it when the request is made. */
  watch(name: string, outgoing: http.ClientRequest): void {
    const place = this.#placeOf(name)
    place.opening++
    const opened = this.secure ? 'secureConnect' : 'connect'
    let state: 'opening' | 'open' | 'closed' = 'opening'
    let failure: Error | undefined
    const late = () =>
      outgoing.destroy(new Error(`no connection to the agent within ${LIMITS.agent_connect_ms} ms`))
    const timer = setTimeout(late, LIMITS.agent_connect_ms)
    const become = (next: 'open' | 'closed') => {
      if (state === 'closed' || state === next) return
      if (state === 'opening') place.opening--
      else place.open--
      if (next === 'open') place.open++
      state = next
      clearTimeout(timer)
      const isRefused = failure !== undefined && place.open === 0
      if (!isRefused) this.#startNext(name)
      else if (place.opening === 0) this.#failAll(place, failure!)
      if (place.opening + place.open + place.waiting.size === 0) this.#places.delete(name)
    }
    outgoing.once('error', error => {
      if (state !== 'opening') return
      // A caller's abort says nothing about the place. A name with several addresses fails with one AggregateError.
      const ofSystem = (error as NodeJS.ErrnoException).syscall !== undefined
      if (ofSystem || error instanceof AggregateError) failure = error
      become('closed')
    })
    outgoing.once('socket', (socket: Socket) => {
      if (outgoing.reusedSocket) return become('closed') // it took one that became free, which its opener tracks
      socket.once(opened, () => become('open'))
      socket.once('close', () => become('closed'))
      if (!socket.connecting && !this.secure) become(socket.destroyed ? 'closed' : 'open')
    })
  }

  destroy(): void {
    this.#isClosed = true
    for (const place of this.#places.values()) this.#failAll(place, new Error(CLOSED))
    this.agent.destroy()
  }

  #startNext(name: string): void {
    const place = this.#places.get(name)
    if (place === undefined) return
    for (const waiting of place.waiting) {
      const isFree = this.#hasFree(name)
      if (!isFree && place.opening >= LIMITS.agent_connects) return
      this.leave(name, waiting)
      waiting.start(!isFree)
    }
  }

  #failAll({ waiting }: Place, error: Error): void {
    const all = [...waiting]
    waiting.clear()
    this.#waiting -= all.length
    for (const one of all) one.fail(error)
  }

  #hasFree(name: string): boolean {
    return this.agent.freeSockets[name]?.some(socket => !socket.destroyed) ?? false
  }

  #placeOf(name: string): Place {
    let place = this.#places.get(name)
    if (place === undefined) {
      place = { opening: 0, open: 0, waiting: new Set() }
      this.#places.set(name, place)
    }
    return place
  }
}
