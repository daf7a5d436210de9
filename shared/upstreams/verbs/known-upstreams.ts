// What a process knows about upstreams: the states that are stored, and what its own calls showed since. Guarantee: what a
// call shows is known to this process at once, and to all others within LIMITS.upstream_look_ms.

import type { AgentTarget } from '../../agents/rules/invoke-agent.ts'
import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { noteTrouble } from '../../kernel/unreachable.ts'
import {
  advanceUpstreams,
  type Closed as ClosedRow,
  closeUpstream,
  findClosed,
  openUpstream,
} from '../queries/upstreams.ts'
import { Evidence } from '../rules/evidence.ts'
import { CLOSED_STATES, stateOf } from '../rules/states.ts'
import { type Next, nextOf } from '../rules/stopped.ts'
import { agentAt, agentHost, type UpstreamName, upstreamId } from '../rules/upstream.ts'
import type { Fault } from '../vocabulary.ts'
import { Pacer } from './pacer.ts'

/** An upstream that is not open, and since when by this process's clock. */
export type Closed = Omit<ClosedRow, 'lasted_ms'> & { since_ms: number }

/** An upstream as whoever calls it sees it. */
export type Place = Pick<UpstreamName, 'kind' | 'host' | 'key' | 'model'> & {
  label: string | null
  /** It stops this deployment alone. */
  deployment_id: string | null
}

/** The place of an agent behind a URL. */
export const agentPlace = (url: string): Place => ({ ...agentAt(agentHost(url)), label: null })

/** A call that did not go well. */
export interface FailedCall {
  place: Place
  /** The item, or what else the call was for. */
  item: string
  fault: Fault
  status: number | null
  words: string
  retry_after_ms: number | null
  began_ms: number
  /** Whoever called has found by itself that nobody is served. */
  closed?: boolean
  /** Nothing was sent, since it was known to be closed. */
  called?: boolean
  /** Nothing of the item was sent to its agent, so it cannot have done it. */
  is_unsent?: boolean
  /** Others were served since it began, as far as whoever called knows. */
  others_served?: boolean
}

/** How an item was stopped before. */
export interface StoppedBefore {
  upstream_id: string | null
  stops: number
  refusals: number
  cut_answers: number
}

/** What becomes of the item, and at which upstream. */
export interface Stop {
  next: Next
  upstream: { id: string; stops: number; refusals: number }
  cut_answers: number
}

interface Known {
  evidence: Evidence
  used_ms: number
}

const REMEMBERED = 1000

/** By connections, which in workerd belong to one invocation. */
const processes = new WeakMap<object, KnownUpstreams>()

export class KnownUpstreams {
  readonly pacer: Pacer
  readonly #ctx: Context
  readonly #known = new Map<string, Known>()
  #closed = new Map<string, Closed>()
  /** When each item was stopped last, to know who was served since. */
  readonly #stopped = new Map<string, number>()
  readonly #projects = new Map<string, number>()
  #looked_ms = Number.NEGATIVE_INFINITY
  #read_ms = Number.NEGATIVE_INFINITY
  #reading: Promise<void> = Promise.resolve()

  private constructor(ctx: Context) {
    this.#ctx = ctx
    this.pacer = new Pacer(ctx)
  }

  /** What this process knows: consumers come and go in it. */
  static of(ctx: Context): KnownUpstreams {
    const known = processes.get(ctx.sql) ?? new KnownUpstreams(ctx)
    processes.set(ctx.sql, known)
    return known
  }

  /** The closed upstreams that a deployment may call, as its agent is notified. */
  closedFor({ deployment_id }: AgentTarget, project_id: string): Closed[] {
    return [...this.#closed.values()].filter(
      one =>
        one.project_id === project_id &&
        one.kind === 'credential' &&
        (one.deployment_id === null || one.deployment_id === deployment_id),
    )
  }

  find(project_id: string, place: Place): Closed | undefined {
    return this.#closed.get(upstreamId({ project_id, ...place }))
  }

