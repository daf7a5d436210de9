// Callbacks, sent over HTTP to receivers that behave well and badly.

import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOutside } from '../../../infra/node/reach.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Mail } from '../../../shared/kernel/outside.ts'
import { deliverDue, deliverSoon, resend } from '../../../shared/outbox/verbs/deliver.ts'
import { readSigningSecret, rollSigningSecret } from '../../../shared/outbox/verbs/signing-secrets.ts'
import { dismissItem } from '../../../shared/recovery/verbs/replay.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

let engine: TestEngine
let receiver: Receiver
beforeEach(async () => {
  engine = await testEngine()
  receiver = await startReceiver()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await receiver.close() // first, since it ends a try that still waits for an answer
  await engine.close()
})

interface Row {
  id: string
  body: string | null
  tries: number
  due_at: Date | null
  delivered_at: Date | null
}
const deliveries = () => engine.sql<Row[]>`select * from deliveries order by created_at`
const tries = () => engine.sql`select try, status, error from delivery_tries order by delivery_id, try`
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body))
const makeDue = () => engine.sql`update deliveries set due_at = now() where due_at is not null`

/** Milliseconds until the message is due. */
async function dueIn(): Promise<number> {
  const [row] = await engine.sql`select extract(epoch from due_at - now()) * 1000 as ms from deliveries`
  return Number(row!.ms)
}

/** Submits a run, of one item by default, works it off and waits until its callback was tried. */
async function callBack(url = receiver.url, items: Parameters<TestEngine['submit']>[0] = 1): Promise<string> {
  const runId = await engine.submit(items, { callback_url: url })
  await consume(engine.ctx)
  await engine.ctx.idle()
  return runId
}

/** Sends everything that is due, and what becomes due by that. */
async function deliverAll(): Promise<void> {
  deliverSoon(engine.ctx)
  await engine.ctx.idle()
}

describe('a run', () => {
  it('posts its callback when it ends, signed for any library of Standard Webhooks [callbacks.posted, callbacks.signed]', async () => {
    const runId = await callBack(receiver.url, 3)
    const { headers, body } = receiver.received[0]!
    const { secret } = await readSigningSecret(engine.ctx, engine.project_id)
    const message = new Webhook(secret).verify(body, headers) as Record<string, unknown>
    expect(message).toMatchObject({
      type: 'run.finished',
      data: {
        run: { id: runId, status: 'completed', worst_outcome_status: 'ok', total_items: 3, completed: 3 },
        item: null,
        items_url: `http://127.0.0.1/v2/runs/${runId}/items`,
        results_url: `http://127.0.0.1/v1/results?run_id=${runId}`,
      },
    })
    expect(headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    const [row] = await deliveries()
    expect(row).toMatchObject({ id: headers['webhook-id'], body, tries: 1, due_at: null })
    expect(row!.delivered_at).not.toBeNull()
    expect(await tries()).toEqual([{ try: 1, status: 204, error: null }])
  })

  it('of one item posts its output, byte for byte', async () => {
    engine.play(([item]) => [result(item!, { price: 1.5, word: 'é\u2028' })])
    await callBack()
    expect(receiver.received[0]!.body).toContain('"output":{"price":1.5,"word":"é\u2028"}')
    expect(bodies()[0].data.item).toMatchObject({ item_id: 'item-1', status: 'completed' })
    expect(bodies()[0].data.item).not.toHaveProperty('input')
  })

  it('posts that it failed', async () => {
    engine.play(([item]) => [failure(item!, 'agent_error')])
    await callBack()
    expect(bodies()[0].data).toMatchObject({
      run: { status: 'failed', worst_outcome_status: 'failed' },
      item: { error_code: 'agent_error', output: null },
    })
  })

  it.each([
    ['at its budget', { budget_cents: 0 }, {}, 'budget_exceeded'],
    ['after failures in a row', {}, { max_consecutive_failures: 2 }, 'failed'],
  ])('posts that it was stopped %s', async (_, order, declaration, status) => {
    await engine.deploy(declaration)
    engine.play(items => items.map(item => failure(item, 'agent_error')))
    await engine.submit(5, { callback_url: receiver.url, concurrency: 1, ...order })
    await consume(engine.ctx)
    await engine.ctx.idle()
    expect(bodies().map(({ data }) => data.run.status)).toEqual([status])
  })

  it('posts that it was cancelled', async () => {
    const runId = await engine.submit(2, { callback_url: receiver.url })
    await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: runId })
    await engine.ctx.idle()
    expect(bodies()[0].data.run).toMatchObject({ status: 'cancelled', cancelled: 2 })
  })

  it('that ends again after a restore has the id that its receiver knows', async () => {
    const { sql } = engine
    engine.play(([one, two]) => [result(one!), failure(two!, 'agent_error')])
    const runId = await callBack(receiver.url, 2)
    const [before] = await sql`select * from runs where id = ${runId}`
    await dismissItem(engine.ctx, engine.item(runId, 2))
    await engine.ctx.idle()
    const sent = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(sent).size).toBe(2)
    // What a backup holds that was made while the run was open.
    await sql`delete from deliveries where run_id = ${runId}`
    await sql`update runs set finished_at = null, undecided = ${before!.undecided} where id = ${runId}`
    await sql`update runs set finished_at = now() where id = ${runId}`
    await sql`update runs set undecided = 0 where id = ${runId}`
    const again = await sql`select id from deliveries where run_id = ${runId} order by created_at`
    expect(again.map(({ id }) => id).sort()).toEqual(sent.toSorted())
  })

  it('that is decided about twice has two ids', async () => {
    const { sql } = engine
    engine.play(([one, two]) => [result(one!), failure(two!, 'agent_error')])
    const runId = await callBack(receiver.url, 2)
    for (const undecided of [0, 1, 0, 1])
      await sql`update runs set undecided = ${undecided} where id = ${runId}`
    const rows = await sql`select distinct id from deliveries where run_id = ${runId}`
    expect(rows).toHaveLength(5)
  })

  it('posts each end it reaches, with its state at that time and the transition [callbacks.trigger-operation, callbacks.transition]', async () => {
    engine.play(([one, two]) => [result(one!), failure(two!, 'agent_error')])
    receiver.answer = response => response.writeHead(503).end()
    const runId = await callBack(receiver.url, 2)
    await dismissItem(engine.ctx, engine.item(runId, 2))
    await engine.ctx.idle()
    await makeDue()
    await deliverAll()
    const ends = bodies().map(({ data }) => `${data.run.status} ${data.transition}`)
    expect(ends.toSorted()).toEqual([
      ...['completed decided', 'completed decided'],
      ...['partial ended', 'partial ended'],
    ])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
  })

  it('without a callback posts nothing', async () => {
    await engine.submit(1)
    await consume(engine.ctx)
    expect(await deliveries()).toEqual([])
  })
})

