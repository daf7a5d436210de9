// A double of a model provider, over real HTTP, that fails as providers do and counts what it is called for. What a key gets
// is set by `set`, or by another process with `POST /__config {"key": …, …settings}`; `GET /__counts?key=…` has the counts.
// Run as a program it listens at PORT, and sends its address to the process that started it.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { errorEvent, goodAnswer, goodEvents } from './provider/answers.ts'
import { type Call, keyOf, readCall } from './provider/calls.ts'
import { type Fate, Key } from './provider/key.ts'
import type { Settings } from './provider/settings.ts'
import type { Spent } from './provider/spent.ts'
import type { Counts as Calls, End } from './provider/tally.ts'
import type { Words } from './provider/words/row.ts'

export type { Failure, Kind, Limit, Provider, Settings } from './provider/settings.ts'
export type { Spent } from './provider/spent.ts'
export type { Second } from './provider/tally.ts'

/** Of calls, and of each limit and the places if these are bounded. */
export type Counts = Calls & { limits: Spent[] }

export interface ModelProvider extends AsyncDisposable {
  /** Without a path: clients append /v1 and the like as they do for the provider. */
  url: string
  /** What the key gets from now on; counts and limits start anew. */
  set(key: string, settings: Partial<Settings>): void
  /** The same, but counts and limits stay. */
  change(key: string, settings: Partial<Settings>): void
  counts(key: string): Counts
  /** The calls of one item. */
  callsOf(key: string, item: string): number
  /** Nothing listens for so long: connections are refused, and open ones end. */
  leave(ms: number): Promise<void>
  close(): Promise<void>
}

/** Many clients connect within one moment; the kernel's default of 511 would drop some. */
const BACKLOG = 4096

