// Runs whose items an agent's generator makes: they follow the rules of every source, whatever the generator does.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { onFault } from '../../../shared/kernel/fault.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { AgentLine } from '../../../shared/protocol/rules/protocol.ts'
import { fireDue, retryFires } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { readSources } from '../../../shared/sources/verbs/source-reader.ts'
import { setClock } from '../../support/clock.ts'
import { conservation, type Script, type TestEngine, testEngine } from '../../support/engine.ts'

const NOW = '2026-03-28T23:30:20Z'
const DUE = new Date('2026-03-28T23:30:00Z')

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine({ clock: NOW })
  await engine.deploy({ generators: ['tickets'] })
})
afterEach(async () => {
  onFault(undefined)
  for (const table of ['schedules', 'runs', 'items', 'alerts'])
    await engine.sql`delete from ${engine.sql(table)}`
  await setClock(engine.sql, NOW)
  engine.requests.length = 0
})
afterAll(() => engine.close())

async function schedule(generator = 'tickets'): Promise<string> {
  const { ctx, sql, project_id, agent_id } = engine
  const id = await createSchedule(ctx, {
    project_id,
    agent_id,
    cron: '* * * * *',
    timezone: 'Europe/Berlin',
    enabled: true,
    declared: false,
    name: 'nightly tickets',
    input: 'null',
    budget_cents: 50,
    timeout_seconds: 9,
    callback_url: null,
    source: { generator, item_id: 'id', partition_key: 'tenant' },
  })
  await sql`update schedules set next_at = ${DUE} where id = ${id}`
  return id
}

async function tick(ctx = engine.ctx): Promise<void> {
  await fireDue(ctx)
  await retryFires(ctx)
  await readSources(ctx)
  await ctx.idle()
}

const rows = (id: string) =>
  engine.sql<{ outcome: string; reason: string; run_id: string | null; tries: number }[]>`
    select * from occurrences where schedule_id = ${id} order by scheduled_for`
const left = async () => {
  const [row] = await engine.sql`
    select (select count(*)::int from runs) as runs, (select count(*)::int from items) as items,
      (select count(*)::int from source_reads) as reads`
  return row
}

/** What the agent answers to a request for items. */
const play = (lines: object[] | (() => AsyncIterable<object>)) =>
  engine.play((() => (Array.isArray(lines) ? lines : lines()) as AgentLine[]) as Script)
const ticket = (n: number) => ({ type: 'item', input: { id: `T-${n}`, tenant: `t${n % 3}` } })
const tickets = (n: number) => Array.from({ length: n }, (_, at) => ticket(at + 1))

