// Keeps what agents print: in a file, or on stderr where there is none. Guarantee: it takes bounded room on the disk, in
// memory and in a second, whatever an agent prints, and secrets of the agent's environment are not in it.

import { StringDecoder } from 'node:string_decoder'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Mask } from '../../shared/kernel/masking.ts'
import { AppendedFile } from '../node/appended-file.ts'
import { logWithoutContext } from '../node/log.ts'

/** Who prints: the agent's name as people know it, and the deployment. */
export interface Printing {
  agent: string
  deployment_id: string
  mask: Mask
}

/** What workerd itself says of calls that failed, which the agent has as errors. */
const OF_RUNTIME = /^stack: |^workerd\/\S+: error: e = /

const BOUNDS = {
  waiting: LIMITS.agent_log_waiting_bytes,
  bytes: LIMITS.agent_log_file_bytes,
  leftOut: (lines: number) => `${new Date().toISOString()} (${lines} lines were left out)\n`,
}

/** Takes lines of many processes. */
export class AgentConsole {
  readonly #file: AppendedFile | undefined

  constructor(path: string | undefined) {
    if (path !== undefined) this.#file = new AppendedFile(path, BOUNDS)
  }

  line(printing: Printing, text: string): void {
    const { agent, deployment_id } = printing
    if (this.#file === undefined)
      return logWithoutContext('info', 'agent_printed', { agent, deployment_id, text })
    this.#file.write(`${new Date().toISOString()} ${agent} (${deployment_id}): ${text}\n`)
  }

  /** Resolves when what was printed is written. */
  async flush(): Promise<void> {
    await this.#file?.flush()
  }
}

/** Cuts the output of one process into lines. */
export class PrintedLines {
  readonly #console: AgentConsole
  readonly #printing: Printing
  readonly #now: () => number
  readonly #decoder = new StringDecoder('utf8')
  #open = ''
  #second = 0
  #bytes = 0
  #left_out = 0

  constructor(agentConsole: AgentConsole, printing: Printing, now: () => number) {
    this.#console = agentConsole
    this.#printing = printing
    this.#now = now
  }

  push(chunk: Buffer): void {
    const lines = (this.#open + this.#decoder.write(chunk)).split('\n')
    // More than is kept of a line, so that no secret is cut before it is masked.
    this.#open = lines.pop()!.slice(0, 2 * LIMITS.agent_log_line_characters)
    for (const line of lines) this.#line(line)
  }

  /** The process has ended. */
  end(): void {
    this.#line(this.#open + this.#decoder.end())
    this.#open = ''
  }

  #line(line: string): void {
    if (line.trim() === '' || OF_RUNTIME.test(line)) return
    const second = Math.floor(this.#now() / 1000)
    if (second !== this.#second) {
      const left_out = this.#left_out
      this.#second = second
      this.#bytes = 0
      this.#left_out = 0
      if (left_out > 0) this.#console.line(this.#printing, `(${left_out} lines were left out)`)
    }
    const text = this.#printing.mask.text(line).slice(0, LIMITS.agent_log_line_characters)
    this.#bytes += text.length
    if (this.#bytes > LIMITS.agent_log_bytes_per_second) this.#left_out++
    else this.#console.line(this.#printing, text)
  }
}
