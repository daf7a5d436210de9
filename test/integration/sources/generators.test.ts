// Runs whose items an agent's generator makes: they follow the rules of every source, whatever the generator does.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { NodeContext } from '../../../infra/node/context.ts'
import type { InvokeAgent } from '../../../shared/agents/rules/invoke-agent.ts'
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
    [
      'sends a line of another type and ends',
      [ticket(1), { type: 'result', output: 1 }],
      'ended before it was through, after a line of no known type: {"type":"result","output":1}',
    ],
    ['yields an item without an input', [ticket(1), { type: 'item' }], 'item 2 has no input'],
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

  /** The generator answers with these bytes, again and again if `isEndless`. */
  let answer: { text: string; isEndless: boolean }
  let raw: NodeContext
  beforeAll(() => {
    const invokeAgent: InvokeAgent = async (_, { signal }) => {
      const { text, isEndless } = answer
      async function* body() {
        do {
          yield new Uint8Array(Buffer.from(text, 'latin1'))
          await new Promise(resolve => setImmediate(resolve))
        } while (isEndless && !signal.aborted)
      }
      return { status: 200, contentType: 'application/x-ndjson', body: body() }
    }
    // The reader of a pool keeps the context that it was made with.
    raw = { ...engine.apart(), invokeAgent }
  })
  function tickWith(text: string, isEndless = false): Promise<void> {
    answer = { text, isEndless }
    return tick(raw)
  }
  const item = (n: number) => JSON.stringify(ticket(n))
  const end = (items: number) => `{"type":"end","items":${items}}`

  it.each([
    ['a print', 'DEBUG reading the export...'],
    ['a list', '[1,2]'],
    ['a byte of Latin-1', 'caf\xe9'],
    ['a line of another type', '{"type":"result","output":1}'],
    ['an object', '{"rows":3}'],
    ['what is no object', '17\n"text"\nnull'],
    ['blank lines', '\n \r\n\t\n'],
    ['too many heartbeats', '{"type":"heartbeat"}\n'.repeat(100)],
    ['a print that quotes an item', 'made {"type":"item","input":1}'],
  ])('passes over %s, and starts the run over the items [sources.generator]', async (_, stray) => {
    const id = await schedule()
    const isKnown = stray.includes('heartbeat')
    await tickWith([stray, item(1), stray, item(2), end(2), isKnown ? '' : stray].join('\n'))
    expect(await rows(id)).toMatchObject([{ outcome: 'fired', detail: null }])
    expect(await left()).toEqual({ runs: 1, items: 2, reads: 0 })
  })

  it('passes over a print for every item, however many they are together', async () => {
    const id = await schedule()
    const lines = Array.from({ length: 2000 }, (_, at) => `progress ${'#'.repeat(50)}\n${item(at + 1)}\n`)
    await tickWith(`${lines.join('')}${end(2000)}\n`)
    expect(await rows(id)).toMatchObject([{ outcome: 'fired' }])
    expect(await left()).toEqual({ runs: 1, items: 2000, reads: 0 })
  })

  const lost: [what: string, line: string, text: string][] = [
    ['is not JSON', '{"type":"item","input":{"score":NaN}}', 'item 2 cannot be read'],
    ['is a dict of Python', `{'type': 'item', 'input': {'id': 'T-2'}}`, 'item 2 cannot be read'],
    ['is cut off', '{"type":"item","inp', 'item 2 cannot be read'],
    [
      'has a byte of Latin-1',
      '{"type":"item","input":"caf\xe9"}',
      'item 2 cannot be read (the line is not valid',
    ],
    ['has a repeated key', '{"type":"item","input":{"a":1,"a":2}}', 'item 2 cannot be read'],
    [
      'is too long',
      `{"type":"item","input":"${'x'.repeat(2_200_000)}"}`,
      'item 2 cannot be read (the line is longer',
    ],
    [
      'comes after a print',
      `made {"type":"item","input":{}}\n${end(2)}`,
      'says that there are 2, and this line was',
    ],
    [
      'ends with its type',
      `{"input":NaN,"type":"item"}\n${end(2)}`,
      'was passed over: {"input":NaN,"type":"item"}',
    ],
  ]
  it.each(lost)('starts nothing if an item %s, and says which [sources.failed]', async (_, line, text) => {
    const id = await schedule()
    await tickWith([item(1), line, ''].join('\n'))
    expect(await rows(id)).toMatchObject([
      { reason: 'source_failed', detail: { line: null, text: expect.stringContaining(text) } },
    ])
    expect(await left()).toEqual({ runs: 0, items: 0, reads: 0 })
  })

  const endless: [what: string, piece: string, text: string][] = [
    ['prints', 'tqdm: 10%\n'.repeat(100), 'bytes without an item, such as: tqdm: 10%.'],
    ['blank lines', '\n'.repeat(1000), 'bytes without an item.'],
    ['heartbeats', '{"type":"heartbeat"}\n'.repeat(100), 'bytes without an item.'],
    [
      'lines of another type',
      '{"type":"song"}\n'.repeat(100),
      'bytes without an item, such as: {"type":"song"}.',
    ],
    ['one line', 'x'.repeat(1_000_000), `a line is longer than ${LIMITS.agent_skipped_line_bytes} bytes.`],
  ]
  it.each(endless)(
    'is left if it goes on with %s and yields no item [sources.failed]',
    async (_, piece, text) => {
      const id = await schedule()
      await tickWith(piece, true)
      expect(await rows(id)).toMatchObject([
        { reason: 'source_failed', detail: { line: null, text: expect.stringContaining(text) } },
      ])
      expect(await left()).toEqual({ runs: 0, items: 0, reads: 0 })
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
    const started = Promise.withResolvers<void>()
    const more = Promise.withResolvers<void>()
    play(async function* () {
      yield* tickets(5000)
      started.resolve()
      await more.promise
      yield { type: 'end', items: 5000 }
    })
    const id = await schedule()
    await fireDue(engine.ctx)
    await readSources(engine.ctx)
    await started.promise
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
