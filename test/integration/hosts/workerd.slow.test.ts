// What the endpoint tests do not show of workerd with the generated configuration: whom it wakes, what its cron does,
// which addresses it believes, and how it ends.

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { filesOf } from '../../../infra/targets/installation.ts'
import type { WorkerdValues } from '../../../infra/targets/values.ts'
import { platformBearer } from '../../../shared/http/platform-function.ts'
import { markGone, markPresent } from '../../../shared/redis/consumer-presence.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { deploy } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'
import { eventually } from '../../support/eventually.ts'
import { localValues, startWorkerd, type Workerd, workerdFolder } from '../../support/workerd.ts'

const MASTER_KEY = 'ab'.repeat(32) // the one of every test world

let world: World
let workerd: Workerd
const calls: { bearer: string | undefined; answer: ServerResponse }[] = []
const consumer = createServer(({ headers }, answer) => {
  calls.push({ bearer: headers.authorization, answer })
})

beforeEach(async () => {
  consumer.listen(0, '127.0.0.1')
  await once(consumer, 'listening')
  const { port } = consumer.address() as AddressInfo
  world = await openWorld(async ({ databaseUrl, redisUrl, masterKey }) => {
    workerd = await startWorkerd(
      {
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        ASSAY_MASTER_KEY: masterKey,
        ASSAY_METRICS_TOKEN: 'of the operator',
      },
      await withTestClock({ consumer_url: `http://127.0.0.1:${port}/`, trusted_proxies: [] }),
    )
    return workerd
  })
})
afterEach(async () => {
  await world?.end()
  calls.length = 0
  consumer.closeAllConnections()
  await new Promise(resolve => consumer.close(resolve))
})

/** The generated configuration with a socket that moves the clock of its cron. */
async function withTestClock(values: Partial<WorkerdValues>): Promise<string> {
  const folder = await workerdFolder()
  const made = new Map(filesOf('workerd', { ...(await localValues()), ...values }, 'a test'))
  const given = made.get('config.capnp')!
  const clock = '(name = "TEST_CLOCK", json = "true"),\n    (name = "tick", service = "tick")'
  const socket = 'sockets = [(name = "cron", address = "127.0.0.1:0", http = (), service = "cron"), '
  const text = given.replace('(name = "tick", service = "tick")', clock).replace('sockets = [', socket)
  await writeFile(join(folder, 'clock.capnp'), text)
  return 'clock.capnp'
}

it('workerd wakes the consumer for work, and again for work that arrives while the consumer shuts down', async () => {
  const { redis } = world.ctx
  const agent = await makeAgent(world)
  await makeRun(world, agent.id, [{ input: 1 }])
  await eventually(() => expect(calls).toHaveLength(1))
  expect(calls[0]!.bearer).toBe(`Bearer ${await platformBearer(MASTER_KEY)}`)
  // The consumer has polled for the last time; while it is awake it would see the work itself.
  await markPresent(redis, 'consumer-1')
  await markGone(redis, 'consumer-1')
  await makeRun(world, agent.id, [{ input: 2 }])
  calls[0]!.answer.end('{}')
  await eventually(() => expect(calls).toHaveLength(2))
})

it('workerd runs the tick every minute, which wakes the consumer for work that nobody was notified of', async () => {
  const agent = await makeAgent(world)
  await deploy(world, agent.id)
  await makeRun(world, agent.id, [{ input: 1 }])
  await eventually(() => expect(calls).toHaveLength(1))
  calls.pop()!.answer.end('{}')
  await world.ctx.redis.flushdb() // forgets that the consumer was called
  const untilFire = 60_000 - (Date.now() % 60_000)
  await fetch(`${workerd.urls.cron}/clock?advance=${untilFire - 500}`, { method: 'POST' })
  await eventually(() => expect(workerd.log()).toContain('"event":"tick"'))
  await eventually(() => expect(calls).not.toEqual([]))
})

