// The results of a scheduled run, sent as a file to the URL that its schedule names.

import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { deliverDue } from '../../../shared/outbox/verbs/deliver.ts'
import { readSigningSecret } from '../../../shared/outbox/verbs/signing-secrets.ts'
import { startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import type { ResultFormat } from '../../../shared/results/vocabulary.ts'
import { noteStartByHand } from '../../../shared/schedules/queries/starts.ts'
import { createSchedule } from '../../../shared/schedules/verbs/schedules.ts'
import { watchForAlerts } from '../../../shared/upkeep/verbs/watch-alerts.ts'
import { failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { recovered, recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
let receiver: Receiver
beforeEach(async () => {
  engine = await testEngine()
  receiver = await startReceiver()
})
afterEach(async () => {
  await receiver.close()
  await engine.close()
})

/** A finished run of a schedule whose results go to the receiver, after the tick has seen its end. */
async function night(items: number, format: ResultFormat = 'csv', url = receiver.url): Promise<string> {
  const { project_id, agent_id, ctx } = engine
  const schedule_id = await createSchedule(ctx, {
    project_id,
    agent_id,
    cron: '0 2 * * *',
    timezone: 'UTC',
    enabled: true,
    declared: false,
    name: null,
    source: null,
    input: 'null',
    budget_cents: null,
    timeout_seconds: null,
    callback_url: null,
    results: { url, format },
  })
  const run_id = await engine.submit(items, {
    together: (sql, run_id) => noteStartByHand(sql, { project_id, id: schedule_id }, run_id),
  })
  await consume(ctx)
  await look()
  return run_id
}

const look = () => watchForAlerts({ ...engine.ctx })

async function deliver(): Promise<void> {
  await engine.sql`update deliveries set due_at = now() where due_at is not null`
  await deliverDue(engine.ctx)
  await engine.ctx.idle()
}

const files = () =>
  engine.sql`select run_id, tries, body, due_at, delivered_at from deliveries where kind = 'run.results'`

it('a results file is signed like a callback, states its length and has every item once [schedules.results]', async () => {
  engine.play(items =>
    items.map(item =>
      item.seq % 2 ? result(item, { text: `é, "${item.seq}"` }) : failure(item, 'agent_error'),
    ),
  )
  const run_id = await night(2500)
  await deliver()
  const { headers, body } = receiver.received[0]!
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="results-${run_id}.csv"`,
    'content-length': String(Buffer.byteLength(body)),
  })
  const lines = body.trim().split('\n')
  expect(lines[0]).toMatch(/^item_id,partition_key,status,outcome_status,/)
  expect(lines).toHaveLength(2501)
  expect(new Set(lines.map(line => line.split(',')[0])).size).toBe(2501)
  const secret = Buffer.from(
    (await readSigningSecret(engine.ctx, engine.project_id)).secret.slice(6),
    'base64',
  )
  const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature']!)!
  expect(createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')).toBe(mac)
  const standard = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  expect(createHmac('sha256', secret).update(standard).digest('base64')).toBe(
    headers['webhook-signature']!.slice('v1,'.length),
  )
  expect(await files()).toMatchObject([{ run_id, tries: 1, body: null, due_at: null }])
})

it('a results file is retried under the same id with the same bytes, whatever was replayed meanwhile', async () => {
  engine.play(items => items.map(item => failure(item, 'agent_error')))
  const run_id = await night(3, 'ndjson')
  receiver.answer = response => response.writeHead(503).end()
  await deliver()
  engine.play(items => items.map(item => result(item)))
  await recovered(engine, await startRecovery(engine.ctx, recoveryOrder(engine, { filter: { run_id } })))
  receiver.answer = response => response.writeHead(200).end()
  await deliver()
  const [first, second] = receiver.received
  expect(second!.body).toBe(first!.body)
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  expect(
    first!.body
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).outcome_status),
  ).toEqual([...['failed', 'failed', 'failed']])
  await look()
  expect(await files()).toMatchObject([{ tries: 2, due_at: null }])
})

it('a results file is not sent to a private address, nor from an installation on hold', async () => {
  await night(2, 'json')
  await engine.sql`update installation set held_since = now()`
  await deliver()
  expect(receiver.received).toEqual([])
  await engine.sql`update installation set held_since = null`
  await deliver()
  expect(JSON.parse(receiver.received[0]!.body)).toHaveLength(2)
  await engine.sql`delete from schedules`
  await night(2, 'json', 'http://10.0.0.1/results')
  await deliver()
  const [{ error }] = (await engine.sql`
    select error from delivery_tries t join deliveries d on d.project_id = t.project_id and d.id = t.delivery_id
    where d.url like '%10.0.0.1%'`) as never as [{ error: string }]
  expect(error).toContain('10.0.0.1')
})

it('a results file that its receiver refuses before its end records the error', async () => {
  engine.play(items => items.map(item => result(item, { text: 'x'.repeat(100_000) })))
  await night(100)
  const { createServer } = await import('node:http')
  const server = createServer((_, response) => response.writeHead(413).end())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await engine.sql`update deliveries set url = ${`http://127.0.0.1:${port}/`}`
  await deliver()
  server.close()
  expect(await engine.sql`select status, error from delivery_tries`).toEqual([
    { status: 413, error: 'The receiver answered 413.' },
  ])
})
