// Ends a process of one function. Knative sends the signal after it has drained the last request, so the process ends
// at once. The watchdog of OpenFaaS sends it first, continues to pass requests, and fails if its process exits early:
// there the process stays until the watchdog ends with it.

import { errorText } from '../../shared/kernel/error-text.ts'
import { endOf } from '../local/exit-error.ts'
import { guardOutput } from './guarded-output.ts'
import { logWithoutContext } from './log.ts'

/**
 * Ends a failed start with one log line; where a person can fix the cause, the line says how and the code is REFUSED.
 */
export function endStart(error: unknown): never {
  const { line, code } = endOf(error)
  logWithoutContext('error', code === 1 ? 'start_failed' : 'start_refused', { error: line })
  process.exit(code)
}

/** The exit code of sysexits for an internal software error. */
export const CRASHED = 70

/**
 * Ends the process on an uncaught error, which leaves it in an unknown state, with one log line and without a code
 * excerpt. The PostgreSQL driver throws such an error when a session is cut between two statements
 * (porsager/postgres#1208).
 */
export function endOnCrash(): void {
  guardOutput() // a line that cannot be printed is no crash
  process.on('uncaughtException', error => {
    logWithoutContext('error', 'crashed', { error: errorText(error) })
    process.exit(CRASHED)
  })
}

/** `onStop` is called at the first signal, `close` before the process exits. */
export function endOnSignal({ onStop, close }: { onStop?: () => void; close(): Promise<void> }): void {
  const underWatchdog = process.env.fprocess !== undefined // the watchdog sets it for the processes it starts
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      onStop?.()
      if (underWatchdog) return
      await close()
      process.exit(0)
    })
  }
}
