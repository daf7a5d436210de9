// Manages the processes of one deployment and its requests. Guarantee: there are as many processes as its items need, and
// one is enough for a bound of items; a process that was started for suspects ends with their requests; an error in a
// process that died is reported as that death.

import {
  type AgentRequest,
  type AgentResponse,
  type AgentTarget,
  NotSent,
} from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { maskOf } from '../../shared/kernel/masking.ts'
import { resolveNetwork } from '../../shared/kernel/network.ts'
import { type AgentConsole, PrintedLines } from './agent-console.ts'
import { AgentSockets } from './agent-sockets.ts'
import { egressRules } from './egress.ts'
import { type RequestOwner, send } from './http-client.ts'
import type { Launcher } from './launch.ts'
import { PooledProcess } from './pooled-process.ts'
import { chooseProcess } from './process-choice.ts'
import type { ProcessRoom } from './process-room.ts'
import { abortable, within } from './waits.ts'
import { WorkerdProcess } from './workerd-process.ts'

export interface PoolContext {
  launcher: Launcher
  dataDir: string
  agent_console: AgentConsole
  loadBundle(hash: string): Promise<string>
  allowPrivateNetworks: string[]
  now(): number
  room: ProcessRoom
  /** Most items in one process, as long as another can be started. */
  process_items: number
  /** What one process may use. */
  memory_bytes: number
}

export interface ProcessReport {
  deployment_id: string
  pid: number
  /** Started for items of which one may have ended the last process. */
  is_apart: boolean
  /** Items that have not ended. */
  in_flight: number
  rss_bytes: number
}

/** A request for which no process has room. */
interface Waiting {
  request: AgentRequest
  enter(one: PooledProcess): void
  fail(error: unknown): void
}

/** Sockets close before the exit is reported, so an error waits this long for the exit that explains it. */
const DEATH_REPORT_MS = 1000

