// Keeps the heap small, and gives memory of it back to the system. Guarantee: the latter only where hardly anything was to do
// for a while and much came together since, since it stops the process for the time of a collection, 60 to 150 ms.

import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MiB } from '../../shared/kernel/limits/bytes.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

/** Of the event loop's time, in use; the ticks of an idle process take 1 to 2 %. */
const AT_REST = 0.05
/** What is less than that is not worth a collection. */
const WORTH_BYTES = 16 * MiB

/**
 * Lets the heap grow by half of what is alive before garbage is collected. V8 by itself lets it grow to four times that: a
 * run of 300,000 items came to 480 MB, of which 65 were alive, and comes to 340.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50')
}

/** V8 by itself keeps for long what the heap grew to while modules were loaded, or under load. */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Gives back after each load, once nobody has been at work for a while, until the returned function is called. */
export function giveBackAtRest(): () => void {
  let before = performance.eventLoopUtilization()
  let kept = 0
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const { heapUsed } = process.memoryUsage()
    if (utilization > AT_REST || heapUsed < kept + WORTH_BYTES) return
    giveBackMemory()
    kept = process.memoryUsage().heapUsed
  }, LIMITS.heap_look_ms)
  timer.unref()
  return () => clearInterval(timer)
}
