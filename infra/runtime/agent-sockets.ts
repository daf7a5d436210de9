// Kept connections to agents. Guarantee: a request takes a free connection first; of one place no more than a bound are
// being opened at a time, so that a claim sent at once does not overflow the queue of a listener; and what waits for a
// connection fails with the error of one that could not be opened where none is open.

import http from 'node:http'
import https from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { LIMITS } from '../../shared/kernel/limits.ts'

/** A request that waits for its connection. */
export interface Waiting {
  /** Makes the request; `isNew` says that its connection has to be opened. */
  start(isNew: boolean): void
  fail(error: Error): void
}

/** Where requests go, over kept connections. */
export interface Destination {
  sockets: AgentSockets
  /** What the connections that lead there are kept under, by Node's agent too. */
  name: string
  options: http.RequestOptions
  host: string
  /** What the URL says for `authorization`, where a request says nothing for it. */
  credentials: string | undefined
}

interface Place {
  opening: number
  open: number
  /** In the order they came. */
  waiting: Set<Waiting>
}

const CLOSED = 'connections to agents are closed here'

export class AgentSockets {
  readonly agent: http.Agent
  readonly secure: boolean
  readonly #places = new Map<string, Place>()
  /** Of all places: mostly none, and then a connection that becomes free is nobody's concern. */
  #waiting = 0
  #isClosed = false

  constructor({
    secure = false,
    idle_ms = LIMITS.agent_socket_idle_ms,
  }: { secure?: boolean; idle_ms?: number } = {}) {
    this.secure = secure
    const options = { keepAlive: true, maxFreeSockets: LIMITS.agent_free_sockets, timeout: idle_ms }
    this.agent = secure ? new https.Agent(options) : new http.Agent(options)
    // After the agent's own listener, which has put the connection among the free ones by then.
    this.agent.on('free', (_, options) => {
      if (this.#waiting > 0) this.#startNext(this.agent.getName(options))
    })
  }

  /** `lookup` resolves its name for a new connection, the system unless told. */
  at(url: URL, lookup?: LookupFunction): Destination {
    const { hostname, port, path, auth } = urlToHttpOptions(url)
    const credentials = auth ? `Basic ${Buffer.from(auth).toString('base64')}` : undefined
    const to = this.#to({ host: hostname!, port: Number(port ?? this.#port) }, path!, url.host, credentials)
    return lookup === undefined ? to : { ...to, options: { ...to.options, lookup } }
  }

  /** A process of this machine. */
  atSocket(socketPath: string): Destination {
    return this.#to({ host: 'localhost', port: this.#port, socketPath }, '/', 'localhost')
  }

  /** Host and port are always said: Node's agent fills in what is left out before it names a connection. */
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

  /** Starts it now, or when a connection is free or may be opened. */
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

  /** Of a request that was given up; nothing where it has started. */
  leave(name: string, waiting: Waiting): void {
    if (this.#places.get(name)?.waiting.delete(waiting)) this.#waiting--
  }

  /** Follows the connection of a request that was started with a new one, to be called as it is made. */
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
      // Given up by its caller, it says nothing about the place. Of a name with several addresses it is one for all of them.
      const ofSystem = (error as NodeJS.ErrnoException).syscall !== undefined
      if (ofSystem || error instanceof AggregateError) failure = error
      become('closed')
    })
    outgoing.once('socket', (socket: Socket) => {
      if (outgoing.reusedSocket) return become('closed') // one became free meanwhile, and whoever opened it follows it
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