describe('a delivery that fails', () => {
  it('is retried three times, each after a longer wait and with the same body and id [callbacks.retries]', async () => {
    receiver.answer = response => response.writeHead(500).end('no')
    await callBack()
    const waits: number[] = []
    for (let n = 0; n < 3; n++) {
      waits.push(await dueIn())
      await makeDue()
      await deliverAll()
    }
    const { base, factor, jitter } = LIMITS.delivery_backoff_ms
    waits.forEach((wait, n) => {
      expect(wait).toBeGreaterThan(base * factor ** n - 5000)
      expect(wait).toBeLessThanOrEqual(base * factor ** n * (1 + jitter))
    })
    expect(await deliveries()).toMatchObject([{ tries: 4, due_at: null, delivered_at: null }])
    const said = { status: 500, error: 'The receiver answered 500.' }
    expect(await tries()).toEqual([1, 2, 3, 4].map(n => ({ try: n, ...said })))
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    await deliverAll()
    expect(receiver.received).toHaveLength(4)
  })

  it.each([
    ['answers 404', (r: ServerAnswer) => r.writeHead(404).end(), 404, 'The receiver answered 404.'],
    [
      'redirects to a metadata address',
      (r: ServerAnswer) => r.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
      307,
      'The receiver answered 307; redirects are not followed.',
    ],
    [
      'closes the connection',
      (r: ServerAnswer) => void r.socket!.destroy(),
      null,
      'The receiver closed the connection without an answer.',
    ],
    [
      'resets the connection',
      (r: ServerAnswer) => void r.socket!.resetAndDestroy(),
      null,
      'The receiver closed the connection without an answer.',
    ],
    [
      'does not speak HTTP',
      (r: ServerAnswer) => void r.socket!.end('220 smtp.example.org ESMTP\r\n'),
      null,
      expect.stringContaining('Parse Error'),
    ],
  ])('because its receiver %s records the reason', async (_, answer, status, error) => {
    receiver.answer = answer
    await callBack()
    expect(await tries()).toEqual([{ try: 1, status, error }])
    expect((await deliveries())[0]).toMatchObject({ delivered_at: null, due_at: expect.any(Date) })
    expect(receiver.received).toHaveLength(1)
  })

  it('because its receiver hangs ends at the deadline', async () => {
    const deadline = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal)
    receiver.answer = () => deadline.abort(new DOMException('too late', 'TimeoutError'))
    await callBack()
    expect(AbortSignal.timeout).toHaveBeenCalledWith(15_000)
    expect(await tries()).toEqual([{ try: 1, status: null, error: 'There was no answer within 15 s.' }])
  })

  it('because nothing listens, or the host name does not resolve, records the reason', async () => {
    await callBack('http://127.0.0.1:1/')
    await callBack('http://no-such-host.invalid/')
    const said = (await tries()).map(one => one.error)
    expect(said).toContain('Nothing listens there.')
    expect(said.some(text => /name of the host/.test(text))).toBe(true)
  })
})

