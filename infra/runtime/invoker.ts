// The agent runtime: invokes an agent wherever its deployment says it runs. Guarantee: a bundle runs in processes of its
// own, of which there are no more than its items need, each watched, stopped when idle, and gone after `close`; a request in
// a process that dies fails with `AgentProcessDied`; one with a suspect among its items has its own process.

import { resolve } from 'node:path'
import type { LoadBundle } from '../../shared/agents/rules/bundle-load.ts'
import type {
  AgentRequest,
  AgentResponse,
  AgentTarget,
  InvokeAgent,
} from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { PoolBounds } from '../../shared/kernel/pool.ts'
import { JudgedNames, refuseLiteral } from '../outside/judged-lookup.ts'
import { allowsOutside } from '../outside/networks.ts'
import { AgentConsole } from './agent-console.ts'
import { AgentSockets, type Destination } from './agent-sockets.ts'
import { ProcessesApart } from './apart.ts'
import { BundleLoads } from './bundle-load.ts'
import { BundlePool, type PoolContext, type ProcessReport } from './bundle-pool.ts'
import { send } from './http-client.ts'
import { createLauncher, type Launcher } from './launch.ts'
import type { PooledProcess } from './pooled-process.ts'
import { removeAbandoned } from './process-folder.ts'
import { ProcessRoom } from './process-room.ts'
import { createRuntimeClient } from './runtime-client.ts'

export interface InvokerOptions {
  /** Loads the ESM code of a bundle by its hash. */
  loadBundle(hash: string): Promise<string>
  /** The folder of `runtime/`, which has the processes' sockets. */
  dataDir: string
  /** Private networks (CIDR) whose addresses an agent may declare. */
  allowPrivateNetworks?: string[]
  /** The user id for agents' processes when this process is root; by default each gets its own. */
  runAs?: number
  /** The function that runs bundles; by default this process does. */
  runtime?: { url: string; bearer(): Promise<string> } | undefined
  /** The file for what agents print; without one, stderr takes it. */
  agentLog?: string | undefined
  /** The clock for idle times, in ms. */
  now?: () => number
  /** Most processes, in total and per account; by default what the machine's memory holds. */
  bounds?: PoolBounds
  /** Most items in one process, as long as another can be started. */
  processItems?: number | undefined
  /** The memory that one process may use. */
  memoryMib?: number | undefined
}

export interface Invoker {
  invoke: InvokeAgent
  /** Loads a bundle once, where its items would run. */
  load: LoadBundle
  close(): Promise<void>
  processes(): ProcessReport[]
}

const URLS_REMEMBERED = 1000
const IDLE_LOOK_EVERY = 4 // checks; a process with nothing in flight is pinged less often

