// What an agent's process knows about the upstreams that its items call. Guarantee: once nobody was served, no further call
// is made until the consumer says that the upstream is open, or some seconds have passed; a probe's calls are always made.

import { LIMITS } from '../kernel/limits.ts'
import { type DeclaredLimits, rateProblem } from '../pacing/rules/declared-limits.ts'
import type { BoundUpstream, ClosedUpstream, UpstreamReport } from '../protocol/rules/protocol.ts'
import type { Classified } from '../upstreams/rules/classify.ts'
import { Evidence } from '../upstreams/rules/evidence.ts'
import { CLOSED_STATES, stateOf } from '../upstreams/rules/states.ts'
import type { Fault } from '../upstreams/vocabulary.ts'
import { FirstBytes } from './first-bytes.ts'
import { Gate } from './gate.ts'

/** An upstream by its host, its credential's name and the model. */
export interface Place {
  host: string
  key: string
  model: string
}

/** Why an upstream is not called. */
export interface Closed {
  fault: Fault
  words: string
}

interface Local extends Closed {
  until_ms: number
  known_ms: number
}

const nameOf = ({ host, key, model }: Place) => `${host} ${key} ${model}`
const REMEMBERED = 1000
const STOPPED = 5000

export class Upstreams {
  /** The project's key for the names of credentials, in hex. */
  readonly key: string
  readonly #evidence = new Map<string, Evidence>()
  readonly #closed = new Map<string, Local>()
  readonly #waits = new Map<string, FirstBytes>()
  readonly #gates = new Map<string, Gate>()
  /** By hosts and credentials: what people set. */
  readonly #declared = new Map<string, DeclaredLimits>()
  /** When each item was stopped last, to know who was served since. */
  readonly #stopped = new Map<string, number>()
  #failed_ms = Number.NEGATIVE_INFINITY

  constructor(key: string) {
    this.key = key
  }

