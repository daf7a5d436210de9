// The decorator @agent, which stores a class's declaration for the deploy. Guarantee: the options of a class that has a
// declaration have passed every check.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { LIMITS } from '../kernel/limits.ts'
import type { AgentDeclaration, DeclaredSchedule, DeclaredTrigger } from '../protocol/rules/protocol.ts'
import { type AgentOptions, type AnySchema, checkOptions } from './agent-options.ts'
import type { Context } from './context.ts'
import { DecoratorTargetError, DecoratorValidationError } from './errors.ts'
import { generatorsOf } from './generator.ts'

/** A class that `@agent` can decorate. */
export type AgentClass<Input = never, Output = unknown> = new () => {
  run: (ctx: Context, input: Input) => Output | PromiseLike<Output>
}

/** What the SDK stores about a decorated class. */
export interface Registration {
  options: AgentOptions
  declaration: AgentDeclaration
  /** In the order of the source code. */
  schedules: DeclaredSchedule[]
  triggers: DeclaredTrigger[]
}

// Symbol.for, not Symbol: a bundle may hold this module twice and must still recognise its own agent.
const REGISTRATION = Symbol.for('assay.agent')

/**
 * Declares a class to be an agent. Items run concurrently, each on its own instance of the class; put anything they
 * share (a cache, a connection pool) in a module variable.
 *
 * @throws DecoratorValidationError naming the option that is wrong
 * @example
 * @agent({ name: 'Ticket triage', timeoutSeconds: 60, retries: 1, input: Ticket, output: Verdict })
 * export default class TicketTriage {
 *   async run(ctx: Context, ticket: z.infer<typeof Ticket>) { ... }
 * }
 */
export function agent<In extends AnySchema = AnySchema, Out extends AnySchema = AnySchema>(
  options: AgentOptions<In, Out>,
) {
  checkOptions(options)
  return <C extends AgentClass<StandardSchemaV1.InferOutput<In>, StandardSchemaV1.InferInput<Out>>>(
    target: C,
    context: ClassDecoratorContext<C>,
  ): void => {
    if (context?.kind !== 'class') {
      throw new DecoratorTargetError(
        '@agent stands on a class and needs standard decorators: remove experimentalDecorators from tsconfig.json',
      )
    }
    if (ownRegistration(target) !== undefined) {
      throw new DecoratorTargetError(`@agent stands on class ${target.name} twice`)
    }
    if (typeof target.prototype?.run !== 'function') {
      throw new DecoratorValidationError(
        '@agent',
        'run',
        `class ${target.name} needs a method run(ctx, input)`,
      )
    }
    const generators = generatorsOf(target)
    if (generators.length > LIMITS.agent_generators)
      throw new DecoratorValidationError('@items', 'name', `there are more than ${LIMITS.agent_generators}`)
    const declaration = { ...declare(options), ...(generators.length > 0 && { generators }) }
    const value: Registration = { options, declaration, schedules: [], triggers: [] }
    Object.defineProperty(target, REGISTRATION, { value })
  }
}

function ownRegistration(target: unknown): Registration | undefined {
  return typeof target === 'function' && Object.hasOwn(target, REGISTRATION)
    ? (target as unknown as Record<symbol, Registration>)[REGISTRATION]
    : undefined
}

/** The registration to which a decorator above `@agent` adds; `@agent` has run by then. @throws DecoratorTargetError */
export function registrationAbove(decorator: string, target: unknown): Registration {
  const registration = ownRegistration(target)
  if (registration !== undefined) return registration
  throw new DecoratorTargetError(
    `${decorator} stands above @agent({ name: '…' }) on the same class: decorators run from the bottom up, and there is no @agent below this one`,
  )
}

/** What `@agent` stored about this class itself, not about a class it extends. @throws DecoratorTargetError */
export function registrationOf(target: unknown): Registration {
  const registration = ownRegistration(target)
  if (registration !== undefined) return registration
  const what = typeof target === 'function' ? `class ${target.name || '(anonymous)'}` : `a ${typeof target}`
  throw new DecoratorTargetError(`${what} is not an agent: put @agent({ name: '…' }) above the class`)
}

/**
 * The declaration of a decorated class, in the format of a deployment.
 *
 * @throws DecoratorTargetError when `@agent` does not stand on the class
 * @example
 * declarationOf(TicketTriage) // { name: 'Ticket triage', timeout_seconds: 60, retries: 1, input_schema: {…} }
 */
export function declarationOf(target: unknown): AgentDeclaration {
  const { options, declaration, schedules, triggers } = registrationOf(target)
  const input = jsonSchemaOf(options.input, 'input')
  const output = jsonSchemaOf(options.output, 'output')
  return {
    ...declaration,
    ...(input !== undefined && { input_schema: input }),
    ...(output !== undefined && { output_schema: output }),
    ...(schedules.length > 0 && { schedules }),
    ...(triggers.length > 0 && { triggers }),
  }
}

function declare(options: AgentOptions): AgentDeclaration {
  const declaration = {
    name: options.name,
    description: options.description,
    item_budget_cents: options.itemBudgetCents,
    on_budget: options.onBudget,
    refusals: options.refusals,
    checks: options.checks,
    language: options.language,
    max_steps: options.maxSteps,
    concurrency: options.concurrency,
    timeout_seconds: options.timeoutSeconds,
    step_seconds: options.stepSeconds,
    retries: options.retries,
    max_consecutive_failures: options.maxConsecutiveFailures,
    patience_seconds: options.patienceSeconds,
    first_byte_seconds: options.firstByteSeconds,
    limits: options.limits?.map(({ inFlight, ...limits }) => ({ ...limits, in_flight: inFlight })),
    wait: options.wait,
    network: options.network,
    models: options.models,
    model_calls: options.modelCalls,
    schedule_input: options.scheduleInput,
  }
  return JSON.parse(JSON.stringify(declaration)) as AgentDeclaration
}

/**
 * A schema as JSON Schema; undefined if its library cannot express it, since some types (a Date) have no such form.
 * Both are what is sent: the input side of what a submitter sends, the output side of what run() returned.
 */
function jsonSchemaOf(schema: AnySchema | undefined, side: 'input' | 'output'): unknown {
  const standard = schema?.['~standard'] as Partial<StandardJSONSchemaV1.Props> | undefined
  try {
    return standard?.jsonSchema?.[side]({ target: 'draft-2020-12' })
  } catch {
    return undefined
  }
}
