// How a process of one function ends. Knative sends the signal after the last request was drained, so the process ends
// at once. The watchdog of OpenFaaS sends it first, goes on passing requests, and fails when its process leaves early:
// there the process stays until the watchdog ends with it.

import { errorText } from '../../shared/kernel/error-text.ts'
import { endOf } from '../local/exit-error.ts'
import { tell } from './log.ts'

/** A start that failed: one line of the log, of a person's own words where a person can mend it; see REFUSED. */
export function endStart(error: unknown): never {
  const { line, code } = endOf(error)
  tell('error', code === 1 ? 'start_failed' : 'start_refused', { error: line })
  process.exit(code)
}

/** Sysexits calls it an internal software error. */
export const CRASHED = 70

/**
 * What nobody caught leaves the process in a state that nobody knows: it ends, with one line and without the code around
 * it. The driver of PostgreSQL throws one when a session is cut between two statements (porsager/postgres#1208).
 */
export function endOnCrash(): void {
  process.on('uncaughtException', error => {
    tell('error', 'crashed', { error: errorText(error) })
    process.exit(CRASHED)
  })
}

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
