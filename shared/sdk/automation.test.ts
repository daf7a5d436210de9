import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AgentClass, agent, declarationOf } from './agent.ts'
import type { AgentOptions } from './agent-options.ts'
import { type ScheduleOptions, schedule, type TriggerOptions, trigger } from './automation.ts'
import { DecoratorTargetError, DecoratorValidationError } from './errors.ts'

type Decorator = (target: never, context: never) => void

/** Applies the decorators to a new class, the last one first, as the language does. */
function decorated(...decorators: Decorator[]): AgentClass {
  class Watcher {
    async run(_ctx: unknown, input: unknown) {
      return input
    }
  }
  for (const decorator of decorators.toReversed())
    decorator(Watcher as never, { kind: 'class', name: 'Watcher' } as never)
  return Watcher
}

const named = (options: Partial<AgentOptions> = {}) => agent({ name: 'Watcher', ...options }) as Decorator

describe('@schedule and @trigger', () => {
  it('add to the declaration in the order in which they are written', () => {
    const Agent = decorated(
      schedule('30 7 * * 1-5', { timezone: 'Europe/Berlin' }),
      trigger('orders', { secretEnv: 'ORDERS_SECRET' }),
      schedule('0 12 * * 6'),
      trigger('by-hand'),
      named({ scheduleInput: { hours: 24 } }),
    )
    expect(declarationOf(Agent)).toEqual({
      name: 'Watcher',
      schedule_input: { hours: 24 },
      schedules: [
        { cron: '30 7 * * 1-5', timezone: 'Europe/Berlin' },
        { cron: '0 12 * * 6', timezone: 'UTC' },
      ],
      triggers: [{ name: 'orders', secret_env: 'ORDERS_SECRET' }, { name: 'by-hand' }],
    })
  })

  it('declare where items come from', () => {
    const url = 'https://example.com/export?day={date}'
    const headers = { authorization: 'Bearer $EXPORT_TOKEN' }
    const Agent = decorated(
      schedule('0 2 * * 0', { source: { url, format: 'csv', itemId: 'id', headers }, results: { url } }),
      trigger('many', { items: true, itemId: 'id', partitionKey: 'tenant' }),
      trigger('read', { source: { url, format: 'json' } }),
      named({ input: z.object({ id: z.string() }) }), // no schedule starts an item with null
    )
    expect(declarationOf(Agent)).toMatchObject({
      schedules: [
        { cron: '0 2 * * 0', source: { url, format: 'csv', item_id: 'id', headers }, results: { url } },
      ],
      triggers: [
        { name: 'many', items: true, item_id: 'id', partition_key: 'tenant' },
        { name: 'read', source: { url, format: 'json' } },
      ],
    })
  })

  it.each<[unknown, RegExp]>([
    [{ generator: 'tickets' }, /no generator "tickets": it has none/],
    [{ url: 'ftp://x', format: 'csv' }, /no http or https URL/],
    [{ url: 'https://x.example', format: 'xml' }, /ndjson, csv, json/],
    [{ url: 'https://x.example', format: 'csv', item_id: 'id' }, /item_id is not an option: there is url/],
    [
      { url: 'https://x.example', format: 'csv', headers: { authorization: 'Bearer s3cret' } },
      /authorization must name a variable/,
    ],
    [null, /must be an object/],
  ])('refuse the source %j [declarations.values]', (source, words) => {
    expect(() => decorated(schedule('0 2 * * 0', { source } as ScheduleOptions), named())).toThrow(words)
    expect(() => decorated(trigger('t', { source } as TriggerOptions), named())).toThrow(words)
  })

  it.each([
    ['below @agent', [named(), schedule('0 9 * * *')]],
    ['below @agent', [named(), trigger('orders')]],
    ['on a class that is not an agent', [trigger('orders')]],
  ])('must not stand %s [declarations.target]', (_, decorators) => {
    expect(() => decorated(...decorators)).toThrow(DecoratorTargetError)
    expect(() => decorated(...decorators)).toThrow(/@(schedule|trigger) stands above @agent/)
  })

  it('must not stand on a class that only extends an agent', () => {
    const Base = decorated(named()) as new () => { run(): unknown }
    class Child extends Base {}
    expect(() => (schedule('0 9 * * *') as Decorator)(Child as never, {} as never)).toThrow(
      DecoratorTargetError,
    )
  })
})

