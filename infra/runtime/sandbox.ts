// The agents' runtime on the machine of somebody who writes agents, for the command and for tests. Guarantee: bundles run in
// it as they do in batches, as the user who started it, and nothing of it is left in the folder for temporary files.

import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BundleLoad } from '../../shared/agents/rules/bundle-load.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { resolveNetwork } from '../../shared/kernel/network.ts'
import { loadOnce } from './bundle-load.ts'
import { egressRules } from './egress.ts'
import { createLauncher, type Launcher } from './launch.ts'
import { WorkerdProcess } from './workerd-process.ts'

export interface SandboxBundle {
  /** The agent's name, for messages. */
  name: string
  code: string
  env: Record<string, string>
}

export interface RunningBundle {
  /** The socket that takes its requests. */
  socketPath: string
  /** Resolves when its process is gone, with the reason. */
  died: Promise<Error>
}

const memory_bytes = LIMITS.agent_memory_mib.default * 2 ** 20
const EVERYWHERE = ['0.0.0.0/0', '::/0']

export class Sandbox {
  readonly #launcher: Launcher
  readonly #folder: string
  readonly #running = new Set<WorkerdProcess>()

  private constructor(launcher: Launcher, folder: string) {
    this.#launcher = launcher
    this.#folder = folder
  }

  /** Undefined where workerd is not installed, neither with Assay nor in the project of this folder. */
  static async find(folder: string): Promise<Sandbox | undefined> {
    const binary = workerdNear(folder)
    if (binary === undefined) return undefined
    return new Sandbox(createLauncher({ binary, asOurselves: true }), await mkdtemp(join(tmpdir(), 'assay-')))
  }

  /** Loads a bundle once, without a network. */
  load(bundle: SandboxBundle): Promise<BundleLoad> {
    return loadOnce({ launcher: this.#launcher, dataDir: this.#folder, memory_bytes }, bundle)
  }

  /**
   * Runs a bundle until this process ends, and watches it as in a batch. Requests to its declared hosts arrive as HTTP at a
   * socket of ours; others are refused. What it prints is written to standard error.
   */
  async run(
    { name, code, env }: SandboxBundle,
    network: readonly string[] | undefined,
    outbound_socket: string,
  ): Promise<RunningBundle> {
    const spec = {
      name: `agent ${name}`,
      code,
      env,
      rules: egressRules(resolveNetwork(network, env), EVERYWHERE),
      memory_bytes,
      cpu_without_pong_ms: LIMITS.agent_cpu_without_pong_ms,
      itemsOpen: () => 1,
      outbound_socket,
      printed: { push: (chunk: Buffer) => void process.stderr.write(chunk), end() {} },
    }
    const running = await WorkerdProcess.start(this.#launcher, this.#folder, spec, () => {})
    running.unref()
    const watch = setInterval(() => running.look(), LIMITS.agent_watch_ms).unref()
    void running.died.then(() => clearInterval(watch))
    this.#running.add(running)
    return running
  }

  /** A path for a socket, short enough for every system. */
  socketPath(name: string): string {
    return join(this.#folder, name)
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }

  /** Ends all that runs, at once: for a process that exits. */
  end(): void {
    for (const one of this.#running) one.condemn({ code: 'agent_crashed', why: 'the tests have ended' })
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function workerdNear(folder: string): string | undefined {
  for (const from of [import.meta.url, join(folder, 'agent.mjs')])
    try {
      return createRequire(from)('workerd').default
    } catch {}
  return undefined
}