it('an answer that switches to another protocol ends the try', async () => {
  receiver.answer = response =>
    response.socket!.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
  await callBack()
  expect(await tries()).toEqual([{ try: 1, status: 101, error: 'The receiver answered 101.' }])
})

type ServerAnswer = Parameters<Receiver['answer']>[0]

it('an endless answer is cut off, and its status counts', async () => {
  let sent = 0
  receiver.answer = response => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
    }
    response.on('drain', more)
    more()
  }
  await callBack()
  expect(await tries()).toEqual([{ try: 1, status: 200, error: null }])
  expect(sent).toBeLessThan(64 * 1024 * 1024) // what fits into the buffers of sockets
})

it.each([
  ['a private address', 'http://127.0.0.1:{port}/'],
  ['a private address in another spelling', 'http://2130706433:{port}/'],
  ['a name that leads to one', 'http://localhost:{port}/'],
])('nothing is sent to %s unless the operator allows it [callbacks.nowhere-private]', async (_, url) => {
  engine.ctx.post = createOutside([]).post
  await callBack(url.replace('{port}', new URL(receiver.url).port))
  expect((await tries())[0]!.error).toMatch(/not an address of the public internet/)
  expect(receiver.received).toEqual([])
})

it('a receiver that hangs holds up no other receiver and no run [callbacks.never-hold-up]', async () => {
  const held: (() => void)[] = []
  receiver.answer = response => held.push(() => response.writeHead(200).end())
  const slow = LIMITS.deliveries_in_flight_per_host + 5
  for (let n = 0; n < slow; n++) await engine.submit(1, { callback_url: receiver.url })
  const quick = await startReceiver()
  try {
    const runId = await engine.submit(1, { callback_url: quick.url })
    await consume(engine.ctx)
    expect(await engine.run(runId)).toMatchObject({ status: 'completed' })
    await quick.got(1)
    await receiver.got(LIMITS.deliveries_in_flight_per_host)
    expect(receiver.received).toHaveLength(LIMITS.deliveries_in_flight_per_host)
    receiver.answer = response => response.writeHead(200).end()
    for (const answer of held) answer()
    await engine.ctx.idle()
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(slow)
  } finally {
    await quick.close()
  }
})

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

it('two accounts whose receivers all hang, in several projects each, do not hold up a third account', async () => {
  const { ctx, sql } = engine
  const made = async (projects: number) => {
    const account_id = ctx.newId()
    await sql`insert into accounts ${sql({ id: account_id, name: 'neighbour' })}`
    const ids = Array.from({ length: projects }, () => ctx.newId())
    for (const id of ids) {
      await sql`insert into projects ${sql({ id, account_id, name: 'neighbour' })}`
      await sql`insert into project_usage ${sql({ project_id: id })}`
    }
    return ids
  }
  const [one, two] = [await made(3), await made(3)]
  const [third] = await made(1)
  const [hang, arrived] = [Promise.withResolvers<{ status: number }>(), Promise.withResolvers<void>()]
  const hanging = { one: 0, two: 0 }
  ctx.post = async ({ url, signal }) => {
    const account = /hangs_(one|two)/.exec(url)?.[1] as 'one' | 'two' | undefined
    if (account === undefined) {
      arrived.resolve()
      return { status: 204 }
    }
    hanging[account]++
    return Promise.race([hang.promise, aborted(signal)])
  }
  for (const [n, ids] of [one, two].entries())
    await sql`insert into deliveries (project_id, kind, url, body)
      select p, 'alert.raised', 'http://hangs_' || ${n === 0 ? 'one' : 'two'}::text || n || '.example/' || p, '{}'
      from unnest(${ids}::uuid[]) p, generate_series(1, 100) n`
  deliverSoon(ctx)
  const share = LIMITS.deliveries_in_flight_per_account
  await expect.poll(() => hanging, { timeout: 8000 }).toEqual({ one: share, two: share }) // the attack has arrived
  await sql`insert into deliveries (project_id, kind, url, body)
    values (${third!}, 'alert.raised', 'http://hears.example/', '{}')`
  deliverSoon(ctx)
  await arrived.promise
  expect(hanging).toEqual({ one: share, two: share })
  hang.resolve({ status: 204 })
  await ctx.idle()
})