export function createInvoker(options: InvokerOptions): Invoker {
  const room = new ProcessRoom(() => makeRoom(), options.bounds)
  const context = contextOf(options, room)
  void removeAbandoned(context.dataDir)
  const pools = new Map<string, BundlePool>()
  const stopping = new Set<Promise<void>>()
  const remote = createRemote(options.allowPrivateNetworks ?? [])
  const runtime =
    options.runtime && createRuntimeClient({ ...options.runtime, loadBundle: options.loadBundle })
  const apart = new ProcessesApart(context, pools)
  const loads = new BundleLoads(context)
  let looks = 0
  let closed = false

  function stop(one: BundlePool | PooledProcess): void {
    const stopped = one.stop().finally(() => stopping.delete(stopped))
    stopping.add(stopped)
  }

  /** Stops idle processes whose room is wanted, the longest idle first. */
  function makeRoom(): void {
    let wanted = room.waiting - stopping.size // stopping processes make room as well
    if (wanted <= 0) return
    const idle = [...pools.values()]
      .flatMap(pool => pool.idle().map(one => ({ account_id: pool.account_id, one })))
      .sort((a, b) => b.one.idle_ms - a.one.idle_ms)
    for (const { account_id, one } of idle) {
      if (wanted <= 0 || !room.isWanted(account_id)) continue
      wanted--
      stop(one)
    }
  }

  const ticker = setInterval(() => {
    const idleToo = looks++ % IDLE_LOOK_EVERY === 0
    for (const [key, pool] of pools) {
      pool.look(idleToo)
      for (const one of pool.idle()) if (one.idle_ms >= LIMITS.agent_idle_ms) stop(one)
      if (!pool.isEmpty) continue
      pools.delete(key)
      stop(pool)
    }
    makeRoom()
  }, LIMITS.agent_watch_ms)
  ticker.unref()

  return {
    async invoke(target, request) {
      if (closed) throw new Error('the agent runtime is closed')
      if (target.kind === 'url') return remote.invoke(target, request)
      if (runtime) return runtime.invoke(target, request)
      if (target.together != null) return apart.invoke(target, request) // an older consumer sends none
      const key = target.deployment_id + (target.generates ? ' generates' : '')
      let pool = pools.get(key)
      if (!pool) {
        pool = new BundlePool(context, target)
        pools.set(key, pool)
      }
      return pool.invoke(request)
    },
    load: bundle => (runtime ?? loads).load(bundle),
    async close() {
      closed = true
      clearInterval(ticker)
      room.close()
      for (const pool of pools.values()) stop(pool)
      pools.clear()
      await Promise.all(stopping)
      remote.close()
      runtime?.close()
    },
    processes: () => [...pools.values()].flatMap(pool => pool.report()),
  }
}

function contextOf(options: InvokerOptions, room: ProcessRoom): PoolContext {
  let launcher: Launcher | undefined
  return {
    // Created with the first bundle: where all agents are behind URLs, workerd need not be installed.
    get launcher() {
      launcher ??= createLauncher({ runAs: options.runAs })
      return launcher
    },
    dataDir: resolve(options.dataDir),
    agent_console: new AgentConsole(options.agentLog),
    loadBundle: options.loadBundle,
    allowPrivateNetworks: options.allowPrivateNetworks ?? [],
    now: options.now ?? (() => performance.now()),
    room,
    process_items: options.processItems ?? LIMITS.agent_process_items.default,
    memory_bytes: (options.memoryMib ?? LIMITS.agent_memory_mib.default) * 2 ** 20,
  }
}

/** Invokes agents behind a URL, over keep-alive connections per scheme, at public addresses and in the `networks`. */
function createRemote(networks: readonly string[]): { invoke: InvokeAgent; close(): void } {
  const allows = allowsOutside(networks)
  const names = new JudgedNames(allows)
  const plain = new AgentSockets()
  let secure: AgentSockets | undefined // created with the first https URL, since it loads TLS
  const destinations = new Map<string, Destination>()

  function destinationOf(address: string, account_id: string | null): Destination {
    const key = `${account_id} ${address}`
    const known = destinations.get(key)
    if (known) return known
    const url = new URL(address)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new Error(`an agent's URL starts with http:// or https://, not ${url.protocol}`)
    }
    refuseLiteral(url, allows)
    if (url.protocol === 'https:') secure ??= new AgentSockets({ secure: true })
    const destination = (url.protocol === 'https:' ? secure! : plain).at(url, names.lookupFor(account_id))
    if (destinations.size >= URLS_REMEMBERED) destinations.clear()
    destinations.set(key, destination)
    return destination
  }

  return {
    async invoke(target: AgentTarget, request: AgentRequest): Promise<AgentResponse> {
      if (target.url === null) throw new Error(`deployment ${target.deployment_id} has kind "url" and no URL`)
      // A plain JSON agent answers when the item is done, so only the caller's deadline limits the wait.
      const head_ms = target.protocol === 'ndjson' ? LIMITS.agent_head_ms : 0
      return send({ to: destinationOf(target.url, target.account_id), head_ms }, request)
    },
    close() {
      plain.destroy()
      secure?.destroy()
    },
  }
}
