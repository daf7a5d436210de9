// Starts a whole Assay for the bench: stores of its own, one server process, agents in processes of their own.

import { type ChildProcess, fork } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startRedis } from '../../infra/local/redis.ts'
import { migrate } from '../../infra/migrate.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import type { Part } from '../../infra/node/parts.ts'
import { bootstrapAccount } from '../../shared/accounts/verbs/bootstrap.ts'
import { bundleAgent } from '../../shared/cli/bundle.ts'
import { type Client, createClient } from '../../shared/sdk/client.ts'
import { freePort } from '../support/ports.ts'

export interface Project {
  id: string
  api_key: string
  client: Client
}

/** A deployed agent, and its process if it has one. */
export interface Agent {
  agent_id: string
  project: Project
}
export interface UrlAgent extends Agent {
  process: ChildProcess
  url: string
}

export interface Bench {
  client: Client
  base_url: string
  api_key: string
  /** The default project for agents, with caps lifted, so that the machine is the limit and not the project. */
  project: Project
  /** Creates another project, with the default caps. */
  newProject(): Promise<Project>
  /** The member who can sign in. */
  account: { email: string; password: string }
  sql: ReturnType<typeof createContext>['sql']
  databaseUrl: string
  redisUrl: string
  pids: { postgres: number; redis: number; server: number }
  /** The process of Assay. */
  server: ChildProcess
  /** Deploys an agent under a new slug; `env` decides what it does (noop-agent.ts). */
  deployUrl(protocol: 'ndjson' | 'json', env?: Record<string, string>, project?: Project): Promise<UrlAgent>
  /** Deploys an agent that calls a model for each item (model-agent.ts); `declared` is added to its declaration. */
  deployModel(project?: Project, declared?: { item_budget_cents?: number }): Promise<UrlAgent>
  deployBundle(steps?: number): Promise<Agent>
  /** Starts another process of Assay beside the server, with settings of its own; resolves when it is ready. */
  startProcess(env: Record<string, string>): Promise<ChildProcess>
  /** Registers what to undo when the stack is closed. */
  defer(undo: () => Promise<void>): void
  /** Stops the server, so that the stores can be measured alone. */
  stopServer(): Promise<void>
  close(): Promise<void>
}

// Every item may fail without stopping the run.
const NOOP = { name: 'noop', max_consecutive_failures: 10_000_000 }

export interface BenchOptions {
  /** An existing database with the current schema and no account; by default the bench starts a PostgreSQL of its own. */
  database?: { url: string; pid: number }
  /** The parts of the server; by default all. Only a type is imported, so that the bench runs in checkouts with other paths. */
  parts?: readonly Part[]
  /** The maximum number of connections of PostgreSQL. */
  connections?: number
  /** Settings of PostgreSQL, besides its defaults. */
  settings?: Record<string, string>
  /** Arguments for the server's Node. */
  nodeArguments?: string[]
}

/** The option with which infra/local/bootstrap.mjs starts a server. */
const HEAP = ['--max-semi-space-size=16']

