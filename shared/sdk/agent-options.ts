// The options of @agent, and the check that each value has to pass.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { DECLARED_CHECKS, LANGUAGES, type Language, REFUSAL_CHOICES } from '../grading/vocabulary.ts'
import { LIMITS } from '../kernel/limits.ts'
import { limitsProblem, type NamedLimits, repeatedAt } from '../pacing/rules/named-limits.ts'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { DecoratorValidationError } from './errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: without a schema the author's own annotation decides
export type AnySchema = StandardSchemaV1<any, any>

/** Limits of one host: numbers with a unit (s, min, h, d), or items in flight; at least one of them. */
export interface AgentLimits extends Omit<NamedLimits, 'in_flight'> {
  /** Items of this agent in flight at the same time that need it. */
  inFlight?: number
}

/** The options of `@agent`. Only `name` is required. */
export interface AgentOptions<In extends AnySchema = AnySchema, Out extends AnySchema = AnySchema> {
  /** Up to 64 characters. The slug is made from it: lower case, spaces as dashes. */
  name: string
  description?: string
  /** Money one item may spend, in cents; fractions are allowed. */
  itemBudgetCents?: number
  /** What happens to an item that reaches its budget: `fail` (the default) or `pause`. */
  onBudget?: 'fail' | 'pause'
  /**
   * Which refusals, detected by their wording, degrade an item: `sure` ones (the default), `balanced` for suspected
   * ones too, `off` if the task is about refusals. A refusal that the provider marks always degrades the item.
   */
  refusals?: 'sure' | 'balanced' | 'off'
  /**
   * Checks of models' answers; a list replaces the defaults. For each answer: `template_leak`, `repeats`, `cut_json`,
   * `fenced_json`, `asks_back`, `cannot_look_up`, `placeholders`, `echoes_prompt`. For a whole run, reported on the run
   * only: `one_answer`, `length_jump`, `cost_jump`. The defaults are `template_leak`, `cut_json`, `length_jump` and
   * `cost_jump`; `[]` means none.
   */
  checks?: AgentDeclaration['checks']
  /**
   * The language of the answers (`en de fr es it nl pl pt tr ru zh ja ko ar`). An answer that is surely in another
   * language degrades the item, with the reason `wrong_language`.
   */
  language?: Language
  /** Maximum steps of one item, recorded ones included; the default is 200. */
  maxSteps?: number
  /** Maximum items of one run in flight at the same time. */
  concurrency?: number
  /** Maximum time of one attempt, in seconds; the default is 300. */
  timeoutSeconds?: number
  /**
   * The longest time one step takes, in seconds, if you know it. A consumer with less time left does not begin an item,
   * and the deploy warns if no consumer has enough.
   */
  stepSeconds?: number
  /** Further attempts after an error, unless the error says that it is not retryable; the default is 0. */
  retries?: number
  /** A run stops when this many items in a row have failed. */
  maxConsecutiveFailures?: number
  /** How long items wait for a provider that is away, out of credit or refuses the key, in seconds; the default is a day. */
  patienceSeconds?: number
  /**
   * How long the answer of a model call may take to begin, in seconds; then the call is given up, as one that was cut. By
   * default that is learned: four times as long as 99 of 100 answers took, at least a minute.
   */
  firstByteSeconds?: number
  /**
   * Limits that this agent keeps at its providers, such as
   * `[{ host: 'api.openai.com', credential: 'OPENAI_API_KEY', requests: '500/min' }]`. They hold for its own items; of
   * these, those that the project sets and those that answers report, the lowest counts.
   */
  limits?: AgentLimits[]
  /** `false` hands refusals of providers to the agent at once, as the option `wait` of `ctx.llm` does for one call. */
  wait?: boolean
  /**
   * Hosts the agent may call: `api.openai.com`, `127.0.0.1:8099`, `*` for the public internet, or
   * `$OPENAI_BASE_URL` for the host in that variable of the deployment's environment. The default is none.
   */
  network?: string[]
  /**
   * Models the agent calls, by their providers' names. A model without a price is reported at the deploy and refused
   * under a budget, before its first call. The agent may still call other models.
   */
  models?: string[]
  /** `none` if the agent calls no model: then its budgets hold although no call is recorded. */
  modelCalls?: 'none'
  /** Any Standard Schema (Zod, Valibot, ArkType …), checked before `run`: an item that fails it is `invalid_input`. */
  input?: In
  /** Checked after `run`; an output that does not match degrades the item. */
  output?: Out
  /** Input of an item that a `@schedule` starts, as JSON; the default is null. */
  scheduleInput?: StandardSchemaV1.InferInput<In>
}

