// Keeps what agents print: in a file, or on stderr where there is none. Guarantee: it takes bounded room on the disk, in
// memory and in a second, whatever an agent prints, and secrets of the agent's environment are not in it.

import { appendFile, rename, stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { LIMITS } from '../../shared/kernel/limits.ts'
import type { Mask } from '../../shared/kernel/masking.ts'
import { logWithoutContext } from '../node/log.ts'

/** Who prints: the agent's name as people know it, and the deployment. */
export interface Printing {
  agent: string
  deployment_id: string
  mask: Mask
}

/** What workerd itself says of calls that failed, which the agent has as errors. */
const OF_RUNTIME = /^stack: |^workerd\/\S+: error: e = /

/** Takes lines of many processes. */
export class AgentConsole {
  readonly #file: string | undefined
  #waiting = ''
  #writing: Promise<void> | undefined

  constructor(file: string | undefined) {
    this.#file = file
  }

  line(printing: Printing, text: string): void {
    const { agent, deployment_id } = printing
    if (this.#file === undefined)
      return logWithoutContext('info', 'agent_printed', { agent, deployment_id, text })
    const line = `${new Date().toISOString()} ${agent} (${deployment_id}): ${text}\n`
    // A disk that takes nothing must not fill the memory.
    if (this.#waiting.length + line.length > LIMITS.agent_log_waiting_bytes) return
    this.#waiting += line
    this.#writing ??= this.#write(this.#file).finally(() => {
      this.#writing = undefined
    })
  }

  /** Resolves when what was printed is written. */
  async flush(): Promise<void> {
    await this.#writing
  }

  async #write(file: string): Promise<void> {
    while (this.#waiting !== '') {
      const text = this.#waiting
      this.#waiting = ''
      try {
        const { size } = await stat(file).catch(() => ({ size: 0 }))
        if (size + text.length > LIMITS.agent_log_file_bytes) await rename(file, `${file}.1`)
        await appendFile(file, text, { mode: 0o600 })
      } catch {
        // A full disk: what agents print is the first that may be lost.
      }
    }
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
