// Keeps the heap small, and returns heap memory to the system. Guarantee: it returns memory only after a mostly idle
// interval in which the heap grew, because the collection stops the process for 60 to 150 ms.

import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MiB } from '../../shared/kernel/limits/bytes.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

/** The event loop utilization below which a process counts as idle; the ticks of an idle process take 1 to 2 %. */
const AT_REST = 0.05
/** Less growth than this is not worth a collection: an idle process grows by as much in about a minute. */
const WORTH_BYTES = 8 * MiB

/**
 * Lets the heap grow by as much as is live before a garbage collection. By default V8 lets it grow to four times that:
 * a run of 300,000 items took 480 MB, of which 65 were live. By half of it, collections took a third of the time.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
}

/**
 * Collects garbage and returns memory. V8 itself keeps for long what the heap grew to while loading or under load. Not
 * taken: a plain collection, which stops the process for half as long, since an idle process then keeps some 10 MB more.
 */
export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/**
 * Returns memory after each load, once the process has been idle for a while, and what its ticks have left since, until
 * the returned function is called.
 */
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
