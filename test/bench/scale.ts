// `npm run bench:scale` measures several consumers and API processes, each a process of its own, on one PostgreSQL and one
// Redis: items a second, processor time by kind of process, connections, and what an item leaves behind. It prints medians
// of several rounds; each round has every configuration, so that noise on the machine affects all of them.
//
// All processes share the processors of this machine, so a second consumer adds nothing if the first leaves no processor
// idle. What further consumers would add follows from the processor time of each kind.
//
//   npm run bench:scale [-- --throughput | --simulated | --footprint | --citus URL]

import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { endOf } from '../../infra/local/exit-error.ts'
import { hasPgBouncer } from '../support/pgbouncer.ts'
import { finished, INPUT, lines, median, perSecond, ROUNDS, show } from './batch.ts'
import { cluster } from './cluster.ts'
import { HELD_ITEMS, type Round, round, startWithoutConsumer, type Way } from './consumers.ts'
import { type Kind, redisCommands, tableBytes, walPosition } from './footprint.ts'
import { rawPostgres } from './raw-postgres.ts'
import { type Bench, startBench } from './stack.ts'

const ITEMS = Number(process.env.BENCH_ITEMS ?? 20_000)
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

async function throughput(): Promise<void> {
  const bench = await startWithoutConsumer()
  try {
    const agent = await bench.deployUrl('ndjson')
    const raw: number[] = []
    const rounds = new Map(WAYS.map(way => [way, [] as Round[]]))
    for (let i = 0; i < ROUNDS; i++) {
      raw.push((await rawPostgres(bench.sql, 'plain', ITEMS, INPUT, '{"ok":true}')).both)
      for (const way of WAYS) rounds.get(way)!.push(await round(bench, agent, way, ITEMS))
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
      console.log(`    µs of processor time per item: ${each.join(', ')}`)
    }
  } finally {
    await bench.close()
  }
}

const THINK_MS = 8000
const TURNS = 2

/**
 * Measures more consumers than this machine has processors for. The agent answers so slowly that the rate of a consumer is
 * the number of items that it may hold, divided by the time of an answer; all consumers together need half of two
 * processors. The difference to N times the rate of one consumer is what they cost each other.
 */
async function simulated(): Promise<void> {
  const bench = await startWithoutConsumer()
  try {
    const agent = await bench.deployUrl('ndjson', { THINK_MS: String(THINK_MS) })
    let one = 0
    for (const consumers of [1, 2, 4, 8]) {
      const { all } = await round(bench, agent, { apis: 1, consumers }, HELD_ITEMS * TURNS * consumers)
      one ||= all
      const note = `${(all / one / consumers).toFixed(2)} of ${consumers} times one`
      show(`${nameOf({ apis: 1, consumers })}, an agent of ${THINK_MS / 1000} s`, perSecond(all), note)
    }
  } finally {
    await bench.close()
  }
}

/** Measures what a batch of each kind leaves in PostgreSQL, and what writing it costs. */
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
        'of WAL per item until settled',
      )
      if (indexedWal > ITEMS) show('  and of WAL while steps are indexed', `${perItem(indexedWal)} B`)
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
          `per item, of which indexes ${perItem(indexes!)}`,
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

const { values } = parseArgs({
  options: {
    throughput: { type: 'boolean' },
    simulated: { type: 'boolean' },
    footprint: { type: 'boolean' },
    citus: { type: 'string' },
  },
})
const all = Object.keys(values).length === 0
console.log(
  `${ITEMS.toLocaleString('en')} items of ${INPUT(1).length} bytes, medians of ${ROUNDS} rounds, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)}; each part a process of its own on this machine\n`,
)
if (all || values.throughput) await throughput()
if (all || values.simulated) await simulated()
if (all || values.footprint) await footprint()
if (values.citus !== undefined)
  await cluster(values.citus, ITEMS).catch(error => {
    const { line, code } = endOf(error)
    console.error(line)
    process.exitCode = code
  })
