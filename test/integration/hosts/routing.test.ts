// What routes traffic, in each state of what Assay depends on: which proxies and platforms send callers to it, and which
// hold them back. infra/README.md has this as a table.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { writeUnits } from '../../../infra/bundle.ts'
import { REFUSED } from '../../../infra/local/exit-error.ts'
import { unitsOf } from '../../../infra/packaging.ts'
import { VERSION_HEADER } from '../../../shared/sdk/foreign-answer.ts'
import { SCHEMA } from '../../../shared/upkeep/rules/schema.gen.ts'
import { checkMasterKey } from '../../../shared/upkeep/verbs/installation.ts'
import { environment } from '../../conformance/function-hosts.ts'
import type { HostOptions } from '../../conformance/hosts.ts'
import { ask, startBehind } from '../../support/behind.ts'
import { startRevision } from '../../support/doubles/queue-proxy.ts'
import { READY, startWatchdog } from '../../support/doubles/watchdog.ts'
import { eventually } from '../../support/eventually.ts'
import { readGenerated } from '../../support/generated.ts'
import { objectsIn } from '../../support/kubernetes.ts'
import { isInstalled, NAME, startProxy } from '../../support/proxies.ts'
import { testDatabase, testRedis } from '../../support/stores.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const KEY = '11'.repeat(32)
const REFUSING = '127.0.0.1:1'
const COLD_STARTS = 10
const AT_ONCE = 4

interface State {
  name: string
  change: Partial<HostOptions>
  /** What happens to the database under a process that is up. */
  meanwhile?: (sql: Sql) => Promise<unknown>
  /** The answers of /health, /health/serving and /health/ready. */
  probes: [health: number, serving: number, ready: number]
  /** Whether a process that starts ends with exit code 78. */
  refuses: boolean
}

const STATES: State[] = [
  { name: 'all is well', change: {}, probes: [200, 200, 200], refuses: false },
  {
    name: 'Redis is away',
    change: { redisUrl: `redis://${REFUSING}` },
    probes: [200, 200, 503],
    refuses: false,
  },
  {
    name: 'PostgreSQL is away',
    change: { databaseUrl: `postgres://nobody@${REFUSING}/none` },
    probes: [200, 503, 503],
    refuses: false,
  },
  {
    name: 'the master key is another',
    change: { masterKey: '22'.repeat(32) },
    probes: [200, 503, 503],
    refuses: true,
  },
  { name: 'the master key is missing', change: { masterKey: '' }, probes: [200, 503, 503], refuses: true },
  {
    name: 'the schema is older',
    change: {},
    meanwhile: sql => sql`update drizzle.__drizzle_migrations set created_at = ${SCHEMA.version - 1}`,
    probes: [200, 503, 503],
    refuses: true,
  },
]

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let bundle: string
let good: HostOptions
beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  await writeUnits([unitsOf('group').find(unit => unit.name === 'account')!], folder.path)
  bundle = join(folder.path, 'account.mjs')
  const redis = parts.adopt(await testRedis(), one => one.drop())
  good = { databaseUrl: await database(), redisUrl: redis.url, masterKey: KEY }
})

/** A database that the master key has sealed. */
async function database(change?: State['meanwhile']): Promise<string> {
  const { url } = parts.adopt(await testDatabase(), one => one.drop())
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await checkMasterKey(sql as never, KEY)
  await change?.(sql)
  await sql.end()
  return url
}

const optionsIn = async ({ change, meanwhile }: State): Promise<HostOptions> => ({
  ...good,
  ...(meanwhile && { databaseUrl: await database(meanwhile) }),
  ...change,
})

/** The server of Docker's file says so by the exit code of this command. */
const HEALTHCHECK = parse(readFileSync(join(ROOT, 'infra/compose.yaml'), 'utf8')).services.server.healthcheck
  .test as string[]

