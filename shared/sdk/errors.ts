// Errors of agents and of their decorators, and the signal with which the SDK ends an item early.

import type { StepKind } from '../items/vocabulary.ts'

/**
 * An error that says how the item fails.
 *
 * `code` becomes the item's `error_code`. The default is the code of the step that failed, such as `tool_call_error`,
 * else `agent_error`. After an error the item is retried while the agent's declared `retries` last; steps that
 * succeeded do not run again. Set `retryable: false` if another attempt would fail the same way.
 *
 * @example
 * throw new ItemError('this order was deleted', { code: 'order_deleted', retryable: false })
 */
export class ItemError extends Error {
  readonly code: string | undefined
  readonly retryable: boolean | undefined
  constructor(message: string, options: { code?: string; retryable?: boolean; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'ItemError'
    this.code = options.code
    this.retryable = options.retryable
  }
}

/** An option of a decorator is wrong; `field` names it. Thrown when the class is declared. */
export class DecoratorValidationError extends Error {
  readonly code = 'DecoratorValidationError'
  readonly field: string
  constructor(decorator: string, field: string, message: string) {
    super(`${decorator} ${field}: ${message}`)
    this.name = 'DecoratorValidationError'
    this.field = field
  }
}

/** A decorator is in a place where it cannot be, or a class that should be an agent lacks `@agent`. */
export class DecoratorTargetError extends Error {
  readonly code = 'DecoratorTargetError'
  constructor(message: string) {
    super(message)
    this.name = 'DecoratorTargetError'
  }
}

/**
 * Thrown by the context to leave `run()` when the item is over or continues later. Code that catches it changes
 * nothing: the next call of the context throws it again, and the item ends as decided.
 */
export class Interrupt extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Interrupt'
  }
}

const CAUSES_TOLD = 4

/** The message of any thrown value and of its causes: clients of providers put the real problem into the cause. */
export function messageOf(error: unknown): string {
  if (error instanceof ItemError) return error.message
  if (error instanceof Error) {
    let told = error.message || error.name
    let { cause } = error
    for (let depth = 0; cause instanceof Error && depth < CAUSES_TOLD; depth++, cause = cause.cause)
      if (!told.includes(cause.message)) told = `${told.replace(/\.$/, '')}: ${cause.message}`
    return told
  }
  if (typeof error === 'string') return error
  try {
    return JSON.stringify(error) ?? String(error)
  } catch {
    return String(error)
  }
}

/**
 * Whether a model provider's error blames the request itself, so that a retry is useless. The clients of OpenAI and
 * Anthropic put the HTTP status on their errors.
 */
export function isRejection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('status' in error)) return false
  const { status } = error
  return typeof status === 'number' && status >= 400 && status < 500 && ![408, 409, 429].includes(status)
}

export type StepErrorCode = 'llm_call_error' | 'tool_call_error' | 'step_error'

const STEP_ERRORS: Partial<Record<StepKind, StepErrorCode>> = {
  llm_call: 'llm_call_error',
  tool_call: 'tool_call_error',
}

/** The error code of a step that threw, by the step's kind. */
export const stepErrorOf = (kind: StepKind): StepErrorCode => STEP_ERRORS[kind] ?? 'step_error'
