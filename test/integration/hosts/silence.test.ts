// What callers and readiness see while PostgreSQL answers nobody: frozen, or away behind a pooler that stays.

import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import { bootstrapAccount } from '../../../shared/accounts/verbs/bootstrap.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { probe } from '../../../shared/upkeep/verbs/readiness.ts'
import { type Relay, startRelay } from '../../faults/support/relay.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { hasPgBouncer, startPgBouncer } from '../../support/pgbouncer.ts'
import { type TestStore, testDatabase, testRedis } from '../../support/stores.ts'

// What is documented, and some room for a busy machine; the deadline of a statement is 20 s.
const LONGEST_MS = LIMITS.store_silent_look_ms + LIMITS.store_silent_ms + 1500
const parts = new AsyncDisposableStack()
let database: TestStore
let redisUrl: string
let relay: Relay
beforeAll(async () => {
  database = parts.adopt(await testDatabase(), one => one.drop())
  redisUrl = parts.adopt(await testRedis(), one => one.drop()).url
  relay = parts.adopt(await startRelay([Number(new URL(database.url).port)]), one => one.close())
})
afterAll(() => parts.disposeAsync())

/** The URL of the database through the relay. */
const relayed = () => Object.assign(new URL(database.url), { port: String(relay.port) }).href

