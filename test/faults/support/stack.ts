// A whole Assay to break: stores of its own, a process for the API and the tick, and as many consumers as the test
// starts, all forked from infra/node/main.ts; an agent in workerd that calls the test's probe.

import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { openConnections } from '../../../infra/node/connections.ts'
import { createContext } from '../../../infra/node/context.ts'
import type { Part } from '../../../infra/node/parts.ts'
import { KEY_SETS } from '../../../infra/unit-settings.ts'
import { bootstrapAccount } from '../../../shared/accounts/verbs/bootstrap.ts'
import { bundleAgent } from '../../../shared/cli/bundle.ts'
import type { Sql } from '../../../shared/context.ts'
import { keySet } from '../../../shared/kernel/secrets.ts'
import { type Client, createClient } from '../../../shared/sdk/client.ts'
import { conservation } from '../../support/conservation.ts'
import { freePort } from '../../support/ports.ts'
import { type PrivateStores, privateStores } from '../../support/stores.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'
import { breachesOf, installAudit } from './audit.ts'
import { type Probe, startProbe } from './probe.ts'
import { type AssayProcess, startProcess } from './processes.ts'

export const MASTER_KEY = 'fa'.repeat(32)
/** Much longer than anything takes: tests wait for conditions, and this bounds a failure. */
export const PATIENCE_MS = 180_000
/** Ends before the test does, so that a failure says what was awaited and how far it got. */
const AWAITED_MS = PATIENCE_MS - 20_000

export interface Stack {
  stores: PrivateStores
  dataDir: string
  sql: Sql
  client: Client
  base_url: string
  api_key: string
  probe: Probe
  /** The process with the API and the tick. */
  control: AssayProcess
  startControl(faults?: string): Promise<void>
  startConsumer(faults?: string, env?: Record<string, string>): Promise<AssayProcess>
  /** A process with these parts from the checkout of another version, at a port of its own. */
  startOther(checkout: string, parts: string): Promise<{ base_url: string; process: AssayProcess }>
  /** One part in a process of its own; the API answers at `base_url` unless PORT is set. */
  startPart(part: Part, env?: Record<string, string>): Promise<AssayProcess>
  /** A program next to infra/node/main.ts, or at a path relative to it. */
  startProgram(program: string, env: Record<string, string>): Promise<AssayProcess>
  /** The runtime function, at this port. */
  startRuntime(port: number): Promise<AssayProcess>
  /** Resolves when the process has died and PostgreSQL has finished what it sent before. */
  gone(dead: AssayProcess): Promise<string | number>
  /** Deploys the probe agent, or another, under a new slug; returns its agent id. */
  deploy(declaration?: Record<string, unknown>, bundle?: Bundle): Promise<string>
  submit(
    agentId: string,
    inputs: readonly unknown[],
    query?: Record<string, string>,
    at?: string,
  ): Promise<string>
  run(runId: string): Promise<RunRow>
  /** Resolves when the row of the run meets the condition; stores may be away meanwhile. */
  runBecomes(runId: string, condition: (run: RunRow) => boolean): Promise<RunRow>
  /** Resolves when the run has ended. */
  finished(runId: string): Promise<RunRow>
  /** Expires leases as if their holder had died half a minute ago; returns how many claims that concerns. */
  ageLeases(): Promise<number>
  /** Resolves when a submission has committed its first chunk and not its last. */
  someMaterializing(): Promise<void>
  /** Ages the unfinished submissions, and resolves when only these runs and their items are left. */
  nothingLeftBut(runIds: readonly string[]): Promise<void>
  /** Everything that does not hold for an ended run; empty if all does. */
  breaches(runId: string): Promise<string[]>
  /** Ends every process that was started, whatever state it is in. */
  endProcesses(): Promise<void>
  close(): Promise<void>
}

/** What is deployed: an agent's code, what it declares, and its environment. */
export type Bundle = Pick<Awaited<ReturnType<typeof bundleAgent>>, 'code' | 'declaration'> & {
  env: Record<string, string>
}

export interface RunRow {
  status: string
  total_items: number
  running: number
  ok: number
  failed: number
  finished_at: Date | null
  cost_micro: number
}

export const ITEM_COST_MICRO = 3500 // 1000 tokens in at 2.50 $ and 100 out at 10 $ a million

