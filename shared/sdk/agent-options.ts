// The options of @agent, and what each of them takes.

import type { StandardSchemaV1 } from '@standard-schema/spec'
import { DECLARED_CHECKS, LANGUAGES, type Language, REFUSAL_CHOICES } from '../grading/vocabulary.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { DecoratorValidationError } from './errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: without a schema the author's own annotation decides
export type AnySchema = StandardSchemaV1<any, any>

/** The options of `@agent`. Only `name` is required. */
export interface AgentOptions<In extends AnySchema = AnySchema, Out extends AnySchema = AnySchema> {
  /** Up to 64 characters. The slug is made from it: lower case, spaces as dashes. */
  name: string
  description?: string
  /** Money one item may spend, in cents; fractions are allowed. */
  itemBudgetCents?: number
  /** What becomes of an item that reaches its budget: `fail` (the default) or `pause`. */
  onBudget?: 'fail' | 'pause'
  /**
   * Which refusals by wording degrade an item: those that are `sure` (the default), `balanced` for suspected ones
   * too, `off` where the task is about refusals. Those that a provider marks always do.
   */
  refusals?: 'sure' | 'balanced' | 'off'
  /**
   * Ways not to have worked that answers are looked at for, and no others: `template_leak`, `repeats`, `cut_json`,
   * `fenced_json`, `asks_back`, `cannot_look_up`, `placeholders`, `echoes_prompt`; and over a run, told on it alone: `one_answer`,
   * `length_jump`, `cost_jump`. Unless said otherwise `template_leak`, `cut_json`, `length_jump` and `cost_jump`; `[]` for none.
   */
  checks?: AgentDeclaration['checks']
  /**
   * The language of its answers (`en de fr es it nl pl pt tr ru zh ja ko ar`); one that is surely in another is
   * degraded, with the reason `wrong_language`.
   */
  language?: Language
  /** Steps one item may take, recorded ones included; 200 unless said otherwise. */
  maxSteps?: number
  /** Items of one run that may be worked on at the same time. */
  concurrency?: number
  /** Time one attempt may take, in seconds; 300 unless said otherwise. */
  timeoutSeconds?: number
  /**
   * The longest that one step takes, in seconds, where you know: a consumer that has less time left begins no item, and
   * the deploy says whether any has enough.
   */
  stepSeconds?: number
  /** Further attempts after an error, except one that says it is not retryable; none unless said otherwise. */
  retries?: number
  /** A run stops when this many items in a row have failed. */
  maxConsecutiveFailures?: number
  /**
   * Hosts the agent may call: `api.openai.com`, `127.0.0.1:8099`, `*` for the public internet, or
   * `$OPENAI_BASE_URL` for the host in that variable of the deployment's environment. None unless said otherwise.
   */
  network?: string[]
  /**
   * Models it calls, as their providers name them: one without a price is told at the deploy, and refused under a
   * budget, before it was ever called. Others may be called all the same.
   */
  models?: string[]
  /** Any Standard Schema (Zod, Valibot, ArkType …): checked before `run`, an item that fails is `invalid_input`. */
  input?: In
  /** Checked after `run`; an output that does not match degrades the item. */
  output?: Out
  /** What an item that a `@schedule` starts has for input; null unless said otherwise. JSON. */
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

const OPTION_RULES: Record<keyof AgentOptions, Check> = {
  name: text(LIMITS.slug_characters), // the slug is made from it and is the shorter of the two
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