  byId = (id: string | null): Closed | undefined => (id === null ? undefined : this.#closed.get(id))

  /** A call begins. */
  began(project_id: string, place: Place): void {
    this.#of(upstreamId({ project_id, ...place })).evidence.began(this.#ctx.now())
  }

  /** A call went well. */
  served(project_id: string, place: Place, began_ms: number): void {
    const now_ms = this.#ctx.now()
    for (const model of new Set([place.model, ''])) {
      const name = { project_id, ...place, model }
      const id = upstreamId(name)
      // An agent that answers is there, whenever it was asked; a provider may have refused everybody since.
      this.#of(id).evidence.succeeded(place.kind === 'agent' ? now_ms : began_ms, now_ms)
      const closed = this.#closed.get(id)
      if (closed === undefined || (closed.since_ms > began_ms && closed.since_ms <= now_ms)) continue
      this.#closed.delete(id)
      this.#write(openUpstream(this.#ctx.sql, { ...name, id, ago_ms: now_ms - began_ms }))
    }
  }

  /** A call did not go well: says what becomes of its item. */
  stopped(project_id: string, call: FailedCall, before: StoppedBefore): Stop {
    const now_ms = this.#ctx.now()
    const { fault, item, retry_after_ms, called = true, is_unsent = false } = call
    const state = stateOf(fault)
    const model = state !== undefined && CLOSED_STATES[state].ofAllModels ? '' : call.place.model
    const name = { project_id, ...call.place, model }
    const id = upstreamId(name)
    const others_served = called && !is_unsent && this.#othersServed(id, call)
    this.#remember(item, now_ms)
    if (called && state !== undefined && this.#closes(id, call, now_ms) && !this.#isTooMany(name)) {
      const ago_ms = now_ms - call.began_ms
      this.#close({ ...name, id, state, ago_ms, moment_ms: retry_after_ms, ...wordsOf(call) })
    }
    const is_closed = this.#closed.has(id)
    const { stops, refusals } = before.upstream_id === id ? before : NEVER_STOPPED
    const next: Next = called
      ? nextOf({ ...before, fault, is_closed, is_unsent, others_served, stops, refusals, retry_after_ms })
      : notCalled(is_closed)
    return {
      next,
      upstream: { id, stops: counted(stops, called), refusals: counted(refusals, others_served) },
      cut_answers: counted(before.cut_answers, called && fault === 'cut'),
    }
  }

  /** Whether others were served since the item was stopped last, or since its call began. */
  #othersServed(id: string, { item, began_ms, others_served }: FailedCall): boolean {
    const since_ms = this.#stopped.get(item) ?? began_ms
    return others_served ?? this.#of(id).evidence.succeeded_ms > since_ms
  }

