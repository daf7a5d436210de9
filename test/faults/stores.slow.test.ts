// During runs, Redis is emptied, stopped and restarted, and PostgreSQL is killed and restarted.

import { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { ITEM_COST_MICRO, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
beforeEach(async () => {
  stack = await startStack()
}, PATIENCE_MS)
afterEach(() => stack?.close())

const batch = (n: number) => Array.from({ length: n }, () => ({}))
const callsOf = (runId: string, n: number) =>
  stack.probe.until(calls => calls.filter(c => c.run === runId).length >= n)

/** A submission whose lines are sent as they are written. */
function upload(agentId: string) {
  const lines = new TransformStream<string, string>()
  const response = fetch(`${stack.base_url}/v1/batches?agent_id=${agentId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.api_key}`, 'content-type': 'application/x-ndjson' },
    body: lines.readable.pipeThrough(new TextEncoderStream()),
    duplex: 'half',
  } as RequestInit).then(
    async answer => [answer.status, await answer.json()] as const,
    error => [0, error] as const,
  )
  return { response, writer: lines.writable.getWriter() }
}

const itemsThere = async () => (await stack.sql<{ n: number }[]>`select count(*)::int as n from items`)[0]!.n

it('a run continues while Redis is emptied, stopped and restarted, and its cap is kept', {
  timeout: PATIENCE_MS,
}, async () => {
  const [items, cap] = [300, 12]
  const agentId = await stack.deploy()
  await Promise.all([stack.startConsumer(), stack.startConsumer()])
  const release = stack.probe.hold(call => call.run === runId && call.step === 's2')
  const runId = await stack.submit(agentId, batch(items), { concurrency: String(cap) })
  await stack.probe.until(() => stack.probe.peak(runId) === cap)

  const redis = new Redis(stack.stores.redisUrl)
  await redis.flushall()
  redis.disconnect()
  // The run submitted after the flush was dispatched, so every consumer has scanned the full run again.
  const afterFlush = await stack.submit(agentId, batch(50), { concurrency: String(cap) })
  await stack.finished(afterFlush)
  await stack.stores.redis.kill()
  const seen = await stack.client.GET('/v2/runs/{runId}', { params: { path: { runId } } })
  expect(seen.response.status).toBe(200)
  const whileAway = await stack.submit(agentId, batch(50), { concurrency: String(cap) })
  await stack.finished(whileAway)
  expect(stack.probe.peak(runId)).toBe(cap)

  release()
  await callsOf(runId, 300)
  await stack.stores.restartRedis()
  for (const [id, n] of [
    [runId, items],
    [afterFlush, 50],
    [whileAway, 50],
  ] as const) {
    expect(await stack.finished(id)).toMatchObject({ status: 'completed', ok: n })
    expect(await stack.breaches(id)).toEqual([])
    expect(stack.probe.peak(id)).toBeLessThanOrEqual(cap)
  }
  expect(stack.probe.calls.filter(call => call.attempt > 1)).toEqual([])
})

it('a run submitted to idle consumers while Redis is away starts when it is back', {
  timeout: PATIENCE_MS,
}, async () => {
  const agentId = await stack.deploy()
  await stack.startConsumer()
  await stack.finished(await stack.submit(agentId, batch(1)))
  await stack.stores.redis.kill()
  const runId = await stack.submit(agentId, batch(20))
  await stack.stores.restartRedis()
  expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: 20 })
  expect(await stack.breaches(runId)).toEqual([])
})

