// Runs one item through an agent's run(). Guarantee: the item ends with exactly one final line, after the lines of all
// its steps, whatever run() does with the signals it gets; only the deadline cuts steps off.

import type { StepKind } from '../items/vocabulary.ts'
import { LIMITS } from '../kernel/limits.ts'
import { ANSWER_REFUSED, type ItemLine } from '../protocol/rules/protocol.ts'
import { checkAnswer, paidFor, refusalOf, withTrouble } from './accepted.ts'
import type { AgentClass, Registration } from './agent.ts'
import { CallScope, type Refusal } from './call-scope.ts'
import { within } from './calls.ts'
import { closingSeen } from './closing.ts'
import type { Context, ItemIdentity, Literals, ModelCallOptions } from './context.ts'
import {
  blamesRequest,
  Interrupt,
  ItemError,
  isA,
  messageOf,
  NoAnswerError,
  refusedAnswer,
  stepErrorOf,
} from './errors.ts'
import { answerText, type Ending, ItemLines, type OpenStep, shorten, wireOf } from './item-lines.ts'
import { kept } from './kept.ts'
import type { Kept } from './kept-types.ts'
import { ownMask } from './own-mask.ts'
import { cutText, payloadOf } from './payload.ts'
import { type Recording, Recordings } from './recordings.ts'
import { check } from './schema-check.ts'
import { SeenAnswers } from './seen-answers.ts'
import { codeOf, StepFailures } from './step-failures.ts'
import { StepKeys } from './step-keys.ts'
import { type Recorded, recorded } from './stream.ts'
import type { Upstreams } from './upstreams.ts'

type CallOptions = ModelCallOptions<unknown>

export interface Agent extends Registration {
  construct: AgentClass<unknown>
}

export class ItemRun implements Context {
  readonly item: ItemIdentity
  readonly budget: { readonly left_micro: number | null }
  readonly deadline: number
  readonly traceparent: string | undefined
  #line: ItemLine
  #lines: ItemLines
  #write: (line: string) => void
  #onEnd: () => void
  #maxSteps: number
  #yieldAt: number
  #recordings: Recordings
  #keys = new StepKeys()
  #steps = 0
  /** A step of this attempt was reported, which whoever has closed the request does not have. */
  #hasReported = false
  #openSteps = 0
  #upstreams: Upstreams | undefined
  /** Whether the agent waits for upstreams that refuse it, unless a call says otherwise. */
  #waits = true
  #first_byte_ms: number | undefined
  /** How long its calls waited for their turn; a quarter of its time is left for that. */
  #held_ms = 0
  #abort: AbortController | undefined
  #over = false
  #failures = new StepFailures()
  #degraded: string | undefined
  /** How the item will end when run() has ended, if that is decided already. */
  #decided: { message: string; line: string } | undefined
  /** The final line, held back while steps are open. */
  #final: string | undefined

  constructor(
    line: ItemLine,
    run_id: string,
    maxSteps: number,
    write: (line: string) => void,
    onEnd: () => void,
    upstreams?: Upstreams,
  ) {
    const now = Date.now()
    this.item = { item_id: line.item_id, partition_key: line.partition_key, attempt: line.attempt, run_id }
    this.budget = { left_micro: line.budget_micro }
    this.deadline = now + line.timeout_ms
    this.traceparent = line.traceparent
    this.#yieldAt = now + line.yield_ms
    this.#line = line
    this.#lines = new ItemLines(line)
    this.#maxSteps = maxSteps
    this.#write = write
    this.#onEnd = onEnd
    this.#upstreams = upstreams
    this.#recordings = new Recordings(line)
  }

  get seq(): number {
    return this.#line.seq
  }

  get over(): boolean {
    return this.#over
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#over && !this.#abort.signal.aborted) this.#abort.abort(new Interrupt('the item is over'))
    return this.#abort.signal
  }

  /** Runs the item to its end. Never rejects. */
  async execute(agent: Agent): Promise<void> {
    try {
      if (this.#line.budget_micro !== null && this.#line.budget_micro <= 0) {
        throw new ItemError('nothing is left of the budget', { code: 'budget_exceeded' })
      }
      const { input: inputSchema, output: outputSchema } = agent.options
      let input = this.#line.input
      if (inputSchema) {
        const checked = await check(inputSchema, input, 'input')
        if (checked.problem) throw new ItemError(checked.problem, { code: 'invalid_input' })
        input = checked.value
      }
      this.#waits = agent.options.wait ?? true
      const { firstByteSeconds } = agent.options
      if (firstByteSeconds !== undefined) this.#first_byte_ms = firstByteSeconds * 1000
      const output = await new agent.construct().run(this, input)
      const checked =
        outputSchema && !this.#decided ? await check(outputSchema, output, 'output') : { value: output }
      this.#end(this.#lines.result(checked.value, this.#degraded, checked.problem))
    } catch (error) {
      this.#end(this.#lines.error(this.#failures.wireError(error)))
    }
  }

