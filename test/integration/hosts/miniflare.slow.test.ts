// The worker of wrangler.toml in Miniflare and the workerd that it pins: the queue wakes the consumer, the cron ticks.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Miniflare } from 'miniflare'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeWhole } from '../../../infra/workerd/bundle.ts'
import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from '../../../infra/workerd/compatibility.ts'
import { platformBearer } from '../../../shared/http/platform-function.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { markPresent } from '../../../shared/redis/consumer-presence.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { deploy, workOff, works } from '../../conformance/play.ts'
import { MASTER_KEY, openWorld, type World } from '../../conformance/world.ts'
import { eventually } from '../../support/eventually.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A part of Miniflare's fetchers that its types do not know. */
interface Scheduled {
  scheduled(options: { cron: string }): Promise<{ outcome: string }>
}

let world: World
let host: Miniflare
const bearers: (string | undefined)[] = []
const log = { stdout: '', stderr: '' }
let workedOff = 0
/** A consumer function: it works everything off in each call. */
const consumer = createServer(async ({ headers }, answer) => {
  bearers.push(headers.authorization)
  await workOff(world, works)
  workedOff++
  answer.end('{}')
})

async function startMiniflare(env: Record<string, string>): Promise<string> {
  const { path } = await tempFolder() // removed by the next test run
  await writeWhole(path)
  host = new Miniflare({
    name: 'assay',
    modulesRoot: path,
    modules: [{ type: 'ESModule', path: join(path, 'assay.mjs') }],
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: COMPATIBILITY_FLAGS,
    bindings: env,
    serviceBindings: { OUTSIDE: { name: 'assay', entrypoint: 'Outside' } },
    queueProducers: { WAKE: 'assay-wake' },
    queueConsumers: { 'assay-wake': { maxBatchSize: 100, maxBatchTimeout: 0 } },
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      stdout.on('data', chunk => (log.stdout += chunk))
      stderr.on('data', chunk => (log.stderr += chunk))
    },
  })
  return (await host.ready).origin
}

beforeEach(async () => {
  consumer.listen(0, '127.0.0.1')
  await once(consumer, 'listening')
  const { port } = consumer.address() as AddressInfo
  world = await openWorld(async ({ databaseUrl, redisUrl, masterKey }) => ({
    url: await startMiniflare({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      ASSAY_MASTER_KEY: masterKey,
      BASE_URL: 'http://127.0.0.1:8787',
      ASSAY_CONSUMER_URL: `http://127.0.0.1:${port}/`,
    }),
    close: () => host.dispose(),
  }))
})
afterEach(async () => {
  await world?.end()
  bearers.length = 0
  consumer.closeAllConnections()
  await new Promise(resolve => consumer.close(resolve))
})

const statusOf = async (run: string) => (await world.call('GET', `/v2/runs/${run}`)).json.status

it('Miniflare runs a batch through its queue, ticks by its cron and returns the results', async () => {
  const agent = await makeAgent(world)
  await deploy(world, agent.id)
  const first = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
  await eventually(async () => expect(await statusOf(first)).toBe('completed'))
  expect(bearers[0]).toBe(`Bearer ${await platformBearer(MASTER_KEY)}`)
  const { json: items } = await world.call('GET', `/v2/runs/${first}/items`)
  expect(items).toMatchObject([
    { status: 'completed', worst_outcome_status: 'ok', output: { ok: true } },
    { status: 'completed', worst_outcome_status: 'ok', output: { ok: true } },
  ])

  // Nobody is called for the second run while a consumer counts as awake, and nobody is once Redis has forgotten that one.
  await eventually(() => expect(workedOff).toBe(1))
  const { redis } = world.ctx
  await markPresent(redis, 'another')
  const beat = setInterval(() => void markPresent(redis, 'another'), LIMITS.awake_beat_ms)
  const second = await makeRun(world, agent.id, [{ input: 3 }])
  expect([await statusOf(second), bearers.length]).toEqual(['queued', 1])
  clearInterval(beat)
  await redis.flushdb()
  const worker = (await host.getWorker()) as unknown as Scheduled
  expect(await worker.scheduled({ cron: '* * * * *' })).toMatchObject({ outcome: 'ok' })
  await eventually(async () => expect(await statusOf(second)).toBe('completed'))

  expect((await world.call('GET', '/__scheduled')).status).toBe(404) // is for a worker with .dev.vars, not for all of one machine
  await eventually(() => expect(log.stdout).toContain('"event":"tick"'))
  expect(log.stderr).toBe('')
})
