// @schedule and @trigger: what starts an agent besides a call. Guarantee: what a class carries is what a deploy
// accepts; a mistake is told where it is written, before anything is sent.

import { LIMITS } from '../kernel/limits.ts'
import type { DeclaredSchedule, DeclaredTrigger } from '../protocol/rules/protocol.ts'
import { RESULT_FORMATS } from '../results/vocabulary.ts'
import { checkCron, normalCron, ScheduleError } from '../schedules/rules/cron.ts'
import { checkTimezone } from '../schedules/rules/timezone.ts'
import { SECRET_ENV, TRIGGER_NAME } from '../triggers/vocabulary.ts'
import { type AgentClass, type Registration, registrationAbove } from './agent.ts'
import { DecoratorValidationError } from './errors.ts'
import { checkNow } from './schema-check.ts'
import { declaredFields, declaredSource, type RowOptions, type SourceOptions } from './source-options.ts'

/** The options of `@schedule`. */
export interface ScheduleOptions {
  /** An IANA zone, such as `Europe/Berlin`; UTC unless said otherwise. The cron is read on the wall clock there. */
  timezone?: string
  /** Where the items of each run come from, instead of `scheduleInput`: any number of them, in one run. */
  source?: SourceOptions
  /** Who gets the results of each run as a file when it has ended, signed like a callback; CSV unless told. */
  results?: { url: string; format?: 'csv' | 'ndjson' | 'json' }
}

/** The options of `@trigger`. */
export interface TriggerOptions extends RowOptions {
  /** The environment variable in which the sender keeps the secret, such as `ORDERS_SECRET`; for people to find it. */
  secretEnv?: string
  /** The body of a fire is many items, a JSON array or NDJSON; for any other trigger an array is one input. */
  items?: boolean
  /** Read at each fire, instead of its body. */
  source?: SourceOptions
}

type Decorator = <C extends AgentClass>(target: C, context: ClassDecoratorContext<C>) => void

/**
 * Starts the agent at every moment a cron names: a run over one item, whose input is `scheduleInput` of `@agent`, or
 * over the items of a `source`.
 * Stands above `@agent`, once for each cron. A deploy creates, changes and deletes schedules to match.
 *
 * Five fields: minute, hour, day of month, month, day of week. A wall-clock time that a change of the clocks skips
 * is left out, one that it repeats fires once.
 *
 * @throws DecoratorValidationError naming the cron or the zone that is wrong, and why
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
 * Lets others start the agent by HTTP: a POST to a URL of its own, its JSON body becomes the input. Stands above
 * `@agent`, once for each name. The deploy that creates it prints its URL and, this once, its secret; both stay the
 * same while the name does.
 *
 * @throws DecoratorValidationError naming the name or the variable that is wrong, and why
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
      ...{ name, ...(secretEnv !== undefined && { secret_env: secretEnv }) },
      ...(items && { items, ...fields }),
      ...(source !== undefined && {
        source: declaredSource('@trigger', source, declaration.generators ?? []),
      }),
    }
    add('@trigger', 'name', triggers, declared, LIMITS.agent_triggers)
  }
}

/** Options that are checked with the class they stand on. */
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
  text => {
    try {
      check(text)
      return undefined
    } catch (error) {
      if (!(error instanceof ScheduleError)) throw error
      return [error.message, error.hint].filter(Boolean).join(' ')
    }
  }

function refuse(decorator: string, field: string, value: unknown, check: Check): void {
  const problem = typeof value === 'string' ? check(value) : 'it must be a text'
  if (problem !== undefined)
    throw new DecoratorValidationError(decorator, field, `${JSON.stringify(value)}: ${problem}`)
}

/** What people try to say here, and where it belongs. */
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

/** Decorators run from the bottom up: what comes last was written first. */
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

/** An input that the agent itself refuses would fail every fire. */
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
