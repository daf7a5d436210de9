// What is generated for OpenFaaS and Knative, each function under a double of what the platform puts around it: the
// programs of the image, started as the files say and with exactly the settings they give, and asked what
// `npm run test:cluster` asks a real cluster.

import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { IRevisionSpec } from '@kubernetes-models/knative/serving.knative.dev/v1/RevisionSpec'
import type { IService } from '@kubernetes-models/knative/serving.knative.dev/v1/Service'
import type { IContainer } from 'kubernetes-models/v1/Container'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readExample } from '../../infra/targets/installation.ts'
import { secretName } from '../../infra/targets/openfaas.ts'
import { unitKeys } from '../../infra/unit-keys.ts'
import { answers } from '../conformance/function-hosts.ts'
import { passBack, passOn, plain, startProxy } from '../support/doubles/proxy.ts'
import { startRevision } from '../support/doubles/queue-proxy.ts'
import { startWatchdog } from '../support/doubles/watchdog.ts'
import { readGenerated } from '../support/generated.ts'
import { objectsIn } from '../support/kubernetes.ts'
import { Stack } from '../support/openfaas.ts'
import { testDatabase, testRedis } from '../support/stores.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { probe } from './probe.ts'

interface Running {
  url: string
  end(): unknown
}
/** Of each function by the name it has there, what starts it. `gateway` is where all of them are found. */
type Installation = (gateway: string) => Record<string, () => Promise<Running>>

const example = await readExample('openfaas')
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let app: string
let secrets: Record<string, string>

beforeAll(async () => {
  const [database, redis, folder] = await Promise.all([testDatabase(), testRedis(), tempFolder()])
  parts.defer(async () => void (await Promise.all([database.drop(), redis.drop(), folder.remove()])))
  app = folder.path
  execFileSync(process.execPath, [join(import.meta.dirname, '../../infra/image.ts'), app])
  secrets = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...(await unitKeys('ab'.repeat(32))),
  }
}, 120_000)

/** What a secret of the examples holds here; those beside the stores and the keys are any text. */
const held = (secret: string) => secrets[secret] ?? 'ab'.repeat(16)

/** As mounted where the function looks for it. */
async function mounted(path: string): Promise<string> {
  const name = basename(path)
  const secret = Object.keys(secrets).find(one => secretName(example, one) === name)
  const file = join(app, name)
  await writeFile(file, held(secret ?? name))
  return file
}

const inFolder = (command: string) => command.replace('/app/', `${app}/`)

const openfaas: Installation = gateway => {
  const text = readGenerated('openfaas', 'stack.yml').replaceAll('http://gateway.openfaas:8080', gateway)
  const { functions } = Stack.parse(parse(text))
  const start = async ({ environment }: (typeof functions)[string]) => {
    const own = { ...environment, fprocess: inFolder(environment.fprocess) } as Record<string, string>
    for (const [name, path] of Object.entries(own)) {
      if (name.endsWith('_FILE')) own[name] = await mounted(path)
    }
    const { url, process } = await startWatchdog(own)
    await answers(url, process)
    return { url, end: () => process.child.kill('SIGKILL') }
  }
  return Object.fromEntries(Object.entries(functions).map(([name, one]) => [name, () => start(one)]))
}

const knative: Installation = gateway => {
  const text = readGenerated('knative', 'services.yaml').replaceAll(
    /http:\/\/(\S+)\.assay\.svc\.cluster\.local/g,
    `${gateway}/function/$1`,
  )
  const services = objectsIn(text) as IService[]
  const start = async (name: string, { containers, ...revision }: IRevisionSpec) => {
    const [{ command, env, readinessProbe }] = containers as [IContainer]
    const { url, close } = await startRevision({
      containerConcurrency: revision.containerConcurrency!,
      timeoutSeconds: revision.timeoutSeconds!,
      name,
      command: command!.map(inFolder),
      env: Object.fromEntries(
        env!.map(({ name, value, valueFrom }) => [name, value ?? held(valueFrom!.secretKeyRef!.key!)]),
      ),
      readinessPath: readinessProbe!.httpGet!.path!,
    })
    return { url, end: close }
  }
  return Object.fromEntries(
    services.map(({ metadata, spec }) => [
      metadata!.name!,
      () => start(metadata!.name!, spec!.template!.spec!),
    ]),
  )
}

it.each([
  ['OpenFaaS', openfaas, 'assay-router'],
  ['Knative', knative, 'router'],
])(
  'every operation is served by its function on %s, and nothing else is',
  async (_, installation, router) => {
    const running = new Map<string, Promise<Running>>()
    const gateway = await startProxy(async (incoming, outgoing) => {
      const [, name, path] = /^\/function\/([a-z-]+)(\/.*)$/.exec(incoming.url!)!
      const start = functions[name!]
      if (start === undefined) return plain(outgoing, 404, '')
      const started = running.get(name!) ?? start()
      running.set(name!, started)
      const { url } = await started
      await passBack(await passOn(incoming, outgoing, new URL(url + path), {}), outgoing)
    })
    parts.defer(() => gateway.kill())
    const functions = installation(gateway.url)
    parts.defer(
      async () => void (await Promise.all([...running.values()].map(async one => (await one).end()))),
    )

    const report = await probe(`${gateway.url}/function/${router}`)
    expect(report.filter(({ wrong }) => wrong)).toEqual([])
    // All but the consumer, the tick and the runtime, which no caller reaches, and the dashboard, which has no operation.
    expect(running.size).toBe(Object.keys(functions).length - 4)
  },
  120_000,
)
