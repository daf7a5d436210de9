// Errors of agents and of their decorators, and the signal with which the SDK ends an item early. Guarantee: reading a
// thrown value, whatever it is, does not throw.

import type { StepKind } from '../items/vocabulary.ts'
import { LIMITS } from '../kernel/limits.ts'
import { ANSWER_REFUSED } from '../protocol/rules/protocol.ts'
import type { Fault } from '../upstreams/vocabulary.ts'
import { withWayOut } from './sandbox-limits.ts'

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

/** The agent's own check did not accept a model's answer, as often as it may be asked. The message has the check's reason. */
export const refusedAnswer = (reason: string): ItemError =>
  new ItemError(`the answer was not accepted: ${reason}`, { code: ANSWER_REFUSED })

/** What a model call returned, or was about to read, is no answer: an error inside of a good status, a page, no candidate. */
export class NoAnswerError extends Error {
  /** The status that it would have had, if that blames the request or the key. */
  readonly status: number | undefined
  /** What came instead. */
  readonly body: unknown
  constructor(
    { words, fault, status }: { words: string; fault: Fault; status?: number | null },
    body?: unknown,
    cause?: unknown,
  ) {
    super(words, cause === undefined ? undefined : { cause })
    this.name = 'NoAnswerError'
    this.status = status ?? STATUSES[fault]
    this.body = body
  }
}

const STATUSES: Partial<Record<Fault, number>> = { rejected: 400, refused: 401, quota: 402 }

/** What a step or an item returned has no form in JSON. It would not have one the next time either. */
export class UnkeptError extends TypeError {
  constructor(message: string) {
    super(message)
    this.name = 'UnkeptError'
  }
}

/** Reported for a thrown value that throws when it is read. */
const UNREADABLE = 'the error could not be read'

/** What is read of one thrown value, its causes aside. */
interface ErrorParts {
  /** Its message; `UNREADABLE` if there is none to read. */
  message: string
  isError: boolean
  isItemError: boolean
  /** Of an ItemError. */
  code: string | undefined
  /** Of an ItemError. */
  retryable: boolean | undefined
  /** The HTTP status that the clients of OpenAI and Anthropic put on their errors. */
  status: number | undefined
  /** Of an Error: any value again. */
  cause: unknown
}

/**
 * Reads a thrown value. An agent may throw anything: a getter, a method or a proxy's trap of it may throw in turn, and
 * return what it likes. So every part is read here, once and guarded, and has the type that it should have; a part that
 * cannot be read is missing. An item whose error threw while it was read would stay open until its time is up.
 */
export function partsOf(error: unknown): ErrorParts {
  const isError = guarded(() => error instanceof Error)
  const isItemError = isA(error, ItemError)
  const part = (name: string): unknown => guarded(() => (error as Record<string, unknown>)[name])
  const code = isItemError ? part('code') : undefined
  const retryable = isItemError ? part('retryable') : undefined
  const status = typeof error === 'object' && error !== null ? part('status') : undefined
  return {
    message: messageIn(error, isError).slice(0, READ),
    isError: isError ?? false,
    isItemError,
    code: typeof code === 'string' && code !== '' ? code : undefined,
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    status: typeof status === 'number' ? status : undefined,
    cause: isError ? part('cause') : undefined,
  }
}

/** One character more than is kept, which shows that a message is cut. */
const READ = LIMITS.error_message_characters + 1

/** Whether a value is an instance of a class; a value that cannot be asked is not. */
export const isA = <T>(value: unknown, type: abstract new (...given: never[]) => T): value is T =>
  guarded(() => value instanceof type) ?? false

function guarded<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The message of an error, else the value itself as text; of a value that hides what it is, nothing is read. */
function messageIn(error: unknown, isError: boolean | undefined): string {
  if (isError === undefined) return UNREADABLE
  const text = guarded(() => {
    if (!isError) return textOf(error)
    const { message } = error as Error
    return textOf(message || (error as Error).name || 'Error')
  })
  return text ?? UNREADABLE
}

/** A value as text; undefined if it has none that says anything. May throw. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const json = guarded(() => JSON.stringify(value))
  if (json !== undefined) return json
  const text = String(value)
  return text.startsWith('[object ') ? undefined : text
}

const CAUSES_READ = 4

/**
 * The message of any thrown value and of its causes: clients of providers put the real problem into the cause. Of what the
 * sandbox lacks it names the way out.
 */
export function messageOf(error: unknown): string {
  let { message, isItemError, cause } = partsOf(error)
  if (isItemError) return message
  const stack = guarded(() => String((error as Error).stack ?? ''))
  for (let depth = 0; depth < CAUSES_READ && cause !== undefined; depth++) {
    const next = partsOf(cause)
    if (!next.isError) break
    if (!message.includes(next.message)) message = `${message.replace(/\.$/, '')}: ${next.message}`
    cause = next.cause
  }
  return withWayOut(message, stack)
}

/** Whether a model provider's error blames the request itself, so that a retry is useless. */
export function isRejection(error: unknown): boolean {
  const { status } = partsOf(error)
  return status !== undefined && blamesRequest(status)
}

/** Whether an HTTP status blames the request itself. */
export const blamesRequest = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 409, 429].includes(status)

export type StepErrorCode = 'llm_call_error' | 'tool_call_error' | 'step_error'

const STEP_ERRORS: Partial<Record<StepKind, StepErrorCode>> = {
  llm_call: 'llm_call_error',
  tool_call: 'tool_call_error',
}

/** The error code of a step that threw, by the step's kind. */
export const stepErrorOf = (kind: StepKind): StepErrorCode => STEP_ERRORS[kind] ?? 'step_error'