it('workerd serves metrics on a socket of their own, to callers with the token', async () => {
  const read = (token: string) =>
    fetch(`${workerd.urls.metrics}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect((await read('guessed')).status).toBe(401)
  expect(await (await read('of the operator')).text()).toContain('assay_items_waiting')
  expect((await fetch(`${workerd.url}/metrics`)).status).toBe(404)
})

it('workerd trusts no header about where a request came from', async () => {
  const headers = { 'cf-connecting-ip': '203.0.113.7', 'x-forwarded-for': '203.0.113.8' }
  const body = { email: 'nobody@example.org', password: 'a guess' }
  expect((await world.call('POST', '/v1/sessions', { token: null, headers, body })).status).toBe(401)
  const remembered = (await world.ctx.redis.keys('*address:*')).map(key => key.split('address:')[1])
  expect(remembered).toEqual(['127.0.0.1'])
})

it('workerd finishes the requests it has started when asked to stop, then exits', async () => {
  const agent = await makeAgent(world)
  const body = new TransformStream<Uint8Array, Uint8Array>()
  const writer = body.writable.getWriter()
  const lines = new TextEncoder()
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = world.call('POST', `/v1/batches?agent_id=${agent.id}`, { raw: body.readable, headers })
  await writer.write(lines.encode('{"input":1}\n'.repeat(20_000)))
  const started = async () => (await world.ctx.sql`select id from runs`).length
  await eventually(async () => expect(await started()).toBe(1))
  const ended = once(workerd.child, 'exit')
  workerd.child.kill('SIGTERM')
  await writer.write(lines.encode('{"input":2}\n'))
  await writer.close()
  expect(await answer).toMatchObject({ status: 202, json: { total_items: 20_001 } })
  expect(await ended).toEqual([0, null])
})

it('workerd answers only its health if its master key is missing or not that of the installation, and says which', async () => {
  const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world.urls
  const call = async (url: string, path: string) => {
    const headers = { authorization: `Bearer ${world.first.api_key}` }
    return (await fetch(`${url}${path}`, { headers })).status
  }
  expect(await call(workerd.url, '/v1/projects')).toBe(200)
  const wrong = await startWorkerd({ DATABASE_URL, REDIS_URL, ASSAY_MASTER_KEY: 'cd'.repeat(32) })
  try {
    expect(await call(wrong.url, '/v1/projects')).toBe(500)
    expect(await call(wrong.url, '/health')).toBe(200)
    expect(wrong.log()).toContain('the master key is another')
    expect(await unready(wrong.url)).toMatch(/^master_key is another than the one/)
  } finally {
    await wrong.close()
  }
  const without = await startWorkerd({ DATABASE_URL, REDIS_URL })
  try {
    expect(await call(without.url, '/v1/projects')).toBe(500)
    expect(await unready(without.url)).toMatch(/^master_key is missing: set /)
  } finally {
    await without.close()
  }
})

it.each([
  [
    'DATABASE_URL',
    undefined,
    /^postgres has no URL that can be used: DATABASE_URL is not set: bind it, in config.capnp/,
  ],
  [
    'DATABASE_URL',
    'postgres',
    /^postgres has no URL that can be used: DATABASE_URL is no URL of a PostgreSQL/,
  ],
  [
    'REDIS_URL',
    undefined,
    /^redis has no URL that can be used: REDIS_URL is not set: bind it, in config.capnp/,
  ],
  ['ASSAY_KEYS_INTERFACE', 'fingerprint=5a', /^master_key cannot be used: /],
])(
  'workerd with %s as %s is not ready and says why, answers 500 and stays healthy',
  async (name, value, says) => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world.urls
    const env = { DATABASE_URL, REDIS_URL, ASSAY_MASTER_KEY: MASTER_KEY }
    const one = await startWorkerd({ ...env, [name]: value ?? '' })
    try {
      expect(await unready(one.url)).toMatch(says)
      const headers = { authorization: `Bearer ${world.first.api_key}` }
      const answer = await fetch(`${one.url}/v1/account`, { headers })
      expect([answer.status, (await answer.json()).error.code]).toEqual([500, 'internal'])
      expect((await fetch(`${one.url}/health`)).status).toBe(200)
    } finally {
      await one.close()
    }
  },
)

async function unready(url: string): Promise<string> {
  const answer = await fetch(`${url}/health/ready`)
  expect(answer.status).toBe(503)
  return (await answer.json()).error.message
}