export interface StackOptions {
  /** Where the data of its stores lies, which the stack removes. */
  place?: TempFolder
  /** A Redis other than the stack's own. */
  redisUrl?: string
}

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const parts = new AsyncDisposableStack()
  try {
    return await build(parts, options)
  } catch (error) {
    await parts.disposeAsync()
    throw error
  }
}

async function build(parts: AsyncDisposableStack, options: StackOptions): Promise<Stack> {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const stores = parts.adopt(await privateStores(options.place), one => one.close())
  const probe = parts.adopt(await startProbe(), one => one.close())
  const redisUrl = options.redisUrl ?? stores.redisUrl
  const connections = openConnections({ ...stores, redisUrl, pool: { sql: 4, db: 1 } })
  parts.defer(() => connections.close())
  const { sql } = connections
  const config = { base_url: '', master_key: MASTER_KEY }
  const { api_key, project_id } = await bootstrapAccount(createContext({ connections, config }))
  await installAudit(sql)
  // Room for the next consumer while the dead one still holds its leases; a test of caps sets one on its run.
  await sql`update projects set settings = settings || '{"concurrency": 5000}' where id = ${project_id}`
  const processes = new Set<AssayProcess>()
  const names = new WeakMap<AssayProcess, string>()
  let started = 0
  const endProcesses = async () => {
    await Promise.all([...processes].map(one => one.end()))
    processes.clear()
  }
  parts.defer(endProcesses)

  const port = await freePort()
  const base_url = `http://127.0.0.1:${port}`
  const client = createClient({ baseUrl: base_url, apiKey: api_key })
  const start = async (env: Record<string, string>, faults?: string, program?: string, checkout?: string) => {
    const name = `process-${++started}`
    const one = await startProcess(
      {
        DATABASE_URL: `${stores.databaseUrl}?application_name=${name}`,
        REDIS_URL: redisUrl,
        ASSAY_MASTER_KEY: MASTER_KEY,
        ASSAY_DATA_DIR: folder.path,
        ASSAY_ALLOW_NETWORKS: '127.0.0.1/32',
        ASSAY_ALLOW_CALLBACK_NETWORKS: '127.0.0.1/32',
        PORT: String(port),
        HOST: '127.0.0.1',
        ...(faults === undefined ? {} : { ASSAY_FAULTS: faults }),
        ...env,
      },
      program,
      checkout,
    )
    processes.add(one)
    names.set(one, name)
    void one.exited.then(() => processes.delete(one))
    return one
  }
  let agents = 0
  const stack: Stack = {
    stores,
    dataDir: folder.path,
    sql,
    client,
    base_url,
    api_key,
    probe,
    control: undefined as unknown as AssayProcess,
    async startControl(faults) {
      stack.control = await start({ ASSAY_PARTS: 'api,tick' }, faults)
    },
    startConsumer: (faults, env = {}) => start({ ASSAY_PARTS: 'consumer', ...env }, faults),
    startPart: (part, env = {}) => start({ ASSAY_PARTS: part, ...env }),
    async startOther(checkout, parts) {
      const port = String(await freePort())
      const process = await start({ ASSAY_PARTS: parts, PORT: port }, undefined, undefined, checkout)
      return { base_url: `http://127.0.0.1:${port}`, process }
    },
    startProgram: (program, env) => start(env, undefined, program),
    async startRuntime(port) {
      const ASSAY_KEYS = await keySet(MASTER_KEY, KEY_SETS.runtime)
      const given = { DATABASE_URL: '', REDIS_URL: '', ASSAY_MASTER_KEY: '', ASSAY_KEYS } // as a platform gives it
      return start({ PORT: String(port), ...given }, undefined, 'runtime')
    },
    async gone(dead) {
      const how = await dead.exited
      await vi.waitFor(
        async () => {
          const sessions = await sql`
          select from pg_stat_activity where application_name = ${names.get(dead)!}`
          expect(sessions).toHaveLength(0)
        },
        { timeout: AWAITED_MS, interval: 10 },
      )
      return how
    },
    async deploy(declaration = {}, given) {
      const bundle = given ?? (await probeBundle(probe))
      const slug = `probe-${++agents}`
      const agent = await client.POST('/v1/agents', { body: { project_id, name: slug, slug } })
      const agentId = agent.data!.id
      const deployed = await client.POST('/v1/agents/{agentId}/deployments', {
        params: { path: { agentId } },
        body: {
          kind: 'bundle',
          code: bundle.code,
          declaration: { ...bundle.declaration, ...declaration },
          env: bundle.env,
        },
      })
      expect(deployed.response.status).toBe(201)
      return agentId
    },
    async submit(agentId, inputs, query = {}, at = base_url) {
      const response = await fetch(
        `${at}/v1/batches?${new URLSearchParams({ agent_id: agentId, ...query })}`,
        {
          method: 'POST',
          headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/x-ndjson' },
          body: linesOf(inputs),
        },
      )
      const body = (await response.json()) as { run_id: string }
      expect([response.status, body]).toEqual([202, body])
      return body.run_id
    },
    async run(runId) {
      const [row] = await sql<RunRow[]>`select * from runs where id = ${runId}`
      return row!
    },
    runBecomes: (runId, condition) =>
      vi.waitFor(
        async () => {
          const row = await stack.run(runId)
          if (!condition(row)) throw new Error(`the run is ${JSON.stringify(row)}`)
          return row
        },
        { timeout: AWAITED_MS, interval: 30 },
      ),
    finished: runId => stack.runBecomes(runId, run => run.finished_at !== null),
    async ageLeases() {
      return (await sql`update claims set lease_until = now() - interval '1 second'`).count
    },
    someMaterializing: () =>
      vi.waitFor(
        async () => {
          const rows = await sql`
            select from runs r where materializing and exists (select from items i where i.run_id = r.id)`
          expect(rows.length).toBeGreaterThan(0)
        },
        { timeout: AWAITED_MS, interval: 10 },
      ),
    async nothingLeftBut(runIds) {
      await sql`update runs set touched_at = now() - interval '16 minutes' where materializing`
      await vi.waitFor(
        async () => {
          const left = await sql`
            select id from runs where id <> all(${[...runIds]}::uuid[])
            union select run_id from items where run_id <> all(${[...runIds]}::uuid[])`
          expect(left).toEqual([])
        },
        { timeout: AWAITED_MS, interval: 50 },
      )
    },
    async breaches(runId) {
      // Empty claims may outlive the run by a moment.
      await vi.waitFor(
        async () => expect(await sql`select from claims where run_id = ${runId}`).toHaveLength(0),
        {
          timeout: AWAITED_MS,
          interval: 30,
        },
      )
      const verified = await client.GET('/v2/runs/{runId}/verify', { params: { path: { runId } } })
      return [
        ...(verified.data?.differences ?? [`verify answered ${verified.response.status}`]),
        ...(await conservation({ sql }, runId)).map(name => `${name} does not agree`),
        ...(await breachesOf(sql, runId)),
        ...(await repeatedSteps(stack, runId)),
      ]
    },
    endProcesses,
    close: () => parts.disposeAsync(),
  }
  await stack.startControl()
  return stack
}