/** Error codes of a connection that was never made, so that no item of the request has reached the process. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOENT'])

const KEPT_MS = 10_000 // workerd closes connections idle for 15 s (measured); ours must close first

export class BundlePool {
  readonly #context: PoolContext
  readonly #target: AgentTarget
  readonly #sockets = new AgentSockets({ idle_ms: KEPT_MS })
  /** All that run or start. */
  readonly #processes = new Set<PooledProcess>()
  /** In order of arrival; as many as consumers send at most, each for LIMITS.agent_process_wait_ms. */
  readonly #waiting = new Set<Waiting>()
  #isGrowing = false
  /** There is no room for another process at the moment. */
  #isCrowded = false
  #closed = false

  /** Called once, when the process of suspects has ended. */
  readonly #ended: () => void

  constructor(context: PoolContext, target: AgentTarget, ended = () => {}) {
    this.#context = context
    this.#target = target
    this.#ended = ended
  }

  async invoke(request: AgentRequest, again = true): Promise<AgentResponse> {
    let one: PooledProcess | undefined
    let process: WorkerdProcess
    try {
      one = this.#enter(request) ?? (await this.#wait(request))
      process = one.ready ?? (await abortable(one.started, request.signal))
    } catch (error) {
      if (one) this.#leave(one, request)
      else this.#endApart()
      throw request.signal.aborted
        ? new NotSent('no process of the agent was ready', { cause: error })
        : error
    }
    const endpoint = {
      to: this.#sockets.atSocket(process.socketPath),
      head_ms: LIMITS.agent_head_ms,
    }
    try {
      return await send(endpoint, request, this.#owner(one, process, request))
    } catch (error) {
      if (!again || this.#isApart || !NOT_CONNECTED.has((error as NodeJS.ErrnoException).code ?? ''))
        throw error
      await within(DEATH_REPORT_MS, process.died)
      return this.invoke(request, false)
    }
  }

  /** Checks each process once; `idleToo` includes those without requests. */
  look(idleToo: boolean): void {
    for (const one of this.#processes) if (idleToo || !one.isIdle) one.look()
  }

  get account_id(): string | null {
    return this.#target.account_id
  }

  /** Its processes without requests. */
  idle(): PooledProcess[] {
    return [...this.#processes].filter(one => one.isIdle && one.isTaking)
  }

  /** Whether it takes no more requests. */
  get isClosed(): boolean {
    return this.#closed
  }

  /** Whether it has neither a process nor a request, and does not end by itself. */
  get isEmpty(): boolean {
    return !this.#isApart && this.#processes.size + this.#waiting.size === 0 && !this.#isGrowing
  }

  report(): ProcessReport[] {
    return [...this.#processes]
      .filter(({ pid }) => pid !== 0)
      .map(({ pid, items, rss_bytes }) => ({
        deployment_id: this.#target.deployment_id,
        pid,
        is_apart: this.#isApart,
        in_flight: items,
        rss_bytes,
      }))
  }

  /** Ends every process of the pool, including one that is still starting. */
  async stop(): Promise<void> {
    this.#closed = true
    this.#failWaiting(new Error(CLOSED))
    await Promise.all([...this.#processes].map(one => one.stop()))
    this.#sockets.destroy()
  }

  /** The process for a request, if one has room and no other request comes first. */
  #enter(request: AgentRequest): PooledProcess | undefined {
    return this.#waiting.size > 0 ? undefined : this.#choose(request)
  }

  #choose(request: AgentRequest): PooledProcess | undefined {
    const taking = [...this.#processes].filter(one => one.isTaking)
    const items = request.itemsOpen?.() ?? 1
    const chosen = chooseProcess(taking, items, this.#context.process_items, !this.#isCrowded)
    chosen?.enter(request)
    return chosen
  }

  /** Waits for room in a process, or for another process. */
  #wait(request: AgentRequest): Promise<PooledProcess> {
    if (this.#closed) return Promise.reject(new Error(CLOSED))
    const { promise, resolve, reject } = Promise.withResolvers<PooledProcess>()
    const waiting: Waiting = { request, enter: resolve, fail: reject }
    this.#waiting.add(waiting)
    void this.#grow()
    return abortable(promise, request.signal).finally(() => this.#waiting.delete(waiting))
  }

  /** Lets requests in, in order of arrival; the first that finds no room asks for another process. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (waiting.request.signal.aborted) continue
      const one = this.#choose(waiting.request)
      if (one === undefined) return void this.#grow()
      this.#waiting.delete(waiting)
      waiting.enter(one)
    }
  }

  #failWaiting(error: unknown): void {
    for (const { fail } of this.#waiting) fail(error)
    this.#waiting.clear()
  }

  /** Starts another process when there is room for it. */
  async #grow(): Promise<void> {
    if (this.#isGrowing) return
    this.#isGrowing = true
    let leave: (() => void) | undefined
    try {
      const code = await this.#load() // first, so that a request sent again with it waits for room once
      leave = await this.#takeRoom()
      if (this.#waiting.size === 0) leave()
      else this.#start(code, leave)
    } catch (error) {
      leave?.()
      this.#failWaiting(error)
    }
    this.#isGrowing = false
    this.#admit()
  }

  async #load(): Promise<string> {
    const { bundle_hash, deployment_id } = this.#target
    if (bundle_hash === null) throw new Error(`deployment ${deployment_id} is a bundle without a bundle hash`)
    return this.#context.loadBundle(bundle_hash)
  }

  async #takeRoom(): Promise<() => void> {
    const { room } = this.#context
    const { account_id } = this.#target
    this.#isCrowded = !room.isFree(account_id)
    if (this.#isCrowded) this.#admit() // those that a crowded process may take
    try {
      return await room.take(account_id)
    } finally {
      this.#isCrowded = false
    }
  }

  #start(code: string, leave: () => void): void {
    const { launcher, dataDir, allowPrivateNetworks, memory_bytes, now, agent_console } = this.#context
    const { deployment_id, declaration, env, together, generates } = this.#target
    const printing = { agent: declaration.name, deployment_id, mask: maskOf(env) }
    const spec = {
      name: `agent ${declaration.name} (deployment ${deployment_id})`,
      code,
      env,
      rules: egressRules(resolveNetwork(declaration.network, env), allowPrivateNetworks),
      memory_bytes,
      cpu_without_pong_ms:
        together === 1 || generates
          ? LIMITS.agent_alone_cpu_without_pong_ms
          : LIMITS.agent_cpu_without_pong_ms,
    }
    const one = new PooledProcess(
      (spawned, itemsOpen) => {
        const printed = new PrintedLines(agent_console, printing, now)
        return WorkerdProcess.start(launcher, dataDir, { ...spec, printed, itemsOpen }, spawned)
      },
      now,
      () => {
        this.#processes.delete(one)
        leave()
        this.#admit()
      },
    )
    this.#processes.add(one)
  }

  #owner(one: PooledProcess, process: WorkerdProcess, request: AgentRequest): RequestOwner {
    return {
      over: error => {
        if (request.signal.aborted && this.#isApart && one.isAlone)
          process.condemn({ code: 'agent_unresponsive', why: 'its request was given up' })
        // The process may be dying of the cause that failed the request, which has to be reported first.
        if (error === undefined || request.signal.aborted) this.#leave(one, request)
        else void within(DEATH_REPORT_MS, process.died).then(() => this.#leave(one, request))
      },
      explain: error => (request.signal.aborted ? error : explained(process, error)),
    }
  }

  #leave(one: PooledProcess, request: AgentRequest): void {
    one.leave(request)
    if (this.#waiting.size > 0) this.#admit()
    this.#endApart()
  }

  get #isApart(): boolean {
    return this.#target.together != null
  }

  /**
   * Ends the process of suspects with their last request. What they left behind, such as memory or a loop, must not be
   * blamed on others.
   */
  #endApart(): void {
    const isInUse = this.#waiting.size > 0 || [...this.#processes].some(one => !one.isIdle)
    if (!this.#isApart || this.#closed || isInUse) return
    void this.stop().then(this.#ended)
  }
}

const CLOSED = 'the agent runtime is closed'

async function explained(process: WorkerdProcess, error: Error): Promise<Error> {
  if (NOT_CONNECTED.has((error as NodeJS.ErrnoException).code ?? '')) return error
  return (await within(DEATH_REPORT_MS, process.died)) ?? process.wordsFor(error)
}