describe('@schedule', () => {
  it.each<[string, unknown, unknown, RegExp]>([
    ['cron', '0 9 * *', {}, /@schedule cron: "0 9 \* \*": .*4 fields/],
    ['cron', '0 0 9 * * *', {}, /six fields/],
    ['cron', '61 9 * * *', {}, /61/],
    ['cron', '0 0 30 2 *', {}, /never comes/],
    ['cron', '@daily', {}, /"@daily" is a nickname. Write "0 0 \* \* \*"/],
    ['cron', '0 0 L * *', {}, /the day of the month "L", an extension/],
    ['cron', 'TZ=UTC 0 9 * * *', {}, /timezone/],
    ['cron', 'CRON_TZ=UTC 0 9 * * *', {}, /timezone/],
    ['cron', 5, {}, /must be a text/],
    ['cron', '', {}, /""/],
    ['timezone', '0 9 * * *', { timezone: 'Local' }, /"Local"/],
    ['timezone', '0 9 * * *', { timezone: 'Mars/Olympus' }, /"Mars\/Olympus"/],
    ['timezone', '0 9 * * *', { timezone: 3 }, /must be a text/],
    ['max_steps', '0 9 * * *', { max_steps: 3 }, /give @agent maxSteps/],
    ['input', '0 9 * * *', { input: {} }, /scheduleInput/],
    ['budgetCents', '0 9 * * *', { budgetCents: 5 }, /itemBudgetCents/],
    ['tz', '0 9 * * *', { tz: 'UTC' }, /there is timezone, source/],
    ['options', '0 9 * * *', null, /must be an object/],
  ])('refuses a wrong %s: %j with %j [declarations.values]', (field, cron, options, words) => {
    const declare = () => schedule(cron as string, options as ScheduleOptions)
    expect(declare).toThrow(DecoratorValidationError)
    expect(declare).toThrow(expect.objectContaining({ field, message: expect.stringMatching(words) }))
  })

  it('refuses the same cron twice on one class', () => {
    const twice = () =>
      decorated(schedule('0 9 * * *'), schedule('0 9 * * *', { timezone: 'Asia/Tokyo' }), named())
    expect(twice).toThrow(DecoratorValidationError)
    expect(twice).toThrow('@schedule cron: "0 9 * * *" stands on the class twice')
  })

  it('refuses an input that the agent would reject at every fire', () => {
    const input = z.object({ hours: z.number() })
    const none = () => decorated(schedule('0 9 * * *'), named({ input }))
    expect(none).toThrow(DecoratorValidationError)
    expect(none).toThrow(/scheduleInput: a fire of "0 9 \* \* \*" brings no scheduleInput, so null/)
    const wrong = { input, scheduleInput: { hours: 'all' } } as never
    expect(() => decorated(schedule('0 9 * * *'), named(wrong))).toThrow(/input\.hours: /)
    expect(() =>
      decorated(schedule('0 9 * * *'), named({ input, scheduleInput: { hours: 1 } })),
    ).not.toThrow()
    const later = z.object({}).refine(async () => false)
    expect(() => decorated(schedule('0 9 * * *'), named({ input: later, scheduleInput: {} }))).not.toThrow()
  })
})

describe('@trigger', () => {
  it.each<[string, unknown, unknown]>([
    ['name', 'with space', {}],
    ['name', '', {}],
    ['name', 'n'.repeat(65), {}],
    ['name', 'ünder', {}],
    ['name', 'orders\n', {}],
    ['name', undefined, {}],
    ['secretEnv', 'orders', { secretEnv: 'orders_secret' }],
    ['secretEnv', 'orders', { secretEnv: '1SECRET' }],
    ['secretEnv', 'orders', { secretEnv: '' }],
    ['secret', 'orders', { secret: 'S' }],
  ])('refuses a wrong %s: %j with %j [declarations.values]', (field, name, options) => {
    const declare = () => trigger(name as string, options as TriggerOptions)
    expect(declare).toThrow(DecoratorValidationError)
    expect(declare).toThrow(expect.objectContaining({ field }))
  })

  it('refuses the same name twice on one class', () => {
    expect(() => decorated(trigger('orders'), trigger('orders'), named())).toThrow(
      '@trigger name: "orders" stands on the class twice',
    )
  })
})

describe('@agent', () => {
  it.each([
    ['a function', () => {}],
    ['itself', Object.assign({}, {}) as unknown],
    ['more than an input may hold', 'x'.repeat(1_048_576)],
  ])('refuses a scheduleInput that is %s', (what, scheduleInput) => {
    if (what === 'itself') Object.assign(scheduleInput as object, { own: scheduleInput })
    expect(() => agent({ name: 'a', scheduleInput })).toThrow(
      expect.objectContaining({ code: 'DecoratorValidationError', field: 'scheduleInput' }),
    )
  })
})
