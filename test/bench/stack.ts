// A whole Assay for the bench: stores of its own, one server process, agents in processes of their own.

import { type ChildProcess, fork } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import { isFree } from '../../infra/local/store.ts'
import { migrate } from '../../infra/migrate.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { PARTS, type Part } from '../../infra/node/parts.ts'
import { bundleAgent } from '../../shared/cli/bundle.ts'
import { bootstrapAccount } from '../../shared/engine/bootstrap.ts'
import { type Client, createClient } from '../../shared/sdk/client.ts'

export interface Bench {
  client: Client
  base_url: string
  api_key: string
  /** Who may sign in. */
  account: { email: string; password: string }
  sql: ReturnType<typeof createContext>['sql']
  databaseUrl: string
  redisUrl: string
  pids: { postgres: number; redis: number; server: number }
  /** Deploys an agent under a new slug and returns its id. */
  deployUrl(
    protocol: 'ndjson' | 'json',
    env?: Record<string, string>,
  ): Promise<{ agent_id: string; agent: ChildProcess }>
  deployBundle(steps?: number): Promise<string>
  /** A further process of Assay beside the server, with settings of its own; resolves when it is ready. */
  startProcess(env: Record<string, string>): Promise<ChildProcess>
  /** Leaves the stores to whoever measures them alone. */
  stopServer(): Promise<void>
  close(): Promise<void>
}

// Every item of it may fail, and the run goes on.
const NOOP = { name: 'noop', max_consecutive_failures: 1_000_000_000 }

export interface BenchOptions {
  /** Of the server; all unless told. */
  parts?: readonly Part[]
  /** That PostgreSQL takes at most. */
  connections?: number
}

export async function startBench({ parts = PARTS, connections: most }: BenchOptions = {}): Promise<Bench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  await chmod(dataDir, 0o755) // or PostgreSQL, which does not run as root, is kept elsewhere and stays there
  const opening = { dataDir, ...(most === undefined ? {} : { connections: most }) }
  const [postgres, redis] = await Promise.all([startPostgres(opening), startRedis({ dataDir })])
  await migrate(postgres.url)
  const masterKey = 'ab'.repeat(32)
  const connections = openConnections({ databaseUrl: postgres.url, redisUrl: redis.url })
  const ctx = createContext({ connections, config: { base_url: '', master_key: masterKey } })
  const { api_key, project_id, account } = await bootstrapAccount(ctx)
  // The bench asks what the machine can do, not what a project allows.
  await ctx.sql`update projects set settings = settings || '{"concurrency": 100000}' where id = ${project_id}`
  const processes = new Set<ChildProcess>()
  async function startProcess(env: Record<string, string>): Promise<ChildProcess> {
    const one = fork(join(import.meta.dirname, '../../infra/node/main.ts'), {
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        ASSAY_MASTER_KEY: masterKey,
        ASSAY_DATA_DIR: dataDir,
        HOST: '127.0.0.1',
        ...env,
      },
      stdio: ['ignore', 'pipe', process.env.BENCH_LOG ? 'inherit' : 'ignore', 'ipc'],
    })
    processes.add(one)
    one.once('exit', () => processes.delete(one))
    await new Promise(resolve => one.stdout!.once('data', resolve))
    return one
  }
  const port = await freePort()
  const server = await startProcess({ PORT: String(port), ASSAY_PARTS: parts.join(',') })
  const base_url = `http://127.0.0.1:${port}`
  const client = createClient({ baseUrl: base_url, apiKey: api_key })
  const agents: ChildProcess[] = []
  let made = 0

  async function createAgent(): Promise<string> {
    const slug = `noop-${++made}`
    const { data } = await client.POST('/v1/agents', { body: { project_id, name: slug, slug } })
    return data!.id
  }
  return {
    client,
    base_url,
    api_key,
    account,
    sql: ctx.sql,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    pids: { postgres: postgres.pid, redis: redis.pid, server: server.pid! },
    async deployUrl(protocol, env = {}) {
      const agent = fork(join(import.meta.dirname, 'noop-agent.ts'), {
        env: { ...process.env, ...env },
      })
      agents.push(agent)
      const { port } = await new Promise<{ port: number }>(resolve =>
        agent.once('message', m => resolve(m as never)),
      )
      const agent_id = await createAgent()
      await client.POST('/v1/agents/{agentId}/deployments', {
        params: { path: { agentId: agent_id } },
        body: { kind: 'url', url: `http://127.0.0.1:${port}/`, protocol, declaration: NOOP },
      })
      return { agent_id, agent }
    },
    async deployBundle(steps = 0) {
      const agent_id = await createAgent()
      const { code, declaration } = await bundleAgent(join(import.meta.dirname, 'noop-bundle.ts'))
      await client.POST('/v1/agents/{agentId}/deployments', {
        params: { path: { agentId: agent_id } },
        body: { kind: 'bundle', code, declaration, env: { STEPS: String(steps) } },
      })
      return agent_id
    },
    startProcess,
    stopServer: () => stopProcess(server),
    async close() {
      for (const agent of agents) agent.kill()
      await Promise.all([...processes].map(stopProcess))
      await connections.close()
      await Promise.all([postgres.stop(), redis.stop()])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Asks a process to end, and waits until it has. */
export async function stopProcess(one: ChildProcess): Promise<void> {
  if (one.exitCode !== null || one.signalCode !== null) return
  one.kill('SIGTERM')
  await new Promise(resolve => one.once('exit', resolve))
}

export async function freePort(): Promise<number> {
  for (let port = 18_090; ; port++) if (await isFree(port)) return port
}

/** Proportional memory of a process and all its children, in MiB. */
export async function memoryOf(pid: number): Promise<number> {
  const kib = async (one: number): Promise<number> => {
    const rollup = await readFile(`/proc/${one}/smaps_rollup`, 'utf8').catch(() => '')
    const own = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
    const children = (await readFile(`/proc/${one}/task/${one}/children`, 'utf8').catch(() => '')).trim()
    const theirs =
      children === '' ? [] : await Promise.all(children.split(' ').map(child => kib(Number(child))))
    return own + theirs.reduce((sum, n) => sum + n, 0)
  }
  return Math.round((await kib(pid)) / 1024)
}
