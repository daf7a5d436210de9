// Ctrl-C as a signal. Guarantee: the first one ends what is going on in good order, a second one the process.

export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = new AbortController()
  const stop = () => interrupt.abort()
  process.once('SIGINT', stop)
  try {
    return await work(interrupt.signal)
  } finally {
    process.off('SIGINT', stop)
  }
}
