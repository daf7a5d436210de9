// What happens to an occurrence whose items are read from a source, whatever the source and the readers do.

import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { onFault } from '../../../shared/kernel/fault.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { fireByHand, fireDue, retryFires, type StartedByHand } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule, type ScheduleOrder } from '../../../shared/schedules/verbs/schedules.ts'
import { findSourcedSchedule } from '../../../shared/sources/queries/source-reads.ts'
import { readSources, stopReading } from '../../../shared/sources/verbs/source-reader.ts'
import { setClock } from '../../support/clock.ts'
import { conservation, type TestEngine, testEngine } from '../../support/engine.ts'
import { body, type Serve, startSource, type TestSource, ticketLines } from '../../support/source.ts'

const NOW = '2026-03-02T09:30:20Z'
const DUE = new Date('2026-03-02T09:30:00Z')

let engine: TestEngine
let source: TestSource
beforeAll(async () => {
  engine = await testEngine({ clock: NOW })
  source = await startSource(body(''))
})
afterEach(async () => {
  onFault(undefined)
  for (const table of ['schedules', 'runs', 'items', 'alerts'])
    await engine.sql`delete from ${engine.sql(table)}`
  await setClock(engine.sql, NOW)
  source.asked.length = 0
})
afterAll(async () => {
  await engine.close()
  await source.close()
})

