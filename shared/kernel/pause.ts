// Waits between two looks. Guarantee: an abort ends the wait at once, and nothing of it is left behind.

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
