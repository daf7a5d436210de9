// Watches how requests to agents behind URLs end. Guarantee: requests that were cut in the same moment are known to have
// been cut together, so no item is blamed for another's; and after that the agent gets one batch of items at a time, none
// larger than its items may be sent together, until it has done without such an end for a while.
//
// What is known is known to this consumer: another one sends its own batches meanwhile.

import { NotSent } from '../../agents/rules/invoke-agent.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { turn } from '../../kernel/pause.ts'

/** A request that waits or is under way. */
interface Request {
  items: number
  /** As in `due_items`. */
  together: number | null
}

interface Waiting {
  request: Request
  start(): void
}

/** A cut request, with the items that it left unfinished. */
interface Cut {
  at_ms: number
  items: number
  /** Its number among the host's requests, and how many there were when it was cut. */
  number: number
  sent: number
}

interface Host {
  open: Set<Request>
  waiting: Set<Waiting>
  /** Items that the batch under way may still take, and the request that it began with. */
  room: number
  sent: number
  cuts: Cut[]
  last_cut_ms: number
  /** The requests that are open are a batch. */
  isBatch: boolean
  /** When it last took other requests with it, got items that may do that, or ended a batch. */
  batched_at_ms: number
  timer: ReturnType<typeof setTimeout> | undefined
}

/** A request that may be sent. */
export interface Visit {
  /** Resolves with the number of items, these included, that were cut with the request. */
  cutWith(items: number): Promise<number>
  leave(): void
}

export class AgentHosts {
  readonly #hosts = new Map<string, Host>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Lets a request in, at once unless the agent gets a batch at a time. @throws NotSent if the signal fires before, or
   * after LIMITS.batch_wait_ms
   *
   * @param agent what shares a process: the URL, for an account
   */
  async enter(agent: string, request: Request, signal: AbortSignal): Promise<Visit> {
    const host = this.#hosts.get(agent) ?? this.#add(agent)
    if (this.#isBatched(host)) await this.#wait(host, request, signal)
    host.open.add(request)
    const number = ++host.sent
    return {
      cutWith: items => this.#cut(host, number, items),
      leave: () => this.#leave(agent, host, request),
    }
  }

  #add(agent: string): Host {
    this.#dropPast()
    const host: Host = {
      open: new Set(),
      waiting: new Set(),
      room: 0,
      isBatch: false,
      sent: 0,
      cuts: [],
      last_cut_ms: Number.NEGATIVE_INFINITY,
      batched_at_ms: Number.NEGATIVE_INFINITY,
      timer: undefined,
    }
    this.#hosts.set(agent, host)
    return host
  }

  /** What is known of an agent is kept while it matters. */
  #dropPast(): void {
    for (const [agent, host] of this.#hosts)
      if (host.open.size + host.waiting.size === 0 && !this.#isBatched(host)) this.#hosts.delete(agent)
  }

  #isBatched = (host: Host): boolean =>
    host.waiting.size > 0 || host.isBatch || sinceMs(this.#now(), host.batched_at_ms) < LIMITS.one_batch_ms

  async #wait(host: Host, request: Request, signal: AbortSignal): Promise<void> {
    if (request.together !== null) host.batched_at_ms = this.#now()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { request, start: resolve }
    host.waiting.add(waiting)
    // Requests of one claim come one after the other in this turn of the event loop, and belong in one batch.
    this.#fillSoon(host)
    const late = () => {
      if (host.waiting.delete(waiting)) reject(new NotSent('other items of the agent took their turns'))
    }
    const timer = setTimeout(late, LIMITS.batch_wait_ms)
    signal.addEventListener('abort', late)
    if (signal.aborted) late()
    await promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', late)
    })
  }

  /** An agent that was just cut off may still take connections, which end with it. */
  #fillSoon(host: Host): void {
    const isEnding = sinceMs(this.#now(), host.last_cut_ms) < LIMITS.ends_together_ms
    host.timer ??= setTimeout(() => this.#fill(host), isEnding ? LIMITS.ends_together_ms : 0)
  }

  /** Starts the next batch once the last is over; those that may be together with the fewest come first. */
  #fill(host: Host): void {
    host.timer = undefined
    const most = ({ request }: Waiting) => request.together ?? Number.POSITIVE_INFINITY
    const next = [...host.waiting].sort((a, b) => most(a) - most(b))
    // A request with more items than may be together was made before that was known: it is a batch by itself.
    if (host.open.size === 0 && next[0]) host.room = Math.max(most(next[0]), next[0].request.items)
    for (const one of next) {
      if (one.request.items > host.room) return
      host.room = Math.min(host.room, most(one)) - one.request.items
      host.waiting.delete(one)
      host.open.add(one.request)
      host.isBatch = true
      one.start()
    }
  }

  #leave(agent: string, host: Host, request: Request): void {
    host.open.delete(request)
    if (host.open.size > 0) return
    if (host.isBatch) host.batched_at_ms = this.#now()
    host.isBatch = false
    if (host.waiting.size > 0) this.#fillSoon(host)
    else if (host.last_cut_ms === Number.NEGATIVE_INFINITY) this.#hosts.delete(agent)
  }

  async #cut(host: Host, number: number, items: number): Promise<number> {
    const cut: Cut = { at_ms: this.#now(), items, number, sent: host.sent }
    const isWithin = (one: Cut) => sinceMs(one.at_ms, cut.at_ms) < LIMITS.ends_near_ms
    host.cuts = [...host.cuts.filter(isWithin), cut]
    host.last_cut_ms = cut.at_ms
    if (host.open.size > 1) {
      await new Promise(resolve => setTimeout(resolve, LIMITS.ends_together_ms))
      await turn() // ends that came while this thread was busy are read before they are counted
    }
    // A request that was sent after the other's end, and was then cut itself, was not cut with it.
    const wereBothOpen = (one: Cut) => one.number <= cut.sent && number <= one.sent
    const together = host.cuts.filter(one => isWithin(one) && wereBothOpen(one))
    if (together.length > 1 && !this.#isBatched(host)) host.room = 0
    if (together.length > 1) host.batched_at_ms = this.#now()
    return together.reduce((sum, one) => sum + one.items, 0)
  }
}