export const linesOf = (inputs: readonly unknown[]) =>
  inputs.map((input, i) => `${JSON.stringify({ item_id: `i${i + 1}`, input })}\n`).join('')

/** Calls of a step that an earlier attempt of the item had already recorded. */
async function repeatedSteps({ sql, probe }: Stack, runId: string): Promise<string[]> {
  const rows = await sql<{ item_id: string; key: string; attempt: number }[]>`
    select i.item_id, s.key, s.attempt from steps s join items i using (run_id, seq)
    where s.run_id = ${runId} and s.error_code is null`
  const recordedIn = new Map(rows.map(row => [`${row.item_id} ${row.key}`, row.attempt]))
  return probe.calls
    .filter(
      call => call.run === runId && call.attempt > (recordedIn.get(`${call.item} ${call.step}`) ?? Infinity),
    )
    .map(call => `step ${call.step} of ${call.item} ran again in attempt ${call.attempt}`)
}

let bundled: ReturnType<typeof bundleAgent> | undefined
async function probeBundle(probe: Probe): Promise<Bundle> {
  bundled ??= bundleAgent(join(import.meta.dirname, 'agent.ts'))
  const { code, declaration } = await bundled
  return { code, declaration: { ...declaration, network: [probe.host] }, env: { PROBE_URL: probe.url } }
}
