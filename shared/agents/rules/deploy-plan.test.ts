import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DeclaredSource } from '../../protocol/rules/protocol.ts'
import {
  type PlannedSchedule,
  type PlannedTrigger,
  planSchedules,
  planTriggers,
  type StandingSchedule,
  type StandingTrigger,
} from './deploy-plan.ts'

const standing = (values: Partial<StandingSchedule> = {}): StandingSchedule => ({
  id: 'one',
  cron: '0 9 * * *',
  timezone: 'UTC',
  input: 'null',
  source: null,
  enabled: true,
  declared: true,
  ...values,
})
const trigger = (values: Partial<StandingTrigger> = {}): StandingTrigger => ({
  id: 'one',
  name: 'orders',
  secret_env: null,
  items: null,
  declared: true,
  ...values,
})
const actions = (plan: (PlannedSchedule | PlannedTrigger)[]) => plan.map(one => one.action)

describe('the plan for schedules', () => {
  it('creates new schedules, keeps unchanged ones, and deletes those no longer declared', () => {
    const declared = { schedules: [{ cron: '0 9 * * *' }, { cron: '0 8 * * *', timezone: 'Asia/Tokyo' }] }
    const plan = planSchedules(declared, [standing(), standing({ id: 'two', cron: '5 5 * * *' })])
    expect(plan.map(({ action, cron, timezone, id }) => [action, cron, timezone, id])).toEqual([
      ['unchanged', '0 9 * * *', 'UTC', 'one'],
      ['created', '0 8 * * *', 'Asia/Tokyo', null],
      ['deleted', '5 5 * * *', 'UTC', 'two'],
    ])
  })

  it('lists the fields it sets, also when it enables a disabled schedule or adopts one made by hand', () => {
    const before = standing({ timezone: 'Europe/Rome', enabled: false, declared: false, input: '{"b":1}' })
    const declared = { schedules: [{ cron: '0 9 * * *' }], schedule_input: { a: 2 } }
    expect(planSchedules(declared, [before])).toEqual([
      {
        action: 'changed',
        id: 'one',
        cron: '0 9 * * *',
        timezone: 'UTC',
        input: '{"a":2}',
        source: null,
        changes: [
          { field: 'timezone', from: 'Europe/Rome', to: 'UTC' },
          { field: 'input', from: '{"b":1}', to: '{"a":2}' },
          { field: 'enabled', from: 'false', to: 'true' },
          { field: 'declared', from: 'false', to: 'true' },
        ],
      },
    ])
  })

  it('treats inputs as equal whatever the order of their keys', () => {
    const declared = { schedules: [{ cron: '0 9 * * *' }], schedule_input: { a: { c: 1, b: [2] }, d: null } }
    const plan = planSchedules(declared, [standing({ input: '{"d": null, "a": {"b": [2], "c": 1}}' })])
    expect(actions(plan)).toEqual(['unchanged'])
  })

  it('takes the results settings from the code, and leaves them unchanged where the code has none', () => {
    const [before, results] = [
      { url: 'https://example.com/old', format: 'csv' as const },
      { url: 'https://example.com/new', format: 'json' as const },
    ]
    const declared = { schedules: [{ cron: '0 9 * * *', results }] }
    const [one] = planSchedules(declared, [standing({ input: 'null', results: before })])
    expect(one).toMatchObject({ action: 'changed', results })
    expect(one!.changes).toEqual([
      { field: 'results', from: 'https://example.com/old (csv)', to: 'https://example.com/new (json)' },
    ])
    expect(planSchedules(declared, [standing({ input: 'null', results })])).toMatchObject([
      { action: 'unchanged' },
    ])
    const silent = { schedules: [{ cron: '0 9 * * *' }] }
    expect(planSchedules(silent, [standing({ input: 'null', results })])).toMatchObject([
      { action: 'unchanged' },
    ])
  })

  it('keeps a source set by hand where the code declares none, and removes it where the code declares null', () => {
    const source: DeclaredSource = { generator: 'tickets', item_id: 'id' }
    const none = { schedules: [{ cron: '0 9 * * *' }] }
    for (const before of [undefined, none])
      expect(planSchedules(none, [standing({ source })], before)).toMatchObject([
        { action: 'unchanged', source },
      ])
    const [gone] = planSchedules({ schedules: [{ cron: '0 9 * * *', source: null }] }, [standing({ source })])
    expect(gone).toMatchObject({ action: 'changed', source: null })
  })

  it('replaces the input where the code declares a source, and removes the source when the code drops it', () => {
    const source: DeclaredSource = { generator: 'tickets', item_id: 'id' }
    const declared = { schedules: [{ cron: '0 9 * * *', source }], schedule_input: { a: 2 } }
    const [one] = planSchedules(declared, [standing({ input: '{"b":1}' })])
    expect(one).toMatchObject({ action: 'changed', input: 'null', source })
    expect(one!.changes).toEqual([
      { field: 'input', from: '{"b":1}', to: 'null' },
      { field: 'source', from: null, to: 'the generator tickets' },
    ])
    const [back] = planSchedules({ schedules: [{ cron: '0 9 * * *' }] }, [standing({ source })], declared)
    expect(back).toMatchObject({ source: null, changes: [{ from: 'the generator tickets', to: null }] })
  })

  it('leaves schedules made through the API alone', () => {
    expect(planSchedules({}, [standing({ declared: false, enabled: false })])).toEqual([])
  })

  it('shortens long values in the listed changes, not in the values it sets', () => {
    const input = 'x'.repeat(5000)
    const [one] = planSchedules({ schedules: [{ cron: '0 9 * * *' }], schedule_input: input }, [standing()])
    expect(one!.changes[0]!.to).toHaveLength(200)
    expect(JSON.parse(one!.input)).toBe(input)
  })
})

