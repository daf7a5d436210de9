// Hosts made of functions: the bundle of each group in a process of its own, the router before them, and what a
// platform puts around each. The suite talks to the router alone.

import { join } from 'node:path'
import { inject } from 'vitest'
import { writeBundles } from '../../infra/bundle.ts'
import { type Packaging, unitsOf } from '../../infra/packaging.ts'
import { nginxFile } from '../../infra/targets/routes.ts'
import { type FunctionProcess, freePort, startProcess } from '../support/doubles/process.ts'
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

/** Of all functions together: fewer than one of them has by itself. */
const POOLED = 8

/** How a platform runs one container. */
export type RunContainer = (container: Container) => Promise<Running>

const made = new Map<Packaging, Promise<string>>()
/** The folder with the bundles of a packaging, made once for a test file. */
export function bundles(packaging: Packaging = 'group'): Promise<string> {
  const folder = made.get(packaging) ?? writtenBundles(packaging)
  made.set(packaging, folder)
  return folder
}

async function writtenBundles(packaging: Packaging): Promise<string> {
  const { path } = await tempFolder() // removed by the next test run
  await writeBundles(packaging, path)
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
 * Functions are started when they are first called, by a gateway at whose address each has its name: for each group,
 * with the router before them, or for each endpoint, with an nginx that leads straight to them.
 */
export const functionsHost =
  (run: RunContainer, packaging: Packaging = 'group'): StartHost =>
  async options => {
    const folder = await bundles(packaging)
    const parts = new AsyncDisposableStack()
    const env = environment(options)
    const running = new Map<string, Promise<Running>>()
    parts.defer(async () => {
      const started = await Promise.allSettled(running.values())
      await Promise.all(started.map(one => one.status === 'fulfilled' && one.value.close()))
    })
    const start = (name: string, more = {}) => {
      const bundle = join(folder, `${name}.mjs`)
      const starting = running.get(name) ?? run({ name, bundle, env: { ...env, ...more } })
      running.set(name, starting)
      return starting
    }
    const gateway = parts.adopt(
      await startProxy(async (incoming, outgoing) => {
        const [, name, path] = /^\/function\/([a-z-]+)(\/.*)$/.exec(incoming.url!)!
        try {
          const { url } = await start(name!)
          await passBack(await passOn(incoming, outgoing, new URL(url + path), {}), outgoing)
        } catch (error) {
          console.error(`${name}: ${String(error).slice(-500)}`)
          if (!outgoing.headersSent) plain(outgoing, 502, '')
        }
      }),
      one => one.kill(),
    )
    const { url } =
      packaging === 'endpoint'
        ? parts.adopt(await startIngress(ingressTo(gateway.url)), one => one.close())
        : await start('router', { ASSAY_UNIT_URL: `${gateway.url}/function/{unit}` })
    return { url, proxied: packaging === 'endpoint', close: () => parts.disposeAsync() }
  }

const ingressTo = (gateway: string) =>
  nginxFile(unitsOf('endpoint'), {
    server: new URL(gateway).host,
    path: '/function/$assay_unit',
    seconds: 60,
  })

/** Tests of what is said of a store that is away name another one. */
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

/** A host whose role owns no table and was granted what the docs print. */
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

/** Nothing around it: a container of any orchestrator. */
export const alone = async ({ bundle, env }: Container): Promise<Running & { process: FunctionProcess }> => {
  const port = await freePort()
  const process = startProcess(['node', bundle], { ...env, PORT: String(port) })
  const url = `http://127.0.0.1:${port}`
  await answers(url, process)
  return {
    url,
    process,
    async close() {
      process.child.kill('SIGTERM')
      await process.ended
    },
  }
}

export const watchdogSettings = (bundle: string) => ({ mode: 'http', fprocess: `node ${bundle}` })

export const revisionOf = ({ name, bundle, env }: Container, options: Partial<RevisionOptions> = {}) =>
  startRevision({ name: `assay-${name}`, command: ['node', bundle], env, ...options })

/** Resolves when the function behind the address answers. */
export async function answers(url: string, { child, log }: FunctionProcess): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/healthz`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok) return
    if (child.exitCode !== null) throw new Error(`${url} ended before it answered: ${log()}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
