// A staging project that is scaled to zero: the router and the functions that accept, execute and repair, each under
// the double of Knative without a pod, with stores of the test's own and an agent behind a URL that the test can hold.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { writeUnits } from '../../infra/bundle.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { warm } from '../../infra/node/warm.ts'
import { unitsOf } from '../../infra/packaging.ts'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import type { Redis, Sql } from '../../shared/context.ts'
import { platformBearer } from '../../shared/http/platform-function.ts'
import type { ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { passBack, passOn, plain, startProxy } from './doubles/proxy.ts'
import { type Revision, startRevision } from './doubles/queue-proxy.ts'
import { freePort } from './ports.ts'
import { tempFolder } from './temp-folder.ts'

/** The installation's only master key. */
export const MASTER_KEY = '5e'.repeat(32)
const LOOK_MS = 5
const NAMES = ['router', 'runs', 'consume', 'tick'] as const
type Name = (typeof NAMES)[number]

export interface Sleeping {
  sql: Sql
  redis: Redis
  functions: Record<Name, Revision>
  /** The path of each function's bundle. */
  files: Record<Name, string>
  /** The environment of pods that are started from now on. */
  env: Record<Name, Record<string, string>>
  agent: PlayedAgent
  /** Submits straight to the function that accepts runs, or through the router. */
  submit(items: number, by?: 'router' | 'runs'): Promise<string>
  /** Calls a platform function as its caller does; resolves with its answer. */
  call(name: 'consume' | 'tick'): Promise<{ status: number; body: Record<string, unknown> }>
  /** Resolves when the run has ended. */
  finished(runId: string): Promise<Record<string, unknown>>
  /** Resolves when no claim is left and all pods have ended, with how each ended except the router's. */
  toZero(): Promise<unknown[]>
  close(): Promise<void>
}

export interface PlayedAgent {
  /** Every item that came, with the time it came. */
  items: { seq: number; attempt: number; at: number }[]
  /** How long it takes per item. */
  takes_ms: number
  /** From now on it answers nothing, until the returned function is called. */
  hold(): () => void
  /** Resolves when that many items have come in all. */
  until(count: number): Promise<void>
}

const compiledIn = (folder: string) => join(folder, 'compiled')
let made: Promise<string> | undefined
/** The folder with the bundles and their compile cache, as the image has it, made once per test file. */
function bundles(): Promise<string> {
  made ??= (async () => {
    const { path } = await tempFolder() // removed by the next test run
    const units = unitsOf('group').filter(({ name }) => NAMES.includes(name as Name))
    await writeUnits(units, path)
    for (const name of NAMES) {
      await warm(join(path, `${name}.mjs`), {
        NODE_COMPILE_CACHE: compiledIn(path),
        PORT: String(await freePort()),
      })
    }
    return path
  })()
  return made
}

export async function startSleeping(stores: {
  databaseUrl: string
  redisUrl: string
  /** Its name, where others share its Redis. */
  installation?: string | undefined
}): Promise<Sleeping> {
  const parts = new AsyncDisposableStack()
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const connections = openConnections({ ...stores, pool: { sql: 2, db: 1, reads: 1 } })
  parts.defer(() => connections.close())
  const { sql, redis } = connections
  const ctx = createContext({ connections, config: { base_url: '', master_key: MASTER_KEY } })
  const { api_key, project_id } = await bootstrapAccount(ctx)
  const { agent, url, close } = await playAgent()
  parts.defer(close)
  const [agent_id, deployment_id] = [ctx.newId(), ctx.newId()]
  await sql`update projects set settings = settings || '{"concurrency": 100000}' where id = ${project_id}`
  await sql`insert into agents ${sql({ id: agent_id, project_id, name: 'played', slug: 'played' })}`
  await sql`insert into deployments (id, project_id, agent_id, version, kind, url, protocol, declaration)
    values (${deployment_id}, ${project_id}, ${agent_id}, 1, 'url', ${url}, 'ndjson', '{"name": "played"}')`
  await sql`update agents set current_deployment_id = ${deployment_id} where id = ${agent_id}`

  const env = {} as Sleeping['env']
  const functions = {} as Sleeping['functions']
  const files = {} as Sleeping['files']
  const made = await bundles()
  for (const name of NAMES) {
    const file = join(made, `${name}.mjs`)
    files[name] = file
    env[name] = {
      DATABASE_URL: stores.databaseUrl,
      REDIS_URL: stores.redisUrl,
      ASSAY_MASTER_KEY: MASTER_KEY,
      ...(stores.installation && { ASSAY_INSTALLATION: stores.installation }),
      ASSAY_DATA_DIR: folder.path,
      ASSAY_ALLOW_NETWORKS: '127.0.0.1/32', // where the played agent is
      HOST: '127.0.0.1',
      NODE_COMPILE_CACHE: compiledIn(made),
    }
    functions[name] = await startRevision({ name, command: ['node', file], env: env[name] })
    parts.defer(() => functions[name].close())
  }
  for (const name of NAMES) env[name].ASSAY_CONSUMER_URL = functions.consume.url
  const within = parts.adopt(
    await startProxy(async (incoming, outgoing) => {
      const [, name, path] = /^\/([a-z]+)(\/.*)$/.exec(incoming.url!)!
      const to = new URL(functions[name as Name].url + path)
      const answer = await passOn(incoming, outgoing, to, {}).catch(() => undefined)
      if (answer) await passBack(answer, outgoing)
      else plain(outgoing, 502, '')
    }),
    one => one.kill(),
  )
  env.router.ASSAY_UNIT_URL = `${within.url}/{unit}`

  const authorization = `Bearer ${await platformBearer(MASTER_KEY)}`
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    }
  }
  return {
    sql,
    redis,
    functions,
    files,
    env,
    agent,
    async submit(items, by = 'runs') {
      const lines = Array.from({ length: items }, (_, i) => `{"item_id":"i${i}","input":{"n":${i}}}\n`)
      const response = await fetch(`${functions[by].url}/v1/batches?agent_id=${agent_id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/x-ndjson' },
        body: lines.join(''),
      })
      const text = await response.text()
      if (response.status !== 202) throw new Error(`${response.status} ${text}`)
      return JSON.parse(text).run_id
    },
    async call(name) {
      const response = await fetch(functions[name].url, { method: 'POST', headers: { authorization } })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    finished: runId =>
      until(async () => {
        const [row] = await sql`select * from runs where id = ${runId} and finished_at is not null`
        return row
      }),
    async toZero() {
      await until(async () => ((await sql`select from claims`).length === 0 ? true : undefined))
      const [, ...ended] = await Promise.all(NAMES.map(name => functions[name].scaleToZero()))
      return ended
    },
    close: () => parts.disposeAsync(),
  }
}

async function playAgent() {
  let release: (() => void) | undefined
  let held = Promise.resolve()
  const looks = new Set<() => void>()
  const agent: PlayedAgent = {
    items: [],
    takes_ms: 0,
    hold() {
      held = new Promise(resolve => (release = resolve))
      return release!
    },
    until: count =>
      new Promise(resolve => {
        const look = () => {
          if (agent.items.length < count) return
          looks.delete(look)
          resolve()
        }
        looks.add(look)
        look()
      }),
  }
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const lines = text.split('\n').filter(Boolean)
    const items = lines.map(line => JSON.parse(line) as ItemLine)
    const at = performance.now()
    agent.items.push(...items.map(({ seq, attempt }) => ({ seq, attempt, at })))
    for (const look of looks) look()
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).flushHeaders()
    await held
    for (const { seq, attempt } of items) {
      if (agent.takes_ms > 0) await new Promise(resolve => setTimeout(resolve, agent.takes_ms))
      response.write(`${JSON.stringify({ type: 'result', seq, attempt, output: { seq } })}\n`)
    }
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    agent,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      release?.()
      server.close()
      server.closeAllConnections()
    },
  }
}