describe('the plan for triggers', () => {
  it('reports one removed and one added trigger as a rename, with the action rotated', () => {
    const plan = planTriggers({ triggers: [{ name: 'sales', secret_env: 'S' }] }, [trigger()])
    expect(plan).toEqual([
      {
        action: 'rotated',
        id: null,
        name: 'sales',
        secret_env: 'S',
        items: null,
        replaces: { id: 'one', name: 'orders' },
        start_of: 'one',
        changes: [],
      },
    ])
  })

  it('assumes no rename when more than one trigger is removed or added', () => {
    const plan = planTriggers({ triggers: [{ name: 'a' }, { name: 'b' }] }, [trigger()])
    expect(actions(plan)).toEqual(['created', 'created', 'deleted'])
    expect(plan.every(one => one.replaces === null)).toBe(true)
  })

  it('keeps triggers that are no longer declared if asked to', () => {
    const plan = planTriggers({ triggers: [{ name: 'sales' }] }, [trigger()], 'kept')
    expect(plan.map(({ action, name }) => [action, name])).toEqual([
      ['created', 'sales'],
      ['kept', 'orders'],
    ])
    expect(plan[0]).toMatchObject({ replaces: null, start_of: 'one' })
  })

  it('reports that the body will be read as items', () => {
    const [one] = planTriggers({ triggers: [{ name: 'orders', items: true, item_id: 'id' }] }, [trigger()])
    expect(one!.items).toEqual({ body: true, item_id: 'id', partition_key: null })
    expect(one!.changes).toEqual([{ field: 'source', from: null, to: 'its body' }])
  })

  it('changes the variable of the sender’s secret without rotating the trigger', () => {
    const [one] = planTriggers({ triggers: [{ name: 'orders', secret_env: 'NEW' }] }, [
      trigger({ secret_env: 'OLD', declared: false }),
    ])
    expect(one).toMatchObject({
      action: 'changed',
      id: 'one',
      changes: [
        { field: 'secret_env', from: 'OLD', to: 'NEW' },
        { field: 'declared', from: 'false', to: 'true' },
      ],
    })
  })
})

describe('a plan that was executed', () => {
  const crons = fc.constantFrom('0 9 * * *', '0 8 * * *', '5 5 * * *', '1 1 1 * *')
  const zones = fc.constantFrom('UTC', 'Europe/Rome')
  const names = fc.constantFrom('a', 'b', 'c')
  const input = fc.jsonValue({ maxDepth: 2 })
  const source = fc.constantFrom<DeclaredSource>(
    { generator: 'tickets', item_id: null },
    { generator: 'tickets' },
    { url: 'https://example.com/x', format: 'csv', headers: { authorization: '$A' } },
    { url: 'https://example.com/x', format: 'csv', headers: { authorization: '$B' } },
  )
  const declared = fc.record({
    schedules: fc.uniqueArray(
      fc.record({ cron: crons, timezone: zones, source }, { requiredKeys: ['cron', 'timezone'] }),
      { selector: one => one.cron },
    ),
    triggers: fc.uniqueArray(
      fc.record(
        { name: names, secret_env: fc.constantFrom('A', 'B'), source, item_id: fc.constant(null) },
        { requiredKeys: ['name'] },
      ),
      { selector: one => one.name },
    ),
    schedule_input: input,
  })
  const schedules = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      cron: crons,
      timezone: zones,
      input: input.map(value => JSON.stringify(value)),
      source: fc.option(source),
      enabled: fc.boolean(),
      declared: fc.boolean(),
    }),
    { selector: one => one.cron },
  )
  const triggers = fc.uniqueArray(
    fc.record({
      id: fc.uuid(),
      name: names,
      secret_env: fc.constantFrom(null, 'A'),
      items: fc.option(source),
      declared: fc.boolean(),
    }),
    { selector: one => one.name },
  )

  it('leaves exactly what is declared, everything made by hand, and nothing more to do', () => {
    fc.assert(
      fc.property(declared, schedules, triggers, (declared, schedules, triggers) => {
        const plan = planSchedules(declared, schedules)
        const after = [
          ...schedules.filter(one => !plan.some(({ id }) => id === one.id)),
          ...plan
            .filter(one => one.action !== 'deleted')
            .map(one => standing({ ...one, id: one.id ?? `new ${one.cron}` })),
        ]
        expect(planSchedules(declared, after).every(one => one.action === 'unchanged')).toBe(true)
        expect(new Set(after.filter(one => one.declared).map(one => one.cron))).toEqual(
          new Set(declared.schedules.map(one => one.cron)),
        )
        for (const one of schedules) if (!one.declared) expect(after.map(({ id }) => id)).toContain(one.id)

        const planned = planTriggers(declared, triggers)
        const left = triggers.filter(
          one => !planned.some(({ id, replaces }) => id === one.id || replaces?.id === one.id),
        )
        const stand = [
          ...left,
          ...planned
            .filter(one => one.action !== 'deleted')
            .map(one => trigger({ ...one, id: one.id ?? `new ${one.name}` })),
        ]
        expect(planTriggers(declared, stand).every(one => one.action === 'unchanged')).toBe(true)
        for (const one of triggers) if (!one.declared) expect(stand.map(({ id }) => id)).toContain(one.id)
      }),
    )
  })
})