  step<T>(name: string, fn: () => T | PromiseLike<T>): Promise<Kept<T>> {
    return handled(this.#perform('step', name, undefined, fn)) as Promise<Kept<T>>
  }

  llm<Request extends Literals | object, Response>(
    name: string,
    request: Request,
    fn: (request: Request) => Response | PromiseLike<Response>,
    options: ModelCallOptions<Kept<Recorded<Response>>> = {},
  ): Promise<Kept<Recorded<Response>>> {
    const call = async () => recorded(await fn(request))
    const asks = options.asks ?? (options.accept === undefined ? 0 : 1)
    const given = { ...options, asks } as CallOptions
    return handled(this.#perform('llm_call', name, request, call, given)) as Promise<Kept<Recorded<Response>>>
  }

  tool<Input, Output>(
    name: string,
    input: Input,
    fn: (input: Input) => Output | PromiseLike<Output>,
  ): Promise<Kept<Output>> {
    return handled(this.#perform('tool_call', name, input, () => fn(input))) as Promise<Kept<Output>>
  }

  degrade(reason: string): void {
    this.#checkGoingOn()
    const words = messageOf(reason) // an agent may pass the error that it caught
    this.#degraded = this.#degraded === undefined ? words : `${this.#degraded}; ${words}`
  }

  hold(reason: string): Promise<void> {
    return handled(this.#hold(reason))
  }

  // A hold is also recorded as a step, by which the next attempt knows that a person let the item pass. Both lines
  // leave together: after a crash between them, the item would pass without a person.
  async #hold(reason: string): Promise<void> {
    this.#checkGoingOn()
    const key = this.#keys.next('hold')
    if (this.#recordings.ofKey(key)) return
    const words = shorten(messageOf(reason))
    const step: OpenStep = { key, kind: 'step', name: 'hold', started: Date.now(), clock: performance.now() }
    step.input = JSON.stringify({ reason: words })
    this.#decide(`the item is on hold: ${words}`, this.#lines.hold(step, words))
  }

  /** The time is up: the item ends now, whatever run() is doing. */
  expire(): void {
    const error = new ItemError(`the attempt took longer than ${this.#line.timeout_ms} ms`, {
      code: 'step_timeout',
    })
    this.#finish(this.#lines.error({ code: 'step_timeout', message: error.message }))
    this.#abort?.abort(error)
  }

  /** Nobody awaits the item any more: it ends without a final line. */
  abandon(): void {
    if (this.#over) return
    this.#over = true
    this.#abort?.abort(new Interrupt('the request was closed'))
  }

  async #perform(
    kind: StepKind,
    name: string,
    input: unknown,
    fn: () => unknown,
    options: CallOptions = {},
  ): Promise<unknown> {
    this.#checkGoingOn()
    const key = this.#keys.next(name)
    this.#countStep(key)
    const recording = this.#recordings.ofKey(key)
    if (recording !== undefined) return recording.output
    for (let left = options.asks ?? 0; ; left--) {
      if (this.#hasReported) await closingSeen(kind)
      this.#checkGoingOn()
      const step = { key, kind, name: ownMask().text(name), started: 0, clock: 0 }
      const result = await this.#run(step, input, fn, options)
      if ('value' in result) return result.value
      if (left <= 0) throw result.refused
      this.#countStep(key)
    }
  }

  #countStep(key: string): void {
    if (++this.#steps <= this.#maxSteps) return
    const message = `the agent may take ${this.#maxSteps} steps an item; ${JSON.stringify(key)} would be one more`
    this.#decide(message, this.#lines.error({ code: 'step_limit_exceeded', message }))
  }

  /** Runs a step once. Its answer may be refused; whatever else it does not return, it throws. */
  async #run(
    step: OpenStep,
    input: unknown,
    fn: () => unknown,
    options: CallOptions,
  ): Promise<{ value: unknown } | { refused: unknown }> {
    step.started = Date.now()
    step.clock = performance.now()
    if (step.started >= this.#yieldAt)
      this.#decide('the item goes on in a later request', this.#lines.yield())
    this.#openSteps++
    const scope = this.#scope(step, options.wait)
    const answers = step.kind === 'llm_call' ? new SeenAnswers() : undefined
    try {
      // Written before the call, because agents continue to extend the same list of messages afterwards.
      step.input = payloadOf(input, 'the input', step.key)
      const offer = this.#recordings.forInput(step)
      if (offer !== undefined) return { value: this.#reuse(step, offer) }
      const running = within(scope, answers, async () => fn())
      const output = await (scope === undefined ? running : Promise.race([running, scope.left]))
      const { text, value, copy } = kept(output, `the output of step ${JSON.stringify(step.key)}`)
      if (options.read !== undefined) step.answer = answerText(copy(), options.read)
      if (answers) checkAnswer(value, step, answers)
      await scope?.end(true)
      this.#note(step, scope, answers)
      const written = text && cutText(text, value)
      const reason = options.accept && (await refusalOf(options.accept, copy()))
      if (reason === undefined) {
        this.#report(step, { output: written })
        return { value }
      }
      const refused = refusedAnswer(reason)
      this.#report(
        { ...step, key: this.#keys.refused(step.key) },
        { output: written, error: wireOf(ANSWER_REFUSED, reason) },
      )
      return { refused }
    } catch (thrown) {
      const error = withTrouble(thrown, answers?.trouble)
      await scope?.end(false)
      // What an upstream refused is no step, nor is one around it: it will be.
      if (scope?.waitsNow) this.#waitFor(scope.refusal!, step)
      if (this.#decided && isA(error, Interrupt)) throw error
      this.#note(step, scope, answers)
      return this.#failed(step, error, answers, options)
    } finally {
      this.#openSteps--
      if (this.#openSteps === 0 && this.#final !== undefined) this.#finish(this.#final)
    }
  }

  /** Reports a step that threw, with what was answered to it, each answer as a step of its own. */
  #failed(
    step: OpenStep,
    error: unknown,
    answers: SeenAnswers | undefined,
    { accept }: CallOptions,
  ): { refused: unknown } {
    const code = codeOf(error, step.kind)
    if (!isA(error, Interrupt)) this.#failures.add(error, step.kind)
    const wire = wireOf(code, messageOf(error))
    const answered = answers === undefined ? [] : paidFor(error, answers)
    const isRefused = accept !== undefined && answered.length > 0 && !isA(error, NoAnswerError)
    for (const [i, output] of answered.entries()) {
      const isLast = i === answered.length - 1 && !isRefused
      const report = { ...step, ...(!isLast && { key: this.#keys.refused(step.key) }) }
      // The bill is of all of them; each has its own in itself.
      if (answered.length > 1) delete report.billed_micro
      this.#report(report, { output: payloadOf(output, 'the answer', step.key), error: wire })
    }
    if (answered.length === 0) this.#report(step, { error: wire })
    if (isRefused) return { refused: error }
    throw error
  }

  /** The calls of a step; undefined if nothing is known about upstreams. */
  #scope(step: OpenStep, waits = this.#waits): CallScope | undefined {
    if (this.#upstreams === undefined) return undefined
    const is_model_call = step.kind === 'llm_call'
    const firstBytes = is_model_call ? this.#upstreams.firstBytesOf(step.name) : undefined
    if (firstBytes) firstBytes.declared_ms = this.#first_byte_ms
    return new CallScope({
      upstreams: this.#upstreams,
      item: `${this.item.run_id} ${this.seq}`,
      is_model_call,
      probes: this.#line.probe === true,
      waits,
      firstBytes,
      most_held_ms: Math.max(0, Math.min(LIMITS.upstream_held_ms, this.#line.timeout_ms / 4 - this.#held_ms)),
    })
  }

  /** What its calls showed; waiting for their turn is no part of the step. */
  #note(step: OpenStep, scope: CallScope | undefined, answers: SeenAnswers | undefined): void {
    step.host = answers && (answers.host ?? scope?.host)
    step.billed_micro = answers?.billed_micro()
    if (scope === undefined) return
    step.upstream = scope.seen
    step.clock += scope.held_ms
    this.#held_ms += scope.held_ms
  }

  /** The item goes on when its upstream serves again; other steps that are under way end first. */
  #waitFor({ report, status, words, retry_after_ms }: Refusal, step: OpenStep): never {
    const error = {
      code: stepErrorOf(step.kind),
      message: words,
      ...(status !== null && blamesRequest(status) && { retryable: false }),
      upstream: report,
      ...(status !== null && { status }),
      ...(retry_after_ms !== null && { retry_after_ms }),
    }
    return this.#decide(`the item waits for ${report.host}: ${words}`, this.#lines.refused(error, step))
  }

  #reuse(step: OpenStep, { output }: Recording): unknown {
    if (!this.#over) this.#write(this.#lines.reused(step))
    return output
  }

  #report(step: OpenStep, ending: Ending): void {
    this.#hasReported = true
    if (!this.#over) this.#write(this.#lines.step(step, ending))
  }

  #checkGoingOn(): void {
    if (this.#over) throw new Interrupt('the item is over')
    if (this.#decided) throw new Interrupt(this.#decided.message)
  }

  #decide(message: string, line: string): never {
    this.#decided ??= { message, line }
    throw new Interrupt(this.#decided.message)
  }

  #end(line: string): void {
    const final = this.#decided?.line ?? line
    if (this.#openSteps > 0) this.#final = final
    else this.#finish(final)
  }

  #finish(line: string): void {
    if (this.#over) return
    this.#over = true
    this.#write(line)
    this.#onEnd()
  }
}

/** A promise that nobody awaits must not end the Node process and its other items; the trace has its failure. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
