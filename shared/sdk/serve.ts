// Serves an agent as an HTTP endpoint that speaks the agent protocol. Guarantee: every item of a request gets one final
// line by its deadline, and the response is never silent for longer than a heartbeat interval.

import { LIMITS } from '../kernel/limits.ts'
import {
  ANSWER_URL_HEADER,
  BOUND_UPSTREAMS_HEADER,
  type GeneratorRequest,
  type ItemLine,
  PROTOCOL_VERSION,
  UPSTREAM_KEY_HEADER,
  UPSTREAMS_HEADER,
} from '../protocol/rules/protocol.ts'
import { type AgentClass, declarationOf, registrationOf } from './agent.ts'
import { askedBody } from './asked-body.ts'
import { type HostEnvironment, pageProblem, Refused } from './caller-check.ts'
import { ownVersion } from './code-version.ts'
import { messageOf } from './errors.ts'
import { itemsResponse } from './generator.ts'
import { type Agent, ItemRun } from './item-run.ts'
import { LaterAnswer } from './later-answer.ts'
import { LineResponse } from './line-response.ts'
import { type Upstreams, upstreamsOf } from './upstreams.ts'

/**
 * Makes an HTTP handler of an agent, for any host with the web's Request and Response. workerd, Bun and Deno take
 * `export default { fetch: serve(Agent) }`; Node takes it through `@hono/node-server`.
 *
 * `POST` takes items as JSON lines and answers with JSON lines, or makes items with an `@items` method. `GET /ping`
 * answers `pong`; any other `GET` returns the agent's declaration. A request that cannot be understood gets 400 with
 * `{error: {code, message}}`. If the variable ASSAY_AGENT_KEY is set, a `POST` that Assay did not sign with it gets
 * 401; without it, anyone's are taken.
 *
 * Items that take longer than Assay's consumer has left are answered later, in requests that the agent sends itself. So
 * its process must keep running after its response has ended; the handler uses `host.waitUntil` for that if the host
 * has it. If nobody reads the response, as behind a platform's queue, `{ answer: 'later' }` sends all lines that way.
 *
 * @throws DecoratorTargetError when `@agent` does not stand on the class
 * @example
 * import { serve } from '@hono/node-server'
 * serve({ fetch: serveAgent(TicketTriage), port: 9000 })
 */
export function serve(
  target: AgentClass,
  options: ServeOptions = {},
): (request: Request, env?: HostEnvironment, host?: Host) => Promise<Response> {
  const agent: Agent = { ...registrationOf(target), construct: target as AgentClass<unknown> }
  return async (request, env, host) => {
    const version = ownVersion(options.version, env)
    const isGet = request.method === 'GET'
    if (isGet && new URL(request.url).pathname.endsWith('/ping')) return new Response('pong')
    const page = pageProblem(request, env)
    if (page !== undefined) return refusal(page, 'unauthenticated')
    if (isGet) return introduction(target, version)
    if (request.method !== 'POST') return refusal(`${request.method} is not part of the protocol: POST items`)
    const spoken = request.headers.get('assay-protocol') ?? PROTOCOL_VERSION
    if (spoken !== PROTOCOL_VERSION) {
      return refusal(`this agent speaks version ${PROTOCOL_VERSION} of the protocol, not ${spoken}`)
    }
    let asked: ItemLine[] | GeneratorRequest
    try {
      asked = parse(decoder.decode(await askedBody(request, env)))
    } catch (error) {
      return refusal(messageOf(error), error instanceof Refused ? error.code : 'protocol_error')
    }
    if (Array.isArray(asked)) {
      const { headers } = request
      const address = headers.get(ANSWER_URL_HEADER)
      const upstreams = upstreamsOf(
        headers.get(UPSTREAM_KEY_HEADER),
        { closed: headers.get(UPSTREAMS_HEADER), bound: headers.get(BOUND_UPSTREAMS_HEADER) },
        Date.now(),
      )
      return work(agent, headers.get('assay-run') ?? '', asked, {
        address,
        ...options,
        version,
        host,
        upstreams,
      })
    }
    const { generators = [] } = agent.declaration
    if (generators.includes(asked.generator)) return itemsResponse(agent.construct, asked)
    const known = generators.length > 0 ? `there are ${generators.join(', ')}` : 'it has none'
    return refusal(`this agent has no generator ${JSON.stringify(asked.generator)}: ${known}`)
  }
}

export interface ServeOptions {
  /**
   * The version of the code, such as a commit: runs say how many items each version made, and how these came out. By
   * default the variable ASSAY_VERSION.
   */
  version?: string
  /**
   * `later` sends every line to the address that comes with the request, for OpenFaaS's asynchronous functions and
   * other hosts whose responses nobody reads; a request without an address is answered in its response. By default,
   * items that end in the consumer's time are answered in the response, and the rest later.
   */
  answer?: 'later'
}

/** Where the lines about a request's items are sent. */
interface Answering extends Pick<ServeOptions, 'answer'> {
  version: string | undefined
  address: string | null
  host: Host
  upstreams: Upstreams | undefined
}

/** Keeps a host running after its response, if it would end then. */
type Host = { waitUntil?: (promise: Promise<unknown>) => void } | undefined

const decoder = new TextDecoder()

const REFUSALS = { protocol_error: 400, unauthenticated: 401, too_slow: 408, too_large: 413, overloaded: 503 }

