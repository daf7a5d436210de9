// Runs batches through several consumers and API processes, each a process of its own, on one PostgreSQL and one Redis.
// Guarantee: a figure is of a round in which no item was lost, judged twice or offered twice.

import type { ChildProcess } from 'node:child_process'
import { createClient } from '../../shared/sdk/client.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { freePort } from '../support/ports.ts'
import { finished, lines } from './batch.ts'
import { type Kind, sessions, sumOf, watchLocks } from './footprint.ts'
import { type Bench, startBench, stopProcess, type UrlAgent } from './stack.ts'
import type { Measure } from './workloads.ts'

const POOLED_SESSIONS = 12
/** Items of the warm-up for each consumer: as many as it holds, so that none is measured while V8 still compiles. */
export const HELD_ITEMS = 8000

/** A stack whose server consumes nothing. */
export const startWithoutConsumer = (): Promise<Bench> =>
  startBench({ parts: ['api', 'tick'], connections: 200 })

/** How many processes of each kind, and whether PostgreSQL is reached through the pooler. */
export interface Way {
  apis: number
  consumers: number
  pooled?: boolean
}

export interface Round {
  submit: number
  all: number
  sessions: number
  /** The average numbers of sessions that waited for a lock and of active sessions while the batches ran. */
  waiting: number
  active: number
  processor: Partial<Record<Kind, number>>
}

/** Runs one round: starts the processes, runs two batches through them, and stops them. */
export async function round(bench: Bench, agent: UrlAgent, way: Way, items: number): Promise<Round> {
  const pooler = way.pooled ? await startPgBouncer(bench.databaseUrl, POOLED_SESSIONS) : undefined
  const through: Record<string, string> = pooler ? { DATABASE_URL: pooler.through(bench.databaseUrl) } : {}
  const ports: number[] = []
  const apis: ChildProcess[] = []
  const others = await sessions(bench) // the bench's own connections, and those of the process with the tick
  for (let i = 0; i < way.apis; i++) {
    ports.push(await freePort())
    apis.push(await bench.startProcess({ ...through, ASSAY_PARTS: 'api', PORT: String(ports[i]) }))
  }
  const startConsumer = () => bench.startProcess({ ...through, ASSAY_PARTS: 'consumer' })
  const consumers = await Promise.all(Array.from({ length: way.consumers }, startConsumer))
  const urls = ports.map(port => `http://127.0.0.1:${port}`)
  const submitted = (items: number) => submitBatches(bench, agent.agent_id, urls, items)
  try {
    await Promise.all((await submitted(HELD_ITEMS * way.consumers)).map(runId => finished(bench, runId)))
    const spent = () => ({
      api: sumOf(apis),
      consumer: sumOf(consumers),
      agent: sumOf([agent.process]),
      postgres: sumOf([{ pid: bench.pids.postgres }]),
      redis: sumOf([{ pid: bench.pids.redis }]),
      ...(pooler ? { pooler: sumOf([pooler]) } : {}),
    })
    const before: Partial<Record<Kind, number>> = spent()
    const started = performance.now()
    const locks = watchLocks(bench)
    const runIds = await submitted(items)
    const accepted = performance.now()
    await Promise.all(runIds.map(runId => finished(bench, runId)))
    const ended = performance.now()
    const after: Partial<Record<Kind, number>> = spent()
    const looked = await locks.end()
    const held = (await sessions(bench)) - others
    await proven(bench, runIds)
    const kinds = Object.keys(after) as Kind[]
    return {
      submit: (items / (accepted - started)) * 1000,
      all: (items / (ended - started)) * 1000,
      sessions: held,
      ...looked,
      processor: Object.fromEntries(
        kinds.map(kind => [kind, ((after[kind]! - before[kind]!) / items) * 1e6]),
      ),
    }
  } finally {
    await Promise.all([...apis, ...consumers].map(stopProcess))
    await pooler?.close()
  }
}

/** Submits the items in two batches at once, so that two APIs have one each. */
function submitBatches(bench: Bench, agent_id: string, urls: string[], items: number): Promise<string[]> {
  return Promise.all(
    [0, 1].map(async batch => {
      const client = createClient({ baseUrl: urls[batch % urls.length]!, apiKey: bench.api_key })
      return (await client.submitLines({ agent_id }, lines(items / 2))).run_id
    }),
  )
}

/** @throws Error if an item was lost, judged twice or offered twice */
async function proven({ client, sql }: Bench, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    const { data } = await client.GET('/v2/runs/{runId}/verify', { params: { path: { runId } } })
    if (!data || data.differences.length > 0) throw new Error(`run ${runId}: ${JSON.stringify(data)}`)
    const [row] = await sql`select count(*)::int as again from items where run_id = ${runId} and attempt > 1`
    if (row!.again > 0) throw new Error(`run ${runId}: ${row!.again} items were offered again`)
  }
}

const MANY = 4

/** The rate of several consumers of one project, as a ratio to that of one. */
export async function consumers(bench: Bench, items: number): Promise<Measure> {
  const own = await startWithoutConsumer()
  bench.defer(() => own.close())
  const agent = await own.deployUrl('ndjson')
  return async () => {
    const one = (await round(own, agent, { apis: 1, consumers: 1 }, items)).all
    const many = (await round(own, agent, { apis: 1, consumers: MANY }, items)).all
    const name = `end to end, ${MANY} consumers`
    return { 'end to end, one consumer': one, [name]: many, [`${name}, of one`]: many / one }
  }
}
