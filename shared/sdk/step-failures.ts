// Remembers the errors of one item's steps. Guarantee: an error that leaves run() has the code it was thrown with, else
// the code of the first step it failed in, however often it was wrapped since.

import type { StepKind } from '../items/vocabulary.ts'
import type { ItemError as WireError } from '../protocol/rules/protocol.ts'
import {
  isA,
  isRejection,
  messageOf,
  partsOf,
  type StepErrorCode,
  stepErrorOf,
  UnkeptError,
} from './errors.ts'

/** How many causes are followed: errors are wrapped less often, and a cycle of causes ends here. */
const CAUSES = 8

/** The model did well whose answer's code returned what JSON has no form for. */
export const codeOf = (error: unknown, kind: StepKind): StepErrorCode =>
  kind === 'llm_call' && isA(error, UnkeptError) ? 'step_error' : stepErrorOf(kind)

export class StepFailures {
  /** In order of time: an error may pass through several steps. */
  #failures: { error: unknown; code: StepErrorCode; rejected: boolean }[] = []

  add(error: unknown, kind: StepKind): void {
    const isUnkept = isA(error, UnkeptError)
    const rejected = isUnkept || (kind === 'llm_call' && isRejection(error))
    this.#failures.push({ error, code: codeOf(error, kind), rejected })
  }

  /** The error to report for an uncaught one: its code, its message, and whether a retry may help. */
  wireError(error: unknown): WireError {
    const wire: WireError = { code: 'agent_error', message: messageOf(error) }
    let own: string | undefined
    let retryable: boolean | undefined
    let cause: unknown = error
    for (let depth = 0; depth === 0 || (depth < CAUSES && cause !== undefined); depth++) {
      const parts = partsOf(cause)
      own ??= parts.code
      retryable ??= parts.retryable
      const failure = this.#failures.find(entry => entry.error === cause)
      if (failure) {
        own ??= failure.code
        if (failure.rejected) retryable ??= false
      }
      cause = parts.cause
    }
    if (own !== undefined) wire.code = own
    if (retryable !== undefined) wire.retryable = retryable
    return wire
  }
}
