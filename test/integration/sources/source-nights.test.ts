// Nights of a schedule whose items come from a source: each has the one alert that it gives reason for, and no other.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { addAlertChannel } from '../../../shared/alerts/verbs/alerts.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { fireDue, retryFires } from '../../../shared/schedules/verbs/fire.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { readSources, stopReading } from '../../../shared/sources/verbs/source-reader.ts'
import { watchForAlerts } from '../../../shared/upkeep/verbs/watch-alerts.ts'
import { setClock } from '../../support/clock.ts'
import { result, type TestEngine, testEngine } from '../../support/engine.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { body, type Serve, startSource, type TestSource, ticketLines } from '../../support/source.ts'

const EVENING = '2026-03-02T20:00:00Z'
const NIGHT = Date.parse('2026-03-03T02:00:10Z')
/** Longer than the longest wait between two tries. */
const NEXT_TRY_MS = 310_000

let engine: TestEngine
let receiver: Receiver
let source: TestSource
beforeEach(async () => {
  engine = await testEngine({ clock: EVENING })
  receiver = await startReceiver()
  source = await startSource(body(''))
  await addAlertChannel(engine.ctx, engine.project_id, { url: receiver.url })
  const { project_id, agent_id } = engine
  await createSchedule(engine.ctx, {
    project_id,
    agent_id,
    cron: '0 2 * * *',
    timezone: 'UTC',
    enabled: true,
    declared: false,
    name: null,
    input: 'null',
    budget_cents: 50,
    timeout_seconds: null,
    callback_url: null,
    source: { url: source.url, format: 'ndjson', item_id: 'id', partition_key: 'tenant' },
  })
})
afterEach(() => Promise.all([engine.close(), receiver.close(), source.close()]))

/** Sets the clock to this many tries after the schedule was due, and runs the tick. */
async function tick(tries: number, ctx = engine.ctx): Promise<void> {
  await setClock(engine.sql, new Date(NIGHT + tries * NEXT_TRY_MS))
  await fireDue(ctx)
  await retryFires(ctx)
  await readSources(ctx)
}

/** Ends the night: consumes, checks for alerts, and returns all messages by kind and rule. */
async function messagesSent(): Promise<string[]> {
  await consume(engine.ctx)
  await watchForAlerts({ ...engine.ctx })
  const rows = await engine.sql<{ what: string }[]>`
    select coalesce(d.kind || ' ' || a.rule, d.kind::text) as what
    from deliveries d left join alerts a on a.project_id = d.project_id and a.id = d.alert_id
    order by d.kind, a.rule`
  return rows.map(row => row.what)
}

const half: Serve = response => {
  response.writeHead(200, { 'content-length': 1_000_000 })
  response.write(ticketLines(2500).join(''), () => response.destroy())
}

it.each<[string, Serve]>([
  ['answers 500', response => response.writeHead(500).end()],
  ['breaks off at its half', half],
  ['has a broken line', body(`${ticketLines(20).join('')}{"id":\n`)],
])('a night whose source %s until the morning has one alert and no run', async (_, serve) => {
  source.serve = serve
  for (let tries = 0; tries < 2 * LIMITS.source_tries_alerted; tries++) {
    await tick(tries)
    await engine.ctx.idle()
  }
  expect(await messagesSent()).toEqual(['alert.raised source_failed'])
  expect(await engine.sql`select 1 from runs`).toHaveLength(0)
})

it.each<[string, Serve]>([
  ['answers 500', response => response.writeHead(500).end()],
  ['breaks off at its half', half],
])('a night whose source %s once and then works has a digest and no alert', async (_, serve) => {
  engine.play(items => items.map(item => result(item)))
  source.serve = serve
  await tick(0)
  await engine.ctx.idle()
  source.serve = body(ticketLines(30).join(''))
  await tick(1)
  await engine.ctx.idle()
  expect(await messagesSent()).toEqual(['run.digest'])
})

it('a night whose reader dies midway has a digest and no alert', async () => {
  engine.play(items => items.map(item => result(item)))
  const started = Promise.withResolvers<void>()
  source.serve = response => {
    response.writeHead(200)
    response.write(ticketLines(2500).join(''), () => started.resolve())
  }
  const dying = engine.apart()
  await tick(0, dying)
  await started.promise
  stopReading(dying)
  await dying.idle()
  source.serve = body(ticketLines(30).join(''))
  await tick(1)
  await engine.ctx.idle()
  expect(await messagesSent()).toEqual(['run.digest'])
})

it('a night whose source is empty has neither digest nor alert', async () => {
  await tick(0)
  await engine.ctx.idle()
  expect(await messagesSent()).toEqual([])
})