export async function startProvider(port = 0): Promise<ModelProvider> {
  const keys = new Keys()
  const server = createServer((request, response) => {
    void answer(keys, request, response).catch(error => response.destroy(error as Error))
  })
  // Only settings end a call here, never a default of Node.
  Object.assign(server, { requestTimeout: 0, timeout: 0, keepAliveTimeout: 60_000 })
  const listenAt = async (at: number) => {
    server.listen({ port: at, host: '127.0.0.1', backlog: BACKLOG })
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const listening = await listenAt(port)
  const leave = async (ms: number) => {
    await stop(server)
    await pause(ms)
    await listenAt(listening)
  }
  keys.leave = leave
  return {
    url: `http://127.0.0.1:${listening}`,
    set: (key, settings) => keys.set(key, settings),
    change: (key, settings) => keys.get(key).change(settings),
    counts: key => keys.get(key).counts(Date.now()),
    callsOf: (key, item) => keys.get(key).tally.callsOf(item),
    leave,
    close: () => stop(server),
    [Symbol.asyncDispose]: () => stop(server),
  }
}

async function stop(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

class Keys {
  readonly #keys = new Map<string, Key>()
  leave: (ms: number) => Promise<void> = async () => {}

  set(name: string, settings: Partial<Settings>): void {
    this.#keys.set(name, new Key(name, settings))
  }
  get(name: string): Key {
    const key = this.#keys.get(name) ?? new Key(name, {})
    this.#keys.set(name, key)
    return key
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

async function answer(keys: Keys, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await textOf(request)
  if (request.url?.startsWith('/__')) return control(keys, request, response, text)
  const call = readCall(request, text)
  const key = keys.get(keyOf(request))
  if (call === null) return send(response, { status: 404, body: { error: { message: 'Not found' } } })
  const open = new OpenCall(key, call, response)
  await open.work()
}

/** What other processes ask of the double itself. */
function control(keys: Keys, request: IncomingMessage, response: ServerResponse, text: string): void {
  const { pathname, searchParams } = new URL(request.url!, 'http://double')
  if (pathname === '/__config') {
    const { key, change, ...settings } = JSON.parse(text) as Partial<Settings> & {
      key: string
      change?: boolean
    }
    if (change) keys.get(key).change(settings)
    else keys.set(key, settings)
    return send(response, { status: 200, body: keys.get(key).settings })
  }
  const key = keys.get(searchParams.get('key') ?? '')
  if (pathname === '/__counts') {
    const item = searchParams.get('item')
    return send(response, {
      status: 200,
      body: item === null ? key.counts(Date.now()) : { calls: key.tally.callsOf(item) },
    })
  }
  if (pathname === '/__leave') {
    send(response, { status: 200, body: {} })
    response.once('close', () => void keys.leave(Number(searchParams.get('ms'))))
    return
  }
  send(response, { status: 404, body: {} })
}

function send(response: ServerResponse, words: Words, headers: Record<string, string> = {}): void {
  const type = words.isPage ? 'text/html' : 'application/json'
  response.writeHead(words.status, { 'content-type': type, ...words.headers, ...headers })
  response.end(words.isPage ? String(words.body) : JSON.stringify(words.body))
}

/** A call from its start to its end, which is counted once, whoever ends it: the double, a gateway or the caller. */
class OpenCall {
  readonly #key: Key
  readonly #call: Call
  readonly #response: ServerResponse
  readonly #startedAt = Date.now()
  readonly #fate: Fate
  #hasEnded = false

  constructor(key: Key, call: Call, response: ServerResponse) {
    this.#key = key
    this.#call = call
    this.#response = response
    const nth = key.tally.start(call.item, this.#startedAt)
    this.#fate = key.fateOf(call, nth, this.#startedAt)
    response.once('close', () => this.#end('cut', 'given_up'))
    const { gateway } = key.settings
    if (gateway === null) return
    const timer = setTimeout(() => this.#cutByGateway(gateway.how), gateway.seconds * 1000)
    response.once('close', () => clearTimeout(timer))
  }

  async work(): Promise<void> {
    const fate = this.#fate
    if (fate.is === 'reset') return this.#reset('reset_before')
    if (fate.is === 'answered') {
      if (fate.after_ms > 0) await pause(fate.after_ms)
      return this.#refuse(fate.words, fate.kind)
    }
    const giveBack = await this.#key.place()
    try {
      await this.#answer(fate)
    } finally {
      giveBack()
    }
  }

  async #answer({ ms, ending, error }: Fate & { is: 'worked on' }): Promise<void> {
    if (ending === 'stuck') return
    if (this.#call.isStream || ending === 'stream_end') return this.#stream(ms, ending, error)
    await pause(ms)
    this.#key.paid(this.#call, this.#startedAt, Date.now())
    if (ending === 'reset_after') return this.#reset('reset_after')
    if (error !== null) return this.#refuse(error, 'error_in_200')
    if (!this.#end('ok')) return
    const { settings } = this.#key
    send(
      this.#response,
      { status: 200, body: goodAnswer(this.#call, settings.content, settings.output_tokens) },
      this.#key.headers(Date.now()),
    )
  }

  /** The first event after half of the time. A whole answer that ends half way has a length that it does not reach. */
  async #stream(ms: number, ending: string | null, error: Words | null) {
    const { isStream } = this.#call
    const { content, output_tokens } = this.#key.settings
    const whole = JSON.stringify(goodAnswer(this.#call, content, output_tokens))
    const parts = isStream
      ? goodEvents(this.#call, content, output_tokens)
      : [whole.slice(0, whole.length / 2), whole.slice(whole.length / 2)]
    await pause(ms / 2)
    if (this.#hasEnded) return
    this.#response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      ...(isStream ? null : { 'content-length': String(Buffer.byteLength(whole)) }),
      ...this.#key.headers(Date.now()),
    })
    const half = Math.ceil(parts.length / 2)
    for (const [at, part] of parts.entries()) {
      if (at === half && (ending !== null || error !== null)) break
      this.#response.write(part)
      await pause(ms / 2 / parts.length)
      if (this.#hasEnded) return
    }
    this.#key.paid(this.#call, this.#startedAt, Date.now())
    if (ending !== null) return this.#reset(ending)
    if (error === null) this.#end('ok')
    else {
      this.#end('refused', 'error_in_200')
      this.#response.write(errorEvent(this.#call, error.body))
    }
    this.#response.end()
  }

  #refuse(words: Words, kind: string): void {
    if (this.#end('refused', kind)) send(this.#response, words)
  }

  /** With RST, as a process that was killed or a firewall does. */
  #reset(kind: string): void {
    if (this.#end('cut', kind)) this.#response.socket?.resetAndDestroy()
  }

  #cutByGateway(how: 'answer' | 'close'): void {
    if (!this.#end('cut', 'gateway')) return
    if (how === 'close' || this.#response.headersSent) this.#response.destroy()
    else send(this.#response, this.#key.words('gateway_timeout', this.#call, Date.now()))
  }

  /** @returns false if the call has ended before */
  #end(how: End, kind?: string): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    const ended = { startedAt: this.#startedAt, now: Date.now() }
    this.#key.tally.end(how, kind === undefined ? ended : { ...ended, kind })
    return true
  }
}

if (import.meta.main) {
  const provider = await startProvider(Number(process.env.PORT ?? 0))
  process.send?.({ url: provider.url })
  process.on('disconnect', () => process.exit(0))
}
