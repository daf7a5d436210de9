// Tolerates a server that does not answer for a while. Guarantee: one note says that the server is away and one that it
// is back; an error that does not pass, or lasts longer than PATIENCE_MS, is thrown.

import { asFailure } from './api.ts'
import { isPassing } from './failure.ts'
import type { Session } from './session.ts'

const PATIENCE_MS = 120_000

export interface Outage {
  /** Notes a failed request. @throws the same error, if it will not pass or has lasted too long */
  failed(error: unknown): void
  over(): void
}

export function outage({ output, now }: Pick<Session, 'output' | 'now'>): Outage {
  let since: number | undefined
  return {
    failed(error) {
      const failure = asFailure(error)
      if (failure === undefined || !isPassing(failure)) throw error
      if (since === undefined)
        output.note(`${failure.message}; asking again for up to ${PATIENCE_MS / 60_000} minutes`)
      else if (now() - since > PATIENCE_MS) throw failure
      since ??= now()
    },
    over() {
      if (since !== undefined) output.note('the server is back')
      since = undefined
    },
  }
}
