// `npm run bench:scale`: several consumers and API processes, each a process of its own, over one PostgreSQL and one Redis:
// how many items a second, what each kind of process takes of a processor, how many connections, and what an item leaves
// behind. Medians of several rounds, every way of running in each round, so that a noisy machine is noisy for all of them.
//
// All share the processors of this machine: a second consumer cannot be quicker than the first where the first leaves
// none idle. What more of them would bring follows from the processor time of each kind.
//
//   npm run bench:scale [-- --footprint | --throughput]

import type { ChildProcess } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { createClient } from '../../shared/sdk/client.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { finished, INPUT, lines, median, perSecond, ROUNDS, show } from './batch.ts'
import {
  type Kind,
  redisCommands,
  sessions,
  sumOf,
  tableBytes,
  walPosition,
  watchLocks,
} from './footprint.ts'
import { rawPostgres } from './raw-postgres.ts'
import { type Bench, freePort, startBench, stopProcess } from './stack.ts'

const ITEMS = Number(process.env.BENCH_ITEMS ?? 20_000)
const POOLED_SESSIONS = 12
const WARM_UP_ITEMS = 8000 // for each consumer: as many as one holds, so that none is measured while it compiles

/** How many processes of each kind, and whether PostgreSQL is reached through the pooler. */
interface Way {
  apis: number
  consumers: number
  pooled?: boolean
}

const WAYS: Way[] = [
  { apis: 1, consumers: 1 },
  { apis: 1, consumers: 2 },
  { apis: 1, consumers: 4 },
  { apis: 2, consumers: 1 },
  { apis: 2, consumers: 4 },
  ...(hasPgBouncer ? [{ apis: 2, consumers: 4, pooled: true }] : []),
]
const nameOf = ({ apis, consumers, pooled }: Way) =>
  `${consumers} consumer${consumers > 1 ? 's' : ''}, ${apis} API${pooled ? ', PgBouncer' : ''}`

interface Round {
  submit: number
  all: number
  sessions: number
  /** Sessions that waited for a lock while the piles went through, on average, and those that did anything. */
  waiting: number
  active: number
  processor: Partial<Record<Kind, number>>
}

/** One round: the processes are started, two piles go through them, and they are stopped. */
async function round(bench: Bench, agent: Agent, way: Way): Promise<Round> {
  const pooler = way.pooled ? await startPgBouncer(bench.databaseUrl, POOLED_SESSIONS) : undefined
  const through: Record<string, string> = pooler ? { DATABASE_URL: pooler.through(bench.databaseUrl) } : {}
  const ports: number[] = []
  const apis: ChildProcess[] = []
  const others = await sessions(bench) // the bench's own, and those of the process that ticks
  for (let i = 0; i < way.apis; i++) {
    ports.push(await freePort())
    apis.push(await bench.startProcess({ ...through, ASSAY_PARTS: 'api', PORT: String(ports[i]) }))
  }
  const startConsumer = () => bench.startProcess({ ...through, ASSAY_PARTS: 'consumer' })
  const consumers = await Promise.all(Array.from({ length: way.consumers }, startConsumer))
  const urls = ports.map(port => `http://127.0.0.1:${port}`)
  const submitted = (items: number) => submitPiles(bench, agent.agent_id, urls, items)
  try {
    await Promise.all((await submitted(WARM_UP_ITEMS * way.consumers)).map(runId => finished(bench, runId)))
    const spent = () => ({
      api: sumOf(apis),
      consumer: sumOf(consumers),
      agent: sumOf([agent.agent]),
      postgres: sumOf([{ pid: bench.pids.postgres }]),
      redis: sumOf([{ pid: bench.pids.redis }]),
      ...(pooler ? { pooler: sumOf([pooler]) } : {}),
    })
    const before: Partial<Record<Kind, number>> = spent()
    const started = performance.now()
    const locks = watchLocks(bench)
    const runIds = await submitted(ITEMS)
    const accepted = performance.now()
    await Promise.all(runIds.map(runId => finished(bench, runId)))
    const ended = performance.now()
    const after: Partial<Record<Kind, number>> = spent()
    const looked = await locks.end()
    const held = (await sessions(bench)) - others
    await proven(bench, runIds)
    const kinds = Object.keys(after) as Kind[]
    return {
      submit: (ITEMS / (accepted - started)) * 1000,
      all: (ITEMS / (ended - started)) * 1000,
      sessions: held,
      ...looked,
      processor: Object.fromEntries(
        kinds.map(kind => [kind, ((after[kind]! - before[kind]!) / ITEMS) * 1e6]),
      ),
    }
  } finally {
    await Promise.all([...apis, ...consumers].map(stopProcess))
    await pooler?.close()
  }
}

type Agent = Awaited<ReturnType<Bench['deployUrl']>>

