// What an agent's run() is given: the item it works on, steps, and the ways to end other than returning.

import type { ModelAnswer } from '../protocol/rules/protocol.ts'
import type { Recorded } from './stream.ts'

export interface ModelCallOptions<Response> {
  /**
   * Says what an answer came to, for a provider whose answers Assay does not know: its words, how it ended, its tokens.
   * Goes before what is read from the answer itself.
   *
   * @example
   * await ctx.llm('classify', request, callInHouse, {
   *   read: answer => ({ text: answer.says, finish: answer.cut ? 'length' : 'stop', usage: { input_tokens: answer.in, output_tokens: answer.out } }),
   * })
   */
  read?: (answer: Response) => ModelAnswer
}

/** Who the item is. The names are those of the item's record. */
export interface ItemIdentity {
  /** The customer's own id. */
  readonly item_id: string
  /** For example a tenant; null when the submission named none. */
  readonly partition_key: string | null
  /** Counts from 1; a later attempt finds the steps of the earlier ones recorded. */
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
 * The hands of an agent. Steps are recorded as they end; when the item runs again, a recorded step gives back its
 * output without running, so it is never paid for twice.
 *
 * A step is found again by its key: its name, with `#2`, `#3` … for repeats in the order of the calls. Call steps
 * in an order that depends on the input and on earlier steps only.
 */
export interface Context {
  readonly item: ItemIdentity
  /** Money left for this item when the attempt began, in millionths of a dollar; null when there is no fence. */
  readonly budget: { readonly left_micro: number | null }
  /** Fires when the item's time is up or nobody waits for it any more; hand it to whatever takes long. */
  readonly signal: AbortSignal
  /**
   * The attempt's span as W3C writes it, where Assay exports traces: send it on as the header `traceparent`, or start
   * your own spans below it.
   */
  readonly traceparent: string | undefined

  /**
   * Runs and records any piece of work whose result is JSON.
   *
   * @throws whatever `fn` throws; uncaught, the item fails with `step_error`
   * @example
   * const pages = await ctx.step('split', () => splitIntoPages(input.document))
   */
  step<T>(name: string, fn: () => T | PromiseLike<T>): Promise<T>

  /**
   * Runs and records a call of a model. Return the provider's response unchanged: tokens, cost, refusals and truncation
   * are read from it. A stream is read to its end: of those that OpenAI's and Anthropic's clients put together
   * (`.stream()`) the whole answer is recorded and given, of others the list of their pieces.
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
    options?: ModelCallOptions<Recorded<Response>>,
  ): Promise<Recorded<Response>>

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
  ): Promise<Output>

  /**
   * Marks the item's result as not good enough and goes on: the item completes, with the verdict `degraded`.
   *
   * @example
   * if (confidence < 0.5) ctx.degrade(`low confidence: ${confidence}`)
   */
  degrade(reason: string): void

  /**
   * Stops the item until a person decides; it waits in quarantine. When the person resumes it, `run()` starts
   * over with its steps recorded, and this call returns.
   *
   * @throws a signal that ends `run()`: let it pass
   * @example
   * if (amount > 10_000) await ctx.hold('refunds above 10,000 need a second pair of eyes')
   */
  hold(reason: string): Promise<void>
}