describe('a schedule whose source is a generator', () => {
  it('starts one run over all yielded items, for the time on the clock of its zone [sources.generator]', async () => {
    play([...tickets(2), { type: 'heartbeat' }, ticket(3), { type: 'end', items: 3 }])
    const id = await schedule()
    await tick()
    const [row] = await rows(id)
    expect(row).toMatchObject({ outcome: 'fired', reason: null, detail: null })
    expect(engine.requests).toEqual([
      [
        {
          generator: 'tickets',
          occurrence: { scheduled_for: DUE.toISOString(), timezone: 'Europe/Berlin', date: '2026-03-29' },
        },
      ],
    ])
    const run = await engine.run(row!.run_id!)
    expect(run).toMatchObject({
      name: 'nightly tickets',
      total_items: 3,
      status: 'queued',
      timeout_seconds: 9,
    })
    expect(
      (await engine.items(row!.run_id!)).map(one => [one.item_id, one.partition_key, one.input]),
    ).toEqual([
      ['T-1', 't1', '{"id":"T-1","tenant":"t1"}'],
      ['T-2', 't2', '{"id":"T-2","tenant":"t2"}'],
      ['T-3', 't0', '{"id":"T-3","tenant":"t0"}'],
    ])
    expect(await conservation(engine, row!.run_id!)).toEqual([])
    expect(await left()).toEqual({ runs: 1, items: 3, reads: 0 })
  })

  it('starts nothing if the generator yields nothing [sources.empty]', async () => {
    play([{ type: 'end', items: 0 }])
    const id = await schedule()
    await tick()
    expect(await rows(id)).toMatchObject([{ outcome: 'skipped', reason: 'source_empty', retry_at: null }])
    expect(await left()).toEqual({ runs: 0, items: 0, reads: 0 })
  })

  const failures: [what: string, lines: object[], text: string, line?: number][] = [
    [
      'throws after 4,000 items',
      [...tickets(4000), { type: 'error', error: { code: 'agent_error', message: 'the export is gone' } }],
      'The generator tickets failed after 4000 items: the export is gone',
    ],
    ['is cut off', tickets(4000), 'its answer ended before it was through'],
    [
      'ends before its own count',
      [...tickets(2), { type: 'end', items: 3 }],
      'The source says that it has 3 rows; it ended after 2.',
    ],
    [
      'continues after its last line',
      [{ type: 'end', items: 0 }, ticket(1)],
      'it went on after its last line',
    ],
    [
      'yields an item without its item_id',
      [ticket(1), { type: 'item', input: { tenant: 't' } }, { type: 'end', items: 2 }],
      '"id"',
      2,
    ],
    ['sends a line of another type', [{ type: 'result', output: 1 }], 'a line is none of item, heartbeat'],
  ]
  it.each(failures)(
    'starts nothing if the generator %s, and calls it again from its start [sources.failed]',
    async (_, lines, text, line) => {
      play(lines)
      const id = await schedule()
      await tick()
      expect(await rows(id)).toMatchObject([
        {
          outcome: 'error',
          reason: 'source_failed',
          run_id: null,
          detail: { line: line ?? null, text: expect.stringContaining(text) },
        },
      ])
      expect(await left()).toEqual({ runs: 0, items: 0, reads: 0 })
      play([ticket(1), { type: 'end', items: 1 }])
      await setClock(engine.sql, '2026-03-28T23:30:40Z')
      await tick()
      expect(await rows(id)).toMatchObject([{ outcome: 'fired', tries: 2 }])
      expect(await left()).toEqual({ runs: 1, items: 1, reads: 0 })
    },
  )

  it('starts nothing if the current version has no such generator, and says which there are', async () => {
    const id = await schedule('orders')
    await tick()
    const text = `The agent's current version has no generator "orders": there are tickets.`
    expect(await rows(id)).toMatchObject([{ reason: 'source_failed', detail: { line: null, text } }])
    expect(engine.requests).toEqual([])
  })

  it('asks again from the start if its reader died midway [sources.one-run]', async () => {
    const begun = Promise.withResolvers<void>()
    const more = Promise.withResolvers<void>()
    play(async function* () {
      yield* tickets(5000)
      begun.resolve()
      await more.promise
      yield { type: 'end', items: 5000 }
    })
    const id = await schedule()
    await fireDue(engine.ctx)
    await readSources(engine.ctx)
    await begun.promise
    await setClock(engine.sql, new Date(Date.parse(NOW) + LIMITS.source_lease_ms + 1000))
    play([...tickets(2), { type: 'end', items: 2 }])
    const other = engine.apart()
    await readSources(other)
    await other.idle()
    more.resolve()
    await engine.ctx.idle()
    expect(await rows(id)).toMatchObject([{ outcome: 'fired', tries: 1 }])
    expect(await left()).toEqual({ runs: 1, items: 2, reads: 0 })
  })

  it('is read only by a process that reaches agents', async () => {
    play([ticket(1), { type: 'end', items: 1 }])
    const id = await schedule()
    await fireDue(engine.ctx)
    expect(await readSources({ ...engine.ctx, reachesAgents: false, sql: engine.apart().sql })).toBe(0)
    expect(await rows(id)).toEqual([])
    await readSources(engine.ctx)
    await engine.ctx.idle()
    expect(await rows(id)).toMatchObject([{ outcome: 'fired' }])
  })
})
