// Units as they are deployed: each a process whose environment holds only the settings and secrets of
// infra/unit-settings.ts.

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeUnits } from '../../../infra/bundle.ts'
import { unitsOf } from '../../../infra/packaging.ts'
import { secretsOf, settingsOf } from '../../../infra/targets/environment.ts'
import { type Workload, workloadsOf } from '../../../infra/targets/image.ts'
import { readExample } from '../../../infra/targets/installation.ts'
import { unitKeys } from '../../../infra/unit-keys.ts'
import { checkMasterKey } from '../../../shared/upkeep/verbs/installation.ts'
import { startProcess } from '../../support/doubles/process.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { freePort } from '../../support/ports.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const MASTER_KEY = '11'.repeat(32)
/** Units that exist only where each endpoint has its own. */
const APART = ['get-readiness', 'get-serving', 'get-health']
const WORKLOADS = [
  ...workloadsOf('group'),
  ...workloadsOf('endpoint').filter(({ name }) => APART.includes(name)),
]
const AT = {
  unit: 'http://127.0.0.1:9/{unit}',
  consumer: 'http://127.0.0.1:9/consume',
  runtime: 'http://127.0.0.1:9/runtime',
}

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let engine: TestEngine
let folder: string
let kept: Record<string, string>
beforeAll(async () => {
  engine = parts.adopt(await testEngine(), one => one.close())
  expect(await checkMasterKey(engine.sql, MASTER_KEY)).toBeUndefined()
  folder = parts.adopt(await tempFolder(), one => one.remove()).path
  const apart = unitsOf('endpoint').filter(({ name }) => APART.includes(name))
  await writeUnits([...unitsOf('group'), ...apart], folder)
  const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = engine.urls
  kept = { DATABASE_URL, REDIS_URL, ...(await unitKeys(MASTER_KEY)) }
})

/** The whole environment of a unit, from the platform's example values. */
async function environmentOf(workload: Workload): Promise<Record<string, string>> {
  const { mail_from: _, ...example } = await readExample('knative')
  const values = { ...example, secrets: [], telemetry: {} }
  const secrets = secretsOf(workload.needs, values).map(({ setting, secret }) => [setting, kept[secret]!])
  return { ...settingsOf(workload, values, AT), ...Object.fromEntries(secrets) }
}

async function started(workload: Workload, change: Record<string, string> = {}) {
  const port = await freePort()
  const own = { ...(await environmentOf(workload)), HOST: '127.0.0.1', PORT: String(port), ...change }
  const one = startProcess(['node', join(folder, `${workload.name}.mjs`)], own)
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      answer => answer.status,
      () => 0,
    )
  return { ...one, ask }
}

describe('with exactly the environment that the platform gives it', () => {
  it.each(WORKLOADS.map(workload => [workload.name, workload] as const))(
    '%s works',
    async (_, workload) => {
      const one = await started(workload)
      await expect.poll(() => one.ask('/healthz')).toBe(200)
      // The runtime, the router and units without stores are not asked for readiness.
      if (workload.needs.connections > 1) await expect.poll(() => one.ask('/health/ready')).toBe(200)
      expect(one.log()).not.toMatch(/"level":"(warn|error)"/)
      one.child.kill('SIGTERM')
      expect(await one.ended).toBe(0)
    },
    60_000,
  )
})

/** One workload for each set of secrets, with each setting that it needs. */
const DIFFERENT = [
  ...Map.groupBy(WORKLOADS, ({ needs }) => needs.secrets.map(one => one.secret).join()).values(),
].flatMap(([first]) =>
  first!.needs.secrets.filter(one => !one.optional).map(one => [first!, one.setting] as const),
)

describe('each secret is required', () => {
  it.each(DIFFERENT.map(([workload, setting]) => [workload.name, setting, workload] as const))(
    '%s does not start without %s',
    async (_, setting, workload) => {
      const one = await started(workload, { [setting]: '' })
      expect(await one.ended, one.log()).toBe(78)
      // Without its set of keys a unit looks for the master key.
      const named = setting === 'ASSAY_KEYS' ? 'ASSAY_MASTER_KEY' : setting
      expect(one.log()).toContain(`setting_missing: ${named} is not set`)
    },
    60_000,
  )
})
