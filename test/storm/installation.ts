// An installation to break: two APIs, two consumers and a tick, each its own process that reaches both stores through a
// relay; two agents with a provider, a schedule, a trigger, and a receiver of callbacks.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import type { Part } from '../../infra/node/parts.ts'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import { bundleAgent } from '../../shared/cli/bundle.ts'
import type { Sql } from '../../shared/context.ts'
import { createClient } from '../../shared/sdk/client.ts'
import { installAudit } from '../faults/support/audit.ts'
import { freePort } from '../support/ports.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { installClosures, type Struck } from './closures.ts'
import { type Disk, makeDisk } from './disk.ts'
import { BY_SCHEDULE } from './payloads.ts'
import { buildProgram } from './program.ts'
import { type Provider, startProvider } from './provider.ts'
import { type KeptStore, keepPostgres, keepRedis } from './stores.ts'
import { Unit } from './unit.ts'

const MASTER_KEY = '57'.repeat(32)
/** Low enough to be reached all the time. */
export const CAPS = { project: 300, partition: 25 }
const PARTS: readonly [name: string, Part][] = [
  ['api 1', 'api'],
  ['api 2', 'api'],
  ['consumer 1', 'consumer'],
  ['consumer 2', 'consumer'],
  ['tick', 'tick'],
]
const SKEW_MS = 3_600_000
/** What the receiver answers when it refuses a callback. */
const BUSY = 503

export interface Installation {
  sql: Sql
  postgres: KeptStore
  redis: KeptStore
  disk: Disk
  units: Unit[]
  /** Base URLs of the APIs. */
  urls: string[]
  api_key: string
  project_id: string
  /** Ids of the agent behind a URL and of the one that is a bundle. */
  agents: { url: string; bundle: string }
  /** Its listener and connections are closed for so long; resolves when it listens again. */
  leaveUrlAgent(ms: number): Promise<void>
  /** What steps of both agents call. */
  provider: Provider
  schedule_id: string
  trigger: { path: string; secret: string }
  /** Receives the callbacks; the path of each ends in its run's name. */
  receiver: Receiver
  /** Windows in which PostgreSQL could not be queried as usual, in milliseconds since the epoch. */
  trouble: { from: number; to: number }[]
  /** Windows in which the agent behind a URL or the provider served nobody. */
  struck: Struck
  close(): Promise<void>
}

