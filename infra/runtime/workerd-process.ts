// Runs one deployment in one workerd process. Guarantee: the process is either listening or gone; when it is gone, its
// files are too, and `died` says why.

import type { ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import http from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { AgentProcessDied, NotSent } from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { diskFull } from '../local/exit-error.ts'
import type { PrintedLines } from './agent-console.ts'
import { EGRESS_WORKER, type EgressRules } from './egress.ts'
import { type AddedModule, ExitReport, withExitReported } from './exit-report.ts'
import type { Launcher } from './launch.ts'
import { LogRing } from './log-ring.ts'
import { MemoryReport } from './memory-report.ts'
import { moduleClock } from './module-clock.ts'
import { privateFolder, writePrivate } from './process-folder.ts'
import { type Condemned, type ProcessUsage, readUsage, Watch } from './watch.ts'
import { AGENT_FILE, AGENT_MODULE, CONFIG_FILE, EGRESS_FILE, workerdConfig } from './workerd-config.ts'

export interface ProcessSpec {
  /** The deployment's name in messages. */
  name: string
  /** Takes what the agent prints. */
  printed: Pick<PrintedLines, 'push' | 'end'>
  code: string
  env: Record<string, string>
  rules: EgressRules
  cpu_without_pong_ms: number
  memory_bytes: number
  /** How many items are open in the process, for the error that its death is. */
  itemsOpen(): number
  /** A module that is evaluated before the agent's. */
  before?: AddedModule
  /** A socket of HTTP requests that stands for all networks. */
  outbound_socket?: string
}

const LOG_CHARACTERS = 1500 // leaves room in an error message for what happened
const LAST_OUTPUT_MS = 200 // after the exit, for output still in the pipes

export class WorkerdProcess {
  readonly pid: number
  readonly socketPath: string
  /** Resolves when the process is gone, with the error for requests in flight. */
  readonly died: Promise<Error>
  readonly #child: ChildProcess
  readonly #exit: ExitReport
  readonly #memory = new MemoryReport()
  readonly #log = new LogRing(LIMITS.agent_log_bytes)
  readonly #watch: Watch
  readonly #watchAgent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  readonly #watchSocket: string
  readonly #spec: ProcessSpec
  #alive = true
  #stopping = false
  #condemned: Condemned | undefined
  /** The call by which the agent itself ended its process. */
  #exited: string | undefined

  private constructor(child: ChildProcess, folder: string, spec: ProcessSpec, exit: ExitReport) {
    this.#child = child
    this.#exit = exit
    this.#spec = spec
    this.pid = child.pid ?? 0
    this.socketPath = join(folder, 'agent')
    this.#watchSocket = join(folder, 'watch')
    this.#watch = new Watch(
      spec,
      () => this.#ping(),
      why => this.condemn(why),
    )
    child.stdout!.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stderr!.on('data', (chunk: Buffer) => this.#readErrors(chunk))
    this.died = this.#end(folder)
  }

  /** Starts the process and resolves when it listens. @throws NotSent where the disk has no room for its files */
  static async start(
    launcher: Launcher,
    dataDir: string,
    spec: ProcessSpec,
    spawned: (process: WorkerdProcess) => void,
  ): Promise<WorkerdProcess> {
    const user = launcher.user()
    const folder = await privateFolder(dataDir, user?.uid).catch(noRoom)
    const exit = new ExitReport()
    const config = workerdConfig({
      env: spec.env,
      rules: spec.rules,
      around: exit.modulesAround(AGENT_MODULE, [
        moduleClock(Date.now()),
        ...(spec.before ? [spec.before] : []),
      ]),
      outbound_socket: spec.outbound_socket,
      heap_mib: heapMib(spec),
      agent_socket: join(folder, 'agent'),
      watch_socket: join(folder, 'watch'),
    })
    const files = {
      [AGENT_FILE]: withExitReported(spec.code),
      [EGRESS_FILE]: EGRESS_WORKER,
      [CONFIG_FILE]: config,
    }
    try {
      for (const [name, content] of Object.entries(files))
        await writePrivate(join(folder, name), content, user?.uid)
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      return noRoom(error)
    }
    const limits = { user, memory_bytes: spec.memory_bytes }
    const child = launcher.spawn(join(folder, CONFIG_FILE), folder, limits)
    const started = new WorkerdProcess(child, folder, spec, exit)
    spawned(started)
    await started.#listening()
    // workerd reads its files once at the start, so the environment need not stay on disk while the agent runs.
    await Promise.all(Object.keys(files).map(name => rm(join(folder, name), { force: true })))
    return started
  }

  get alive(): boolean {
    return this.#alive && !this.#stopping && !this.#condemned && this.#exited === undefined
  }

  /** Whether there was a program that could be run: a shell and setpriv end with 126 or 127 where there is none. */
  get wasStarted(): boolean {
    return this.pid !== 0 && ![126, 127].includes(this.#child.exitCode ?? 0)
  }

  /** Does not keep this process from ending. */
  unref(): void {
    this.#child.unref()
    for (const pipe of this.#child.stdio) (pipe as Socket | null)?.unref?.()
  }

  /** The end of what it has written. */
  get output(): string {
    return this.#log.tail(LIMITS.agent_log_bytes)
  }

  usage(): ProcessUsage | undefined {
    return this.#alive ? readUsage(this.pid) : undefined
  }

  /** Checks the process once. */
  look(): void {
    const usage = this.usage()
    if (!usage) return
    this.#memory.look()
    this.#watch.look(usage)
  }

  /** Kills the process and reports the reason to all requests in flight. */
  condemn(why: Condemned): void {
    if (!this.#alive) return
    this.#condemned ??= why
    this.#child.kill('SIGKILL')
  }

  #read(chunk: Buffer): void {
    this.#log.push(chunk)
    this.#spec.printed.push(chunk)
  }

  /** Reads what the process writes about errors, where its agent's exit is reported too. */
  #readErrors(chunk: Buffer): void {
    this.#read(this.#exit.withoutReport(chunk))
    this.#memory.read(chunk)
    this.#exited ??= this.#exit.read(chunk)
    if (this.#exited !== undefined) this.#child.kill('SIGKILL')
  }

  /** The error of a request while the process stays alive, with the agent's last output. */
  wordsFor(error: Error): Error {
    return new Error(`${this.#spec.name} did not answer: ${error.message}.${this.#lastOutput()}`, {
      cause: error,
    })
  }

  /** Ends the process: by SIGTERM, then by SIGKILL. */
  async stop(): Promise<void> {
    if (!this.#alive) return
    this.#stopping = true
    this.#child.kill('SIGTERM')
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), LIMITS.agent_stop_ms)
    await this.died
    clearTimeout(timer)
  }

  async #listening(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const ready = new Promise<'ready'>(resolve => {
      let report = ''
      this.#child.stdio[3]!.on('data', (chunk: Buffer) => {
        report += chunk.toString('latin1')
        if (report.includes('"agent"') && report.includes('"watch"')) resolve('ready')
      })
    })
    const late = new Promise<'late'>(resolve => {
      timer = setTimeout(resolve, LIMITS.agent_start_ms, 'late')
    })
    const first = await Promise.race([ready, late, this.died])
    clearTimeout(timer)
    if (first === 'ready') return
    if (first === 'late') {
      this.condemn({
        code: 'agent_unresponsive',
        why: `it did not listen within ${LIMITS.agent_start_ms} ms`,
      })
    }
    throw await this.died
  }

  async #end(folder: string): Promise<Error> {
    const exit = await new Promise<string>(resolve => {
      this.#child.once('error', error => resolve(`could not be started: ${error.message}`))
      this.#child.once('exit', (code, signal) => {
        this.#alive = false
        const how = signal ? `ended by signal ${signal}` : `ended with exit code ${code}`
        const timer = setTimeout(resolve, LAST_OUTPUT_MS, how)
        this.#child.once('close', () => {
          clearTimeout(timer)
          resolve(how)
        })
      })
    })
    this.#alive = false
    this.#spec.printed.end()
    this.#watchAgent.destroy()
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    return this.#cause(exit)
  }

  #cause(exit: string): Error {
    if (this.#exited !== undefined) return this.#diedOf('agent_crashed', `called ${this.#exited}`)
    if (this.#condemned) return this.#diedOf(this.#condemned.code, `was killed: ${this.#condemned.why}`)
    if (this.#stopping) return new Error(`the process of ${this.#spec.name} was stopped`)
    const allowed = { heap_mib: heapMib(this.#spec), memory_mib: this.#spec.memory_bytes / 2 ** 20 }
    return this.#diedOf('agent_crashed', `${exit}${this.#memory.why(this.#child.signalCode, allowed)}`)
  }

  #diedOf(code: AgentProcessDied['code'], what: string): AgentProcessDied {
    const message = `the process of ${this.#spec.name} ${what}.${this.#lastOutput()}`
    return new AgentProcessDied(code, message, this.#spec.itemsOpen())
  }

  #lastOutput(): string {
    const log = this.#log.tail(LOG_CHARACTERS)
    return log ? `\nIts last output:\n${log}` : ' It had written no output.'
  }

  #ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#watchAgent, socketPath: this.#watchSocket, path: '/ping' }
      const request = http.get(options, response => {
        response.resume()
        response.once('end', resolve)
        response.once('error', reject)
      })
      request.once('error', reject)
    })
  }
}

/** V8's own limit: a heap that reaches it ends with V8's words for that, which are reported. */
const heapMib = ({ memory_bytes }: ProcessSpec) =>
  Math.floor((memory_bytes * LIMITS.agent_heap_of_memory) / 2 ** 20)

/** A full disk is no fault of an item: all wait until there is room again. */
function noRoom(error: unknown): never {
  if (diskFull(error, '') === undefined) throw error
  throw new NotSent('the disk of the runtime has no room for a process of the agent', { cause: error })
}
