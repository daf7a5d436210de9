// Sunday's export, from the time that its schedule names to the callback at its end.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ExportServer, startExport } from '../../../examples/nightly-export/server.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { setClock } from '../../support/clock.ts'
import { conservation, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

let engine: TestEngine
let exporter: ExportServer
let receiver: Receiver
beforeAll(async () => {
  engine = await testEngine({ clock: '2026-03-28T23:30:00Z' })
  exporter = await startExport({ port: 0, rows: 5000, token: 'local' })
  receiver = await startReceiver()
})
afterAll(() => Promise.all([exporter.close(), receiver.close(), engine.close()]))

it('a schedule starts one run over 5,000 rows with its budget and callback, in the night in which the clock jumps [sources.schedule]', async () => {
  const { ctx, sql, project_id, agent_id } = engine
  await createSchedule(ctx, {
    project_id,
    agent_id,
    name: 'Sunday export',
    cron: '30 1 * * 0',
    timezone: 'Europe/Berlin',
    enabled: true,
    declared: false,
    input: 'null',
    budget_cents: 500,
    timeout_seconds: null,
    callback_url: receiver.url,
    source: {
      url: `${exporter.url}?day={date}`,
      format: 'ndjson',
      item_id: 'ticket_id',
      partition_key: 'tenant',
      headers: { authorization: 'Bearer local' },
    },
  })
  await sweep(ctx)
  await ctx.idle()
  expect(await sql`select 1 from occurrences`).toHaveLength(0)
  await setClock(sql, '2026-03-29T00:30:10Z') // half past one in Berlin, on the day of the month that loses an hour
  await sweep(ctx)
  await ctx.idle()
  const [event] = await sql`select * from occurrences`
  expect(event).toMatchObject({ outcome: 'fired', scheduled_for: new Date('2026-03-29T00:30:00Z') })
  engine.play(items => items.map(item => result(item)))
  await consume(ctx)
  await ctx.idle()
  const run = await engine.run(event!.run_id)
  expect(run).toMatchObject({ name: 'Sunday export', status: 'completed', total_items: 5000, ok: 5000 })
  expect(run.budget_micro).toBe(5_000_000)
  expect((await engine.items(event!.run_id))[0]!.item_id).toBe('2026-03-29-1')
  expect(await conservation(engine, event!.run_id)).toEqual([])
  await sql`update deliveries set due_at = now()` // defaults of columns ignore the stopped clock
  await sweep(ctx)
  await ctx.idle()
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  expect(bodies).toMatchObject([{ type: 'run.finished' }])
  expect(await sql`select 1 from alerts`).toHaveLength(0)
})