it('a project whose receivers all hang does not hold up another project', async () => {
  const { ctx, sql, project_id } = engine
  const other = ctx.newId()
  await sql`insert into projects (id, account_id, name) select ${other}, account_id, 'other' from projects`
  await sql`insert into project_usage ${sql({ project_id: other })}`
  const [hang, arrived] = [Promise.withResolvers<{ status: number }>(), Promise.withResolvers<void>()]
  let hanging = 0
  ctx.post = async ({ url }) => {
    if (url.includes('hangs')) {
      hanging++
      return hang.promise
    }
    arrived.resolve()
    return { status: 204 }
  }
  await sql`insert into deliveries (project_id, kind, url, body)
    select ${project_id}, 'alert.raised', 'http://hangs' || n || '.example/', '{}' from generate_series(1, 200) n`
  await sql`insert into deliveries (project_id, kind, url, body) values (${other}, 'alert.raised', 'http://z.example/', '{}')`
  deliverSoon(ctx)
  await arrived.promise
  expect(hanging).toBeLessThanOrEqual(LIMITS.deliveries_in_flight_per_project)
  hang.resolve({ status: 204 })
  await ctx.idle()
  expect((await deliveries()).filter(row => row.delivered_at === null)).toEqual([])
})

it('several senders at once send each message only once', async () => {
  engine.ctx.post = () => Promise.reject(new Error('not yet'))
  for (let n = 0; n < 40; n++) await engine.submit(1, { callback_url: receiver.url })
  await consume(engine.ctx)
  await engine.ctx.idle()
  await makeDue()
  const senders = Array.from({ length: 4 }, () => engine.other(() => []))
  // Each has its own `sql`, like another process.
  for (const sender of senders) sender.sql = new Proxy(engine.sql, {})
  for (const sender of senders) deliverSoon(sender)
  await Promise.all(senders.map(sender => sender.idle()))
  expect(receiver.received).toHaveLength(40)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(40)
})

it('a message whose sender was lost is retried, and given up when its tries are used up', async () => {
  await engine.submit(1, { callback_url: receiver.url })
  const lost = Promise.withResolvers<{ status: number }>()
  engine.ctx.post = () => lost.promise
  await consume(engine.ctx)
  await eventually(async () => expect(await deliveries()).toMatchObject([{ tries: 1 }]))
  expect(await dueIn()).toBeGreaterThan(LIMITS.delivery_ms)
  await makeDue()
  const next = engine.other(() => [])
  next.sql = new Proxy(engine.sql, {})
  deliverSoon(next)
  await next.idle()
  expect(await tries()).toMatchObject([
    { try: 1, status: null, error: null },
    { try: 2, status: 204 },
  ])
  lost.resolve({ status: 500 }) // an answer that comes too late changes nothing about the message
  await engine.ctx.idle()
  expect((await deliveries())[0]).toMatchObject({ tries: 2, due_at: null, delivered_at: expect.any(Date) })

  await engine.sql`update deliveries set tries = tries_allowed, due_at = now(), delivered_at = null`
  deliverSoon(next)
  await next.idle()
  expect(await deliveries()).toMatchObject([{ due_at: null, delivered_at: null }])
  expect(receiver.received).toHaveLength(1)
})

it('retention removes outputs from messages too', async () => {
  engine.play(([item]) => [result(item!, 'secret word')])
  await callBack()
  await engine.sql`update projects set settings = settings || '{"payload_retention_days":1}'`
  engine.ctx.now = () => Date.now() + 2 * 24 * 3600 * 1000
  await sweep(engine.ctx)
  const [row] = await deliveries()
  expect(row!.body).toBeNull()
  await resend(engine.ctx, row!.id)
  await engine.ctx.idle()
  expect(bodies()[1].data.item.output).toBeNull()
})

