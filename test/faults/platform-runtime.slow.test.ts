// The agent runtime as platforms run it: its bundle under doubles of these platforms, called by a consumer.

import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { KEY_SETS } from '../../infra/unit-settings.ts'
import { keySet } from '../../shared/kernel/secrets.ts'
import { answers, bundles, watchdogSettings } from '../conformance/function-hosts.ts'
import type { FunctionProcess } from '../support/doubles/process.ts'
import { startRevision } from '../support/doubles/queue-proxy.ts'
import { startWatchdog } from '../support/doubles/watchdog.ts'
import { workerdsOf } from './support/processes.ts'
import { ITEM_COST_MICRO, MASTER_KEY, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

interface Around {
  url: string
  process(): FunctionProcess
  /** Ends it as the platform does when it is idle; resolves with how that went. */
  end(): Promise<unknown>
}

const ITEMS = 30
let stack: Stack
let bundle: string
let keys: string
beforeAll(async () => {
  keys = await keySet(MASTER_KEY, KEY_SETS.runtime)
  stack = await startStack()
  const folder = await bundles()
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules')) // as in the image
  bundle = join(folder, 'runtime.mjs')
}, PATIENCE_MS)
afterAll(() => stack?.close())

const environment = () => ({
  ASSAY_KEYS: keys,
  ASSAY_DATA_DIR: stack.dataDir,
  ASSAY_ALLOW_NETWORKS: '127.0.0.1/32',
  HOST: '127.0.0.1',
})

async function underWatchdog(): Promise<Around> {
  const settings = { ...watchdogSettings(bundle), healthcheck_interval: '0s', exec_timeout: '1s' }
  const { url, process, terminate } = await startWatchdog({ ...environment(), ...settings })
  await answers(url, process)
  return { url, process: () => process, end: terminate }
}

async function underQueueProxy(): Promise<Around> {
  const revision = await startRevision({ name: 'runtime', command: ['node', bundle], env: environment() })
  return { url: revision.url, process: () => revision.pod()!, end: () => revision.scaleToZero() }
}

it.each([
  ['the watchdog of OpenFaaS', underWatchdog, 'left'],
  ['the queue-proxy of Knative', underQueueProxy, 0],
])(
  'the runtime under %s runs items and passes on steps at once, and the consumer runs none itself',
  {
    timeout: PATIENCE_MS,
  },
  async (_, start, ended) => {
    const runtime = await start()
    const consumer = await stack.startConsumer(undefined, { ASSAY_RUNTIME_URL: runtime.url })
    const agentId = await stack.deploy()
    const release = stack.probe.hold(call => call.step === 's2')
    const runId = await stack.submit(agentId, Array(ITEMS).fill({}))
    // The first steps are recorded while the request is open, so nothing on its way buffers the answer.
    await stack.probe.until(calls => calls.filter(c => c.run === runId && c.step === 's2').length === ITEMS)
    await expect
      .poll(async () => (await stack.sql`select from steps where run_id = ${runId} and key = 's1'`).length, {
        timeout: PATIENCE_MS,
      })
      .toBe(ITEMS)
    expect(workerdsOf(consumer.pid)).toEqual([])
    expect(workerdsOf(runtime.process().child.pid!)).toHaveLength(1)
    release()
    expect(await stack.finished(runId)).toMatchObject({
      status: 'completed',
      ok: ITEMS,
      cost_micro: ITEMS * ITEM_COST_MICRO,
    })
    expect(await stack.breaches(runId)).toEqual([])
    expect(await stack.sql`select from attempts where run_id = ${runId}`).toEqual([])
    await consumer.end()
    expect(await runtime.end()).toBe(ended)
  },
)