const HOST =
  /^(\*|\$[A-Za-z_][A-Za-z0-9_]*|[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?|\[[0-9a-f:]+\](:\d{1,5})?)$/i

type Check = (value: unknown) => string | undefined

const text =
  (max: number): Check =>
  value =>
    typeof value === 'string' && value.trim() !== '' && [...value].length <= max
      ? undefined
      : `must be a text of 1 to ${max} characters`

const whole =
  (min: number, max = Number.MAX_SAFE_INTEGER): Check =>
  value =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`

const schema: Check = value => {
  const standard = (value as AnySchema | null)?.['~standard'] as { validate?: unknown } | undefined
  return typeof standard?.validate === 'function'
    ? undefined
    : 'must be a Standard Schema, such as z.object({…})'
}

const modelName = text(LIMITS.name_characters)

/** Named as the option is written: `inFlight`. */
function limitsCheck(value: unknown): string | undefined {
  const example = "[{ host: 'api.openai.com', requests: '500/min' }]"
  if (!Array.isArray(value) || value.length > LIMITS.named_limits)
    return `must be a list of at most ${LIMITS.named_limits}, such as ${example}`
  for (const [at, one] of value.entries()) {
    if (typeof one !== 'object' || one === null) return `[${at}] must be an object, such as ${example}`
    const { inFlight, in_flight, ...others } = one as Record<string, unknown>
    if (in_flight !== undefined) return `[${at}].in_flight is no part of a limit: write inFlight`
    const found = limitsProblem({ ...others, in_flight: inFlight })
    if (found !== undefined) return `[${at}].${found.field.replace('in_flight', 'inFlight')} ${found.problem}`
  }
  const again = repeatedAt(value as NamedLimits[])
  return again === -1 ? undefined : `[${again}].host names ${value[again].host} a second time`
}

const OPTION_RULES: Record<keyof AgentOptions, Check> = {
  name: text(LIMITS.slug_characters), // the slug is made from the name, and its limit is the lower one
  description: text(LIMITS.description_characters),
  itemBudgetCents: value =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0
      ? undefined
      : 'must be a number of cents, 0 or more',
  refusals: value =>
    (REFUSAL_CHOICES as readonly unknown[]).includes(value)
      ? undefined
      : "must be 'sure', 'balanced' or 'off'",
  checks: value =>
    Array.isArray(value) && value.every(one => (DECLARED_CHECKS as readonly unknown[]).includes(one))
      ? undefined
      : `must be a list of ${DECLARED_CHECKS.join(', ')}; wrong_language is looked for where language is declared`,
  language: value =>
    (LANGUAGES as readonly unknown[]).includes(value) ? undefined : `must be one of ${LANGUAGES.join(', ')}`,
  onBudget: value => (value === 'fail' || value === 'pause' ? undefined : "must be 'fail' or 'pause'"),
  maxSteps: whole(1, LIMITS.agent_steps.max),
  concurrency: whole(1),
  timeoutSeconds: whole(1, LIMITS.agent_timeout_seconds.max),
  stepSeconds: whole(1, LIMITS.agent_timeout_seconds.max),
  retries: whole(0, LIMITS.agent_retries),
  maxConsecutiveFailures: whole(1),
  patienceSeconds: whole(LIMITS.patience_seconds.min, LIMITS.patience_seconds.max),
  firstByteSeconds: whole(1, LIMITS.agent_timeout_seconds.max),
  limits: limitsCheck,
  wait: value => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  network: value => {
    if (!Array.isArray(value)) return "must be a list of hosts, such as ['api.openai.com']"
    const wrong = value.find(host => typeof host !== 'string' || !HOST.test(host))
    return wrong === undefined
      ? undefined
      : `${JSON.stringify(wrong)} is not a host: write 'host', 'host:port', '$VARIABLE' or '*', without a scheme or path`
  },
  models: value =>
    Array.isArray(value) && value.length <= LIMITS.agent_models && value.every(one => !modelName(one))
      ? undefined
      : `must be a list of at most ${LIMITS.agent_models} names of models, such as ['gpt-5-mini']`,
  modelCalls: value => (value === 'none' ? undefined : "can only be 'none'"),
  input: schema,
  output: schema,
  scheduleInput: value => {
    const text = jsonOf(value)
    if (text === undefined) return 'must be a JSON value'
    return new TextEncoder().encode(text).length <= LIMITS.item_input_bytes
      ? undefined
      : `must be at most ${LIMITS.item_input_bytes} bytes of JSON`
  },
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** @throws DecoratorValidationError naming the option that is wrong */
export function checkOptions(options: AgentOptions): void {
  if (typeof options !== 'object' || options === null) {
    throw new DecoratorValidationError(
      '@agent',
      'options',
      "must be an object, such as { name: 'Ticket triage' }",
    )
  }
  if (options.name === undefined) throw new DecoratorValidationError('@agent', 'name', 'is missing')
  for (const [field, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTION_RULES, field)) {
      throw new DecoratorValidationError(
        '@agent',
        field,
        `is not an option; there are ${Object.keys(OPTION_RULES).join(', ')}`,
      )
    }
    const problem = value === undefined ? undefined : OPTION_RULES[field as keyof AgentOptions](value)
    if (problem) throw new DecoratorValidationError('@agent', field, problem)
  }
}
