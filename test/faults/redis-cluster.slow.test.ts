// A cluster of real nodes in place of one Redis, during runs: the whole path over it, and masters that die.

import { afterEach, expect, it, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'
import { type RedisCluster, startRedisCluster } from '../support/redis-servers.ts'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
}, PATIENCE_MS)

async function onCluster(
  replicas: number,
): Promise<{ cluster: RedisCluster; stack: Stack; agentId: string }> {
  const cluster = parts.adopt(await startRedisCluster({ replicas }), one => one.close())
  const stack = parts.adopt(await startStack({ redisUrl: cluster.url }), one => one.close())
  const agentId = await stack.deploy()
  await Promise.all([stack.startConsumer(), stack.startConsumer()])
  return { cluster, stack, agentId }
}

const items = (n: number) => Array.from({ length: n }, () => ({}))

/** Calls again and again until the answer is 429. */
const refuses = (ask: () => Promise<Response>) =>
  vi.waitFor(async () => expect((await ask()).status).toBe(429), { timeout: PATIENCE_MS, interval: 1 })

async function endsWhole(stack: Stack, runId: string, ok: number): Promise<void> {
  expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok })
  expect(await stack.breaches(runId)).toEqual([])
}

it('runs, callbacks, rate limits and sign-ins work on a cluster, which may be emptied at any time', {
  timeout: PATIENCE_MS,
}, async () => {
  const { cluster, stack, agentId } = await onCluster(0)
  const receiver = parts.adopt(await startReceiver(), one => one.close())
  const release = stack.probe.hold(call => call.step === 's2')
  const runId = await stack.submit(agentId, items(200), { callback_url: receiver.url })
  await stack.probe.until(calls => calls.some(call => call.step === 's2'))
  await Promise.all(cluster.nodes.map(node => node.client.flushall()))
  release()
  await endsWhole(stack, runId, 200)
  await receiver.got(1)
  expect(JSON.parse(receiver.received[0]!.body).data.run).toMatchObject({ id: runId, status: 'completed' })

  await stack.sql`update projects set settings = settings || '{"requests_per_second": 1}'`
  const headers = { authorization: `Bearer ${stack.api_key}`, 'content-type': 'application/json' }
  await refuses(() => fetch(`${stack.base_url}/v2/runs`, { headers }))
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'a guess' })
  await refuses(() => fetch(`${stack.base_url}/v1/sessions`, { method: 'POST', headers, body }))
  const kept = await Promise.all(cluster.nodes.map(node => node.client.keys('assay:*')))
  expect(kept.flat().length).toBeGreaterThan(1)
})

it('a master that dies costs no item, whether or not another takes its place', {
  timeout: PATIENCE_MS,
}, async () => {
  const { cluster, stack, agentId } = await onCluster(1)
  const [key] = await stack.sql`select id from api_keys`
  const bucket = `assay:rate:key:${key!.id}`
  const release = stack.probe.hold(call => call.step === 's2')
  const during = await stack.submit(agentId, items(200))
  await stack.probe.until(calls => calls.some(call => call.step === 's2'))

  const first = await cluster.masterOf(bucket)
  await first.kill()
  const meanwhile = await stack.submit(agentId, items(50))
  release()
  await endsWhole(stack, during, 200)
  await endsWhole(stack, meanwhile, 50)
  await eventually(async () => expect(await cluster.masterOf(bucket)).not.toBe(first))
  await eventually(async () => {
    await stack.client.GET('/v2/runs')
    const heir = await cluster.masterOf(bucket)
    expect(await heir.client.exists(bucket)).toBe(1)
  })

  await (await cluster.masterOf(bucket)).kill() // no replica is left to take its place, so the cluster is down
  await endsWhole(stack, await stack.submit(agentId, items(50)), 50)
  await Promise.all(cluster.nodes.filter(node => node.isUp).map(node => node.kill()))
  await endsWhole(stack, await stack.submit(agentId, items(50)), 50)
  const ready = () => fetch(`${stack.base_url}/health/ready`)
  // As soon as the client has tried every node it knows.
  await eventually(async () => {
    const response = await ready()
    const expected = [503, expect.stringContaining('redis cannot be reached (ECONNREFUSED)')]
    expect([response.status, await response.text()]).toEqual(expected)
  })
  await Promise.all(cluster.nodes.map(node => node.start()))
  await cluster.whole()
  await eventually(async () => expect((await ready()).status).toBe(200))
  await endsWhole(stack, await stack.submit(agentId, items(50)), 50)
})
