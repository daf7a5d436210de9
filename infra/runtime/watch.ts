// Distinguishes a hung process from a busy one by the CPU time used while a ping stays unanswered. Guarantee: a
// shortage of CPU, or a delayed watcher, does not condemn a process.

import { readFileSync } from 'node:fs'

export interface ProcessUsage {
  cpu_ms: number
  rss_bytes: number
}

const CLOCK_TICKS_PER_SECOND = 100 // USER_HZ, the same on every Linux architecture Node runs on

/** Without /proc, ten seconds of wall-clock time count as one second of CPU, and memory is unknown. */
const WALL_PER_CPU = 10

/** Returns what a process has used so far, or undefined when it has ended. */
export function readUsage(pid: number): ProcessUsage | undefined {
  if (process.platform !== 'linux') return { cpu_ms: performance.now() / WALL_PER_CPU, rss_bytes: 0 }
  try {
    return parseUsage(
      readFileSync(`/proc/${pid}/stat`, 'latin1'),
      readFileSync(`/proc/${pid}/status`, 'latin1'),
    )
  } catch {
    return
  }
}

export function parseUsage(stat: string, status: string): ProcessUsage {
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  return { cpu_ms: (ticks * 1000) / CLOCK_TICKS_PER_SECOND, rss_bytes: kilobytes * 1024 }
}

export interface WatchBounds {
  cpu_without_pong_ms: number
  memory_bytes: number
}

export type Condemned = { code: 'agent_crashed' | 'agent_unresponsive'; why: string }

/** Watches one process: call `look` at intervals; `condemn` is called at most once. */
export class Watch {
  readonly #bounds: WatchBounds
  readonly #ping: () => Promise<void>
  readonly #condemn: (why: Condemned) => void
  #unanswered: { since_cpu_ms: number } | undefined
  #condemned = false

  constructor(bounds: WatchBounds, ping: () => Promise<void>, condemn: (why: Condemned) => void) {
    this.#bounds = bounds
    this.#ping = ping
    this.#condemn = condemn
  }

  look(usage: ProcessUsage): void {
    const { cpu_without_pong_ms, memory_bytes } = this.#bounds
    if (usage.rss_bytes > memory_bytes) {
      const used = Math.round(usage.rss_bytes / 2 ** 20)
      const why = `it used ${used} MiB of memory; ${Math.round(memory_bytes / 2 ** 20)} MiB are allowed`
      this.#end({ code: 'agent_crashed', why })
      return
    }
    const ping = this.#unanswered
    if (!ping) {
      this.#send(usage)
      return
    }
    const used_ms = usage.cpu_ms - ping.since_cpu_ms
    if (used_ms <= cpu_without_pong_ms) return
    // A pong may already wait in a socket that this process was too busy to read, so check again after the next poll.
    setImmediate(() => {
      if (this.#unanswered !== ping) return
      const why = `it used ${Math.round(used_ms)} ms of CPU without answering a ping (an endless loop?)`
      this.#end({ code: 'agent_unresponsive', why })
    })
  }

  #send(usage: ProcessUsage): void {
    this.#unanswered = { since_cpu_ms: usage.cpu_ms }
    const settled = () => {
      this.#unanswered = undefined
    }
    this.#ping().then(settled, settled)
  }

  #end(why: Condemned): void {
    if (this.#condemned) return
    this.#condemned = true
    this.#condemn(why)
  }
}
