// Waits, between two polls or for other work to go first. Guarantee: an abort ends the wait between polls at once and
// leaves no timer or listener behind.

/** Resolves after the time, or when the signal is aborted. */
export function pause(ms: number, stop?: AbortSignal): Promise<void> {
  if (stop?.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      stop?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    stop?.addEventListener('abort', end)
  })
}

/** Lets everything go first that is ready to run now, with what it writes to sockets. */
export const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