it('a run continues after PostgreSQL was killed and restarted, and nothing is lost or done twice', {
  timeout: PATIENCE_MS,
}, async () => {
  const items = 400
  const agentId = await stack.deploy()
  const consumer = await stack.startConsumer()
  const runId = await stack.submit(agentId, batch(items))
  // A submission is half way through its upload: several chunks are committed.
  const written = 5000 // two whole chunks and the beginning of a third
  const lines = '{"input":{"steps":0}}\n'.repeat(written)
  const { response, writer } = upload(agentId)
  void writer.write(lines).catch(() => {})
  await stack.someMaterializing()
  await callsOf(runId, 300)

  await stack.stores.postgres.kill()
  void writer.write(lines).catch(() => {})
  await stack.stores.restartPostgres()
  void writer.write(lines).catch(() => {})
  void writer.close().catch(() => {})
  const [status, body] = await response

  const ended = [consumer, stack.control].map(one => Promise.race([one.exited, 'alive']))
  expect(await Promise.all(ended)).toEqual(['alive', 'alive'])
  expect(await stack.finished(runId)).toMatchObject({ ok: items, cost_micro: items * ITEM_COST_MICRO })
  expect(await stack.breaches(runId)).toEqual([])
  if (status === 202) {
    expect(await stack.finished(body.run_id)).toMatchObject({ ok: 3 * written })
  } else {
    expect(status === 0 || status >= 500).toBe(true)
    await stack.nothingLeftBut([runId])
  }
})

it('a submission is refused and leaves nothing if a killed PostgreSQL forgot a chunk that it had confirmed', {
  timeout: PATIENCE_MS,
}, async () => {
  const agentId = await stack.deploy()
  // Only chunks are written, which do not wait for the disk, and the process that would write them there is stopped.
  await stack.control.end()
  await stack.startPart('api')
  const [walWriter] = await stack.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where backend_type = 'walwriter'`
  process.kill(walWriter!.pid, 'SIGSTOP')
  const { response, writer } = upload(agentId)
  const lines = '{"input":{"steps":0}}\n'.repeat(5000)
  void writer.write(lines).catch(() => {})
  await stack.someMaterializing()
  const written = await itemsThere()

  await stack.stores.postgres.kill()
  process.kill(walWriter!.pid, 'SIGKILL') // while stopped it does not notice, and a new server waits for it
  await stack.stores.restartPostgres()
  const isForgotten = async () => expect(await itemsThere()).toBeLessThan(written)
  await vi.waitFor(isForgotten, PATIENCE_MS) // the test's own connections broke as well
  void writer.write(lines).catch(() => {})
  void writer.close().catch(() => {})
  expect(await response).toEqual([500, { error: expect.objectContaining({ code: 'store_unreachable' }) }])
  await stack.startPart('tick')
  await stack.nothingLeftBut([])
})

it('consumers, tick and API continue by themselves after PostgreSQL was killed twice under load; the run has its digest and no alert', {
  timeout: PATIENCE_MS,
}, async () => {
  const items = 150
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const [project] = await stack.sql`select id from projects`
  await stack.client.POST('/v1/projects/{projectId}/alert-channels', {
    params: { path: { projectId: project!.id } },
    body: { url: receiver.url, digest: 'all' },
  })
  const agentId = await stack.deploy()
  const [consumer, doomed] = await Promise.all([stack.startConsumer(), stack.startConsumer()])
  const release = stack.probe.hold(call => call.run === runId && call.step === 's2')
  const runId = await stack.submit(agentId, batch(items))
  for (const calls of [50, 100]) {
    await callsOf(runId, calls)
    await stack.stores.postgres.kill()
    await stack.stores.restartPostgres()
  }
  // Only a tick retries the items of a dead consumer.
  await doomed.end()
  await stack.runBecomes(runId, () => true) // the test's own connections broke as well
  await stack.ageLeases()
  release()
  expect(await stack.finished(runId)).toMatchObject({ ok: items })
  expect(await stack.breaches(runId)).toEqual([])
  const ready = await fetch(`${stack.base_url}/health/ready`)
  expect([ready.status, await ready.json()]).toMatchObject([200, { turns: { tick: { status: 'ok' } } }])
  await receiver.got(1)
  expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['run.digest'])
  const ended = [consumer, stack.control].map(one => Promise.race([one.exited, 'alive']))
  expect(await Promise.all(ended)).toEqual(['alive', 'alive'])
})
