// A Redis that answers but does not do what it is asked: it takes no writes, or keeps none of them.

import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

const ITEMS = 40
let stack: Stack
let redis: Redis
let agentId: string
beforeAll(async () => {
  stack = await startStack()
  redis = new Redis(stack.stores.redisUrl)
  agentId = await stack.deploy()
  await stack.startConsumer()
}, PATIENCE_MS)
afterAll(async () => {
  redis?.disconnect()
  await stack?.close()
})

const readiness = async () => {
  const response = await fetch(`${stack.base_url}/health/ready`)
  return { http: response.status, ...(await response.json()) }
}

/** Resolves with a readiness object that reports this status of Redis. */
const redisBecomes = (status: string) =>
  vi.waitFor(
    async () => {
      const ready = await readiness()
      expect(ready.dependencies.redis.status).toBe(status)
      return ready
    },
    { timeout: PATIENCE_MS / 2, interval: 200 },
  )

const configure = async (settings: Record<string, string>) => {
  for (const [name, value] of Object.entries(settings)) await redis.config('SET', name, value)
}

/** Leaves room for almost nothing, and fills it by writing until the disturbance ends. */
async function evictAll(): Promise<() => Promise<void>> {
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))![1])
  await configure({ 'maxmemory-policy': 'allkeys-random', maxmemory: String(used + 300_000) })
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n++) await redis.set(`filler:${n}`, 'x'.repeat(2000)).catch(() => {})
  })()
  return async () => {
    isOver = true
    await writing
    await configure({ 'maxmemory-policy': 'noeviction', maxmemory: '0' })
  }
}

const DISTURBANCES: [what: string, reason: RegExp, begin: () => Promise<() => Promise<unknown>>][] = [
  [
    'has too few replicas to accept a write',
    /takes no writes, because it lacks replicas/,
    async () => {
      await configure({ 'min-replicas-to-write': '1' })
      return () => configure({ 'min-replicas-to-write': '0' })
    },
  ],
  [
    'is a replica',
    /is a replica that takes no writes/,
    async () => {
      await redis.replicaof('127.0.0.1', '1')
      return () => redis.replicaof('NO', 'ONE')
    },
  ],
  [
    'is full',
    /takes no writes, because it lacks memory/,
    async () => {
      await configure({ maxmemory: '1mb' })
      return () => configure({ maxmemory: '0' })
    },
  ],
  ['evicts all keys', /lost a value that was written/, evictAll],
]

it.for(DISTURBANCES)(
  'a Redis that %s costs no item and fails no caller, is named by readiness, and recovers by itself [health.degraded]',
  { timeout: PATIENCE_MS },
  async ([, reason, begin]) => {
    await redisBecomes('ok')
    const end = await begin()
    const ready = await redisBecomes('degraded')
    expect([ready.http, ready.status]).toEqual([200, 'ready'])
    expect(ready.dependencies.redis.reason).toMatch(reason)

    const runId = await stack.submit(agentId, Array<object>(ITEMS).fill({}), { concurrency: '8' })
    expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: ITEMS })
    expect(stack.probe.peak(runId)).toBeLessThanOrEqual(8)
    expect(await stack.breaches(runId)).toEqual([])
    const signedIn = await fetch(`${stack.base_url}/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'not the right one' }),
    })
    expect(signedIn.status).toBe(401)

    await end()
    expect(await redisBecomes('ok')).toMatchObject({ status: 'ready' })
  },
)