export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  await chmod(dataDir, 0o755) // otherwise PostgreSQL, which does not run as root, would get a folder elsewhere that is not removed
  const [postgres, redis] = await Promise.all([openPostgres(dataDir, options), startRedis({ dataDir })])
  const masterKey = 'ab'.repeat(32)
  // The name distinguishes the bench's own statements from those of Assay.
  const databaseUrl = `${postgres.url}?application_name=bench`
  const connections = openConnections({ databaseUrl, redisUrl: redis.url })
  const ctx = createContext({ connections, config: { base_url: '', master_key: masterKey } })
  const { api_key, project_id, account } = await bootstrapAccount(ctx)
  await ctx.sql`update projects set settings = settings || '{"concurrency": 100000}' where id = ${project_id}`
  const processes = new Set<ChildProcess>()
  async function startProcess(env: Record<string, string>, execArgv: string[] = []): Promise<ChildProcess> {
    const one = fork(join(import.meta.dirname, '../../infra/node/main.ts'), {
      env: {
        ...process.env,
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        ASSAY_MASTER_KEY: masterKey,
        ASSAY_DATA_DIR: dataDir,
        ASSAY_ALLOW_NETWORKS: '127.0.0.0/8', // where the agents are
        HOST: '127.0.0.1',
        ...env,
      },
      execArgv: [...HEAP, ...execArgv],
      stdio: ['ignore', 'pipe', process.env.BENCH_LOG ? 'inherit' : 'ignore', 'ipc'],
    })
    processes.add(one)
    one.once('exit', () => processes.delete(one))
    await new Promise((resolve, reject) => {
      one.stdout!.once('data', resolve)
      one.once('exit', code =>
        reject(new Error(`the server ended (${code}) before it was ready: BENCH_LOG=1 shows why`)),
      )
    })
    return one
  }
  const port = await freePort()
  const parts = options.parts === undefined ? {} : { ASSAY_PARTS: options.parts.join(',') }
  const server = await startProcess({ PORT: String(port), ...parts }, options.nodeArguments)
  const base_url = `http://127.0.0.1:${port}`
  const clientWith = (apiKey: string) => createClient({ baseUrl: base_url, apiKey })
  const project = { id: project_id, api_key, client: clientWith(api_key) }
  const agents: ChildProcess[] = []
  const undoing: (() => Promise<void>)[] = []
  let made = 0

  async function createAgent({ id, client }: Project): Promise<string> {
    const slug = `noop-${++made}`
    const { data } = await client.POST('/v1/agents', { body: { project_id: id, name: slug, slug } })
    return data!.id
  }
  async function deployProcess(
    file: string,
    into: Project,
    deployed: { protocol: 'ndjson' | 'json'; declaration: typeof NOOP & { item_budget_cents?: number } },
    env: Record<string, string> = {},
  ): Promise<UrlAgent> {
    const agent = fork(join(import.meta.dirname, file), { env: { ...process.env, ...env } })
    agents.push(agent)
    const { port } = await new Promise<{ port: number }>(resolve =>
      agent.once('message', m => resolve(m as never)),
    )
    const agent_id = await createAgent(into)
    const url = `http://127.0.0.1:${port}/`
    await into.client.POST('/v1/agents/{agentId}/deployments', {
      params: { path: { agentId: agent_id } },
      body: { kind: 'url', url, ...deployed },
    })
    return { agent_id, project: into, process: agent, url }
  }
  return {
    client: project.client,
    base_url,
    api_key,
    project,
    async newProject() {
      const { data: session } = await project.client.POST('/v1/sessions', { body: account })
      const owner = clientWith(session!.access_token)
      const { data } = await owner.POST('/v1/projects', { body: { name: `bench ${++made}` } })
      const path = { projectId: data!.id }
      const { data: minted } = await owner.POST('/v1/projects/{projectId}/api-keys', {
        params: { path },
        body: { name: 'bench' },
      })
      return { id: data!.id, api_key: minted!.key, client: clientWith(minted!.key) }
    },
    account,
    sql: ctx.sql,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    pids: { postgres: postgres.pid, redis: redis.pid, server: server.pid! },
    server,
    deployUrl: (protocol, env = {}, into = project) =>
      deployProcess('noop-agent.ts', into, { protocol, declaration: NOOP }, env),
    deployModel: (into = project, declared = {}) =>
      deployProcess('model-agent.ts', into, { protocol: 'ndjson', declaration: { ...NOOP, ...declared } }),
    async deployBundle(steps = 0) {
      const agent_id = await createAgent(project)
      const { code, declaration } = await bundleAgent(join(import.meta.dirname, 'noop-bundle.ts'))
      await project.client.POST('/v1/agents/{agentId}/deployments', {
        params: { path: { agentId: agent_id } },
        body: { kind: 'bundle', code, declaration, env: { STEPS: String(steps) } },
      })
      return { agent_id, project }
    },
    startProcess,
    stopServer: () => stopProcess(server),
    defer: undo => void undoing.push(undo),
    async close() {
      for (const undo of undoing) await undo()
      for (const agent of agents) agent.kill()
      await Promise.all([...processes].map(stopProcess))
      await connections.close()
      await Promise.all([postgres.stop(), redis.stop()])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates a database with the current schema. */
async function openPostgres(dataDir: string, options: BenchOptions) {
  if (options.database !== undefined) return { ...options.database, stop: async () => {} }
  const postgres = await startWith(dataDir, options)
  await migrate(postgres.url)
  return postgres
}

/** Starts PostgreSQL with settings that it reads at its start. */
const startWith = (dataDir: string, { connections: most, settings = {} }: BenchOptions) =>
  startPostgres({ dataDir, settings, ...(most === undefined ? {} : { connections: most }) })

/** Ends a process and waits until it has ended. */
export async function stopProcess(one: ChildProcess): Promise<void> {
  if (one.exitCode !== null || one.signalCode !== null) return
  one.kill('SIGTERM')
  await new Promise(resolve => one.once('exit', resolve))
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
