// Notifications of many processes and the calls they make, on a real Redis, with a played consumer.

import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createNotifier, type Notifier } from '../../../infra/notify.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { countPresent, markGone, markPresent, reserveCall } from '../../../shared/redis/consumer-presence.ts'
import { type TestStore, testRedis } from '../../support/stores.ts'

let store: TestStore
let redis: Redis
beforeAll(async () => {
  store = await testRedis()
  redis = new Redis(store.url)
})
beforeEach(() => redis.flushdb())
afterAll(async () => {
  redis.disconnect()
  await store.drop()
})

type Answers = (nth: number) => Promise<Response>

/** Processes that notify one consumer. */
function notifiers(count: number, answer: Answers, on: Redis = redis) {
  const calls: RequestInit[] = []
  const pending = new Set<Promise<unknown>>()
  const warnings: string[] = []
  let ids = 0
  const made = Array.from(
    { length: count },
    (): Notifier =>
      createNotifier({
        url: 'http://consume.test/',
        bearer: 'b',
        redis: on,
        fetch: ((_url: string, init: RequestInit) => answer(calls.push(init))) as typeof fetch,
        newId: () => `call-${++ids}`,
        waitUntil(promise) {
          const ended = promise.finally(() => pending.delete(ended))
          pending.add(ended)
        },
        log: (_level, event) => warnings.push(event),
      }),
  )
  const idle = async () => {
    while (pending.size > 0) await Promise.all(pending)
  }
  return { notifiers: made, calls, warnings, idle }
}

const ok = async () => Response.json({})
const refused = async () => new Response('', { status: 503 })

/** A consumer that is awake from its call until `end()`. */
function held() {
  const open = Promise.withResolvers<Response>()
  const awake = Promise.withResolvers<void>()
  const answer = async (nth: number) => {
    await markPresent(redis, `consumer-${nth}`)
    awake.resolve()
    const response = await open.promise
    return response
  }
  return {
    answer,
    awake: awake.promise,
    async end() {
      await markGone(redis, 'consumer-1')
      open.resolve(Response.json({}))
    },
  }
}

it('notifications of many processes make one call', async () => {
  const consumer = held()
  const { notifiers: all, calls, idle } = notifiers(5, consumer.answer)
  for (const one of all) for (let n = 0; n < 20; n++) one.notify()
  await consumer.awake
  for (const one of all) one.notify()
  // Each asks Redis again after its pending answer; a question after the end would call another consumer.
  for (let n = 0; n < 3; n++) await redis.ping()
  await consumer.end()
  await idle()
  expect(calls).toHaveLength(1)
  expect(calls[0]).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer b' } })
})

it('a notification that finds the called consumer shutting down makes one more call, after it', async () => {
  const open = Promise.withResolvers<Response>()
  const leaving = Promise.withResolvers<void>()
  const {
    notifiers: all,
    calls,
    idle,
  } = notifiers(1, async nth => {
    await markPresent(redis, `consumer-${nth}`)
    await markGone(redis, `consumer-${nth}`)
    leaving.resolve()
    return nth === 1 ? open.promise : Response.json({})
  })
  all[0]!.notify()
  await leaving.promise
  all[0]!.notify()
  await redis.ping() // the notifications have their answers from Redis
  open.resolve(Response.json({}))
  await idle()
  expect(calls).toHaveLength(2)
})

it('a notification that wants more consumers than are awake calls only as many as are missing', async () => {
  await markPresent(redis, 'first')
  const consumer = held()
  const { notifiers: all, calls, idle } = notifiers(3, consumer.answer)
  for (const one of all) one.notify(2)
  await consumer.awake
  expect(calls).toHaveLength(1)
  for (const one of all) one.notify(1)
  await consumer.end()
  await idle()
  expect(calls).toHaveLength(1)
})

it('a failed call is retried until it is answered [log.poke_refused, log.poke_failed]', async () => {
  const {
    notifiers: all,
    calls,
    warnings,
    idle,
  } = notifiers(1, nth =>
    nth === 1 ? refused() : nth === 2 ? Promise.reject(new Error('nobody there')) : ok(),
  )
  all[0]!.notify()
  await idle()
  expect(calls).toHaveLength(3)
  expect(warnings).toEqual(['poke_refused', 'poke_failed'])
})

it('a call that is answered 401 is not retried', async () => {
  const { notifiers: all, calls, idle } = notifiers(1, async () => new Response('', { status: 401 }))
  all[0]!.notify()
  await idle()
  expect(calls).toHaveLength(1)
})

it('if the called consumer is killed during its call, another is called', {
  timeout: 3 * LIMITS.awake_ms,
}, async () => {
  const {
    notifiers: all,
    calls,
    idle,
  } = notifiers(1, async nth => {
    await markPresent(redis, `consumer-${nth}`)
    if (nth === 1) throw new Error('other side closed') // and never marks itself as gone
    return Response.json({})
  })
  all[0]!.notify()
  await idle()
  expect(calls).toHaveLength(2)
})

it('an open call is aborted when it is closed, and not repeated', async () => {
  const {
    notifiers: all,
    calls,
    idle,
  } = notifiers(
    1,
    () =>
      new Promise((_, reject) =>
        calls[0]!.signal!.addEventListener('abort', () => reject(new Error('aborted'))),
      ),
  )
  all[0]!.notify()
  await expect.poll(() => calls.length).toBe(1)
  all[0]!.close()
  await idle()
  expect(calls).toHaveLength(1)
})

it('without Redis a process still calls the consumer', async () => {
  const gone = new Redis('redis://127.0.0.1:1', {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  })
  gone.on('error', () => {})
  const { notifiers: all, calls, idle } = notifiers(1, ok, gone)
  all[0]!.notify()
  await idle()
  expect(calls).toHaveLength(1)
})

it('a consumer that wakes takes the place of its call, and counts until it sleeps', async () => {
  expect(await reserveCall(redis, 'a', 1)).toBe(true)
  expect(await reserveCall(redis, 'b', 1)).toBe(false)
  await markPresent(redis, 'consumer')
  expect(await countPresent(redis)).toBe(1)
  expect(await reserveCall(redis, 'b', 1)).toBe(false)
  await markGone(redis, 'consumer')
  expect(await reserveCall(redis, 'b', 1)).toBe(true)
})