  /** Whoever has seen the calls themselves knows better than what is reported of those that failed. */
  #closes(id: string, call: FailedCall, now_ms: number): boolean {
    const { place, closed, fault, item, status, began_ms, retry_after_ms } = call
    // An agent that names a moment may speak of one item, such as one of a customer who has had enough.
    const has_moment = retry_after_ms !== null && place.kind !== 'agent'
    return closed ?? this.#of(id).evidence.failed(item, fault, { has_moment, status, began_ms, now_ms })
  }

  /**
   * Reads what is closed in a project; undefined if its items need not wait for that, since nothing was lately. Never
   * rejects.
   */
  know(project_id: string): Promise<void> | undefined {
    const now_ms = this.#ctx.now()
    const isKnown = this.#projects.has(project_id)
    this.#projects.set(project_id, now_ms)
    if (isKnown && sinceMs(now_ms, this.#read_ms) < 2 * LIMITS.upstream_look_ms) return undefined
    this.#reading = this.#reading.then(() => this.#read())
    const isTroubled = [...this.#closed.values()].some(one => one.project_id === project_id)
    return isKnown && !isTroubled ? undefined : this.#reading
  }

  /** Reads the states again, and lets items through whose moment has come. Never rejects. */
  async look(): Promise<void> {
    const now_ms = this.#ctx.now()
    for (const [id, used_ms] of this.#projects)
      if (sinceMs(now_ms, used_ms) > LIMITS.upstream_known_ms) this.#projects.delete(id)
    if (sinceMs(now_ms, this.#looked_ms) < LIMITS.upstream_look_ms) return
    this.#looked_ms = now_ms
    this.#reading = this.#reading.then(() => this.#advance())
    await this.#reading
  }

  async #advance(): Promise<void> {
    try {
      await advanceUpstreams(this.#ctx.sql)
    } catch (error) {
      noteTrouble(this.#ctx.sql, error, this.#ctx.now())
    }
    await this.#read()
  }

  async #read(): Promise<void> {
    if (this.#projects.size === 0) return
    try {
      const read_ms = this.#ctx.now()
      this.#read_ms = read_ms
      const project_ids = [...this.#projects.keys()]
      const rows = await findClosed(this.#ctx.sql, project_ids)
      await this.pacer.read(project_ids)
      const read = rows.map(
        ({ lasted_ms, ...one }) => [one.id, { ...one, since_ms: read_ms - lasted_ms }] as const,
      )
      // What this process closed lately may not be written yet.
      const isNew = ({ since_ms }: Closed) => Math.abs(read_ms - since_ms) < LIMITS.upstream_look_ms
      const mine = [...this.#closed].filter(([, one]) => isNew(one))
      this.#closed = new Map([...read, ...mine])
    } catch (error) {
      noteTrouble(this.#ctx.sql, error, this.#ctx.now())
    }
  }

  #close(refusal: Parameters<typeof closeUpstream>[1]): void {
    const known = this.#closed.get(refusal.id)
    if (known?.state !== refusal.state)
      this.#closed.set(refusal.id, { ...refusal, since_ms: this.#ctx.now() })
    this.#write(closeUpstream(this.#ctx.sql, refusal))
  }

  /** A state that could not be stored is found again by the next call. */
  #write(writing: Promise<void>): void {
    this.#ctx.waitUntil(writing.catch(error => noteTrouble(this.#ctx.sql, error, this.#ctx.now())))
  }

  /** Whatever hosts and keys a deployment makes up, a bounded number of them is closed. */
  #isTooMany(name: UpstreamName): boolean {
    if (name.deployment_id === null || this.#closed.has(upstreamId(name))) return false
    const own = [...this.#closed.values()].filter(one => one.deployment_id === name.deployment_id)
    return own.length >= LIMITS.upstreams_per_deployment
  }

  #of(id: string): Known {
    const used_ms = this.#ctx.now()
    const known = this.#known.get(id) ?? { evidence: new Evidence(), used_ms }
    known.used_ms = used_ms
    this.#known.delete(id)
    this.#known.set(id, known)
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value!)
    return known
  }

  #remember(item: string, now_ms: number): void {
    this.#stopped.delete(item)
    this.#stopped.set(item, now_ms)
    if (this.#stopped.size > LIMITS.items_in_flight_per_consumer)
      this.#stopped.delete(this.#stopped.keys().next().value!)
  }
}

const NEVER_STOPPED = { stops: 0, refusals: 0 }

/** The largest number that its column holds. */
const MOST = 32_767
const counted = (before: number, isOneMore: boolean): number => Math.min(before + Number(isOneMore), MOST)

/** The agent's process knows an upstream as closed; if it is open again, the process learns so within a second. */
const notCalled = (is_closed: boolean): Next =>
  is_closed ? { is: 'waiting' } : { is: 'again', delay_ms: LIMITS.upstream_look_ms }

const wordsOf = ({ place: { label }, status, words }: FailedCall) => ({
  label,
  status,
  words: words.slice(0, LIMITS.upstream_words),
})
