// The decorators @schedule and @trigger, which declare starts by cron and by HTTP. Guarantee: a deploy accepts what a
// class declares; a mistake throws at the decorator, before anything is sent.

import { LIMITS } from '../kernel/limits.ts'
import type { DeclaredSchedule, DeclaredTrigger } from '../protocol/rules/protocol.ts'
import { RESULT_FORMATS } from '../results/vocabulary.ts'
import { checkCron, normalCron, scheduleProblem } from '../schedules/rules/cron.ts'
import { checkTimezone } from '../schedules/rules/timezone.ts'
import { SECRET_ENV, TRIGGER_NAME } from '../triggers/vocabulary.ts'
import { type AgentClass, type Registration, registrationAbove } from './agent.ts'
import { DecoratorValidationError } from './errors.ts'
import { checkNow } from './schema-check.ts'
import { declaredFields, declaredSource, type RowOptions, type SourceOptions } from './source-options.ts'

/** The options of `@schedule`. */
export interface ScheduleOptions {
  /** An IANA zone, such as `Europe/Berlin`, on whose wall clock the cron fires; the default is UTC. */
  timezone?: string
  /** Where the items of each run come from, instead of `scheduleInput`: any number of items in one run. */
  source?: SourceOptions
  /** Where the results of each ended run are sent as a file, signed like a callback; the default format is CSV. */
  results?: { url: string; format?: 'csv' | 'ndjson' | 'json' }
}

/** The options of `@trigger`. */
export interface TriggerOptions extends RowOptions {
  /** The sender's environment variable for the secret, such as `ORDERS_SECRET`; only shown, so that people find it. */
  secretEnv?: string
  /** Whether each request body holds many items, as a JSON array or NDJSON; otherwise an array is one input. */
  items?: boolean
  /** Where the items of each fire come from, instead of the request body. */
  source?: SourceOptions
}

type Decorator = <C extends AgentClass>(target: C, context: ClassDecoratorContext<C>) => void

/**
 * Starts a run of the agent at every time the cron names: over one item, whose input is `scheduleInput` of `@agent`,
 * or over the items of a `source`.
 * Put it above `@agent`, once for each cron. A deploy creates, changes and deletes schedules to match.
 *
 * A cron has five fields: minute, hour, day of month, month, day of week. A wall-clock time that a clock change skips
 * does not fire; a time that it repeats fires once.
 *
 * @throws DecoratorValidationError naming the option that is wrong, such as the cron, and why
 * @throws DecoratorTargetError when it does not stand above `@agent`
 * @example
 * @schedule('30 7 * * 1-5', { timezone: 'Europe/Berlin' })
 * @schedule('0 2 * * *', { source: { generator: 'tickets', itemId: 'id' } })
 * @agent({ name: 'Digest', scheduleInput: { hours: 24 } })
 * export default class Digest { ... }
 */
export function schedule(cron: string, options: ScheduleOptions = {}): Decorator {
  refuse('@schedule', 'cron', cron, passes(checkCron))
  checkOptions('@schedule', options, {
    timezone: passes(checkTimezone),
    source: undefined,
    results: undefined,
  })
  const { timezone = 'UTC', source, results } = options
  if (results !== undefined && !isReceiver(results))
    throw new DecoratorValidationError(
      '@schedule',
      'results',
      `must be { url, format }, with an http or https URL and one of ${RESULT_FORMATS.join(', ')}`,
    )
  return target => {
    const registration = registrationAbove('@schedule', target)
    const declared: DeclaredSchedule = { cron: normalCron(cron), timezone }
    if (results !== undefined) declared.results = results
    if (source === undefined) checkScheduleInput(registration, declared)
    else declared.source = declaredSource('@schedule', source, registration.declaration.generators ?? [])
    add('@schedule', 'cron', registration.schedules, declared, LIMITS.agent_schedules)
  }
}

/**
 * Lets others start the agent by HTTP: a POST to the trigger's own URL starts a run, with the JSON body as its input.
 * Put it above `@agent`, once for each name. The deploy that creates the trigger prints its URL and, only that once,
 * its secret; both stay the same while the name does.
 *
 * @throws DecoratorValidationError naming the option that is wrong, such as the name, and why
 * @throws DecoratorTargetError when it does not stand above `@agent`
 * @example
 * @trigger('orders', { secretEnv: 'ORDERS_SECRET' })
 * @agent({ name: 'Order check' })
 * export default class OrderCheck { ... }
 */
