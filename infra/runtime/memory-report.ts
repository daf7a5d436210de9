// Recognises that a process ended because memory ran out: its heap, what it may have in all, or that of the machine.
// Guarantee: text that an agent prints can make its own death look so, and nothing else.

import { readFileSync } from 'node:fs'

/** V8's words, and those of the allocators of workerd. */
const OF_HEAP = 'Reached heap limit'
const OF_PROCESS =
  /Fatal process out of memory|tcmalloc: allocation failed|memory allocation of \d+ bytes failed|std::bad_alloc/
/** Longer than any of these words: a pipe may cut the output anywhere. */
const REST_CHARACTERS = 60

export class MemoryReport {
  #rest = ''
  #lacked: 'heap' | 'memory' | undefined
  #kills = oomKills()

  /** Reads what the process writes about errors. */
  read(chunk: Buffer): void {
    const text = this.#rest + chunk.toString('latin1')
    this.#rest = text.slice(-REST_CHARACTERS)
    if (text.includes(OF_HEAP)) this.#lacked = 'heap'
    else if (OF_PROCESS.test(text)) this.#lacked ??= 'memory'
  }

  /** Notes how often the kernel had ended a process for memory; call it at intervals. */
  look(): void {
    this.#kills = oomKills()
  }

  /** What the end was for, as part of a sentence; empty if not for memory. */
  why(signal: NodeJS.Signals | null, allowed: { heap_mib: number; memory_mib: number }): string {
    if (this.#lacked === 'heap') return `: it needed more than ${allowed.heap_mib} MiB of heap`
    if (this.#lacked === 'memory') return `: it needed more than ${allowed.memory_mib} MiB of memory`
    return signal === 'SIGKILL' && oomKills() > this.#kills ? ': the machine ran out of memory' : ''
  }
}

/** How many processes the kernel has ended for memory, in any container; 0 where it does not say. */
function oomKills(): number {
  try {
    return parseOomKills(readFileSync('/proc/vmstat', 'latin1'))
  } catch {
    return 0
  }
}

export const parseOomKills = (vmstat: string): number => Number(/^oom_kill (\d+)$/m.exec(vmstat)?.[1] ?? 0)