/** The items in two piles at once, so that two APIs have one each. */
function submitPiles(bench: Bench, agent_id: string, urls: string[], items: number): Promise<string[]> {
  return Promise.all(
    [0, 1].map(async pile => {
      const client = createClient({ baseUrl: urls[pile % urls.length]!, apiKey: bench.api_key })
      return (await client.submitLines({ agent_id }, lines(items / 2))).run_id
    }),
  )
}

/** @throws Error when an item was lost, judged twice or offered twice */
async function proven({ client, sql }: Bench, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    const { data } = await client.GET('/v2/runs/{runId}/verify', { params: { path: { runId } } })
    if (!data || data.differences.length > 0) throw new Error(`run ${runId}: ${JSON.stringify(data)}`)
    const [row] = await sql`select count(*)::int as again from items where run_id = ${runId} and attempt > 1`
    if (row!.again > 0) throw new Error(`run ${runId}: ${row!.again} items were offered again`)
  }
}

async function throughput(): Promise<void> {
  const bench = await startBench({ parts: ['api', 'tick'], connections: 200 })
  try {
    const agent = await bench.deployUrl('ndjson')
    const raw: number[] = []
    const rounds = new Map(WAYS.map(way => [way, [] as Round[]]))
    for (let i = 0; i < ROUNDS; i++) {
      raw.push((await rawPostgres(bench.sql, 'plain', ITEMS, INPUT, '{"ok":true}')).both)
      for (const way of WAYS) rounds.get(way)!.push(await round(bench, agent, way))
    }
    show('PostgreSQL alone, plain', perSecond(median(raw)))
    const of = (way: Way, what: (round: Round) => number) => median(rounds.get(way)!.map(what))
    const one = of(WAYS[0]!, r => r.all)
    for (const way of WAYS) {
      const all = of(way, r => r.all)
      const ratios = `${(all / one).toFixed(2)} of one consumer, ${(all / median(raw)).toFixed(2)} of PostgreSQL alone`
      show(nameOf(way), perSecond(all), `${ratios}; ${of(way, r => r.sessions)} connections`)
      const locks = `${of(way, r => r.waiting).toFixed(2)} of ${of(way, r => r.active).toFixed(2)} active sessions`
      console.log(`    waiting for a lock: ${locks}`)
      const kinds = Object.keys(rounds.get(way)![0]!.processor) as Kind[]
      const each = kinds.map(kind => `${kind} ${of(way, r => r.processor[kind]!).toFixed(0)}`)
      console.log(`    µs of a processor an item: ${each.join(', ')}`)
    }
  } finally {
    await bench.close()
  }
}

/** What a pile of each kind leaves in PostgreSQL, and what it took to write it. */
async function footprint(): Promise<void> {
  const kinds: [string, Record<string, string>, 'ok' | 'failed'][] = [
    ['items alone', {}, 'ok'],
    ['with 5 steps each', { STEPS: '5' }, 'ok'],
    ['that fail', { FAIL: '1' }, 'failed'],
  ]
  const bench = await startBench()
  try {
    for (const [name, env, ending] of kinds) {
      const { agent_id } = await bench.deployUrl('ndjson', env)
      await bench.sql`checkpoint`
      const sizes = await tableBytes(bench)
      const [wal, commands] = [await walPosition(bench), await redisCommands(bench)]
      const { run_id } = await bench.client.submitLines({ agent_id }, lines(ITEMS))
      await finished(bench, run_id, ending)
      const perItem = (bytes: number) => (bytes / ITEMS).toFixed(0)
      const settled = {
        wal: (await walPosition(bench)) - wal,
        commands: (await redisCommands(bench)) - commands,
      }
      await indexed(bench)
      const indexedWal = (await walPosition(bench)) - wal - settled.wal
      show(
        `${ITEMS.toLocaleString('en')} ${name}`,
        `${perItem(settled.wal)} B`,
        'of log an item until settled',
      )
      if (indexedWal > ITEMS) show('  and of log while steps are indexed', `${perItem(indexedWal)} B`)
      show('  commands of Redis', String(settled.commands))
      for (const after of await tableBytes(bench)) {
        const was = sizes.find(one => one.name === after.name)
        const [heap, indexes, rest] = (['heap', 'indexes', 'rest'] as const).map(
          key => after[key] - (was?.[key] ?? 0),
        )
        if (heap! + indexes! + rest! < ITEMS) continue
        show(
          `  ${after.name}`,
          `${perItem(heap! + indexes! + rest!)} B`,
          `an item; of it indexes ${perItem(indexes!)}`,
        )
      }
    }
  } finally {
    await bench.close()
  }
}

/** Resolves when no step waits to be indexed for search. */
async function indexed({ sql }: Bench): Promise<void> {
  for (;;) {
    const rows = await sql`select from unindexed_steps limit 1`
    if (rows.length === 0) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}

const only = process.argv[2]
console.log(
  `${ITEMS.toLocaleString('en')} items of ${INPUT(1).length} bytes, medians of ${ROUNDS} rounds, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)}; each part a process of its own on this machine\n`,
)
if (only !== '--footprint') await throughput()
if (only !== '--throughput') await footprint()