export function trigger(name: string, options: TriggerOptions = {}): Decorator {
  refuse('@trigger', 'name', name, matches(TRIGGER_NAME))
  checkOptions('@trigger', options, { secretEnv: matches(SECRET_ENV), ...ITEM_OPTIONS })
  const { secretEnv, items, source } = options
  const fields = declaredFields('@trigger', options)
  if (items !== undefined && typeof items !== 'boolean')
    throw new DecoratorValidationError('@trigger', 'items', 'must be true or false')
  if (items && source !== undefined)
    throw new DecoratorValidationError('@trigger', 'items', 'excludes source: items come from one of them')
  if (!items && Object.keys(fields).length > 0)
    throw new DecoratorValidationError('@trigger', 'itemId', 'goes with items: true; a source has its own')
  return target => {
    const { triggers, declaration } = registrationAbove('@trigger', target)
    const declared: DeclaredTrigger = {
      name,
      ...(secretEnv !== undefined && { secret_env: secretEnv }),
      ...(items && { items, ...fields }),
      ...(source !== undefined && {
        source: declaredSource('@trigger', source, declaration.generators ?? []),
      }),
    }
    add('@trigger', 'name', triggers, declared, LIMITS.agent_triggers)
  }
}

/** Options of `@trigger` that it checks itself, some only once it sees the class. */
const ITEM_OPTIONS = { items: undefined, itemId: undefined, partitionKey: undefined, source: undefined }

const isReceiver = ({ url, format = 'csv' }: NonNullable<ScheduleOptions['results']>): boolean =>
  /^https?:\/\//.test(url) && URL.canParse(url) && RESULT_FORMATS.includes(format)

type Check = (text: string) => string | undefined

const matches =
  (pattern: RegExp): Check =>
  text =>
    pattern.test(text) ? undefined : `it must match ${pattern.source}`

const passes =
  (check: (text: string) => void): Check =>
  text =>
    scheduleProblem(check, text)

function refuse(decorator: string, field: string, value: unknown, check: Check): void {
  const problem = typeof value === 'string' ? check(value) : 'it must be a text'
  if (problem !== undefined)
    throw new DecoratorValidationError(decorator, field, `${JSON.stringify(value)}: ${problem}`)
}

/** Options that people try here, and where they belong. */
const ELSEWHERE: Record<string, string> = {
  input: 'give @agent a scheduleInput',
  budget: 'give @agent an itemBudgetCents',
  budgetCents: 'give @agent an itemBudgetCents',
  maxSteps: 'give it to @agent',
  max_steps: 'give @agent maxSteps',
  timeoutSeconds: 'give it to @agent',
}

function checkOptions(decorator: string, options: object, checks: Record<string, Check | undefined>): void {
  if (typeof options !== 'object' || options === null) {
    throw new DecoratorValidationError(decorator, 'options', 'must be an object')
  }
  for (const [field, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, field)) {
      const instead = ELSEWHERE[field] ?? `there is ${Object.keys(checks).join(', ')}`
      throw new DecoratorValidationError(decorator, field, `is not an option: ${instead}`)
    }
    const check = checks[field]
    if (check && value !== undefined) refuse(decorator, field, value, check)
  }
}

/** Adds to the front of the list: decorators run from the bottom up, so the last to run was written first. */
function add<K extends string, T extends Record<K, string>>(
  decorator: string,
  key: K,
  list: T[],
  declared: T,
  max: number,
): void {
  if (list.some(one => one[key] === declared[key])) {
    throw new DecoratorValidationError(
      decorator,
      key,
      `${JSON.stringify(declared[key])} stands on the class twice`,
    )
  }
  if (list.length >= max) throw new DecoratorValidationError(decorator, key, `there are more than ${max}`)
  list.unshift(declared)
}

/** Refuses a `scheduleInput` that the agent's input schema refuses, because every fire would fail. */
function checkScheduleInput({ options, declaration }: Registration, { cron }: DeclaredSchedule): void {
  const input = declaration.schedule_input ?? null
  const problem = options.input && checkNow(options.input, input, 'input')
  if (problem === undefined) return
  const given = input === null ? 'no scheduleInput, so null' : 'this input'
  throw new DecoratorValidationError(
    '@agent',
    'scheduleInput',
    `a fire of "${cron}" brings ${given}, which the input schema refuses: ${problem}`,
  )
}
