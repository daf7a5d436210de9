// Paces the items that a process begins by the limits of the upstreams that they need. Guarantee: an item whose deployment is
// known to call a limited upstream begins with a permit of its row, which all processes share, or is counted there soon after.

import type { Context } from '../../context.ts'
import { sinceMs } from '../../kernel/elapsed.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { noteTrouble } from '../../kernel/unreachable.ts'
import type { ReportedLimit } from '../../pacing/vocabulary.ts'
import { findPaced, takeTurn } from '../queries/pacing.ts'
import { findProjectLimits, type ProjectLimit } from '../queries/upstream-limits.ts'
import { agentAt, limitedUpstream, type UpstreamName, upstreamId } from '../rules/upstream.ts'
import type { CallingItem } from './item-calls.ts'
import { type Declaring, NOTHING_HAPPENED, type Paced, turnOf } from './paced.ts'
import { PacedUpstreams } from './paced-upstreams.ts'

/** What a process of an agent reports of an upstream. */
interface Report {
  limits: readonly ReportedLimit[]
  served: number
  held: number
  /** Of the call whose answer reported the limits. */
  began_ms: number
  /** Whose calls they were, if it is at work in this process. */
  item: CallingItem | null
}

const REPORTS_PER_TURN = 16
/** While so many calls more than one turn gives wait in an agent's process, no more items are sent there. */
const HELD = 8
const HELD_MS = 3000
/** Of what other processes know, and of what is declared, so much is asked at once, the rest when its items begin. */
const ASKED_AT_ONCE = 20
/** A process with items in flight says so at least this often. */
const IN_FLIGHT_MS = LIMITS.upstream_in_flight_ms / 4
/** Agents in other languages leave out what they do not know. */
const UNREPORTED = { amount: null, reset_ms: null, window_ms: null }

