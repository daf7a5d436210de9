// What failed in the steps of one item. Guarantee: an error that leaves run() has the code it was thrown with, else that
// of the first step it failed in, however often it was wrapped since.

import type { StepKind } from '../items/vocabulary.ts'
import type { ItemError as WireError } from '../protocol/rules/protocol.ts'
import { ItemError, isRejection, messageOf, type StepErrorCode, stepErrorOf } from './errors.ts'

/** An error is wrapped less often than this; who makes a circle of causes is let go of here. */
const CAUSES = 8

export class StepFailures {
  /** In the order in which they came: an error may pass through several steps. */
  #failures: { error: unknown; code: StepErrorCode; rejected: boolean }[] = []

  add(error: unknown, kind: StepKind): void {
    const rejected = kind === 'llm_call' && isRejection(error)
    this.#failures.push({ error, code: stepErrorOf(kind), rejected })
  }

  /** What is told of an uncaught error. */
  wireError(error: unknown): WireError {
    const wire: WireError = { code: 'agent_error', message: messageOf(error) }
    let own: string | undefined
    let retryable: boolean | undefined
    let cause: unknown = error
    for (let depth = 0; depth < CAUSES && cause !== undefined; depth++) {
      if (cause instanceof ItemError) {
        own ??= cause.code
        retryable ??= cause.retryable
      }
      const failure = this.#failures.find(entry => entry.error === cause)
      if (failure) {
        own ??= failure.code
        if (failure.rejected) retryable ??= false
      }
      cause = cause instanceof Error ? cause.cause : undefined
    }
    if (own !== undefined) wire.code = own
    if (retryable !== undefined) wire.retryable = retryable
    return wire
  }
}
