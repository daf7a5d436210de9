// Turns Ctrl-C into an abort signal. Guarantee: the first one aborts the work in good order, a second one ends the
// process.

let interrupt: AbortController | undefined
let works = 0

const stop = () => interrupt?.abort()

/** Works at the same time, or within each other, get the same signal. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (interrupt === undefined) process.once('SIGINT', stop)
  interrupt ??= new AbortController()
  works++
  try {
    return await work(interrupt.signal)
  } finally {
    works--
    if (works === 0) {
      process.off('SIGINT', stop)
      interrupt = undefined
    }
  }
}
