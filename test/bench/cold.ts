// `npm run bench:cold [-- --packaging endpoint] [UNIT …]` measures how long each function takes from its start to its first
// answer, including the first query to PostgreSQL, as a process of Node and in workerd; how long one item takes to reach
// its agent when everything sleeps; and what a tick costs that finds nothing to do. At the end it prints these four beside
// their goals. All units, and a Node that does nothing as a yardstick, are started in turn, so that a machine whose speed
// drifts slows all of them: the ratios to the yardstick can be compared between runs.

import { mkdtemp, rm, symlink } from 'node:fs/promises'
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
import { type Packaging, unitsOf } from '../../infra/packaging.ts'
import { TICK } from '../../infra/targets/image.ts'
import { unitKeys } from '../../infra/unit-keys.ts'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import { platformBearer } from '../../shared/http/platform-function.ts'
import { type FunctionProcess, startProcess } from '../support/doubles/process.ts'
import { freePort } from '../support/ports.ts'
import { MASTER_KEY } from '../support/sleeping.ts'
import { median } from './batch.ts'
import { fromZero } from './from-zero.ts'
import { ask, cpuOf, type FirstRequest, firstRequest, type Start } from './start.ts'
import { type WorkerdUnit, workerdUnit } from './start-workerd.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 20)
const ASK_AGAIN_MS = 2
/** The median, in milliseconds. */
const AIMS = { node: 150, workerd: 75, from_zero: 300, tick: 100 }

/** Resolves with the process once it has answered. */
async function started(bundle: string, env: Record<string, string>, request: FirstRequest) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const began = performance.now()
  const one = startProcess(['node', bundle], { ...env, PORT: String(port), HOST: '127.0.0.1' })
  for (;;) {
    const status = await ask(origin, request)
    if (one.child.exitCode !== null || (status !== undefined && status >= 500))
      throw new Error(`${bundle} answered ${status}: ${one.log()}`)
    if (status !== undefined) return { ...one, origin, ms: performance.now() - began }
    await new Promise(resolve => setTimeout(resolve, ASK_AGAIN_MS))
  }
}

async function end({ child, ended }: FunctionProcess): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

async function coldStart(bundle: string, env: Record<string, string>, request: FirstRequest): Promise<Start> {
  const one = await started(bundle, env, request)
  const cpu_ms = await cpuOf(one.child.pid!)
  await end(one)
  return { ms: one.ms, cpu_ms }
}

/** Milliseconds that a Node takes to start and end. */
async function startOfNothing(): Promise<number> {
  const began = performance.now()
  await startProcess(['node', '-e', ''], {}).ended
  return performance.now() - began
}

/** Milliseconds of each tick that finds nothing to do, in a process that is awake. */
async function ticksAtRest(bundle: string, env: Record<string, string>, request: FirstRequest) {
  const one = await started(bundle, env, request)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    await ask(one.origin, request)
    times.push(performance.now() - began)
  }
  await end(one)
  return times
}

const whole = (ms: number) => `${ms.toFixed(0)} ms`
const kib = (bytes: number) => `${Math.round(bytes / 1024)} KiB`
const row = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)
const msOf = (starts: readonly Start[]) => starts.map(one => one.ms)
const cpuOfAll = (starts: readonly Start[]) => median(starts.map(one => one.cpu_ms))

interface Measured {
  name: string
  request: FirstRequest
  bundle: string
  bytes: number
  starts: Start[]
  workerd?: WorkerdUnit & { starts: Start[] }
}