export class Pacer {
  readonly #ctx: Context
  readonly #upstreams = new PacedUpstreams()
  readonly #inFlight = new Map<string, number>()
  readonly #asked = new Map<string, number>()
  /** What people set, by projects, and when it was read. */
  readonly #projects = new Map<string, { limits: ProjectLimit[]; read_ms: number }>()
  #knowing: Promise<void> = Promise.resolve()
  /** Names this process where items in flight are counted. */
  readonly #process = crypto.randomUUID()
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Calls back when items may begin that could not before; returns how to end that. */
  onPermits(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** How many items of a deployment may begin now; null for any number. */
  room(deployment_id: string): number | null {
    let room: number | null = null
    for (const one of this.#upstreams.of(deployment_id))
      if (one.is_bound) room = Math.min(room ?? one.permits, Math.max(0, one.permits - this.#askedOf(one)))
    return room
  }

  /** Items that claims under way asked for. */
  #askedOf = ({ deployments }: Paced): number =>
    [...deployments].reduce((sum, id) => sum + (this.#asked.get(id) ?? 0), 0)

  /** Items of a deployment are being claimed, or no longer: consumers of one process share its permits. */
  claiming(deployment_id: string, items: number): void {
    const asked = (this.#asked.get(deployment_id) ?? 0) + items
    if (asked > 0) this.#asked.set(deployment_id, asked)
    else this.#asked.delete(deployment_id)
  }

  /** The upstreams that hold items of a deployment back, as one name: deployments with the same share their permits. */
  boundBy(deployment_id: string): string {
    const bound = [...this.#upstreams.of(deployment_id)].filter(({ is_bound }) => is_bound)
    return bound.map(({ row }) => row.id).join(' ')
  }

  /** The limits that people set in a project, with those of schedules whose runs are at work. */
  setFor = (project_id: string): readonly ProjectLimit[] => this.#projects.get(project_id)?.limits ?? []

  /** Whether items of a project may begin without a look at what holds them back. */
  isFree(project_id: string): boolean {
    const isBound = ({ row, is_bound }: Paced) => is_bound && row.project_id === project_id
    return this.#projects.has(project_id) && ![...this.#upstreams.all()].some(isBound)
  }

  /**
   * Items of deployments begin by the limits that these declare, too. Once this resolves, it is known of the first how many may;
   * of the others none begin before it is known.
   */
  async declare(deployments: Iterable<Declaring>): Promise<void> {
    const unknown = new Set<Paced>()
    for (const { project_id, agent_id, deployment_id, limits } of deployments)
      for (const one of limits) {
        const label = one.credential ?? null
        const known = this.#need({ ...limitedUpstream(project_id, agent_id, one), label }, deployment_id)
        if (known?.turn_ms === Number.NEGATIVE_INFINITY && !known.isTaking) unknown.add(known)
      }
    await Promise.all([...unknown].slice(0, ASKED_AT_ONCE).map(one => this.#take(one)))
  }

  /** So many items of a deployment would begin. */
  want(deployment_id: string, items: number): void {
    for (const one of this.#upstreams.of(deployment_id))
      if (one.is_bound) {
        one.wants = Math.max(one.wants, items)
        this.#schedule()
      }
  }

  /** Items of a deployment begin, whether they were permitted or not. */
  begin(deployment_id: string, items: number): void {
    this.#inFlight.set(deployment_id, (this.#inFlight.get(deployment_id) ?? 0) + items)
    for (const one of this.#upstreams.of(deployment_id)) {
      const permitted = Math.min(one.permits, items)
      one.permits -= permitted
      one.started += items - permitted
      this.#schedule()
    }
  }

  /** Items of a deployment have left this process. */
  end(deployment_id: string, items: number): void {
    const left = (this.#inFlight.get(deployment_id) ?? 0) - items
    if (left > 0) this.#inFlight.set(deployment_id, left)
    else this.#inFlight.delete(deployment_id)
    for (const one of this.#upstreams.of(deployment_id)) {
      one.ended += items
      one.asked.keep(this.#inFlightOf(one))
    }
    this.#schedule()
  }

  /** A call of a deployment's item used tokens. */
  used(deployment_id: string, model: string | null, tokens: number, item: CallingItem | null): void {
    for (const one of this.#upstreams.of(deployment_id))
      if (one.row.model === '' || model === null || one.row.model === model) {
        one.tokens += tokens
        one.asked.add(item, { tokens })
      }
  }

  /** What calls of a deployment showed of limits. */
  report(
    name: UpstreamName & { label: string | null },
    deployment_id: string,
    { limits, served, held, began_ms, item }: Report,
  ): void {
    const one = this.#need(name, deployment_id)
    if (one === undefined) return
    const at_ms = this.#ctx.now()
    for (const each of [one, ...this.#upstreams.declaredFor(name, deployment_id)]) {
      each.served += served
      each.asked.add(item, { calls: served })
      // What waits in the agent's process has not started, as far as the upstream is concerned.
      each.started -= held - each.held
      Object.assign(each, { held, held_ms: at_ms })
    }
    for (const limit of limits)
      if (one.reports.length < REPORTS_PER_TURN)
        one.reports.push({ ...UNREPORTED, ...limit, began_ms, at_ms })
    // Of what is new nobody knows yet how many may begin.
    if (one.turn_ms === Number.NEGATIVE_INFINITY && !one.isTaking) this.#ctx.waitUntil(this.#take(one))
    this.#schedule()
  }

  /** An upstream refused an item of a deployment for the number of calls. */
  refused(name: UpstreamName & { label: string | null }, deployment_id: string): void {
    const one = this.#need(name, deployment_id)
    if (one === undefined) return
    one.refused++
    this.#schedule()
  }

  /** The client of a deployment's provider tries again by itself. */
  clientRetries(name: UpstreamName & { label: string | null }, deployment_id: string): void {
    const one = this.#need(name, deployment_id)
    if (one === undefined) return
    one.client_retries = true
    this.#schedule()
  }

  /** An item of a deployment came back without a call, since its upstream was known to be closed or had no room. */
  notCalled(name: UpstreamName & { label: string | null }, deployment_id: string): void {
    const one = this.#need(name, deployment_id)
    if (one === undefined) return
    for (const each of [one, ...this.#upstreams.declaredFor(name, deployment_id)]) {
      each.started--
      each.ended--
    }
    this.#schedule()
  }

  /** Reads what was not read lately; undefined if nothing is to be waited for. Never rejects. */
  know(project_ids: Iterable<string>): Promise<void> | undefined {
    const ids = [...new Set(project_ids)]
    const old = () => {
      const now_ms = this.#ctx.now()
      const readMs = (id: string) => this.#projects.get(id)?.read_ms ?? Number.NEGATIVE_INFINITY
      return ids.filter(id => sinceMs(now_ms, readMs(id)) > 2 * LIMITS.upstream_look_ms)
    }
    if (old().length === 0) return undefined
    // Consumers of one process wait for each other's look.
    this.#knowing = this.#knowing
      .then(() => (old().length === 0 ? undefined : this.read(old())))
      .catch(error => noteTrouble(this.#ctx.sql, error, this.#ctx.now()))
    return this.#knowing
  }

  /** Learns of upstreams that other processes know, and of what people set. Rejects if they cannot be read. */
  async read(project_ids: readonly string[]): Promise<void> {
    const read_ms = this.#ctx.now()
    const [found, limits] = await Promise.all([
      findPaced(this.#ctx.sql, project_ids),
      findProjectLimits(this.#ctx.sql, project_ids),
    ])
    // An agent is known by its address before anything of it was called.
    for (const { project_id, host, deployments } of limits)
      if (deployments.length > 0) found.push({ ...agentOf(project_id, host), deployments })
    const unknown = new Set(
      found.filter(({ id }) => this.#upstreams.byId(id) === undefined).slice(0, ASKED_AT_ONCE),
    )
    for (const { deployments, ...row } of found)
      for (const deployment_id of deployments) this.#need(row, deployment_id)
    const toAsk = [...unknown].flatMap(({ id }) => this.#upstreams.byId(id) ?? [])
    const changed = this.#changed(project_ids, limits)
    const asked = [...new Set([...toAsk, ...changed])]
    for (
      let at = 0;
      at < asked.length;
      at += ASKED_AT_ONCE // to know whether they hold items back
    )
      await Promise.all(asked.slice(at, at + ASKED_AT_ONCE).map(one => this.#take(one)))
    for (const id of project_ids) {
      this.#projects.delete(id)
      this.#projects.set(id, { limits: limits.filter(({ project_id }) => project_id === id), read_ms })
      if (this.#projects.size > LIMITS.upstreams_paced)
        this.#projects.delete(this.#projects.keys().next().value!)
    }
  }

  /** Upstreams of the projects that were read for which people set or unset limits. */
  #changed(project_ids: readonly string[], limits: readonly ProjectLimit[]): Paced[] {
    return [...this.#upstreams.all()].filter(one => {
      const { project_id, host, label } = one.row
      if (!project_ids.includes(project_id) || one.row.agent_id) return false
      const own = limits.filter(
        limit =>
          limit.project_id === project_id && limit.host === host && ['', label ?? ''].includes(limit.label),
      )
      const declared = own.length === 0 ? '' : JSON.stringify(own.map(({ of, limits }) => [of, limits]))
      const isChanged = declared !== one.declared
      one.declared = declared
      return isChanged
    })
  }

  #need = (name: UpstreamName & { label: string | null }, deployment_id: string): Paced | undefined =>
    this.#upstreams.need(name, deployment_id, this.#inFlight.get(deployment_id) ?? 0)

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      for (const one of this.#upstreams.all()) if (this.#isDue(one)) this.#ctx.waitUntil(this.#take(one))
    }, LIMITS.upstream_turn_ms)
  }

  #inFlightOf = ({ deployments }: Paced): number =>
    [...deployments].reduce((sum, id) => sum + (this.#inFlight.get(id) ?? 0), 0)

  /** One that holds nothing back is not asked, but notified from time to time. */
  #isDue(one: Paced): boolean {
    const { is_bound, wants, permits, started, ended, served, refused, reports, turn_ms, isTaking } = one
    if (isTaking) return false
    if (refused > 0 || one.client_retries || (is_bound && wants > permits) || reports.length > 0) return true
    const since_ms = sinceMs(this.#ctx.now(), turn_ms)
    if (is_bound && (ended > 0 || (this.#inFlightOf(one) > 0 && since_ms > IN_FLIGHT_MS))) return true
    return started + served !== 0 && (is_bound || since_ms > 1000)
  }

  async #take(one: Paced): Promise<void> {
    const now_ms = this.#ctx.now()
    // Who said so last may have died.
    if (one.held > 0 && sinceMs(now_ms, one.held_ms) > HELD_MS)
      Object.assign(one, { held: 0, started: one.started + one.held })
    // What was not used within a turn or two is given back: its run has ended, or another consumer has its items.
    // What a claim under way has asked for is used in a moment, however long the claim takes.
    const free = Math.max(0, one.permits - this.#askedOf(one))
    const unused = sinceMs(now_ms, one.permitted_ms) > LIMITS.upstream_permit_ms ? free : 0
    one.permits -= unused
    const hasBacklog = one.held > HELD + one.granted
    const wants = one.is_bound && !hasBacklog ? Math.max(0, one.wants - one.permits) : 0
    const items = this.#inFlightOf(one) + one.permits
    const turn = turnOf(one, { now_ms, unused, wants, in_flight: { process: this.#process, items } })
    const { started, served, tokens } = one
    // Items that came back without a call are about to leave this process: they are no items of which it is learned.
    const ended = Math.min(0, one.ended)
    Object.assign(one, { isTaking: true, turn_ms: now_ms, wants: 0, ...NOTHING_HAPPENED, ended, reports: [] })
    try {
      const taken = await takeTurn(this.#ctx.sql, one.row, turn)
      const isFreed = one.is_bound && !taken.is_bound
      one.is_bound = taken.is_bound
      if (wants > 0) one.permits += taken.permits
      if (taken.permits > 0) Object.assign(one, { permitted_ms: this.#ctx.now(), granted: taken.permits })
      if (isFreed) one.permits = 0
      if (isFreed || one.permits > 0 || wants > 0 || hasBacklog)
        for (const listener of this.#listeners) listener()
    } catch (error) {
      // What was reported and refused meanwhile is reported again by the next calls.
      Object.assign(one, {
        started: one.started + started,
        ended: one.ended + turn.ended,
        served: one.served + served,
        tokens: one.tokens + tokens,
      })
      one.asked.add(null, turn.of_ended)
      noteTrouble(this.#ctx.sql, error, this.#ctx.now())
    } finally {
      one.isTaking = false
      if (this.#isWorthATurn(one)) this.#schedule()
    }
  }

  #isWorthATurn = (one: Paced) =>
    one.started !== 0 ||
    one.ended + one.served + one.refused + one.reports.length + one.permits + one.wants > 0 ||
    (one.is_bound && this.#inFlightOf(one) > 0)
}

function agentOf(project_id: string, host: string): Paced['row'] {
  const name = { project_id, ...agentAt(host) }
  return { ...name, id: upstreamId(name), label: null }
}