function refusal(message: string, code: keyof typeof REFUSALS = 'protocol_error'): Response {
  const headers = code === 'overloaded' ? { 'retry-after': '1' } : undefined
  return Response.json({ error: { code, message } }, { status: REFUSALS[code], ...(headers && { headers }) })
}

function introduction(target: AgentClass, version: string | undefined): Response {
  const said = { protocol: Number(PROTOCOL_VERSION), answers_later: true, declaration: declarationOf(target) }
  return Response.json({ ...said, ...(version !== undefined && { version }) })
}

/** The items of a request, or its order to make some. Throws an Error that names the line that is wrong. */
function parse(body: string): ItemLine[] | GeneratorRequest {
  const lines: ItemLine[] = []
  for (const [index, text] of body.split('\n').entries()) {
    if (text.trim() === '') continue
    let line: (ItemLine & Partial<GeneratorRequest>) | null
    try {
      line = JSON.parse(text)
    } catch (error) {
      throw new Error(`line ${index + 1} is not JSON: ${messageOf(error)}`)
    }
    if (typeof line?.generator === 'string' && line.seq === undefined) return line as GeneratorRequest
    if (!Number.isSafeInteger(line?.seq) || !Number.isSafeInteger(line?.attempt)) {
      throw new Error(`line ${index + 1} is not an item: it needs the whole numbers seq and attempt`)
    }
    lines.push(withDefaults(line!))
  }
  return lines
}

/** Fills in defaults: only `seq` and `attempt` are required, so that a line can be typed by hand. */
function withDefaults(line: ItemLine): ItemLine {
  line.item_id ??= String(line.seq)
  line.partition_key ??= null
  line.timeout_ms ??= LIMITS.agent_timeout_seconds.default * 1000
  line.yield_ms ??= line.timeout_ms
  line.budget_micro ??= null
  line.recorded ??= []
  line.input ??= null
  return line
}

/** Runs all items of a request concurrently. */
function work(
  agent: Agent,
  runId: string,
  lines: ItemLine[],
  { address, answer: where, version, host, upstreams }: Answering,
): Promise<Response> {
  const maxSteps = agent.options.maxSteps ?? LIMITS.agent_steps.default
  const items: ItemRun[] = []
  let open = lines.length
  let watch: ReturnType<typeof setTimeout> | undefined
  let later: LaterAnswer | undefined
  const isAllLater = where === 'later' && address !== null && lines.length > 0
  let laterAt = address === null ? Number.POSITIVE_INFINITY : timeToLeave(lines, isAllLater)
  const stop = () => clearTimeout(watch)
  const answer = new LineResponse(
    () => keepWatch(Date.now() + LIMITS.agent_heartbeat_ms),
    () => {
      stop()
      for (const item of items) item.abandon()
    },
    version,
  )

  // One timer for the whole request: for the nearest deadline of an item, the next heartbeat, or leaving for later.
  function keepWatch(heartbeatAt: number): void {
    let next = Math.min(heartbeatAt, laterAt)
    for (const item of items) if (!item.over && item.deadline < next) next = item.deadline
    watch = setTimeout(
      () => {
        const now = Date.now()
        for (const item of items) if (!item.over && item.deadline <= now) item.expire()
        if (open === 0) return
        if (laterAt <= now) return leave()
        const due = heartbeatAt <= now
        if (due) answer.write('{"type":"heartbeat"}')
        keepWatch(due ? now + LIMITS.agent_heartbeat_ms : heartbeatAt)
      },
      Math.max(next - Date.now(), 0),
    )
  }

  function leave(): void {
    laterAt = Number.POSITIVE_INFINITY
    answer.leave()
    const until = Math.max(...items.map(item => item.deadline))
    later = new LaterAnswer({ address: address!, version }, until, awaited => {
      for (const item of items) if (!item.over && !awaited.has(item.seq)) drop(item)
    })
    host?.waitUntil?.(later.done)
    keepWatch(Number.POSITIVE_INFINITY) // LaterAnswer sends its own heartbeats
  }

  const write = (line: string) => (later ?? answer).write(line)
  const ended = () => {
    if (--open > 0) return
    stop()
    ;(later ?? answer).end()
  }
  const drop = (item: ItemRun) => {
    item.abandon()
    ended()
  }
  for (const line of lines) items.push(new ItemRun(line, runId, maxSteps, write, ended, upstreams))
  if (isAllLater) leave() // before any line is written that nobody reads
  void begin(agent, items)
  if (lines.length === 0) answer.end()
  return answer.response
}

/**
 * Begins the items over several turns of the event loop. A request brings hundreds; started in one turn they blocked a
 * slow processor for a second, so the process did not answer its host's ping and was ended.
 */
async function begin(agent: Agent, items: readonly ItemRun[]): Promise<void> {
  for (const [n, item] of items.entries()) {
    if (n > 0 && n % LIMITS.agent_started_at_once === 0) await new Promise(resolve => setTimeout(resolve))
    if (!item.over) void item.execute(agent)
  }
}

/** When to leave the consumer and answer later, if an item may outlast it (epoch, ms); then no item has to yield. */
function timeToLeave(lines: readonly ItemLine[], isAllLater: boolean): number {
  const yieldMs = Math.min(...lines.map(line => line.yield_ms))
  if (!isAllLater && lines.every(line => line.timeout_ms <= yieldMs)) return Number.POSITIVE_INFINITY
  for (const line of lines) line.yield_ms = line.timeout_ms
  return Date.now() + yieldMs
}
