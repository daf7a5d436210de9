// Patience with a server that does not answer. Guarantee: it is told once that the server is away and once that it is
// back, and what does not pass, or lasts too long, is thrown.

import { asFailure } from './api.ts'
import { isPassing } from './failure.ts'
import type { Session } from './session.ts'

const PATIENCE_MS = 120_000

export interface Outage {
  /** @throws what it was given, when that will not pass */
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
