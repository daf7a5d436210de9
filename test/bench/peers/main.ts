// `npm run bench:peers [-- --anyway]` runs the same work through Assay and through other queues, in turn within one run, so
// that a machine whose speed drifts slows all of them. All use the same PostgreSQL (durable) and the same Redis (its file
// synced every second). Their workers run in a process of their own while items are submitted, and answer about 100 bytes.
// It prints medians of several rounds; the ratios are Assay's figure divided by the other's.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { batch, batches, INPUT, inRequests, LONG, median, percentile, perSecond, ROUNDS } from '../batch.ts'
import { startLatencies, startsOf } from '../latency.ts'
import { inTheWay, isQuiet, measured, quietRounds, type Round } from '../rounds.ts'
import { type Bench, startBench } from '../stack.ts'
import type { Figures, Measure } from '../workloads.ts'
import { installPeers, VERSIONS } from './install.ts'
import { ANSWER, type At, type Submitter } from './peer.ts'
import { PEERS } from './peers.ts'

const ITEMS = Number(process.env.BENCH_ITEMS ?? 20_000)
const LATENCIES = 60
const LOOK_MS = 5

/** The two measurements of a system: many items, and single items. */
interface Measures {
  many: Measure
  single?: Measure
}

const startTimes = (latencies: readonly number[]): Figures => ({
  'start p50': percentile(latencies, 50),
  'start p99': percentile(latencies, 99),
})

/** Assay is measured in several requests like the others, in one request, and with the default caps of a project. */
async function assay(bench: Bench): Promise<Record<string, Measures>> {
  const answer = { ANSWER: JSON.stringify(ANSWER) }
  const agent = await bench.deployUrl('ndjson', answer)
  const capped = await bench.deployUrl('ndjson', answer, await bench.newProject())
  const load = { items: ITEMS, bytes: LONG }
  const figures = ({ submit, all }: { submit: number; all: number }) => ({ submit, 'end to end': all })
  return {
    Assay: {
      many: async () => figures(await batches(bench, agent, load)),
      single: async () => startTimes(await startLatencies(bench, agent, LATENCIES)),
    },
    'Assay, one request': { many: async () => figures(await batch(bench, agent, load)) },
    'Assay, one request, default caps': { many: async () => figures(await batch(bench, capped, load)) },
  }
}

const input = (i: number) => JSON.parse(INPUT(i, LONG)) as object

async function done({ isDone }: Submitter): Promise<void> {
  while (!(await isDone())) await pause(LOOK_MS)
}

function measuresOf(submitter: Submitter, worker: ChildProcess): Measures {
  return {
    async many() {
      await submitter.tidy()
      const started = performance.now()
      await inRequests(ITEMS, items => submitter.submit(Array.from({ length: items }, (_, i) => input(i))))
      const accepted = performance.now()
      await done(submitter)
      const ended = performance.now()
      const per = (ms: number) => (ITEMS / ms) * 1000
      return { submit: per(accepted - started), 'end to end': per(ended - started) }
    },
    async single() {
      const latencies = await startsOf(worker, LATENCIES, async i => {
        await submitter.submit([input(i)])
        await done(submitter)
      })
      return startTimes(latencies)
    },
  }
}

async function peers(bench: Bench, closing: AsyncDisposableStack): Promise<Record<string, Measures>> {
  const folder = await installPeers()
  await bench.sql.unsafe('create database peers')
  const databaseUrl = Object.assign(new URL(bench.databaseUrl), { pathname: '/peers' }).href
  const at: At = { folder, databaseUrl, redisUrl: bench.redisUrl }
  const measures: Record<string, Measures> = {}
  for (const [name, peer] of Object.entries(PEERS)) {
    const submitter = closing.adopt(await peer.open(at), submitter => submitter.close())
    const worker = fork(join(import.meta.dirname, 'worker.ts'), [name, JSON.stringify(at)])
    closing.defer(() => worker.disconnect())
    await once(worker, 'message')
    measures[`${name} ${VERSIONS[name as keyof typeof VERSIONS]}`] = measuresOf(submitter, worker)
  }
  return measures
}

type Turn = Record<string, Round>

/** Measures one round of every system, in an order that changes from round to round. */
async function turn(bench: Bench, measures: Record<string, Measure>, shift: number): Promise<Turn> {
  const names = Object.keys(measures)
  const rounds: Turn = {}
  for (const i of names.keys()) {
    const name = names[(i + shift) % names.length]!
    rounds[name] = await measured(bench, measures[name]!)
  }
  return rounds
}

/**
 * Measures rounds of one kind, after one that does not count. Many items are measured before single ones, because sessions
 * of PostgreSQL keep their plans, and plans for a nearly empty queue would be used for a full one.
 */
async function turns(bench: Bench, measures: Record<string, Measure>): Promise<readonly Turn[]> {
  await turn(bench, measures, 0)
  let taken = 0
  const isGood = (round: Turn) => values.anyway || Object.values(round).every(isQuiet)
  const { good, disturbed } = await quietRounds(ROUNDS, () => turn(bench, measures, taken++), isGood)
  if (good.length === ROUNDS) return good
  console.log(`left out, ${inTheWay(Object.values(disturbed.at(-1)!).find(round => !isQuiet(round))!)}`)
  return []
}

/** Prints the median of each system, and the median ratio of Assay's figure to it over the rounds. */
function print(turns: readonly Turn[]): void {
  const [first] = turns
  if (first === undefined) return
  const columns = Object.keys(first.Assay!.figures)
  console.log(`\n${''.padEnd(40)}${columns.map(column => column.padEnd(26)).join('')}`)
  for (const name of Object.keys(first)) {
    const cells = columns.map(column => {
      const of = (round: Turn, name: string) => round[name]!.figures[column]!
      const ratios = turns.map(round => of(round, 'Assay') / of(round, name))
      const figure = median(turns.map(round => of(round, name)))
      const text = column.startsWith('start') ? `${figure.toFixed(1)} ms` : perSecond(figure)
      const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
      return `${text} ${name === 'Assay' ? '' : `${median(ratios).toFixed(2)} (${spread})`}`.padEnd(26)
    })
    console.log(name.padEnd(40) + cells.join(''))
  }
}

const { values } = parseArgs({ options: { anyway: { type: 'boolean', default: false } } })
await using closing = new AsyncDisposableStack()
const bench = closing.adopt(await startBench({ connections: 120 }), bench => bench.close())
const systems = Object.entries({ ...(await assay(bench)), ...(await peers(bench, closing)) })
console.log(
  `${ITEMS.toLocaleString('en')} items of ${LONG} bytes, medians of ${ROUNDS} rounds in turn; the ratio is Assay's figure divided by the other's`,
)
print(await turns(bench, Object.fromEntries(systems.map(([name, { many }]) => [name, many]))))
const single = systems.flatMap(([name, { single }]) =>
  single === undefined ? [] : [[name, single] as const],
)
print(await turns(bench, Object.fromEntries(single)))