/** The worst of the medians. */
function slowest(all: readonly { name: string; starts: readonly Start[] }[]): { name: string; ms: number } {
  const medians = all.map(({ name, starts }) => ({ name, ms: median(msOf(starts)) }))
  return medians.reduce((a, b) => (b.ms > a.ms ? b : a), { name: '–', ms: 0 })
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
  const stores = { databaseUrl: postgres.url, redisUrl: redis.url }
  const connections = openConnections(stores)
  const config = { base_url: '', master_key: MASTER_KEY }
  const { api_key } = await bootstrapAccount(createContext({ connections, config }))
  await connections.close()
  const urls = { DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  const env = {
    ...urls,
    ASSAY_MASTER_KEY: MASTER_KEY,
    ASSAY_DATA_DIR: join(folder, 'agents'),
    ASSAY_UNIT_URL: 'http://127.0.0.1:1/{unit}',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
  const units = new Map(unitsOf(packaging).map(unit => [unit.name, unit]))
  const bearer = await platformBearer(MASTER_KEY)
  // The consumer starts workerd, which bundles do not contain.
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  const sizes = await writeBundles(packaging, folder)
  const keys = await unitKeys(MASTER_KEY)
  const all: Measured[] = []
  for (const [name, bytes] of sizes) {
    if (only.length > 0 && !only.includes(name)) continue
    const [unit, bundle] = [units.get(name), join(folder, `${name}.mjs`)]
    const request = firstRequest(unit, api_key, bearer)
    await warm(bundle, { NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE, PORT: String(await freePort()) })
    const isInWorkerd = packaging === 'group' && unit !== undefined && unit.platform === undefined
    const workerd = isInWorkerd && { ...(await workerdUnit(name, { ...urls, ...keys }, request)), starts: [] }
    all.push({ name, request, bundle, bytes, starts: [], ...(workerd && { workerd }) })
  }
  const nothing: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    nothing.push(await startOfNothing())
    for (const { bundle, request, starts, workerd } of all) {
      starts.push(await coldStart(bundle, env, request))
      if (workerd) workerd.starts.push(await workerd.start())
    }
  }
  console.log(
    `medians of ${ROUNDS} starts in turn, at a load of ${loadavg()[0]!.toFixed(1)}; a Node that does nothing: ${whole(median(nothing))}\n`,
  )
  console.log(
    '| function | bundle | Node, fastest | median | to nothing | processor | bundle for workerd | workerd, median | processor | asked |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|')
  for (const { name, bytes, starts, workerd, request } of all) {
    const times = msOf(starts)
    const inWorkerd = workerd
      ? [kib(workerd.bytes), whole(median(msOf(workerd.starts))), whole(cpuOfAll(workerd.starts))]
      : ['–', '–', '–']
    row([
      ...[name, kib(bytes), whole(Math.min(...times)), whole(median(times))],
      ...[(median(times) / median(nothing)).toFixed(1), whole(cpuOfAll(starts)), ...inWorkerd],
      `${request.method} ${request.path}`,
    ])
  }
  const zero = await fromZero(stores, ROUNDS)
  console.log('')
  for (const [by, times] of Object.entries(zero)) {
    const [answered, atAgent] = [times.map(one => one.answered), times.map(one => one.at_agent)]
    console.log(
      `From zero, requested by ${by}: answered after ${whole(median(answered))}, with the agent after ${whole(median(atAgent))} ` +
        `(fastest ${whole(Math.min(...atAgent))}), at a load of ${loadavg()[0]!.toFixed(1)}`,
    )
  }
  const tick = all.find(one => one.name === TICK)
  const rest = tick ? await ticksAtRest(tick.bundle, env, tick.request) : []
  const [node, workerd] = [
    slowest(all),
    slowest(all.flatMap(({ name, workerd }) => (workerd ? [{ name, starts: workerd.starts }] : []))),
  ]
  console.log('\n| at the median | goal | measured | |\n|---|---|---|---|')
  row(['first answer of a function in Node', whole(AIMS.node), whole(node.ms), `the slowest, ${node.name}`])
  row(['in workerd', whole(AIMS.workerd), whole(workerd.ms), `the slowest, ${workerd.name}`])
  const atAgent = median(zero.router.map(one => one.at_agent))
  row([
    'first item reaches its agent',
    whole(AIMS.from_zero),
    whole(atAgent),
    'router, function and consumer asleep',
  ])
  if (rest.length > 0)
    row(['a tick at rest', whole(AIMS.tick), whole(median(rest)), `${ROUNDS} in turn, awake`])
} finally {
  await Promise.all([postgres.stop(), redis.stop()])
  await rm(folder, { recursive: true, force: true })
}