async function isHealthy(url: string): Promise<boolean> {
  const [, program, ...args] = HEALTHCHECK.map(one => one.replaceAll('http://127.0.0.1:8090', url))
  const child = spawn(program!, args, { stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code === 0
}

describe.each(STATES)('of a process that is up while $name,', state => {
  const { probes } = state
  const isServing = probes[1] === 200
  const up = async () =>
    parts.adopt(await startBehind(await optionsIn(state), `https://${NAME}`), one => one.close())

  it('the probes answer what each is for', async () => {
    const { url } = await up()
    const statusOf = async (path: string) => (await fetch(url + path)).status
    expect([
      await statusOf('/health'),
      await statusOf('/health/serving'),
      await statusOf('/health/ready'),
    ]).toEqual(probes)
  })

  it.skipIf(!isInstalled('HAProxy'))('HAProxy sends callers there if they are served', async () => {
    for (const [file, prefix] of [
      ['haproxy.cfg', ''],
      ['haproxy-path.cfg', '/assay'],
    ] as const) {
      const { port, callers } = await up()
      await using proxy = await startProxy('HAProxy', { file }, port)
      // At first it takes a server for well.
      await eventually(() => expect(callers.length).toBeGreaterThan(1))
      await eventually(async () => {
        const answer = await ask(proxy, `${prefix}/health`)
        answer.resume()
        expect([answer.statusCode, VERSION_HEADER in answer.headers]).toEqual(
          isServing ? [200, true] : [503, false],
        )
      })
    }
  })

  it.skipIf(!isInstalled('nginx') || !isInstalled('Caddy'))(
    'nginx and Caddy, which ask nothing, send callers there, who get answers of Assay’s own',
    async () => {
      for (const [name, file] of [
        ['nginx', 'nginx.conf'],
        ['Caddy', 'Caddyfile'],
      ] as const) {
        await using proxy = await startProxy(name, { file }, (await up()).port)
        const answer = await ask(proxy, '/health/serving')
        answer.resume()
        expect([answer.statusCode, VERSION_HEADER in answer.headers]).toEqual([probes[1], true])
      }
    },
  )

  it('Docker takes it for healthy if callers are served', async () => {
    expect(await isHealthy((await up()).url)).toBe(isServing)
  })
})

const stack = parse(readGenerated('openfaas', 'stack.yml'), { version: '1.1' })
const ofWatchdog = stack.functions['assay-account'].environment as Record<string, string>
const containers = objectsIn(readGenerated('knative', 'services.yaml')).map(
  ({ spec }) => spec.template.spec.containers[0],
)

describe.each(STATES)('of a function that starts while $name,', state => {
  const settings = async () => environment(await optionsIn(state))

  it('OpenFaaS sends requests to its pod, except where the process has ended', async () => {
    const pod = await startWatchdog({
      ...(await settings()),
      mode: 'http',
      fprocess: `node ${bundle}`,
      ready_path: ofWatchdog.ready_path!,
    })
    try {
      if (state.refuses) {
        expect(await pod.process.ended).toBe(REFUSED) // the watchdog fails with it, and Kubernetes starts the pod again
        return
      }
      await eventually(async () => expect((await fetch(pod.url + READY)).status).toBe(200))
      expect((await fetch(`${pod.url}/health/serving`)).status).toBe(state.probes[1])
      expect((await fetch(pod.url + READY)).status).toBe(200) // whatever its stores do
    } finally {
      pod.process.child.kill('SIGKILL')
    }
  })

  it('Knative sends requests to its pod, except where the process has ended', async () => {
    const [{ readinessProbe }] = containers
    const revision = await startRevision({
      name: 'account',
      command: ['node', bundle],
      env: await settings(),
      readinessPath: readinessProbe.httpGet.path,
    })
    parts.defer(() => revision.close())
    if (state.refuses) {
      void fetch(`${revision.url}/health/serving`).catch(() => {})
      await eventually(() => expect(revision.pod()).toBeDefined())
      expect(await revision.pod()!.ended).toBe(REFUSED)
      return
    }
    expect((await fetch(`${revision.url}/health/serving`)).status).toBe(state.probes[1])
    expect(revision.started()).toBe(1)
  })
})

it('no probe of a generated file asks a store: a restart would bring none back, and callers get answers of Assay’s own', () => {
  for (const { readinessProbe, livenessProbe, startupProbe } of containers) {
    expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).toEqual(['/healthz', '/healthz'])
    expect(startupProbe).toBeUndefined()
  }
  for (const { environment, annotations } of Object.values(stack.functions) as {
    environment: Record<string, string>
    annotations: Record<string, string>
  }[])
    expect([environment.ready_path, annotations['com.openfaas.ready.http.path']]).toEqual(['/healthz', READY])
})

it('no page tells a proxy to ask for readiness', () => {
  const files = ['proxies.md', 'compose.yaml', 'proxies/haproxy.cfg', 'proxies/haproxy-path.cfg']
  for (const file of files) {
    const asked =
      readFileSync(join(ROOT, 'infra', file), 'utf8').match(/^.*(httpchk|healthcheck|health_uri).*$/gim) ?? []
    expect(asked.filter(line => line.includes('/health/ready'))).toEqual([])
  }
})

describe('requests that wake a function get no answer but its own, in ten cold starts', () => {
  const env = () => ({ ...environment(good), NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE! })
  const statuses = (url: string) =>
    Promise.all(Array.from({ length: AT_ONCE }, async () => (await fetch(`${url}/health/serving`)).status))
  const ALL_WELL = Array.from({ length: COLD_STARTS * AT_ONCE }, () => 200)

  it('under the watchdog of OpenFaaS, which gets requests once its pod is ready', async () => {
    const got: number[] = []
    for (let start = 0; start < COLD_STARTS; start++) {
      const pod = await startWatchdog({
        ...env(),
        mode: 'http',
        fprocess: `node ${bundle}`,
        ready_path: ofWatchdog.ready_path!,
      })
      while ((await fetch(pod.url + READY)).status !== 200); // as Kubernetes does, though more often
      got.push(...(await statuses(pod.url)))
      pod.process.child.kill('SIGKILL')
    }
    expect(got).toEqual(ALL_WELL)
  })

  it('under the queue-proxy of Knative, which keeps requests until the container is ready', async () => {
    const revision = await startRevision({ name: 'account', command: ['node', bundle], env: env() })
    parts.defer(() => revision.close())
    const got: number[] = []
    for (let start = 0; start < COLD_STARTS; start++) {
      got.push(...(await statuses(revision.url)))
      await revision.scaleToZero()
    }
    expect(got).toEqual(ALL_WELL)
    expect(revision.started()).toBe(COLD_STARTS)
  })
})
