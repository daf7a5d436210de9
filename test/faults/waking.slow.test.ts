// Functions that sleep: they wake for work, hand it over, and are at zero again, whatever happens to a notification, a
// caller or a consumer.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { countPresent } from '../../shared/redis/consumer-presence.ts'
import { type Sleeping, startSleeping } from '../support/sleeping.ts'
import { testDatabase, testRedis } from '../support/stores.ts'

const PATIENCE_MS = 60_000

let parts: AsyncDisposableStack
let project: Sleeping
beforeEach(async () => {
  parts = new AsyncDisposableStack()
  const database = parts.adopt(await testDatabase(), one => one.drop())
  const redis = parts.adopt(await testRedis(), one => one.drop())
  project = await startSleeping({ databaseUrl: database.url, redisUrl: redis.url })
  parts.defer(() => project.close())
})
afterEach(() => parts.disposeAsync())

const attempts = async (runId: string) => {
  const rows = await project.sql<{ attempt: number; n: number }[]>`
    select attempt, count(*)::int as n from items where run_id = ${runId} group by 1 order by 1`
  return Object.fromEntries(rows.map(row => [row.attempt, row.n]))
}

it('one item wakes a consumer, and all functions are at zero again', { timeout: PATIENCE_MS }, async () => {
  const runId = await project.submit(1)
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 1 })
  expect(await project.toZero()).toEqual([0, 0, undefined])
  const { runs, consume, tick } = project.functions
  expect([runs.started(), consume.started(), tick.started()]).toEqual([1, 1, 0])
  expect(await countPresent(project.redis)).toBe(0)
})

it('if the notification is lost, the tick finds the work', { timeout: PATIENCE_MS }, async () => {
  project.env.runs.ASSAY_CONSUMER_URL = 'http://127.0.0.1:9/'
  const runId = await project.submit(3)
  expect(project.functions.consume.started()).toBe(0)
  await project.redis.flushdb() // the reserved call that never arrived expires by itself after a while
  expect((await project.call('tick')).status).toBe(200)
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 3 })
})

it('a consumer that is called while another holds all items answers at once', {
  timeout: PATIENCE_MS,
}, async () => {
  const release = project.agent.hold()
  const runId = await project.submit(20)
  await project.agent.until(20)
  expect(await project.call('consume')).toEqual({
    status: 200,
    body: { claimed: 0, settled: 0, more: false },
  })
  expect(project.agent.items).toHaveLength(20)
  release()
  await project.finished(runId)
})

it('2,000 items continue over invocations that are too short for them, each attempted once', {
  timeout: PATIENCE_MS,
}, async () => {
  const { sql, env, agent } = project
  env.consume.ASSAY_CONSUME_SECONDS = String(LIMITS.consume_seconds.min)
  // Ten at once, 30 ms each: six seconds at least, and an invocation claims for two.
  await sql`update projects set settings = settings || '{"concurrency": 10}'`
  agent.takes_ms = 30
  const runId = await project.submit(2000)
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 2000 })
  expect(await attempts(runId)).toEqual({ 1: 2000 })
  expect(agent.items).toHaveLength(2000)
  const consumers = project.functions.consume.pod()!
  expect(await project.toZero()).toEqual([0, 0, undefined])
  expect(consumers.log().match(/"handed_over"/g)!.length).toBeGreaterThanOrEqual(2)
})

it('a consumer killed in the middle is followed by another, and its items are retried', {
  timeout: PATIENCE_MS,
}, async () => {
  const { sql, functions, agent } = project
  await sql`update projects set settings = settings || '{"concurrency": 40}'`
  const release = agent.hold()
  const runId = await project.submit(60)
  await agent.until(40)
  functions.consume.pod()!.child.kill('SIGKILL')
  release()
  await sql`update claims set lease_until = now() - interval '1 second'`
  expect((await project.call('tick')).status).toBe(200)
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 60 })
  expect(await attempts(runId)).toEqual({ 1: 20, 2: 40 })
  expect(functions.consume.started()).toBe(2)
})

it('a consumer asked to leave gives back its items and wakes its successor', {
  timeout: PATIENCE_MS,
}, async () => {
  const { functions, agent } = project
  const release = agent.hold()
  const runId = await project.submit(10)
  await agent.until(10)
  const leaving = functions.consume.pod()!
  leaving.child.kill('SIGTERM')
  expect(await leaving.ended).toBe(0)
  release()
  await agent.until(20)
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 10 })
  expect(await attempts(runId)).toEqual({ 2: 10 })
})

it('a consumer continues although the function that notified it is gone', {
  timeout: PATIENCE_MS,
}, async () => {
  const { functions, agent } = project
  const release = agent.hold()
  const runId = await project.submit(5)
  await agent.until(5)
  const notified = functions.runs.pod()!
  notified.child.kill('SIGKILL')
  await notified.ended
  release()
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 5 })
  expect(await attempts(runId)).toEqual({ 1: 5 })
})

it('a backlog that one consumer cannot hold wakes more of them, up to the bound', {
  timeout: PATIENCE_MS,
}, async () => {
  const { env, agent, redis } = project
  const most = 3
  env.consume.ASSAY_CONSUMERS_MAX = String(most)
  const release = agent.hold()
  const held = most * LIMITS.items_in_flight_per_consumer
  const runId = await project.submit(held + 1000)
  await agent.until(held)
  expect(await countPresent(redis)).toBe(most)
  release()
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: held + 1000 })
  expect(await attempts(runId)).toEqual({ 1: held + 1000 })
  await project.toZero()
  expect(await countPresent(redis)).toBe(0)
})
