// The stack for OpenFaaS as it is generated, each function under a double of the watchdog with exactly the settings
// that the stack gives it, and the probe that `npm run test:cluster` asks a real cluster with.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { answers, environment } from '../conformance/function-hosts.ts'
import { passBack, passOn, plain, startProxy } from '../support/doubles/proxy.ts'
import { startWatchdog, type Watchdog } from '../support/doubles/watchdog.ts'
import { readGenerated } from '../support/generated.ts'
import { Stack, withDefaults } from '../support/openfaas.ts'
import { testDatabase, testRedis } from '../support/stores.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { probe } from './probe.ts'

const GATEWAY = 'http://gateway.openfaas:8080'
const IMAGE = join(import.meta.dirname, '../../infra/image.ts')

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

it('the generated stack serves every operation from its function, and nothing else', async () => {
  const [database, redis, app] = await Promise.all([testDatabase(), testRedis(), tempFolder()])
  execFileSync(process.execPath, [IMAGE, app.path])
  parts.defer(async () => void (await Promise.all([database.drop(), redis.drop()])))
  // In the place of the secrets, which OpenFaaS mounts as files.
  const secrets = environment({ databaseUrl: database.url, redisUrl: redis.url, masterKey: 'ab'.repeat(32) })
  const running = new Map<string, Promise<Watchdog>>()
  const gateway = await startProxy(async (incoming, outgoing) => {
    const [, name, path] = /^\/function\/([a-z-]+)(\/.*)$/.exec(incoming.url!)!
    if (!(name! in functions)) return plain(outgoing, 404, '')
    const { url } = await start(name!)
    await passBack(await passOn(incoming, outgoing, new URL(url + path), {}), outgoing)
  })
  parts.defer(() => gateway.kill())
  const { functions } = Stack.parse(
    parse(withDefaults(readGenerated('openfaas', 'stack.yml').replaceAll(GATEWAY, gateway.url))),
  )

  function start(name: string): Promise<Watchdog> {
    const { environment, secrets: mounted } = functions[name]!
    const fprocess = environment.fprocess.replace('/app/', `${app.path}/`)
    const settings = { ...(mounted ? secrets : {}), ...environment, fprocess } as Record<string, string>
    const started = running.get(name) ?? ready(startWatchdog(settings))
    running.set(name, started)
    return started
  }

  parts.defer(async () => {
    for (const watchdog of await Promise.all(running.values())) watchdog.process.child.kill('SIGKILL')
  })
  const report = await probe(`${gateway.url}/function/assay-router`)
  expect(report.filter(({ wrong }) => wrong)).toEqual([])
  // All but the consumer and the tick, which no caller reaches.
  expect(running.size).toBe(Object.keys(functions).length - 2)
}, 180_000)

async function ready(starting: Promise<Watchdog>): Promise<Watchdog> {
  const watchdog = await starting
  await answers(watchdog.url, watchdog.process)
  return watchdog
}
