// Waits between two polls. Guarantee: an abort ends the wait at once and leaves no timer or listener behind.

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
