// One process of Assay under a service manager, restarted whenever it ends. Guarantee: an end that nobody caused is
// distinguished from one that the storm caused.

import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Part } from '../../infra/node/parts.ts'
import { type AssayProcess, startProcess } from '../faults/support/processes.ts'

const RESTART_MS = 500 // as long as a service manager waits
const CLOCK = join(import.meta.dirname, 'skewed-clock.ts')

export class Unit {
  /** Ends that nobody caused, with how the process ended and the last lines of its log. */
  readonly unexpected: string[] = []
  readonly name: string
  readonly part: Part
  readonly #env: Record<string, string>
  readonly #program: string
  #process: AssayProcess | undefined
  #log: string[] = []
  #ready: Promise<void> = Promise.resolve()
  #isEnding = false
  #isClosed = false
  #isSkewed = false

  constructor(name: string, part: Part, { env, program }: { env: Record<string, string>; program: string }) {
    this.name = name
    this.part = part
    this.#env = env
    this.#program = program
    this.#ready = this.#start()
  }

  /** Resolves when it is ready; if it was ended meanwhile, when it is ready again. */
  async ready(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#ready; ) {
      seen = this.#ready
      await seen
    }
  }

  get isUp(): boolean {
    return this.#process !== undefined
  }

  /** Log lines of all its processes so far. */
  get log(): string[] {
    return [...this.#log, ...(this.#process?.log ?? [])]
  }

  async #start(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const env = { ...this.#env, ASSAY_PARTS: this.part, NODE_OPTIONS: `--import ${CLOCK}` }
        const started = await startProcess(env, this.#program)
        this.#process = started
        this.#isEnding = false
        this.#isSkewed = false
        void started.exited.then(how => this.#ended(started, how))
        return
      } catch (error) {
        this.unexpected.push(`${this.name} did not start: ${(error as Error).message}`)
        await pause(RESTART_MS)
      }
    }
  }

  #ended(one: AssayProcess, how: string | number): void {
    this.#log.push(...one.log, `--- ended by ${how}`)
    this.#process = undefined
    if (!this.#isEnding)
      this.unexpected.push(
        `${this.name} ended (${how}): ${one.log.slice(-3).join(' | ') || 'it said nothing'}`,
      )
    if (!this.#isClosed) this.#ready = pause(RESTART_MS).then(() => this.#start())
  }

  /** Sends the signal and resolves when the process is gone; a new one starts by itself. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const one = this.#process
    if (one === undefined) return
    this.#isEnding = true
    await one.end(signal)
  }

  /** Suspends the process for so long; a fault may end it meanwhile. */
  async standStill(ms: number): Promise<void> {
    const one = this.#process
    one?.signal('SIGSTOP')
    await pause(ms)
    one?.signal('SIGCONT')
  }

  /** Moves its clock by an hour until the returned function is called. */
  skew(): () => void {
    const one = this.#process
    if (one === undefined || this.#isSkewed) return () => {}
    this.#isSkewed = true
    one.signal('SIGUSR2')
    return () => {
      if (this.#process === one) {
        this.#isSkewed = false
        one.signal('SIGUSR2')
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isEnding = true
    await this.#process?.end('SIGKILL')
  }
}
