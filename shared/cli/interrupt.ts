// Turns Ctrl-C into an abort signal. Guarantee: the first one aborts the work in good order, a second one ends the
// process.

let interrupt: AbortController | undefined

/** The signal of the work that Ctrl-C aborts; undefined while it ends the process. */
export const interruption = (): AbortSignal | undefined => interrupt?.signal

export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController()
  interrupt = own
  const stop = () => own.abort()
  process.once('SIGINT', stop)
  try {
    return await work(own.signal)
  } finally {
    process.off('SIGINT', stop)
    interrupt = undefined
  }
}