async function schedule(more: object = {}, order: Partial<ScheduleOrder> = {}): Promise<string> {
  const { ctx, sql, project_id, agent_id } = engine
  const id = await createSchedule(ctx, {
    project_id,
    agent_id,
    cron: '* * * * *',
    timezone: 'UTC',
    enabled: true,
    declared: false,
    name: 'nightly tickets',
    input: 'null',
    budget_cents: 50,
    timeout_seconds: 9,
    callback_url: null,
    source: { url: source.url, format: 'ndjson', item_id: 'id', partition_key: 'tenant', ...more },
    ...order,
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
  engine.sql<
    { outcome: string; reason: string; run_id: string | null; tries: number; retry_at: Date | null }[]
  >`
    select * from occurrences where schedule_id = ${id} order by scheduled_for`
const left = async () => {
  const [row] = await engine.sql`
    select (select count(*)::int from runs) as runs, (select count(*)::int from items) as items,
      (select count(*)::int from source_reads) as reads`
  return row
}
const serve = (answer: Serve) => {
  source.serve = answer
}

/** Sends the first text once and the other for ever. */
const endless =
  (first: string, other: string): Serve =>
  response => {
    response.writeHead(200)
    const more = (): unknown =>
      response.destroyed || response.write(other.repeat(50_000), () => setImmediate(more))
    response.write(first)
    more()
  }
const ROWLESS = {
  text: expect.stringMatching(
    `sent more than ${LIMITS.source_rowless_bytes} bytes that are no rows|is blank, as are more than 65536 bytes of lines`,
  ),
}

describe('an occurrence whose schedule has a source', () => {
  it('starts a run with the tags and the pilot items of its schedule [schedules.tags]', async () => {
    serve(body(ticketLines(3).join('')))
    const id = await schedule({}, { tags: ['acme', 'nightly'], pilot_items: 1 })
    await tick()
    const run = await engine.run((await rows(id))[0]!.run_id!)
    expect(run).toMatchObject({ tags: ['acme', 'nightly'], pilot_items: 1, total_items: 3 })
    const byHand = await fireByHand(
      engine.ctx,
      (await findSourcedSchedule(engine.sql, engine.project_id, id)) as StartedByHand,
    )
    expect(await engine.run(byHand.run_id)).toMatchObject({ tags: ['acme', 'nightly'], total_items: 3 })
  })

  it('starts a run with the concurrency of its schedule [schedules.concurrency]', async () => {
    serve(body(ticketLines(3).join('')))
    const id = await schedule({}, { concurrency: 2 })
    await tick()
    expect(await engine.run((await rows(id))[0]!.run_id!)).toMatchObject({ concurrency: 2, total_items: 3 })
    const byHand = await fireByHand(
      engine.ctx,
      (await findSourcedSchedule(engine.sql, engine.project_id, id)) as StartedByHand,
    )
    expect(await engine.run(byHand.run_id)).toMatchObject({ concurrency: 2, total_items: 3 })
  })

  it('starts one run over all rows, with the name, the budget and the fields of its schedule [sources.schedule]', async () => {
    serve(body(ticketLines(3).join('')))
    const id = await schedule({
      url: `${source.url}?day={date}&at={scheduled_for}`,
      headers: { authorization: 'Bearer s3cret' },
    })
    await tick()
    const [row] = await rows(id)
    expect(row).toMatchObject({ outcome: 'fired', reason: null, tries: 1, retry_at: null, detail: null })
    const run = await engine.run(row!.run_id!)
    expect(run).toMatchObject({
      name: 'nightly tickets',
      total_items: 3,
      timeout_seconds: 9,
      status: 'queued',
    })
    expect(run.budget_micro).toBe(500_000)
    expect(
      (await engine.items(row!.run_id!)).map(one => [one.item_id, one.partition_key, one.input]),
    ).toEqual([
      ['T-1', 't0', '{"id":"T-1","tenant":"t0"}'],
      ['T-2', 't1', '{"id":"T-2","tenant":"t1"}'],
      ['T-3', 't2', '{"id":"T-3","tenant":"t2"}'],
    ])
    const [asked] = source.asked
    expect(asked!.url).toBe('/export?day=2026-03-02&at=2026-03-02T09%3A30%3A00%2B00%3A00')
    expect(asked!.headers).toMatchObject({ authorization: 'Bearer s3cret', 'accept-encoding': 'identity' })
    const [kept] =
      await engine.sql`select source, source_headers_sealed as sealed, last_run_at from schedules`
    expect(JSON.stringify(kept)).not.toContain('s3cret')
    expect(kept!.last_run_at).not.toBeNull()
    expect(await conservation(engine, row!.run_id!)).toEqual([])
    expect(await left()).toEqual({ runs: 1, items: 3, reads: 0 })
  })

  it.each([
    ['csv', 'id;tenant;text\nT-1;a;3.5" disk\n\nT-2;b;"two\nlines"\n'],
    ['csv', '\ufeffid,tenant,text\r\nT-1,a,\r\nT-2,b,"two\r\nlines"\r\n'],
    ['ndjson', '\ufeff{"id":"T-1","tenant":"a"}\r\n\r\n{"id":"T-2","tenant":"b"}'],
    ['json', '\ufeff[{"id":"T-1","tenant":"a"},\r\n{"id":"T-2","tenant":"b"}]'],
    ['json', ' [ {"id":"T-1","tenant":"a"} , {"id":"T-2","tenant":"b, ]","n":1.50} ] '],
  ])('reads %s', async (format, text) => {
    serve(body(text))
    const id = await schedule({ format })
    await tick()
    const [row] = await rows(id)
    expect(row).toMatchObject({ outcome: 'fired', detail: null })
    expect((await engine.items(row!.run_id!)).map(one => one.item_id)).toEqual(['T-1', 'T-2'])
  })

  it.each([
    ['an array on one line', '[{"id":"T-1","tenant":"a"},{"id":"T-2","tenant":"b"}]'],
    ['an array over many lines', '\ufeff\n[\n {"id":"T-1","tenant":"a"},\n {"id":"T-2","tenant":"b"}\n]\n'],
    ['a value a line', '\n{"id":"T-1","tenant":"a"}\n{"id":"T-2","tenant":"b"}'],
  ])('reads %s without a declared format [sources.format]', async (_, text) => {
    serve(body(text))
    const id = await schedule({ format_guessed: true })
    await tick()
    const [row] = await rows(id)
    expect(row).toMatchObject({ outcome: 'fired', detail: null })
    expect((await engine.items(row!.run_id!)).map(one => one.item_id)).toEqual(['T-1', 'T-2'])
    expect(source.asked[0]!.headers.accept).toBe('application/x-ndjson, application/json;q=0.9')
  })

  it('reads arrays of one item a line without a declared format as items [sources.format]', async () => {
    serve(body('[1]\n[2]\n'))
    const id = await schedule({ format_guessed: true, item_id: null, partition_key: null })
    await tick()
    const [row] = await rows(id)
    expect((await engine.items(row!.run_id!)).map(one => one.input)).toEqual(['[1]', '[2]'])
  })

  it.each([
    ['gzip', gzipSync('id,tenant\nT-1,a\nT-2,"b, c"\n'), {}],
    ['gzip as its host says', gzipSync('id,tenant\nT-1,a\nT-2,"b, c"\n'), { 'content-encoding': 'gzip' }],
    [
      'two frames of zstd',
      Buffer.concat(['id,tenant\nT-1,a\n', 'T-2,"b, c"\n'].map(text => zstdCompressSync(text))),
      {},
    ],
    ['UTF-16', Buffer.from('\ufeffid\ttenant\r\nT-1\ta\r\nT-2\t"b, c"\r\n', 'utf16le'), {}],
  ])('reads a table in %s', async (_, bytes, headers) => {
    serve(r => r.writeHead(200, headers).end(bytes))
    const id = await schedule({ format: 'csv', partition_key: 'tenant' })
    await tick()
    const [row] = await rows(id)
    expect(row).toMatchObject({ outcome: 'fired', detail: null })
    expect((await engine.items(row!.run_id!)).map(one => one.partition_key)).toEqual(['a', 'b, c'])
  })

  it.each([
    ['ndjson', '\n'],
    ['ndjson', '\ufeff'],
    ['csv', 'id,tenant\r\n'],
    ['csv', ''],
    ['json', '[]'],
  ])('without rows (%s %j) starts nothing, and is not retried [sources.empty]', async (format, text) => {
    serve(body(text))
    const id = await schedule({ format })
    await tick()
    expect(await rows(id)).toMatchObject([{ outcome: 'skipped', reason: 'source_empty', retry_at: null }])
    expect((await engine.sql`select last_run_at from schedules`)[0]!.last_run_at).toBeNull()
    expect(await engine.sql`select 1 from alerts`).toHaveLength(0)
    expect(await left()).toEqual({ runs: 0, items: 0, reads: 0 })
  })
})

const lines = ticketLines(5000)
const cut: Serve = response => {
  response.writeHead(200)
  response.write(lines.join(''), () => response.destroy())
}

/** A message that names the source by its host, and by nothing else of its URL. */
const atHost = (said: string) =>
  expect.stringMatching(new RegExp(`^The source 127\\.0\\.0\\.1:\\d+${said.replaceAll(/[.()]/g, '\\$&')}$`))

describe('a source that fails', () => {
  const cases: [what: string, answer: Serve, detail: object, more?: object][] = [
    [
      'answers 500',
      r => r.writeHead(500).end('database is down'),
      { line: null, text: atHost(' answered 500: database is down') },
    ],
    [
      'answers with a redirect to the metadata of a cloud',
      r => r.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
      { line: null, text: atHost(' answered 302; redirects are not followed.') },
    ],
    ['has a broken line', body(`${lines.join('')}{"id": oops}\n`), { line: 5001 }],
    ['has a row without its item_id', body('{"id":"T-1"}\n{"no":1}\n'), { line: 2 }, { partition_key: null }],
    [
      'has an item_id twice',
      body(`${lines.join('')}{"id":"T-7","tenant":"t"}\n`),
      { text: expect.stringContaining('"T-7" is on lines 7 and 5001') },
    ],
    [
      'is cut between chunks',
      cut,
      { line: null, text: atHost(': The connection was cut before the answer ended.') },
    ],
    [
      'is cut before its declared length',
      r => {
        r.writeHead(200, { 'content-length': 1_000_000 })
        r.write(lines.join(''), () => r.destroy())
      },
      { text: atHost(': The connection was cut before the answer ended.') },
    ],
    [
      'ends before its own count',
      body(lines.join(''), { 'item-count': '6000' }),
      { text: atHost(' says that it has 6000 rows; it ended after 5000.') },
    ],
    [
      'could be cut without a sign of it',
      r => {
        r.useChunkedEncodingByDefault = false
        r.writeHead(200, { connection: 'close' }).end('{"id":"T-1","tenant":"t"}\n')
      },
      { text: expect.stringContaining('a cut could not be noticed') },
    ],
    [
      'is packed in a way that is not read',
      r => r.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync('{"id":"T-1"}\n')),
      { text: atHost(' answered compressed (br); identity, gzip, x-gzip, zstd are read.') },
    ],
    [
      'is packed and unpacks to one line without end',
      r => r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000, 'x'))),
      { line: 1, text: expect.stringContaining('longer than') },
    ],
    [
      'is packed and cut off',
      r => r.writeHead(200).end(zstdCompressSync('{"id":"T-1","tenant":"t"}\n').subarray(0, -1)),
      {
        text: atHost(
          ' is packed with zstd and cannot be unpacked to its end (it ends too early): write it again',
        ),
      },
    ],
    [
      'is a workbook',
      body('PK\x03\x04workbook'),
      {
        text: atHost(
          ' is an Excel workbook or another zip archive: save it as CSV or JSON lines, or submit it by the command (assay submit), as it is',
        ),
      },
    ],
    [
      'is a JSON array without its end',
      body('[{"id":"T-1"},{"id":"T-2"}'),
      { text: expect.stringContaining('ended before its array did') },
      { format: 'json' },
    ],
    ['sends blank lines without end', endless('', '\r\n'), ROWLESS],
    ['sends blank lines without end after a row', endless('{"id":"T-1","tenant":"t"}\n', ' \n'), ROWLESS],
    ['sends blank lines of CSV without end', endless('id,tenant\nT-1,t\n', '\n'), ROWLESS, { format: 'csv' }],
    ['sends blanks before its array', endless('', ' '), ROWLESS, { format: 'json' }],
    [
      'sends blanks after its array',
      endless('[{"id":"T-1","tenant":"t"}]', ' '),
      ROWLESS,
      { format: 'json' },
    ],
    ['sends blanks without a declared format', endless('', '\n'), ROWLESS, { format_guessed: true }],
    ['is one line without end', endless('', 'x'), { line: 1, text: expect.stringContaining('longer than') }],
    [
      'is one element without end',
      endless('', '[['),
      { line: 1, text: expect.stringContaining('longer than') },
      { format: 'json' },
    ],
    [
      'is a sign-in page',
      body('<!doctype html>\n<p>Sign in</p>\n', { 'content-type': 'text/html; charset=utf-8' }),
      { text: expect.stringContaining('answered with a page (text/html), not with csv') },
      { format: 'csv', item_id: null, partition_key: null },
    ],
    [
      'nests ten thousand arrays',
      body(`${'['.repeat(10_001)}${']'.repeat(10_001)}`),
      { line: 1, text: expect.stringContaining('cannot be taken') },
      { format: 'json', item_id: null, partition_key: null },
    ],
    [
      'nests ten thousand objects in a line',
      body(`{"id":"T-1","tenant":"t"}\n${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}\n`),
      { line: 2 },
    ],
    [
      'has a million columns',
      body(`${Array.from({ length: 1_000_000 }, (_, n) => `c${n}`).join()}\n`),
      { line: 1, text: expect.stringContaining('cannot be read as CSV') },
      { format: 'csv' },
    ],
    ['has a repeated column', body('id,id\nT-1,T-2\n'), { line: 1 }, { format: 'csv', partition_key: null }],
    ['opens a quote and never closes it', body('id,tenant\nT-1,"a\n'), { line: 2 }, { format: 'csv' }],
    [
      'does not answer',
      body(''),
      { text: 'The source 127.0.0.1:1: Nothing listens there.' },
      { url: 'http://127.0.0.1:1/export' },
    ],
    [
      'is in a private network',
      body(''),
      { text: expect.stringContaining('is not an address of the public internet') },
      { url: 'http://10.1.2.3/export' },
    ],
  ]
  it.each(cases)(
    '%s: no part of the run remains, and the read is retried [sources.failed]',
    async (_, answer, detail, more) => {
      serve(answer)
      const id = await schedule(more)
      await tick()
      expect(await rows(id)).toMatchObject([
        {
          outcome: 'error',
          reason: 'source_failed',
          run_id: null,
          tries: 1,
          detail,
          retry_at: new Date('2026-03-02T09:30:25Z'),
        },
      ])
      expect(await left()).toEqual({ runs: 0, items: 0, reads: 0 })
      expect(await engine.sql`select 1 from schedules where last_run_at is not null`).toHaveLength(0)
    },
  )

  it('is read again from its start, and then starts its run [sources.failed, occurrences.retried-within]', async () => {
    serve(cut)
    const id = await schedule()
    await tick()
    serve(body(ticketLines(2).join('')))
    await tick()
    expect(source.asked).toHaveLength(1) // not before the retry is due
    await setClock(engine.sql, '2026-03-02T09:30:30Z')
    await tick()
    const [row] = await rows(id)
    expect(row).toMatchObject({ outcome: 'fired', reason: null, detail: null, tries: 2, retry_at: null })
    expect(await left()).toEqual({ runs: 1, items: 2, reads: 0 })
  })

  it('until the next occurrence is due is given up, and raises an alert', async () => {
    serve(r => r.writeHead(503).end())
    const id = await schedule()
    await tick()
    await setClock(engine.sql, '2026-03-02T09:31:10Z')
    serve(body(ticketLines(2).join('')))
    await tick()
    expect(await rows(id)).toMatchObject([
      { outcome: 'error', reason: 'source_failed', retry_at: null },
      { outcome: 'fired', reason: null },
    ])
    expect(await engine.sql`select reason from alerts`).toMatchObject([{ reason: 'source_failed' }])
  })
})