export async function install(): Promise<Installation> {
  const parts = new AsyncDisposableStack()
  try {
    return await build(parts)
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

async function build(parts: AsyncDisposableStack): Promise<Installation> {
  const disk = parts.adopt(await makeDisk(), one => one.remove())
  const postgres = parts.adopt(await keepPostgres(disk.path), one => one.close())
  const redis = parts.adopt(await keepRedis(disk.path), one => one.close())
  const connections = openConnections({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    pool: { sql: 6, db: 1 },
  })
  parts.defer(() => connections.close())
  const { sql } = connections
  const config = { base_url: '', master_key: MASTER_KEY }
  const { api_key, project_id } = await bootstrapAccount(createContext({ connections, config }))
  await installAudit(sql)
  await installClosures(sql)
  await sql`update projects set settings = settings || ${sql.json({ concurrency: CAPS.project, partition_concurrency: CAPS.partition })}
    where id = ${project_id}`
  const { units, urls } = await startUnits(parts, { postgres, redis, dataDir: disk.path })
  const receiver = parts.adopt(await startReceiver(), one => one.close())
  answerByManner(receiver)
  const provider = parts.adopt(await startProvider(), one => one.close())
  const started = await deployAll(parts, { base_url: urls[0]!, api_key, project_id, provider })
  return {
    sql,
    postgres,
    redis,
    disk,
    units,
    urls,
    api_key,
    project_id,
    receiver,
    provider,
    trouble: [],
    struck: { agent: [], credential: [] },
    ...started,
    close: () => parts.disposeAsync(),
  }
}

async function startUnits(
  parts: AsyncDisposableStack,
  { postgres, redis, dataDir }: { postgres: KeptStore; redis: KeptStore; dataDir: string },
) {
  const program = parts.adopt(await buildProgram(), one => one.remove())
  const ports = [await freePort(), await freePort()]
  const urls = ports.map(port => `http://127.0.0.1:${port}`)
  const units = PARTS.map(([name, part], at) => {
    const env = {
      DATABASE_URL: postgres.relayed_url,
      REDIS_URL: redis.relayed_url,
      ASSAY_MASTER_KEY: MASTER_KEY,
      ASSAY_DATA_DIR: dataDir,
      NODE_COMPILE_CACHE: join(dataDir, '..', 'compiled'),
      ASSAY_ALLOW_NETWORKS: '127.0.0.1/32',
      ASSAY_ALLOW_CALLBACK_NETWORKS: '127.0.0.1/32',
      BASE_URL: urls[0]!,
      HOST: '127.0.0.1',
      PORT: String(ports[at] ?? 0),
      STORM_CLOCK_SKEW_MS: String(at % 2 === 0 ? -SKEW_MS : SKEW_MS),
    }
    return parts.adopt(new Unit(name, part, { env, program: program.path }), one => one.close())
  })
  await Promise.all(units.map(unit => unit.ready()))
  return { units, urls }
}

/** By the path: `/takes/NAME` is accepted at once, `/late/NAME` from the second try on, `/deaf/NAME` never. */
function answerByManner(receiver: Receiver): void {
  const came = new Set<string>()
  receiver.answer = (response, request) => {
    const [, manner] = request.url!.split('/')
    const delivery = String(request.headers['webhook-id'])
    const refuses = manner === 'deaf' || (manner === 'late' && !came.has(delivery))
    came.add(delivery)
    response.writeHead(refuses ? BUSY : 204).end()
  }
}

async function deployAll(
  parts: AsyncDisposableStack,
  {
    base_url,
    api_key,
    project_id,
    provider,
  }: Pick<Installation, 'api_key' | 'project_id' | 'provider'> & {
    base_url: string
  },
) {
  const client = createClient({ baseUrl: base_url, apiKey: api_key })
  const agent = parts.adopt(
    fork(join(import.meta.dirname, 'url-agent.ts'), { env: { ...process.env, PROVIDER_URL: provider.url } }),
    one => void one.kill(),
  )
  const url = `http://127.0.0.1:${await portOf(agent)}/`
  const deploy = async (slug: string, code: object) => {
    const made = await client.POST('/v1/agents', { body: { project_id, name: slug, slug } })
    const path = { agentId: made.data!.id }
    const deployed = await client.POST('/v1/agents/{agentId}/deployments', {
      params: { path },
      body: code as never,
    })
    if (deployed.response.status !== 201) throw new Error(`no deployment: ${JSON.stringify(deployed.error)}`)
    return path.agentId
  }
  const declaration = { name: 'storm url', max_consecutive_failures: 1_000_000 }
  const { code, declaration: ofBundle } = await bundleAgent(join(import.meta.dirname, 'bundle-agent.ts'))
  const agents = {
    url: await deploy('storm-url', { kind: 'url', url, protocol: 'ndjson', declaration }),
    bundle: await deploy('storm-bundle', {
      kind: 'bundle',
      code,
      declaration: ofBundle,
      env: { PROVIDER_URL: provider.url, PROVIDER_KEY: 'key-of-the-storm' },
    }),
  }
  const schedule = await client.POST('/v1/schedules', {
    body: { agent_id: agents.url, cron: '* * * * *', input: { do: 'answer', name: BY_SCHEDULE } },
  })
  const trigger = await client.POST('/v1/triggers', { body: { agent_id: agents.url, name: 'storm' } })
  if (!schedule.data || !trigger.data) throw new Error('no schedule or no trigger')
  return {
    agents,
    async leaveUrlAgent(ms: number) {
      agent.send({ leave: ms })
      await once(agent, 'message')
    },
    schedule_id: schedule.data.id,
    trigger: { path: new URL(trigger.data.url).pathname, secret: trigger.data.secret! },
  }
}

const portOf = (agent: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    agent.once('message', message => resolve((message as { port: number }).port))
    agent.once('exit', code => reject(new Error(`the agent ended (${code})`)))
  })
