// `npm run bench:cold [-- --packaging endpoint] [UNIT …]`: how long each function's process takes from its start to its
// first answer, with the first query to PostgreSQL in it, and how much time of a processor that takes, which a busy
// machine changes less. All units and, as a measure of the machine, a Node that does nothing are started in turn, so
// that a machine whose speed drifts slows all of them: ratios to the latter can be compared between runs.

import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import http from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeBundles } from '../../infra/bundle.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import { migrate } from '../../infra/migrate.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { warm } from '../../infra/node/warm.ts'
import { type Packaging, type Unit, unitsOf } from '../../infra/packaging.ts'
import { bootstrapAccount } from '../../shared/engine/bootstrap.ts'
import { platformBearer } from '../../shared/http/platform-function.ts'
import { freePort, startProcess } from '../support/doubles/process.ts'
import { MASTER_KEY } from '../support/sleeping.ts'
import { median } from './batch.ts'
import { fromZero } from './from-zero.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)
const ASK_AGAIN_MS = 2
const NO_ID = '01900000-0000-7000-8000-000000000000'

interface Start {
  ms: number
  cpu_ms: number
}

interface FirstRequest {
  method: string
  path: string
  bearer: string
}

/** A read that asks the database for the caller and for what he wants; whether it is there does not matter. */
function firstRequest(unit: Unit | undefined, key: string, platform: string): FirstRequest {
  if (unit?.platform) return { method: 'POST', path: '/', bearer: platform }
  const reads = unit?.endpoints.filter(one => one.method === 'get') ?? []
  const read =
    reads.find(one => one.path === '/health/ready') ?? reads.find(one => !one.path.includes('{')) ?? reads[0]
  const path = read?.path.replaceAll(/\{\w+\}/g, NO_ID) ?? (unit?.docs ? '/openapi.json' : '/healthz')
  return { method: 'GET', path, bearer: key }
}

async function coldStart(bundle: string, env: Record<string, string>, request: FirstRequest): Promise<Start> {
  const port = await freePort()
  const started = performance.now()
  const { child, ended, log } = startProcess(['node', bundle], {
    ...env,
    PORT: String(port),
    HOST: '127.0.0.1',
  })
  try {
    for (;;) {
      const status = await ask(port, request)
      if (child.exitCode !== null || (status !== undefined && status >= 500))
        throw new Error(`${bundle} answered ${status}: ${log()}`)
      if (status !== undefined) return { ms: performance.now() - started, cpu_ms: await cpuOf(child.pid!) }
      await new Promise(resolve => setTimeout(resolve, ASK_AGAIN_MS))
    }
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

const cpu = (starts: Start[]) => median(starts.map(one => one.cpu_ms))

/** Its own and the kernel's on its behalf, which /proc counts in hundredths of a second; NaN where there is no /proc. */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

/** The status, when the answer is whole; undefined while nobody listens. */
function ask(port: number, { method, path, bearer }: FirstRequest): Promise<number | undefined> {
  return new Promise(resolve => {
    const headers = { authorization: `Bearer ${bearer}` }
    http
      .request({ port, host: '127.0.0.1', method, path, headers, agent: false }, response => {
        response.resume().once('end', () => resolve(response.statusCode))
      })
      .once('error', () => resolve(undefined))
      .end()
  })
}

/** Milliseconds of a Node that starts and ends. */
async function startOfNothing(): Promise<number> {
  const started = performance.now()
  await startProcess(['node', '-e', ''], {}).ended
  return performance.now() - started
}

const { values, positionals: only } = parseArgs({
  options: { packaging: { type: 'string', default: 'group' } },
  allowPositionals: true,
})
const packaging = values.packaging as Packaging
const folder = await mkdtemp(join(tmpdir(), 'assay-cold-'))
const [postgres, redis] = await Promise.all([
  startPostgres({ dataDir: folder }),
  startRedis({ dataDir: folder }),
])
try {
  await migrate(postgres.url)
  const connections = openConnections({ databaseUrl: postgres.url, redisUrl: redis.url })
  const config = { base_url: '', master_key: MASTER_KEY }
  const { api_key } = await bootstrapAccount(createContext({ connections, config }))
  await connections.close()
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    ASSAY_MASTER_KEY: MASTER_KEY,
    ASSAY_DATA_DIR: join(folder, 'agents'),
    ASSAY_UNIT_URL: 'http://127.0.0.1:1/{unit}',
  }
  const units = new Map(unitsOf(packaging).map(unit => [unit.name, unit]))
  const bearer = await platformBearer(MASTER_KEY)
  // The consumer starts workerd, which is in no bundle.
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  const warmed = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const sizes = await writeBundles(packaging, folder)
  const names = [...sizes.keys()].filter(name => only.length === 0 || only.includes(name))
  for (const name of names)
    await warm(join(folder, `${name}.mjs`), { ...warmed, PORT: String(await freePort()) })
  const starts = new Map(names.map(name => [name, [] as Start[]]))
  const nothing: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    nothing.push(await startOfNothing())
    for (const name of names) {
      const request = firstRequest(units.get(name), api_key, bearer)
      starts.get(name)!.push(await coldStart(join(folder, `${name}.mjs`), { ...env, ...warmed }, request))
    }
  }
  console.log(
    `medians of ${ROUNDS} starts in turn, at a load of ${loadavg()[0]!.toFixed(1)}; a Node that does nothing: ${median(nothing).toFixed(0)} ms\n`,
  )
  console.log('| function | bundle | fastest | median | to nothing | processor | asked |')
  console.log('|---|---|---|---|---|---|---|')
  for (const name of names) {
    const request = firstRequest(units.get(name), api_key, bearer)
    const times = starts.get(name)!.map(one => one.ms)
    const cells = [
      name,
      `${Math.round(sizes.get(name)! / 1024)} KiB`,
      `${Math.min(...times).toFixed(0)} ms`,
      `${median(times).toFixed(0)} ms`,
      (median(times) / median(nothing)).toFixed(1),
      `${cpu(starts.get(name)!).toFixed(0)} ms`,
      `${request.method} ${request.path}`,
    ]
    console.log(`| ${cells.join(' | ')} |`)
  }
  const zero = await fromZero({ databaseUrl: postgres.url, redisUrl: redis.url }, ROUNDS)
  for (const [by, times] of Object.entries(zero)) {
    const [answered, atAgent] = [times.map(one => one.answered), times.map(one => one.at_agent)]
    console.log(
      `From zero, asked by ${by}: answered after ${median(answered).toFixed(0)} ms, with the agent after ${median(atAgent).toFixed(0)} ms ` +
        `(fastest ${Math.min(...atAgent).toFixed(0)} ms), at a load of ${loadavg()[0]!.toFixed(1)}`,
    )
  }
} finally {
  await Promise.all([postgres.stop(), redis.stop()])
  await rm(folder, { recursive: true, force: true })
}
