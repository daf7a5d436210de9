// @items: methods of an agent that make the items of a run. Guarantee: a generator makes no more values than its reader
// takes; its answer ends with one last line, which gives the number of items or the error.

import { LIMITS } from '../kernel/limits.ts'
import { liveHeaders } from '../kernel/live-answer.ts'
import { type GeneratorOccurrence, type GeneratorRequest, NDJSON } from '../protocol/rules/protocol.ts'
import { TRIGGER_NAME } from '../triggers/vocabulary.ts'
import { DecoratorTargetError, DecoratorValidationError, Interrupt, messageOf, partsOf } from './errors.ts'
import { shorten } from './item-lines.ts'
import { isLongerThan, jsonOf } from './payload.ts'

/** The first argument of a generator. */
export interface ItemsContext {
  /** Aborts when nobody reads the items any more; pass it to every call that may take long. */
  readonly signal: AbortSignal
}

/** The second argument of a generator: the start it makes items for. */
export type Occurrence = GeneratorOccurrence

type Generator = (ctx: ItemsContext, occurrence: Occurrence) => AsyncIterable<unknown> | Iterable<unknown>

// Symbol.for, not Symbol: a bundle may hold this module twice.
const IS_GENERATOR = Symbol.for('assay.items')

/**
 * Makes a method a source of items, for schedules and triggers that name it: each value it yields is the input of one
 * item. No item starts before the method has returned. If it throws, nothing is started, its message is reported, and
 * it is called again from its start. The next value is requested only when earlier ones were taken, so it may yield any
 * number of values.
 *
 * @throws DecoratorTargetError when it decorates anything but a public instance method
 * @throws DecoratorValidationError when the method's name is not allowed for a source
 * @example
 * @items async *tickets(ctx: ItemsContext, { date }: Occurrence) {
 *   for await (const ticket of openTickets(date, ctx.signal)) yield ticket
 * }
 */
export function items<This, Method extends Generator>(
  method: Method,
  context: ClassMethodDecoratorContext<This, Method>,
): void {
  if (context?.kind !== 'method' || context.static || context.private)
    throw new DecoratorTargetError('@items stands on a public method of the agent, such as async *tickets()')
  const name = String(context.name)
  if (typeof context.name !== 'string' || !TRIGGER_NAME.test(name))
    throw new DecoratorValidationError('@items', 'name', `${name}: it must match ${TRIGGER_NAME.source}`)
  Object.defineProperty(method, IS_GENERATOR, { value: true })
}

/** The names of a class's generators, including inherited ones. */
export function generatorsOf(target: { prototype: object }): string[] {
  const names = new Set<string>()
  for (let at = target.prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && IS_GENERATOR in value) names.add(name)
  return [...names]
}

const HEADERS = liveHeaders(NDJSON)
const HEARTBEAT = '{"type":"heartbeat"}\n'
const encoder = new TextEncoder()

/** The streamed answer to a request for items. The class must have the generator. */
export function itemsResponse(
  construct: new () => unknown,
  { generator, occurrence }: GeneratorRequest,
): Response {
  const over = new AbortController()
  const lines = new ItemLines(() => {
    const instance = new construct() as Record<string, Generator>
    return instance[generator]!({ signal: over.signal }, occurrence)
  })
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(encoder.encode(await lines.next()))
      if (lines.ended) controller.close()
    },
    cancel() {
      over.abort(new Interrupt('nobody waits for the items any more'))
      return lines.stop()
    },
  })
  return new Response(body, { headers: HEADERS })
}

type Step = IteratorResult<unknown> | Promise<IteratorResult<unknown>>

class ItemLines {
  ended = false
  readonly #begin: () => AsyncIterable<unknown> | Iterable<unknown>
  #iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined
  /** The value being made; a heartbeat sent meanwhile does not request another. */
  #step: Step | undefined
  #items = 0

  constructor(begin: () => AsyncIterable<unknown> | Iterable<unknown>) {
    this.#begin = begin
  }

  /** The lines made within one heartbeat interval, up to a bound; a heartbeat line if there are none. */
  async next(): Promise<string> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const beat = new Promise<undefined>(resolve => {
      timer = setTimeout(resolve, LIMITS.agent_heartbeat_ms, undefined)
    })
    let text = ''
    try {
      this.#iterator ??= iteratorOf(this.#begin())
      while (text.length < LIMITS.generator_piece_characters) {
        this.#step ??= this.#iterator.next()
        const step = await Promise.race([this.#step, beat])
        if (step === undefined) return text || HEARTBEAT
        this.#step = undefined
        if (step.done) return text + this.#last(`{"type":"end","items":${this.#items}}`)
        text += this.#line(step.value)
      }
      return text
    } catch (error) {
      void this.stop()
      const code = partsOf(error).code ?? 'agent_error'
      const message = shorten(messageOf(error))
      return text + this.#last(`{"type":"error","error":${JSON.stringify({ code, message })}}`)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Lets the generator close what it holds open. */
  async stop(): Promise<void> {
    try {
      await this.#iterator?.return?.()
    } catch {} // nobody reads its error any more
  }

  #line(value: unknown): string {
    const what = `item ${++this.#items}`
    const input = jsonOf(value, what)
    if (input === undefined) throw new TypeError(`${what} is undefined: yield a JSON value`)
    if (isLongerThan(input, LIMITS.item_input_bytes))
      throw new RangeError(`${what} is longer than ${LIMITS.item_input_bytes} bytes`)
    return `{"type":"item","input":${input}}\n`
  }

  #last(line: string): string {
    this.ended = true
    return `${line}\n`
  }
}

function iteratorOf(values: AsyncIterable<unknown> | Iterable<unknown>) {
  if (Symbol.asyncIterator in Object(values))
    return (values as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  if (Symbol.iterator in Object(values)) return (values as Iterable<unknown>)[Symbol.iterator]()
  throw new TypeError('a method under @items is a generator: write async *name(ctx, occurrence)')
}
