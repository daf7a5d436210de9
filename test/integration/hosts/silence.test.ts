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
  return { ctx, ask, both, log, project_id }
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
