// Hosts made of functions: the bundle of each group in a process of its own, behind the router, in what a platform puts
// around each. The suite talks to the router only.

import { join } from 'node:path'
import { stop } from 'esbuild'
import { inject } from 'vitest'
import { writeBundles } from '../../infra/bundle.ts'
import { type Packaging, unitsOf } from '../../infra/packaging.ts'
import { nginxFile } from '../../infra/targets/routes.ts'
import { type FunctionProcess, hasEnded, startProcess } from '../support/doubles/process.ts'
import { passBack, passOn, plain, startProxy } from '../support/doubles/proxy.ts'
import { type RevisionOptions, startRevision } from '../support/doubles/queue-proxy.ts'
import { startIngress } from '../support/ingress.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { makeRunningRole } from '../support/running-role.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type HostOptions, OPERATOR_KEY, type StartHost } from './hosts.ts'

interface Container {
  name: string
  bundle: string
  env: Record<string, string>
}

interface Running {
  url: string
  close(): Promise<void>
}

/** Connections for all functions together: fewer than one of them has by itself. */
const POOLED = 8

/** Most functions awake at once: a Node process takes some 80 MB, and there are over a hundred, mostly idle. */
const AWAKE = 32

/** How a platform runs one container. */
export type RunContainer = (container: Container) => Promise<Running>

const made = new Map<Packaging, Promise<string>>()
/** The folder with the bundles of a packaging, written once per test file. */
export function bundles(packaging: Packaging = 'group'): Promise<string> {
  const folder = made.get(packaging) ?? writtenBundles(packaging)
  made.set(packaging, folder)
  return folder
}

async function writtenBundles(packaging: Packaging): Promise<string> {
  const { path } = await tempFolder() // removed by the next test run
  await writeBundles(packaging, path)
  await stop() // esbuild keeps what it read: 2 GB after a bundle for each endpoint
  return path
}

export const environment = ({ databaseUrl, redisUrl, masterKey }: HostOptions): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  ASSAY_MASTER_KEY: masterKey,
  ASSAY_OPERATOR_KEY: OPERATOR_KEY,
  BASE_URL: 'http://assay.test',
  ASSAY_ALLOW_CALLBACK_NETWORKS: '127.0.0.0/8',
  ASSAY_TRUSTED_PROXIES: '127.0.0.0/8',
  HOST: '127.0.0.1',
})

/**
 * Starts functions when they are called, behind a gateway with an address for each: for each group behind the router,
 * or for each endpoint behind an nginx that leads straight to them. If more than `most` are awake, those called longest
 * ago are put to sleep, as a platform does; never one with a request in flight.
 */
export const functionsHost =
  (run: RunContainer, packaging: Packaging = 'group', most = AWAKE): StartHost =>
  async options => {
    const folder = await bundles(packaging)
    const parts = new AsyncDisposableStack()
    // As in the image: a function that starts again, which most do, takes half the time.
    const env = { ...environment(options), NODE_COMPILE_CACHE: join(folder, 'compiled') }
    const start = (name: string, more = {}) =>
      run({ name, bundle: join(folder, `${name}.mjs`), env: { ...env, ...more } })
    const functions = parts.adopt(awakeAtMost(most, start), all => all.close())
    const gateway = parts.adopt(
      await startProxy(async (incoming, outgoing) => {
        const [, name, path] = /^\/function\/([a-z-]+)(\/.*)$/.exec(incoming.url!)!
        try {
          await functions.call(name!, async ({ url }) => {
            if (outgoing.destroyed) return // the caller left while it started
            await passBack(await passOn(incoming, outgoing, new URL(url + path), {}), outgoing)
          })
        } catch (error) {
          console.error(`${name}: ${String(error).slice(-500)}`)
          if (!outgoing.headersSent) plain(outgoing, 502, '')
        }
      }),
      one => one.kill(),
    )
    if (packaging === 'endpoint') {
      const { url } = parts.adopt(await startIngress(ingressTo(gateway.url)), one => one.close())
      return { url, proxied: true, close: () => parts.disposeAsync() }
    }
    const router = start('router', { ASSAY_UNIT_URL: `${gateway.url}/function/{unit}` })
    parts.adopt(await router, one => one.close())
    return { url: (await router).url, close: () => parts.disposeAsync() }
  }