describe('a message', () => {
  it('that is over can be sent again under the same id, and not while it is being tried', async () => {
    receiver.answer = response => response.writeHead(500).end()
    await callBack()
    const [{ id } = { id: '' }] = await deliveries()
    await expect(resend(engine.ctx, id)).rejects.toMatchObject({ code: 'delivery_pending' })
    await engine.sql`update deliveries set due_at = null`
    receiver.answer = response => response.writeHead(200).end()
    await resend(engine.ctx, id)
    await engine.ctx.idle()
    expect((await deliveries())[0]!.delivered_at).not.toBeNull()
    const [first, second] = receiver.received
    expect(second).toMatchObject({ body: first!.body, headers: { 'webhook-id': id } })
  })

  it('that is a mail waits for a process that sends mails', async () => {
    await engine.sql`insert into deliveries (project_id, kind, url, body, due_at)
      values (${engine.project_id}, 'alert.raised', 'mailto:a@example.org', '{"subject":"s","text":"t"}', now())`
    deliverSoon({ ...engine.ctx, mail: null })
    await engine.ctx.idle()
    expect(await deliveries()).toMatchObject([{ tries: 0, delivered_at: null }])
  })

  it('is removed from the log after a month, with its tries, unless it is due', async () => {
    await callBack()
    await engine.sql`update deliveries set created_at = now() - ${LIMITS.delivery_days + 1} * interval '1 day'`
    await engine.sql`insert into deliveries (project_id, kind, url, created_at, due_at)
      select project_id, 'alert.raised', 'mailto:a@example.org', created_at, now() + interval '1 day' from deliveries`
    expect(await deliverDue(engine.ctx)).toBe(1)
    expect(await tries()).toEqual([])
    expect(await deliveries()).toHaveLength(1)
  })
})

it('nothing is sent for a deleted project, and its messages are deleted too', async () => {
  receiver.answer = response => response.writeHead(503).end()
  await callBack()
  await engine.sql`update projects set account_id = null`
  await makeDue()
  await deliverAll()
  expect(receiver.received).toHaveLength(1)
  expect(await deliveries()).toMatchObject([{ tries: 1, due_at: null }])
  await sweep(engine.ctx)
  expect(await deliveries()).toEqual([])
  expect(await tries()).toEqual([])
})

it('an alert is sent to webhooks as it is in the API, and to people by mail', async () => {
  const { ctx, sql, project_id } = engine
  const mails: Mail[] = []
  ctx.mail = async mail => void mails.push(mail)
  const alert = {
    id: ctx.newId(),
    project_id,
    rule: 'budget_near',
    reason: 'project_credit',
    since: new Date(),
    message: 'The credit is nearly spent.',
    advice: 'Raise it.',
    command: 'assay projects',
  }
  await sql`insert into alerts ${sql(alert as never)}`
  for (const url of [receiver.url, 'mailto:night%2Bshift@example.org'])
    await sql`insert into deliveries ${sql({ project_id, alert_id: alert.id, kind: 'alert.raised', url } as never)}`
  await deliverAll()
  const { secret } = await readSigningSecret(ctx, project_id)
  const { headers, body } = receiver.received[0]!
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    type: 'alert.raised',
    data: { id: alert.id, rule: 'budget_near', command: 'assay projects' },
  })
  expect(mails).toEqual([
    {
      to: 'night+shift@example.org',
      subject: expect.stringContaining('The credit is nearly spent.'),
      text: expect.stringContaining('assay projects'),
      html: expect.stringContaining('<pre'),
    },
  ])
  expect(await tries()).toEqual([
    { try: 1, status: expect.toBeOneOf([204, null]), error: null },
    { try: 1, status: expect.toBeOneOf([204, null]), error: null },
  ])
})

it('after a roll both secrets sign for a day, then only the new one', async () => {
  const { ctx, project_id, sql } = engine
  const before = await readSigningSecret(ctx, project_id)
  expect(before).toEqual({ secret: expect.stringMatching(/^whsec_/), rolled_at: null, previous: null })
  const after = await rollSigningSecret(ctx, project_id)
  expect(after.secret).not.toBe(before.secret)
  expect(after.previous).toEqual({ secret: before.secret, valid_until: expect.any(Date) })
  await callBack()
  const { headers, body } = receiver.received[0]!
  for (const { secret } of [before, after]) new Webhook(secret).verify(body, headers)
  expect(headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)

  await sql`update signing_secrets set rolled_at = now() - interval '1 day 1 second'`
  expect(await readSigningSecret(ctx, project_id)).toMatchObject({ secret: after.secret, previous: null })
  await callBack()
  const last = receiver.received.at(-1)!
  new Webhook(after.secret).verify(last.body, last.headers)
  expect(() => new Webhook(before.secret).verify(last.body, last.headers)).toThrow()
})