it('a source that keeps failing raises one alert after some tries, long before the next night', async () => {
  serve(r => r.writeHead(500).end())
  const id = await schedule({}, { cron: '30 9 * * *' })
  const alerts: number[] = []
  for (let tries = 1; tries <= LIMITS.source_tries_alerted + 1; tries++) {
    await setClock(engine.sql, new Date(DUE.getTime() + tries * 310_000).toISOString())
    await tick()
    alerts.push((await engine.sql`select 1 from alerts where rule = 'source_failed'`).length)
  }
  expect(await rows(id)).toMatchObject([{ reason: 'source_failed', tries: LIMITS.source_tries_alerted + 1 }])
  expect(alerts).toEqual([...Array(LIMITS.source_tries_alerted - 1).fill(0), 1, 1])
  expect(await engine.sql`select 1 from alerts`).toHaveLength(1)
})

describe('while a source is read', () => {
  /** Sends some rows, then waits for `go()`. */
  function slow() {
    const [started, more] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    serve(async response => {
      response.writeHead(200)
      response.write(lines.join(''))
      started.resolve()
      await more.promise
      if (!response.destroyed) response.end('{"id":"last","tenant":"t"}\n')
    })
    return { started: started.promise, go: () => more.resolve() }
  }

  it('no other tick reads it, and the other chores continue [sources.one-run]', async () => {
    const { started, go } = slow()
    const id = await schedule()
    await fireDue(engine.ctx)
    const other = engine.apart()
    await readSources(engine.ctx)
    await started
    expect(await readSources(other)).toBe(0)
    expect(await fireDue(other)).toBe(0)
    expect(await rows(id)).toEqual([])
    go()
    await engine.ctx.idle()
    expect(source.asked).toHaveLength(1)
    expect(await rows(id)).toMatchObject([{ outcome: 'fired' }])
    expect(await left()).toEqual({ runs: 1, items: 5001, reads: 0 })
  })

  it('and its reader pauses, another reads it from its start, and only one of them opens a run [sources.one-run]', async () => {
    const { started, go } = slow()
    const id = await schedule()
    await fireDue(engine.ctx)
    await readSources(engine.ctx)
    await started
    await setClock(engine.sql, new Date(Date.parse(NOW) + LIMITS.source_lease_ms + 1000))
    serve(body(ticketLines(2).join('')))
    const other = engine.apart()
    await readSources(other)
    await other.idle()
    go()
    await engine.ctx.idle()
    expect(await rows(id)).toMatchObject([{ outcome: 'fired', tries: 1 }])
    expect(await left()).toEqual({ runs: 1, items: 2, reads: 0 })
  })

  it('and its process is asked to stop, the next process reads it at once', async () => {
    const { started, go } = slow()
    const id = await schedule()
    await fireDue(engine.ctx)
    const stopped = engine.apart()
    await readSources(stopped)
    await started
    stopReading(stopped)
    await stopped.idle()
    expect(await left()).toEqual({ runs: 0, items: 0, reads: 1 })
    go()
    serve(body(ticketLines(2).join('')))
    const other = engine.apart()
    await readSources(other)
    await other.idle()
    expect(await rows(id)).toMatchObject([{ outcome: 'fired' }])
  })

  it('and its schedule is deleted, nothing is started', async () => {
    const { started, go } = slow()
    const id = await schedule()
    await fireDue(engine.ctx)
    await readSources(engine.ctx)
    await started
    await engine.sql`delete from schedules where id = ${id}`
    go()
    await engine.ctx.idle()
    expect(await left()).toEqual({ runs: 0, items: 0, reads: 0 })
  })

  it('its project reads at most two at once', async () => {
    const { go } = slow()
    await schedule()
    for (const cron of ['30 * * * *', '30 9 * * *', '*/30 * * * *']) await schedule({}, { cron })
    await fireDue(engine.ctx)
    expect(await readSources(engine.ctx)).toBe(LIMITS.sources_at_once_per_project)
    go()
    await engine.ctx.idle()
  })
})
