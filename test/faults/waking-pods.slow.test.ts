// Several pods of the consumer behind one address, each under the watchdog of OpenFaaS: each call lands on one of them.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { answers, watchdogSettings } from '../conformance/function-hosts.ts'
import { passBack, passOn, startProxy } from '../support/doubles/proxy.ts'
import { READY, startWatchdog, type Watchdog } from '../support/doubles/watchdog.ts'
import { type Sleeping, startSleeping } from '../support/sleeping.ts'
import { testDatabase, testRedis } from '../support/stores.ts'

const PATIENCE_MS = 60_000
const PODS = 3

let parts: AsyncDisposableStack
let project: Sleeping
let pods: Watchdog[]
/** How many calls each pod got. */
let calls: number[]
beforeEach(async () => {
  parts = new AsyncDisposableStack()
  const database = parts.adopt(await testDatabase(), one => one.drop())
  const redis = parts.adopt(await testRedis(), one => one.drop())
  project = await startSleeping({ databaseUrl: database.url, redisUrl: redis.url })
  parts.defer(() => project.close())
  calls = Array(PODS).fill(0)
  pods = []
  let next = 0
  const service = await startProxy(async (incoming, outgoing) => {
    const at = next++ % PODS
    calls[at]!++
    try {
      await passBack(await passOn(incoming, outgoing, new URL(pods[at]!.url + incoming.url), {}), outgoing)
    } catch {
      // As a proxy answers for a pod that is shutting down.
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
    }
  })
  parts.defer(() => service.kill())
  for (const name of ['runs', 'consume', 'tick'] as const)
    project.env[name].ASSAY_CONSUMER_URL = `${service.url}/`
  for (let pod = 0; pod < PODS; pod++) {
    const watchdog = await startWatchdog({
      ...project.env.consume,
      ...watchdogSettings(project.files.consume),
      ASSAY_CONSUME_SECONDS: String(LIMITS.consume_seconds.min),
      healthcheck_interval: '0s',
    })
    await answers(watchdog.url, watchdog.process, READY)
    pods.push(watchdog)
  }
  parts.defer(async () => void (await Promise.all(pods.map(pod => pod.terminate()))))
}, PATIENCE_MS)
afterEach(() => parts.disposeAsync())

const attempts = async (runId: string) =>
  project.sql`select attempt, count(*)::int as n from items where run_id = ${runId} group by 1 order by 1`

it('one call wakes one pod, which does all the work', { timeout: PATIENCE_MS }, async () => {
  const runId = await project.submit(50)
  expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 50 })
  expect(await attempts(runId)).toEqual([{ attempt: 1, n: 50 }])
  expect(project.agent.items).toHaveLength(50)
  expect(calls.filter(count => count > 0)).toEqual([1])
})

it('a call lands on another pod than the one before, and nothing is attempted twice', {
  timeout: PATIENCE_MS,
}, async () => {
  // Ten at once, 30 ms each, take longer than one invocation claims for: each hands over, and the next pod is called.
  await project.sql`update projects set settings = settings || '{"concurrency": 10}'`
  project.agent.takes_ms = 30
  const runIds = await Promise.all([project.submit(700), project.submit(700)])
  for (const runId of runIds) {
    expect(await project.finished(runId)).toMatchObject({ status: 'completed', ok: 700 })
    expect(await attempts(runId)).toEqual([{ attempt: 1, n: 700 }])
  }
  expect(project.agent.items).toHaveLength(1400)
  expect(calls.filter(count => count > 0).length).toBeGreaterThan(1)
})
