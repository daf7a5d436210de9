// Imported by `assay test --sandbox` before the tests: from then on `runItem` and `runGenerator` run agents as batches do,
// bundled, in workerd. Guarantee: an agent's requests come to the test that runs it and to no other; every process ends
// with this one.

import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../kernel/limits.ts'
import { type ServedAgent, type ServeElsewhere, serveElsewhere } from '../testing/served.ts'
import { type AgentBundle, bundleAgent } from './bundle.ts'

type Answer = (request: Request) => Promise<Response>

/** A process of one agent with one environment, which one test has at a time. */
interface Place {
  socketPath: string
  died: Promise<Error>
  answer: Answer | undefined
  isDead: boolean
}

const { Sandbox } = await import('#sandbox')
type Sandbox = NonNullable<Awaited<ReturnType<typeof Sandbox.find>>>

const NEVER = new Promise<never>(() => {})
const bundles = new Map<string, Promise<AgentBundle>>()
/** Places that no test has, by agent and environment. */
const free = new Map<string, Place[]>()
let sandbox: Promise<Sandbox | undefined> | undefined
let made = 0

const serveInSandbox: ServeElsewhere = async ({ file, name, network }, answer) => {
  let bundling = bundles.get(file)
  if (bundling === undefined) {
    bundling = bundleAgent(file, { env: passedOn() })
    bundles.set(file, bundling)
  }
  const { code } = await bundling
  const env = passedOn()
  const key = JSON.stringify([file, env])
  const place = takeFree(key) ?? (await open({ name, code, env }, network, dirname(file)))
  place.answer = answer
  const release = () => {
    place.answer = undefined
    if (!place.isDead) free.set(key, [...(free.get(key) ?? []), place])
  }
  return { handle: request => send(place, request), [Symbol.dispose]: release } satisfies ServedAgent
}

/** The tester's environment, as an agent in this process would see it. */
function passedOn(): Record<string, string> {
  const known = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name === 'ASSAY_AGENT_KEY' ? [] : [[name, value] as const],
  )
  return Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function open(
  bundle: { name: string; code: string; env: Record<string, string> },
  network: readonly string[] | undefined,
  folder: string,
): Promise<Place> {
  sandbox ??= Sandbox.find(folder).then(found => {
    process.once('exit', () => found?.end())
    return found
  })
  const found = await sandbox
  if (found === undefined) throw new Error('workerd is not installed')
  const outbound = found.socketPath(`out-${++made}`)
  const place: Place = { socketPath: '', died: NEVER, answer: undefined, isDead: false }
  // In the form of a proxy the address is in the first line, and workerd sends no header with it.
  // The connection stays for as long as the process, which may be about to use it at any moment.
  const server = http.createServer({ requireHostHeader: false, keepAliveTimeout: 0 }, (request, response) => {
    pass(place, request, response).catch(() => response.destroy())
  })
  server.listen(outbound).unref()
  await once(server, 'listening')
  const running = await found.run(bundle, network, outbound)
  void running.died.then(() => {
    place.isDead = true
    server.close()
  })
  return Object.assign(place, { socketPath: running.socketPath, died: running.died })
}

function takeFree(key: string): Place | undefined {
  const places = free.get(key) ?? []
  for (let place = places.pop(); place !== undefined; place = places.pop()) if (!place.isDead) return place
  return undefined
}

/** Answers a request of the agent as its test says. */
async function pass({ answer }: Place, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  if (answer === undefined) return void outgoing.destroy() // of an item that has ended
  const response = await answer(requestOf(incoming))
  outgoing.writeHead(response.status, [...response.headers].flat())
  if (response.body === null) outgoing.end()
  else await pipeline(Readable.fromWeb(response.body as never), outgoing)
}

/** What came through the proxy's socket, with the whole address in its first line. */
function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '', headersDistinct } = incoming
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    HOP.has(name) ? [] : values.map(value => [name, value] as [string, string]),
  )
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const body = hasBody && { body: Readable.toWeb(incoming) as never, duplex: 'half' }
  return new Request(url, { method, headers, ...body } as RequestInit)
}

const HOP = new Set(['connection', 'host', 'transfer-encoding', 'keep-alive', 'content-length'])

/** Sends a request of the protocol to the process. */
async function send({ socketPath, died }: Place, request: Request): Promise<Response> {
  const body = await request.text()
  const sent = new Promise<Response>((resolve, reject) => {
    const options = { socketPath, path: '/', method: request.method, agent: false, timeout: 0 }
    const outgoing = http.request(options, incoming => {
      const chunks = Readable.toWeb(Readable.from(chunksOf(incoming, died)))
      resolve(new Response(chunks as never, { status: incoming.statusCode ?? 500 }))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
  return sent.catch(error => lastWords(died, error))
}

async function* chunksOf(incoming: IncomingMessage, died: Promise<Error>): AsyncGenerator<Uint8Array> {
  try {
    yield* incoming
  } catch (error) {
    throw await lastWords(died, error as Error)
  }
}

/** A connection ends a moment before the process that it led to is known to have died, and of what. */
const lastWords = (died: Promise<Error>, error: Error): Promise<never> =>
  Promise.race([died, sleep(LIMITS.agent_stop_ms, error, { ref: false })]).then(cause =>
    Promise.reject(cause),
  )

serveElsewhere(serveInSandbox)