/** A process that answers callers, with the key of an account. */
async function processOn(databaseUrl: string) {
  const connections = openConnections({ databaseUrl, redisUrl, pool: { sql: 2, db: 1, reads: 1 } })
  parts.defer(() => connections.close())
  const log: string[] = []
  const config = { base_url: 'http://assay.test', master_key: '5a'.repeat(32) }
  const ctx = createContext({ connections, config, writeLog: line => log.push(line) })
  const { api_key, project_id } = await bootstrapAccount(ctx)
  const app = createApp(endpoints, () => ctx)
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const ask = async (path: string, method = 'GET', body?: object) => {
    const began = performance.now()
    const response = await app.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const { error } = (await response.json()) as { error?: { code: string } }
    return { status: response.status, code: error?.code, ms: performance.now() - began }
  }
  const both = () =>
    Promise.all([
      ask('/v1/projects'),
      ask('/v2/runs'),
      ask('/v1/agents', 'POST', { project_id, name: 'a', slug: 'a' }),
    ])
  /** A change whose body begins, and ends when it is told to. */
  const upload = () => {
    const bytes = new TextEncoder().encode(JSON.stringify({ project_id, name: 'u', slug: 'u' }))
    const rest = Promise.withResolvers<void>()
    let pulls = 0
    const body = new ReadableStream({
      async pull(controller) {
        pulls++
        if (pulls === 1) return controller.enqueue(bytes.subarray(0, 5))
        await rest.promise
        controller.enqueue(bytes.subarray(5))
        controller.close()
      },
    })
    const answer = app.request('/v1/agents', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    return {
      isBegun: () => pulls === 2,
      async finish() {
        rest.resolve()
        return (await answer).status
      },
    }
  }
  return { ctx, ask, both, upload, log, project_id }
}

const IN_TIME = { status: 500, code: 'store_unreachable' }
const inTime = (answers: { ms: number }[]) =>
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(LONGEST_MS)

it('a PostgreSQL that is frozen is reported to callers within five seconds, and all is well when it goes on', {
  timeout: 60_000,
}, async () => {
  const { both, ask } = await processOn(relayed())
  const goOn = relay.hold()
  const refused = await both()
  expect(refused).toMatchObject([IN_TIME, IN_TIME, IN_TIME])
  inTime(refused)
  goOn()
  await expect.poll(() => ask('/v1/projects')).toMatchObject({ status: 200 })
})

it('a statement that waits for a lock is not taken for a silent PostgreSQL', {
  timeout: 60_000,
}, async () => {
  const { ask, project_id } = await processOn(database.url)
  const [path, change] = ['/v1/agents', { project_id, name: 'b', slug: 'b' }]
  const other = postgres(database.url, { max: 1 })
  parts.defer(() => other.end())
  let asked: ReturnType<typeof ask> | undefined
  await other.begin(async tx => {
    await tx`lock table agents in access exclusive mode`
    asked = ask(path, 'POST', change)
    await new Promise(resolve => setTimeout(resolve, LONGEST_MS)) // longer than a silent one is given
  })
  expect(await asked).toMatchObject({ status: 201 })
})

it('a PostgreSQL that is away for a second ends no request', { timeout: 60_000 }, async () => {
  const { ctx } = await processOn(relayed())
  const comeBack = relay.refuse()
  relay.cut()
  const looked = ctx.silence!()
  setTimeout(comeBack, 1000)
  expect(await looked).toBeUndefined()
})

it('a request that waits for the body of its caller is not ended by a silent PostgreSQL', {
  timeout: 60_000,
}, async () => {
  const { upload, ask } = await processOn(relayed())
  const sent = upload()
  await expect.poll(sent.isBegun).toBe(true)
  const goOn = relay.hold()
  expect(await ask('/v1/projects')).toMatchObject(IN_TIME) // whose look the other shares
  await new Promise(resolve => setTimeout(resolve, LIMITS.store_silent_look_ms + LIMITS.store_silent_ms))
  goOn()
  await expect.poll(() => ask('/v1/projects')).toMatchObject({ status: 200 })
  expect(await sent.finish()).toBe(201)
})

it('what comes of a request after its caller was told is cancelled, or logged under its id', {
  timeout: 60_000,
}, async () => {
  const { ctx, log } = await processOn(relayed())
  const goOn = relay.hold()
  const cancelled = Promise.withResolvers<void>()
  const outcomes = {
    '/streamed': () => new Response(new ReadableStream({ cancel: () => cancelled.resolve() })),
    '/failed': () => {
      throw new Error('found too late')
    },
  }
  const told = Promise.withResolvers<void>()
  const like = endpoints.find(({ path }) => path === '/v1/projects')!
  const app = createApp(
    Object.entries(outcomes).map(([path, made]) => ({
      ...like,
      path,
      answer: () => told.promise.then(made),
    })),
    () => ctx,
  )
  const answers = await Promise.all(Object.keys(outcomes).map(path => app.request(path)))
  expect(answers.map(({ status }) => status)).toEqual([500, 500])
  told.resolve()
  await cancelled.promise
  const id = answers[1]!.headers.get('x-request-id')!
  await expect
    .poll(() => log.filter(line => line.includes('found too late') && line.includes(id)))
    .toHaveLength(1)
  goOn()
})

it('readiness keeps one reason, and the log one line, while PostgreSQL is away now in one way and now in another', {
  timeout: 60_000,
}, async () => {
  const { ctx, log } = await processOn(relayed())
  let now_ms = Date.now()
  const reason = async (passed_ms: number) => {
    now_ms += passed_ms
    return (await probe({ ...ctx, now: () => now_ms })).dependencies.postgres.reason
  }
  const lines = (event: string) => log.filter(line => line.includes(`"${event}"`)).length
  const reasons = new Set<string | null>()
  let comeBack = relay.refuse()
  relay.cut()
  for (let times = 0; times < 3; times++) {
    reasons.add(await reason(LIMITS.ready_kept_ms)) // refused
    await comeBack()
    const goOn = relay.hold()
    reasons.add(await reason(LIMITS.ready_kept_ms)) // silent
    comeBack = relay.refuse()
    relay.cut()
    goOn()
  }
  expect([reasons.size, lines('not_ready')]).toEqual([1, 1])
  await comeBack()
  const goOn = relay.hold()
  await reason(LIMITS.ready_reason_ms)
  expect(await reason(LIMITS.ready_reason_ms)).toMatch(/^did not answer within/) // the other was not met for so long
  goOn()
  await expect.poll(() => reason(LIMITS.ready_kept_ms), { timeout: 20_000 }).toBeNull()
  expect(lines('ready_again')).toBe(1)
})

it.runIf(hasPgBouncer && !onCluster('its pooler signs in with a password'))(
  'a PostgreSQL that is away behind a PgBouncer is reported to callers within five seconds',
  async () => {
    const pooler = parts.adopt(await startPgBouncer(relayed(), 4), one => one.close())
    const { both, ask } = await processOn(pooler.through(relayed()))
    const comeBack = relay.refuse()
    relay.cut()
    const refused = await both()
    expect(refused).toMatchObject([IN_TIME, IN_TIME, IN_TIME])
    inTime(refused)
    await comeBack()
    await expect.poll(() => ask('/v1/projects'), { timeout: 30_000 }).toMatchObject({ status: 200 })
  },
  60_000,
)

it.runIf(hasPgBouncer && !onCluster('its pooler signs in with a password'))(
  'a PgBouncer whose sessions are all at work on slow statements is not taken for a silent PostgreSQL',
  async () => {
    const pooler = parts.adopt(await startPgBouncer(database.url, 2), one => one.close())
    const { ctx, ask, project_id } = await processOn(pooler.through(database.url))
    const slow = postgres(pooler.through(database.url).split('?')[0]!, { max: 2, prepare: false })
    parts.defer(() => slow.end())
    const seconds = LONGEST_MS / 1000
    const busy = [1, 2].map(() => slow`select pg_sleep(${seconds})`.execute())
    const other = postgres(database.url, { max: 1 })
    parts.defer(() => other.end())
    await expect
      .poll(
        async () =>
          (await other`select from pg_stat_activity where query ~ '^select pg_sleep' and state = 'active'`)
            .length,
      )
      .toBe(2)
    const asked = ask('/v1/agents', 'POST', { project_id, name: 'c', slug: 'c' })
    expect(await ctx.silence!()).toBeUndefined()
    expect(await asked).toMatchObject({ status: 201 })
    await Promise.all(busy)
  },
  60_000,
)
