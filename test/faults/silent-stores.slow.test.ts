// A network between Assay and a store that takes everything and answers nothing. Slow, since every wait has to end by
// its own deadline. Nothing is restarted.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Relay, startRelay } from './support/relay.ts'
import { type Stack, startStack } from './support/stack.ts'

const PATIENCE_MS = 240_000 // several deadlines of LIMITS.store_answer_ms in turn
const ITEMS = 60

let stack: Stack
let relays: { postgres: Relay; redis: Relay }
beforeEach(async () => {
  stack = await startStack()
  const portOf = (url: string) => Number(new URL(url).port)
  relays = {
    postgres: await startRelay([portOf(stack.stores.databaseUrl)]),
    redis: await startRelay([portOf(stack.stores.redisUrl)]),
  }
})
afterEach(async () => {
  await stack?.close()
  for (const relay of Object.values(relays ?? {})) await relay.close()
})

/** The API with the tick, and a consumer, which reach the stores only through the relays. */
async function startBehindRelays() {
  const at = (url: string, { port }: Relay) => Object.assign(new URL(url), { port: String(port) }).href
  const env = {
    DATABASE_URL: at(stack.stores.databaseUrl, relays.postgres),
    REDIS_URL: at(stack.stores.redisUrl, relays.redis),
  }
  await stack.control.end()
  stack.control = await stack.startPart('api', { ...env, ASSAY_PARTS: 'api,tick' })
  return stack.startConsumer(undefined, env)
}

const readiness = async () => (await fetch(`${stack.base_url}/health/ready`)).json()
const until = (what: string, condition: () => unknown) =>
  vi.waitFor(
    async () => {
      if (!(await condition())) throw new Error(`not yet: ${what}`)
    },
    { timeout: PATIENCE_MS / 2, interval: 100 },
  )

it('a PostgreSQL that falls silent makes nothing hang, and all continues when it answers again', {
  timeout: PATIENCE_MS,
}, async () => {
  const agentId = await stack.deploy()
  const consumer = await startBehindRelays()
  const answer = stack.probe.hold(call => call.step === 's2')
  const runId = await stack.submit(agentId, Array<object>(ITEMS).fill({}))
  await stack.probe.until(calls => calls.filter(call => call.step === 's2').length === ITEMS)

  const speak = relays.postgres.hold()
  answer()
  await until(
    'PostgreSQL is called unreachable',
    async () => (await readiness()).dependencies.postgres.status === 'unreachable',
  )
  const headers = { authorization: `Bearer ${stack.api_key}` }
  const refused = await fetch(`${stack.base_url}/v1/projects`, { headers })
  expect([refused.status, (await refused.json()).error.code]).toEqual([500, 'store_unreachable'])
  expect(refused.headers.get('retry-after')).toBe('2')
  // The deadline of a query or, if a connection had just been closed for being idle, that of a new session.
  const saysTimeout = (log: string[]) => log.some(line => /(?:QUERY|CONNECT)_TIMEOUT/.test(line))
  await until('the API and the tick name a deadline', () => saysTimeout(stack.control.log))
  await until('the consumer names a deadline', () => saysTimeout(consumer.log))

  speak()
  expect(await stack.finished(runId)).toMatchObject({ ok: ITEMS })
  expect(await stack.breaches(runId)).toEqual([])
  await until('the tick turns again', async () => (await readiness()).turns.tick.status === 'ok')
  const next = await stack.submit(agentId, [{}])
  expect(await stack.finished(next)).toMatchObject({ ok: 1 })
})

it('a Redis that falls silent costs no item and makes nothing hang, and all is ready again when it answers', {
  timeout: PATIENCE_MS,
}, async () => {
  const agentId = await stack.deploy()
  await startBehindRelays()
  await stack.finished(await stack.submit(agentId, [{}]))
  const speak = relays.redis.hold()
  const whileSilent = await stack.submit(agentId, Array<object>(ITEMS).fill({}))
  expect(await stack.finished(whileSilent)).toMatchObject({ ok: ITEMS })
  expect((await readiness()).dependencies.redis.status).toBe('unreachable')
  speak()
  await until('all is ready', async () => (await readiness()).status === 'ready')
  expect(await stack.breaches(whileSilent)).toEqual([])
})
