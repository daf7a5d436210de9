// Manages the process of one deployment and its requests. Guarantee: there is one start however many requests need the
// process; one that was started for a single request ends with it; an error in a process that died is reported as that
// death.

import {
  type AgentRequest,
  type AgentResponse,
  type AgentTarget,
  NotSent,
} from '../../shared/agents/rules/invoke-agent.ts'
import { sinceMs } from '../../shared/kernel/elapsed.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { resolveNetwork } from '../../shared/kernel/network.ts'
import { AgentSockets } from './agent-sockets.ts'
import { egressRules } from './egress.ts'
import { type RequestOwner, send } from './http-client.ts'
import type { Launcher } from './launch.ts'
import type { ProcessRoom } from './process-room.ts'
import { WorkerdProcess } from './workerd-process.ts'

export interface PoolContext {
  launcher: Launcher
  dataDir: string
  loadBundle(hash: string): Promise<string>
  allowPrivateNetworks: string[]
  now(): number
  room: ProcessRoom
}

export interface ProcessReport {
  deployment_id: string
  pid: number
  /** Started for one request, of items of which one may have ended the last process. */
  is_apart: boolean
  in_flight: number
  rss_bytes: number
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
  readonly #spawned = new Set<WorkerdProcess>()
  #current: Promise<WorkerdProcess> | undefined
  #ready: WorkerdProcess | undefined
  #inFlight = 0
  #lastUsed: number
  #closed = false

  /** Called when the process of a single request has ended. */
  readonly #ended: () => void

  constructor(context: PoolContext, target: AgentTarget, ended = () => {}) {
    this.#context = context
    this.#target = target
    this.#ended = ended
    this.#lastUsed = context.now()
  }

  async invoke(request: AgentRequest, again = true): Promise<AgentResponse> {
    this.#inFlight++
    let process: WorkerdProcess
    try {
      process = this.#ready?.alive ? this.#ready : await abortable(this.#process(), request.signal)
    } catch (error) {
      this.#leave()
      if (this.#isApart) void this.stop().then(this.#ended)
      throw request.signal.aborted
        ? new NotSent('no process of the agent was ready', { cause: error })
        : error
    }
    const owner: RequestOwner = {
      over: error => {
        this.#leave()
        if (this.#isApart) void this.#retire(process, error, request.signal.aborted)
      },
      explain: error => (request.signal.aborted ? error : explained(process, error)),
    }
    const endpoint = {
      to: this.#sockets.atSocket(process.socketPath),
      head_ms: LIMITS.agent_head_ms,
    }
    try {
      return await send(endpoint, request, owner)
    } catch (error) {
      if (!again || this.#isApart || !NOT_CONNECTED.has((error as NodeJS.ErrnoException).code ?? ''))
        throw error
      await within(DEATH_REPORT_MS, process.died)
      return this.invoke(request, false)
    }
  }

  /** Checks the process once. */
  look(): void {
    this.#ready?.look()
  }

  get account_id(): string | null {
    return this.#target.account_id
  }

  /** Whether it has a process without requests. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#spawned.size > 0
  }

  get in_flight(): number {
    return this.#inFlight
  }

  /** Milliseconds since the last request ended; 0 while any is in flight. */
  idle_ms(): number {
    return this.#inFlight > 0 ? 0 : sinceMs(this.#context.now(), this.#lastUsed)
  }

  report(): ProcessReport[] {
    return [...this.#spawned].map(process => ({
      deployment_id: this.#target.deployment_id,
      pid: process.pid,
      is_apart: this.#isApart,
      in_flight: process === this.#ready ? this.#inFlight : 0,
      rss_bytes: process.usage()?.rss_bytes ?? 0,
    }))
  }

  /** Ends every process of the pool, including one that is still starting. */
  async stop(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#spawned].map(process => process.stop()))
    await this.#current?.then(process => process.stop()).catch(() => {})
    this.#sockets.destroy()
  }

  #process(): Promise<WorkerdProcess> {
    if (this.#closed) return Promise.reject(new Error('the agent runtime is closed'))
    if (this.#ready && !this.#ready.alive) {
      this.#ready = undefined
      this.#current = undefined
    }
    this.#current ??= this.#start()
    return this.#current
  }

  async #start(): Promise<WorkerdProcess> {
    const { launcher, dataDir, loadBundle, allowPrivateNetworks } = this.#context
    const { account_id, deployment_id, bundle_hash, declaration, env, together, generates } = this.#target
    let leave: (() => void) | undefined
    try {
      if (bundle_hash === null)
        throw new Error(`deployment ${deployment_id} is a bundle without a bundle hash`)
      const code = await loadBundle(bundle_hash) // first, so that a request sent again with it waits for room once
      leave = await this.#context.room.take(account_id)
      const spec = {
        name: `agent ${declaration.name} (deployment ${deployment_id})`,
        code,
        env,
        rules: egressRules(resolveNetwork(declaration.network, env), allowPrivateNetworks),
        cpu_without_pong_ms:
          together === 1 || generates
            ? LIMITS.agent_alone_cpu_without_pong_ms
            : LIMITS.agent_cpu_without_pong_ms,
      }
      const process = await WorkerdProcess.start(launcher, dataDir, spec, spawned => {
        this.#adopt(spawned)
        void spawned.died.then(leave)
        leave = undefined
      })
      this.#ready = process
      return process
    } catch (error) {
      this.#current = undefined
      leave?.()
      throw error
    }
  }

  #adopt(process: WorkerdProcess): void {
    this.#spawned.add(process)
    void process.died.then(() => {
      this.#spawned.delete(process)
      if (this.#ready !== process) return
      this.#ready = undefined
      this.#current = undefined
    })
    if (this.#closed) void process.stop()
  }

  get #isApart(): boolean {
    return this.#target.together != null
  }

  /**
   * Ends the process of a single request. What its items left behind, such as memory or a loop, must not be blamed on
   * others.
   */
  async #retire(process: WorkerdProcess, error: Error | undefined, givenUp: boolean): Promise<void> {
    if (givenUp) process.condemn({ code: 'agent_unresponsive', why: 'its request was given up' })
    // The process may be dying of the cause that failed the request, which has to be reported first.
    else if (error) await within(DEATH_REPORT_MS, process.died)
    await this.stop()
    this.#ended()
  }

  #leave(): void {
    this.#inFlight--
    this.#lastUsed = this.#context.now()
  }
}

async function explained(process: WorkerdProcess, error: Error): Promise<Error> {
  if (NOT_CONNECTED.has((error as NodeJS.ErrnoException).code ?? '')) return error
  return (await within(DEATH_REPORT_MS, process.died)) ?? process.wordsFor(error)
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let abort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
