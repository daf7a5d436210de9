// Token buckets on a real Redis, and while Redis is away.

import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { takeToken, takeTokens } from '../../../shared/redis/rate.ts'
import { type TestStore, testRedis } from '../../support/stores.ts'

let store: TestStore
let redis: Redis
beforeAll(async () => {
  store = await testRedis()
  redis = new Redis(store.url)
})
afterAll(async () => {
  redis.disconnect()
  await store.drop()
})

it('a bucket gives its burst and then says how long to wait', async () => {
  const bucket = { name: 'burst', per_second: 0.1, burst: 3 }
  for (let n = 0; n < 3; n++) expect(await takeTokens(redis, bucket, 1, Date.now())).toBe(0)
  const wait_ms = await takeTokens(redis, bucket, 1, Date.now())
  expect(wait_ms).toBeGreaterThan(9000)
  expect(wait_ms).toBeLessThanOrEqual(10_000)
})

it('a bucket refills with time and never beyond its burst', async () => {
  const bucket = { name: 'fill', per_second: 50, burst: 2 }
  for (let n = 0; n < 2; n++) await takeTokens(redis, bucket, 1, Date.now())
  await expect.poll(() => takeTokens(redis, bucket, 2, Date.now()), { interval: 10 }).toBe(0)
  expect(await takeTokens(redis, bucket, 3, Date.now())).toBeGreaterThan(0)
})

it('tokens can be given back', async () => {
  const bucket = { name: 'back', per_second: 0.01, burst: 1 }
  expect(await takeTokens(redis, bucket, 1, Date.now())).toBe(0)
  await takeTokens(redis, bucket, -1, Date.now())
  expect(await takeTokens(redis, bucket, 1, Date.now())).toBe(0)
  expect(await takeTokens(redis, bucket, 1, Date.now())).toBeGreaterThan(0)
})

it('50 concurrent callers get no more than the burst', async () => {
  const bucket = { name: 'parallel', per_second: 0.01, burst: 7 }
  const waits = await Promise.all(Array.from({ length: 50 }, () => takeTokens(redis, bucket, 1, Date.now())))
  expect(waits.filter(wait => wait === 0)).toHaveLength(7)
})

it('a bucket expires when it would be full again', async () => {
  await takeTokens(redis, { name: 'forget', per_second: 1, burst: 2 }, 1, Date.now())
  expect(await redis.pttl('assay:rate:forget')).toBeLessThanOrEqual(2000)
})

it('a caller with plenty left does not wait for Redis, gets no more than the burst, and owes what others took', async () => {
  const pending: Promise<unknown>[] = []
  const bucket = { name: 'plenty', per_second: 0.01, burst: 10 }
  const ctx = { redis, now: () => 0, waitUntil: (one: Promise<unknown>) => void pending.push(one) }
  expect(await takeToken(ctx, bucket)).toBe(0)
  expect(pending).toHaveLength(0)
  const waits = await Promise.all(Array.from({ length: 20 }, () => takeToken(ctx, bucket)))
  expect(waits.filter(wait => wait === 0)).toHaveLength(9)
  expect(pending.length).toBeGreaterThan(0)

  const shared = { name: 'shared', per_second: 1, burst: 10 }
  expect(await takeToken(ctx, shared)).toBe(0)
  expect(await takeTokens(redis, shared, 9, Date.now())).toBe(0)
  expect(await takeToken(ctx, shared)).toBe(0)
  await Promise.all(pending)
  expect(await takeToken(ctx, shared)).toBeGreaterThan(1000)
})

it('a process that was blocked reads the answer that came meanwhile', async () => {
  const bucket = { name: 'still', per_second: 0.01, burst: 1 }
  expect(await takeTokens(redis, bucket, 1, Date.now())).toBe(0)
  const asked = takeTokens(redis, bucket, 1, Date.now())
  const until = performance.now() + 2 * LIMITS.rate_answer_ms
  while (performance.now() < until);
  expect(await asked).toBeGreaterThan(0)
})

describe('without Redis', () => {
  const gone = new Redis('redis://127.0.0.1:1', { lazyConnect: true, maxRetriesPerRequest: null })
  gone.on('error', () => {})
  afterAll(() => gone.disconnect())

  it('a request is let through quickly, and Redis is not queried for a while', async () => {
    const now_ms = Date.now()
    const ctx = { redis: gone, now: () => now_ms, waitUntil: () => {} }
    const bucket = { name: 'gone', per_second: 1, burst: 1 }
    const asked = vi.spyOn(gone, 'sendCommand')
    const started = performance.now()
    expect(await takeToken(ctx, bucket)).toBe(0)
    expect(performance.now() - started).toBeLessThan(5 * LIMITS.rate_answer_ms)
    expect(asked).toHaveBeenCalled()
    asked.mockClear()
    for (let n = 0; n < 100; n++) expect(await takeToken(ctx, bucket)).toBe(0)
    expect(asked).not.toHaveBeenCalled()
  })

  it('a limit that must hold is counted by the process itself', async () => {
    const now_ms = Date.now() + LIMITS.rate_rest_ms
    const bucket = { name: 'guesses', per_second: 0.5, burst: 3 }
    const take = (tokens: number, later_ms = 0) => takeTokens(gone, bucket, tokens, now_ms + later_ms)
    for (let n = 0; n < 3; n++) expect(await take(1)).toBe(0)
    expect(await take(1)).toBe(2000)
    expect(await take(1, 2000)).toBe(0)
    await take(-1, 2000)
    expect(await take(1, 2000)).toBe(0)
    expect(await take(1, 2000)).toBe(2000)
  })
})
