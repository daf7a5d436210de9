// The context that an agent's run() gets: its item, steps, and the ways to end an item other than returning.

import type { ModelAnswer } from '../protocol/rules/protocol.ts'
import type { Kept } from './kept-types.ts'
import type { Recorded } from './stream.ts'

export interface ModelCallOptions<Response> {
  /**
   * Reads an answer of a provider that Assay does not know: its text, how it ended, its tokens. The values returned
   * here win over those that Assay reads from the answer.
   *
   * @example
   * await ctx.llm('classify', request, callInHouse, {
   *   read: answer => ({ text: answer.says, finish: answer.cut ? 'length' : 'stop', usage: { input_tokens: answer.in, output_tokens: answer.out } }),
   * })
   */
  read?: (answer: Response) => ModelAnswer
  /**
   * `false` hands a provider's refusal to the agent at once, for one that has a fallback. By default the item waits in the
   * queue until the provider serves again, and uses no declared retry.
   */
  wait?: boolean
  /**
   * Checks an answer before it is taken: returns `true`, or why not; throwing is a reason too. A refused answer is kept,
   * graded and priced as a step of its own, and the model is asked again, `asks` times at most. After that the call throws
   * an error with the code `answer_refused`.
   *
   * @example
   * await ctx.llm('classify', request, ask, {
   *   accept: answer => CATEGORIES.includes(answer.output_text) || `no such category: ${answer.output_text}`,
   *   asks: 2,
   * })
   */
  accept?: (answer: Response) => true | string | PromiseLike<true | string>
  /** How often the model is asked again, at most, when an answer is refused. The default is 1. */
  asks?: number
}

/** Identifies the item. The fields have the same names as in the item's record. */
export interface ItemIdentity {
  /** The submitter's own id of the item. */
  readonly item_id: string
  /** A correlation key, for example a tenant; null when the submission named none. */
  readonly partition_key: string | null
  /** Counts from 1. A later attempt reuses the recorded steps of earlier attempts. */
  readonly attempt: number
  readonly run_id: string
}

/**
 * Keeps the literal types of a request written in place (`role: 'user'`), so that it fits a provider's types
 * without `as const`.
 */
export type Literals =
  | ''
  | (string & {})
  | number
  | boolean
  | null
  | undefined
  | Literals[]
  | { [key: string]: Literals }

/**
 * The item of one attempt, and the calls that record its steps. A step is recorded when it ends; when the item runs
 * again, a step that succeeded returns its recorded output without running, so it is not paid for twice. Outputs over
 * 256 KiB are not kept whole: their steps run again.
 *
 * A step is found again by its key: its name, with `#2`, `#3` … for repeated calls, in call order. Let the order of
 * calls depend only on the input and on earlier steps.
 */
export interface Context {
  readonly item: ItemIdentity
  /** Budget left for this item when the attempt began, in millionths of a dollar; null if it has no budget. */
  readonly budget: { readonly left_micro: number | null }
  /** Aborts when the item's time is up or its result is no longer awaited; pass it to every call that may take long. */
  readonly signal: AbortSignal
  /**
   * The attempt's span in W3C format; undefined unless Assay exports traces. Send it on as the header `traceparent`, or
   * start your own spans below it.
   */
  readonly traceparent: string | undefined

  /**
   * Runs and records any piece of work whose result is JSON, or becomes it: every attempt gets the data and the getters of
   * what was returned, without methods; a `Date` is a text. A `Map`, a `Response` and the like are an error that says what
   * to return instead.
   *
   * @throws whatever `fn` throws; uncaught, the item fails with `step_error`
   * @example
   * const pages = await ctx.step('split', () => splitIntoPages(input.document))
   */
  step<T>(name: string, fn: () => T | PromiseLike<T>): Promise<Kept<T>>

  /**
   * Runs and records a call of a model. Return the provider's response unchanged: Assay reads tokens, cost, refusals
   * and truncation from it. A stream is read to its end. If OpenAI's or Anthropic's client assembles it (`.stream()`),
   * the whole answer is recorded and returned; from the Vercel AI SDK its results; otherwise the list of pieces.
   *
   * @throws whatever `fn` throws; uncaught, the item fails with `llm_call_error`; declared `retries` are not spent
   *   on a provider's 4xx other than 408, 409 and 429
   * @example
   * const answer = await ctx.llm('classify', { model: 'gpt-5-mini', messages }, request =>
   *   openai.chat.completions.create(request, { signal: ctx.signal }))
   */
  llm<Request extends Literals | object, Response>(
    name: string,
    request: Request,
    fn: (request: Request) => Response | PromiseLike<Response>,
    options?: ModelCallOptions<Kept<Recorded<Response>>>,
  ): Promise<Kept<Recorded<Response>>>

  /**
   * Runs and records a call of a tool: a search, a database, another service.
   *
   * @throws whatever `fn` throws; uncaught, the item fails with `tool_call_error`
   * @example
   * const order = await ctx.tool('find_order', { number: input.order }, ({ number }) => orders.find(number))
   */
  tool<Input, Output>(
    name: string,
    input: Input,
    fn: (input: Input) => Output | PromiseLike<Output>,
  ): Promise<Kept<Output>>

  /**
   * Marks the item's result as not good enough and continues: the item completes, with the verdict `degraded`.
   *
   * @example
   * if (confidence < 0.5) ctx.degrade(`low confidence: ${confidence}`)
   */
  degrade(reason: string): void

  /**
   * Pauses the item in quarantine until a person decides. When the person resumes it, `run()` starts over with its
   * recorded steps, and this call returns.
   *
   * @throws an internal error that ends `run()`: do not catch it
   * @example
   * if (amount > 10_000) await ctx.hold('refunds above 10,000 need a second pair of eyes')
   */
  hold(reason: string): Promise<void>
}