  /** What the consumer knew when it sent a request: what is not in it has opened. */
  learn(closed: readonly ClosedUpstream[], now_ms: number): void {
    const named = new Set<string>()
    for (const { host, key = '', model = '', fault, words } of closed) {
      const name = nameOf({ host, key, model })
      named.add(name)
      this.#closed.set(name, { fault, words, known_ms: now_ms, until_ms: now_ms + LIMITS.upstream_local_ms })
    }
    for (const [name, { known_ms }] of this.#closed)
      if (!named.has(name) && now_ms - known_ms > REPORTED_MS) this.#closed.delete(name)
  }

  /** The limits that people set, as the consumer knew them when it sent a request. */
  bound(bounds: readonly BoundUpstream[]): void {
    this.#declared.clear()
    for (const { host, key = '', requests } of bounds)
      this.#declared.set(nameOf({ host, key, model: '' }), { requests })
  }

  /** Whether anything is known to be closed, or was refused lately; if not, nobody needs to know which model is called. */
  isTroubled(now_ms: number): boolean {
    return this.#closed.size > 0 || now_ms - this.#failed_ms < TROUBLED_MS
  }

  /** How long the answers of a step took to begin. */
  firstBytesOf(step: string): FirstBytes {
    const known = this.#waits.get(step)
    if (known) return known
    if (this.#waits.size >= REMEMBERED) this.#waits.clear()
    const made = new FirstBytes()
    this.#waits.set(step, made)
    return made
  }

  /** Where calls wait for their turn, in the order of the last use. */
  gateOf(place: Place): Gate {
    const name = nameOf(place)
    const gate = this.#gates.get(name) ?? new Gate(Date.now)
    this.#gates.delete(name)
    this.#gates.set(name, gate)
    const { host, key } = place
    const bound = (key: string) => this.#declared.get(nameOf({ host, key, model: '' }))
    gate.declared = bound(key) ?? bound('') ?? {}
    if (this.#gates.size > REMEMBERED) this.#gates.delete(this.#gates.keys().next().value!)
    return gate
  }

  closed(place: Place, now_ms: number): Closed | undefined {
    for (const name of namesOf(place)) {
      const found = this.#closed.get(name)
      if (found === undefined) continue
      if (found.until_ms > now_ms) return found
      this.#closed.delete(name)
    }
    return undefined
  }

  began(place: Place, now_ms: number): void {
    for (const name of namesOf(place)) this.#of(name).began(now_ms)
  }

  served(place: Place, began_ms: number, now_ms: number): void {
    for (const name of namesOf(place)) {
      this.#of(name).succeeded(began_ms, now_ms)
      const known = this.#closed.get(name)
      if (known !== undefined && began_ms >= known.known_ms) this.#closed.delete(name)
    }
  }

  /** A call did not go well; returns what is reported about it. */
  failed(
    { host, key, model }: Place,
    { fault, words, retry_after_ms }: Classified,
    call: { item: string; status: number | null; began_ms: number; now_ms: number },
  ): UpstreamReport {
    const { item, status, began_ms, now_ms } = call
    this.#failed_ms = now_ms
    const state = stateOf(fault)
    const place = { host, key, model: state !== undefined && CLOSED_STATES[state].ofAllModels ? '' : model }
    const evidence = this.#of(nameOf(place))
    const others_served = evidence.succeeded_ms > (this.#stopped.get(item) ?? began_ms)
    this.#remember(item, now_ms)
    const closed = evidence.failed(item, fault, {
      has_moment: retry_after_ms !== null,
      status,
      began_ms,
      now_ms,
    })
    if (closed) {
      const until_ms = now_ms + Math.min(retry_after_ms ?? LIMITS.upstream_local_ms, LIMITS.upstream_local_ms)
      this.#closed.set(nameOf(place), { fault, words, until_ms, known_ms: now_ms })
    }
    return {
      host,
      ...(key !== '' && { key }),
      ...(model !== '' && { model }),
      fault,
      ago_ms: now_ms - began_ms,
      closed,
      others_served,
      ...this.gateOf({ host, key, model }).takeSeen(),
    }
  }

  #remember(item: string, now_ms: number): void {
    this.#stopped.delete(item)
    this.#stopped.set(item, now_ms)
    if (this.#stopped.size > STOPPED) this.#stopped.delete(this.#stopped.keys().next().value!)
  }

  #of(name: string): Evidence {
    const known = this.#evidence.get(name)
    if (known) return known
    if (this.#evidence.size >= REMEMBERED) this.#evidence.clear()
    const evidence = new Evidence()
    this.#evidence.set(name, evidence)
    return evidence
  }
}

/** A state that this process found itself is in the consumer's next requests after so long. */
const REPORTED_MS = 2000

const TROUBLED_MS = 60_000

/** All models of a credential may be refused, or this one. */
const namesOf = (place: Place) =>
  place.model === '' ? [nameOf(place)] : [nameOf({ ...place, model: '' }), nameOf(place)]

const processes = new Map<string, Upstreams>()
const PROJECTS = 100

/** What the process knows for a project, with what the request reports; undefined if the request has no key. */
export function upstreamsOf(
  key: string | null,
  headers: { closed: string | null; bound: string | null },
  now_ms: number,
): Upstreams | undefined {
  if (key === null || !/^[0-9a-f]{32,128}$/.test(key)) return undefined
  const known = processes.get(key) ?? new Upstreams(key)
  if (processes.size >= PROJECTS) processes.clear()
  processes.set(key, known)
  known.learn(listOf<ClosedUpstream>(headers.closed), now_ms)
  known.bound(listOf<BoundUpstream>(headers.bound).filter(isBound))
  return known
}

const isBound = ({ requests }: BoundUpstream) => rateProblem(String(requests)) === undefined

function listOf<T extends { host: string }>(text: string | null): T[] {
  if (text === null) return []
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter(one => typeof one?.host === 'string') : []
  } catch {
    return []
  }
}
