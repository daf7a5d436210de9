// What a tick costs when there is little or nothing to do. Sweeps and statements are counted on databases of every age,
// also on ones that ran items before their first tick.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { tick } from '../../../functions/tick.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context, Sql } from '../../../shared/context.ts'
import { firstIdAt } from '../../../shared/kernel/ids.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { ensureStepPartitions, weekStart } from '../../../shared/upkeep/queries/partitions.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { result, step, type TestEngine, testEngine } from '../../support/engine.ts'

const WEEK_MS = 7 * 24 * 3600 * 1000
const AGES: [age: string, weeks: number][] = [
  ['new', 0],
  ['a week old', 1],
  ['three weeks old', 3],
  ['a year old', 52],
]

let engine: TestEngine
let notified: number
beforeEach(async () => {
  engine = await testEngine()
  engine.play(items => items.flatMap(item => [step(item, 'look'), result(item)]))
  notified = 0
})
afterEach(() => engine.close())

/** The engine's context `weeks` weeks later, which counts its statements. */
function later(weeks: number): Context & { statements: () => number } {
  let asked = 0
  const sql = new Proxy(engine.sql, {
    apply(target, _, args: [unknown]) {
      if (Array.isArray(args[0]) && 'raw' in args[0]) asked++
      return Reflect.apply(target, undefined, args)
    },
  })
  const now = () => Date.now() + weeks * WEEK_MS
  const newRunId = () => engine.ctx.newRunId()
  return { ...engine.ctx, sql, now, newRunId, notify: () => void notified++, statements: () => asked }
}

const callOf = (ctx: Context) =>
  tick.run(ctx, { stop: new AbortController().signal, onWake: () => () => {} }) as Promise<{
    sweeps: number
    done: number
  }>

/** What a call of the tick does once all there was to do is done. */
async function atRest(weeks: number) {
  const ctx = later(weeks)
  let passes = 0
  while ((await sweep(ctx)) > 0) passes++
  notified = 0
  const before = ctx.statements()
  const call = await callOf(ctx)
  return { passes, call, statements: ctx.statements() - before }
}

/** Writes steps of the week that is `weeks` weeks ahead, before any tick. */
async function workedAt(weeks: number, copies = 1): Promise<void> {
  const run = await engine.submit(1)
  await consume(engine.ctx)
  await engine.ctx.idle()
  const id = firstIdAt(Date.now() + weeks * WEEK_MS)
  await engine.sql`
    insert into steps
    select (jsonb_populate_record(s, jsonb_build_object('run_id', ${id}::text, 'seq', n))).*
    from steps s, generate_series(1, ${copies}::int) n where run_id = ${run}`
}

/** Makes the partitions of that time. It repeats, since a tick skips a table in use, also by PostgreSQL's vacuum. */
async function makePartitions(weeks: number): Promise<void> {
  const at = Date.now() + weeks * WEEK_MS
  const week = new Date(weekStart(at)).toISOString().slice(0, 10).replaceAll('-', '')
  const areThere = async () => {
    const [row] = await engine.sql<{ n: number }[]>`
      select count(*)::int as n from pg_class
      where relispartition and relname ~ '^(steps|step_index)_[0-9]{8}$' and right(relname, 8) >= ${week}`
    return row!.n >= 6 // of each table this week and two more
  }
  while (!(await areThere())) await ensureStepPartitions(engine.sql, at)
}

describe('a tick with nothing to do', () => {
  it.each(AGES)('makes one short pass and notifies nobody, on a database that is %s', async (_, weeks) => {
    await makePartitions(weeks)
    const { call, statements } = await atRest(weeks)
    expect(call).toEqual({ sweeps: 1, done: 0 })
    expect(notified).toBe(0)
    expect(statements).toBe((await atRest(0)).statements)
  })

  it.each(AGES)('rests after work before the first tick, on a database that is %s', async (_, weeks) => {
    await workedAt(weeks)
    const { passes, call } = await atRest(weeks)
    expect(passes).toBeLessThanOrEqual(2)
    expect(call).toEqual({ sweeps: 1, done: 0 })
    expect(await engine.sql`select from steps_default`).toHaveLength(0)
    expect(notified).toBe(0)
  })

  it('rests even if the default partition holds more rows than it moves', async () => {
    await workedAt(5, LIMITS.partition_moved_rows + 1)
    expect((await atRest(5)).call).toEqual({ sweeps: 1, done: 0 })
    expect((await engine.sql`select from steps_default`).length).toBe(LIMITS.partition_moved_rows + 1)
  })

  it('rests while the table whose week is missing is in use, and makes the week afterwards', async () => {
    const reading = await engine.sql.reserve()
    await reading`begin`
    await reading`select from steps limit 1`
    expect((await atRest(8)).call).toEqual({ sweeps: 1, done: 0 })
    await reading`rollback`
    reading.release()
    expect((await atRest(8)).passes).toBe(1)
  })
})

describe('the weekly partitions of steps', () => {
  const weeks = async () =>
    (
      await engine.sql<{ name: string }[]>`
      select relname as name from pg_class where relispartition and relname ~ '^steps_2'`
    ).length

  it('are made by the migration, for this week and two ahead, before the first tick', async () => {
    expect(await weeks()).toBeGreaterThanOrEqual(3)
    expect(await ensureStepPartitions(engine.sql, Date.now())).toBe(0)
  })

  it('are counted as made only by the call that makes them', async () => {
    const far = Date.now() + 100 * WEEK_MS
    const ticks = await Promise.all([1, 2].map(() => ensureStepPartitions(engine.sql as Sql, far)))
    const again = await ensureStepPartitions(engine.sql, far)
    expect(ticks.reduce((sum, made) => sum + made, 0) + again).toBe(6)
  })
})