/** Functions by name, in the order of their last call. */
function awakeAtMost(most: number, start: (name: string) => Promise<Running>) {
  const awake = new Map<string, { running: Promise<Running>; inFlight: number }>()
  const leaving: Promise<void>[] = []
  function putToSleep(name: string): void {
    const { running } = awake.get(name)!
    awake.delete(name)
    leaving.push(
      running.then(
        one => one.close(),
        () => {}, // it never started
      ),
    )
  }
  function putSpareToSleep(): void {
    const idle = [...awake].filter(([, { inFlight }]) => inFlight === 0)
    for (const [name] of idle.slice(0, Math.max(0, awake.size - most))) putToSleep(name)
  }
  return {
    /** Resolves when the request has ended. */
    async call(name: string, request: (one: Running) => Promise<void>): Promise<void> {
      const one = awake.get(name) ?? { running: start(name), inFlight: 0 }
      one.running.catch(() => {
        if (awake.get(name) === one) awake.delete(name) // the next call starts another
      })
      awake.delete(name)
      awake.set(name, one)
      one.inFlight++
      putSpareToSleep()
      try {
        await request(await one.running)
      } finally {
        one.inFlight--
        putSpareToSleep()
      }
    },
    async close(): Promise<void> {
      for (const name of [...awake.keys()]) putToSleep(name)
      await Promise.all(leaving)
    },
  }
}

const ingressTo = (gateway: string) =>
  nginxFile(unitsOf('endpoint'), {
    server: new URL(gateway).host,
    path: '/function/$assay_unit',
    seconds: 60,
  })

/** False in tests of an unreachable store, which name another server. */
const isOurs = ({ databaseUrl }: HostOptions) =>
  new URL(databaseUrl).port === new URL(inject('stores').databaseUrl).port

/** A host that reaches PostgreSQL through a PgBouncer in transaction mode, with few connections. */
export const throughPooler =
  (startHost: StartHost): StartHost =>
  async options => {
    if (!isOurs(options)) return startHost(options)
    const pooler = await startPgBouncer(options.databaseUrl, POOLED)
    const host = await startHost({ ...options, databaseUrl: pooler.through(options.databaseUrl) })
    return {
      ...host,
      async close() {
        await host.close()
        await pooler.close()
      },
    }
  }

/** A host whose role owns no table and has the grants that the docs print. */
export const asRunningRole =
  (startHost: StartHost): StartHost =>
  async options => {
    if (new URL(options.databaseUrl).port !== new URL(inject('stores').databaseUrl).port)
      return startHost(options)
    const role = await makeRunningRole(options.databaseUrl)
    const host = await startHost({ ...options, databaseUrl: role.url })
    return {
      ...host,
      async close() {
        await host.close()
        await role.drop()
      },
    }
  }

/** Without a platform: a container as in any orchestrator. */
export const alone = async ({ bundle, env }: Container): Promise<Running & { process: FunctionProcess }> => {
  // The process picks its port itself, since another process could take a port that was found free before.
  const process = startProcess(['node', bundle], { ...env, PORT: '0' })
  return {
    url: await saidReady(process),
    process,
    async close() {
      process.child.kill('SIGTERM')
      await process.ended
    },
  }
}

/** Resolves with the URL at which the process says that it listens. */
async function saidReady({ child, ended, log }: FunctionProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', () => {
      const [, url] = /"event":"ready".*"url":"([^"]+)"/.exec(log()) ?? []
      if (url !== undefined) resolve(url)
    })
  }
  void ended.then(how => reject(new Error(`ended (${how}) before it listened: ${log()}`)))
  return promise
}

export const watchdogSettings = (bundle: string) => ({
  mode: 'http',
  fprocess: `node ${bundle}`,
  ready_path: '/healthz',
})

export const revisionOf = ({ name, bundle, env }: Container, options: Partial<RevisionOptions> = {}) =>
  startRevision({ name: `assay-${name}`, command: ['node', bundle], env, ...options })

/** Resolves when the function behind the address answers. @throws if its process has ended, however it did */
export async function answers(
  url: string,
  { child, log }: FunctionProcess,
  path = '/healthz',
): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}${path}`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    if (hasEnded(child)) throw new Error(`${url} ended before it answered: ${log()}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
