// How a process of one function ends. Knative sends the signal after the last request was drained, so the process ends
// at once. The watchdog of OpenFaaS sends it first, goes on passing requests, and fails when its process leaves early:
// there the process stays until the watchdog ends with it.

/** `onStop` is called at the first signal, `close` before the process exits. */
export function endOnSignal({ onStop, close }: { onStop?: () => void; close(): Promise<void> }): void {
  const underWatchdog = process.env.fprocess !== undefined // set for whoever the watchdog starts
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      onStop?.()
      if (underWatchdog) return
      await close()
      process.exit(0)
    })
  }
}
