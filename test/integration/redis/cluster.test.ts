// A real cluster of three nodes in place of one Redis: every hint is kept and published across its nodes, and a node
// that dies costs only time.

import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { openRedis } from '../../../infra/node/redis.ts'
import * as redisClient from '../../../infra/node/redis-client.ts'
import type { Redis } from '../../../shared/context.ts'
import { recall, remember } from '../../../shared/redis/cache.ts'
import { countPresent, markGone, markPresent, reserveCall } from '../../../shared/redis/consumer-presence.ts'
import { takeTokens } from '../../../shared/redis/rate.ts'
import { listenForWakes, publishWake } from '../../../shared/redis/wake.ts'
import { eventually } from '../../support/eventually.ts'
import { type RedisCluster, startRedisCluster } from '../../support/redis-servers.ts'

let cluster: RedisCluster
const parts = new AsyncDisposableStack()
beforeAll(async () => {
  cluster = parts.adopt(await startRedisCluster(), cluster => cluster.close())
}, 60_000)
afterAll(() => parts.disposeAsync())

const opened = (url = cluster.url): Redis =>
  parts.adopt(openRedis({ url }, redisClient), redis => redis.disconnect())

it('buckets are kept on whichever node their names lead to, and refuse what is too much', async () => {
  const redis = opened()
  await redis.ping() // the client knows the nodes from here on
  const names = Array.from({ length: 30 }, (_, n) => `key:${n}`)
  await Promise.all(names.map(name => redis.exists(`assay:rate:${name}`))) // now it is connected to every node
  // A bucket without an answer in time allows the call, so no time passes here; and no bucket refills meanwhile.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const take = (name: string) => takeTokens(redis, { name, per_second: 0.001, burst: 2 }, 1, Date.now())
  for (const name of names) expect([await take(name), await take(name)]).toEqual([0, 0])
  for (const name of names) expect(await take(name)).toBeGreaterThan(0)
  const served = await Promise.all(cluster.nodes.map(node => node.client.dbsize()))
  expect(Math.min(...served)).toBeGreaterThan(0)
})

it('a notification published at any node reaches listeners at the others', async () => {
  const heard: number[] = []
  const redis = opened()
  const stops = [0, 1, 2, 3].map(n => listenForWakes(redis, () => heard.push(n)))
  for (const stop of stops) parts.defer(stop)
  await eventually(() => {
    publishWake(redis)
    expect(new Set(heard).size).toBe(4)
  })
})

it('present consumers and reserved calls are counted across the cluster', async () => {
  const redis = opened()
  expect(await reserveCall(redis, 'call-1', 1)).toBe(true)
  expect(await reserveCall(redis, 'call-2', 1)).toBe(false)
  await markPresent(redis, 'consumer-1')
  expect(await countPresent(redis)).toBe(1)
  expect(await reserveCall(redis, 'call-3', 1)).toBe(false)
  await markGone(redis, 'consumer-1')
  expect(await countPresent(redis)).toBe(0)
  expect(await reserveCall(redis, 'call-4', 1)).toBe(true)
  await remember(redis, 'answer', { n: 1 }, 60_000)
  expect(await recall(redis, 'answer')).toEqual({ n: 1 })
})

it('a URL of one node with cluster=true reaches the whole cluster', async () => {
  const url = `${cluster.url.split(',')[0]}?cluster=true`
  expect(await recall(opened(url), 'answer')).toEqual({ n: 1 })
})

it('listeners at a node that dies move to another, and requests that wait for it end in time', async () => {
  const heard: number[] = []
  const redis = opened()
  const stops = Array.from({ length: 6 }, (_, n) => listenForWakes(redis, () => heard.push(n)))
  for (const stop of stops) parts.defer(stop)
  const allHear = () =>
    eventually(() => {
      publishWake(redis)
      expect(new Set(heard).size).toBe(stops.length)
    })
  await allHear()
  const dead = await cluster.masterOf('assay:cache:answer')
  await dead.kill()
  heard.length = 0
  await allHear()
  expect(await recall(redis, 'answer')).toBeUndefined()
  expect(await reserveCall(redis, 'call-5', 1)).toBeTypeOf('boolean')

  await Promise.all(cluster.nodes.map(node => node.kill()))
  expect(await reserveCall(redis, 'call-6', 1)).toBe(true)
  await Promise.all(cluster.nodes.map(node => node.start()))
  await cluster.whole()
  heard.length = 0
  await allHear()
}, 60_000)
