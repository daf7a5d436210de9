// Plays what is generated for OpenFaaS and Knative without a cluster, and checks it as `npm run test:cluster` checks a
// real one.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { filesOf, readExample } from '../../infra/targets/installation.ts'
import { unitKeys } from '../../infra/unit-keys.ts'
import { readGenerated } from '../support/generated.ts'
import { testDatabase, testRedis } from '../support/stores.ts'
import { type Image, makeImage, openNamespace, type Platform, playInstallation, playJob } from './played.ts'
import { probe } from './probe.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let image: Image
let secrets: Record<string, string>

beforeAll(async () => {
  const [database, redis] = await Promise.all([testDatabase(), testRedis()])
  parts.defer(async () => void (await Promise.all([database.drop(), redis.drop()])))
  image = parts.adopt(await makeImage(), one => one.remove())
  secrets = { DATABASE_URL: database.url, REDIS_URL: redis.url, ...(await unitKeys('ab'.repeat(32))) }
})

it.each<Platform>(['openfaas', 'knative'])(
  'every operation on %s is served by its function, and nothing else is',
  async platform => {
    const read = (name: string) => readGenerated(platform, name)
    const gateway = await playInstallation(platform, { image, secrets, read })
    parts.defer(() => gateway.close())
    const report = await probe(gateway.url)
    expect(report.filter(({ wrong }) => wrong)).toEqual([])
    // All but the consumer, tick and runtime, which no caller reaches, and the dashboard without an operation.
    expect(gateway.running()).toBe(gateway.functions - 4)
  },
  120_000,
)

it('two installations share a namespace of OpenFaaS and a Redis: each is served by its own functions, with its own secrets', async () => {
  const namespace = parts.adopt(await openNamespace(), one => one.close())
  const example = await readExample('openfaas')
  for (const installation of [undefined, 'staging']) {
    const files = new Map(filesOf('openfaas', { ...example, installation }, 'a test'))
    const database = parts.adopt(await testDatabase(), one => one.drop())
    const own = { ...secrets, DATABASE_URL: database.url }
    const played = { image, secrets: own, installation, read: (name: string) => files.get(name)! }
    const { api_key } = JSON.parse(playJob(played, 'first-account'))
    const { url } = await playInstallation('openfaas', played, namespace)
    const answer = await fetch(`${url}/v1/projects`, { headers: { authorization: `Bearer ${api_key}` } })
    expect([answer.status, ((await answer.json()) as unknown[]).length]).toEqual([200, 1])
    await expect(playInstallation('openfaas', played, namespace)).rejects.toThrow('are there already')
  }
  const started = [...namespace.running.keys()].sort()
  expect(started.filter(name => name.startsWith('assay-staging-'))).toHaveLength(started.length / 2)
}, 240_000)
