// How many slow calls one machine holds at once: a whole Assay with the agent of README.md, against a double of a model
// provider that takes `seconds` for every answer. Prints how many were in flight at most, the resident memory of each, and how
// long all took; then the same for a bundle with one of its processes killed midway.
//
//   npm run bench:places [-- --items 5000 --seconds 60 --agent bundle|url]

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type AgentKind, deploy } from './limits/agents.ts'
import { startDouble } from './limits/double.ts'
import { configure, environment, figuresOf, read } from './limits/play.ts'
import { processes, treeOf } from './proc.ts'
import { type Agent, type Bench, startBench } from './stack.ts'

const { values: options } = parseArgs({
  options: {
    items: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '60' },
    agent: { type: 'string' },
  },
})
const items = Number(options.items)
const seconds = Number(options.seconds)
if (!(Number.isInteger(items) && items > 0 && seconds > 0))
  throw new Error('--items and --seconds take numbers')
if (![undefined, 'bundle', 'url'].includes(options.agent)) throw new Error('--agent takes bundle or url')

const LOOK_MS = 1000 // reading the memory of several processes takes tens of milliseconds
const KiB = 1024

interface Memory {
  /** Of the server, in which the consumer is. */
  server: number
  /** Of each process of the bundle, by its id. */
  bundle: Map<number, number>
  /** The same, but pages that processes share count once. */
  bundle_shared: number
}

/** Resident bytes; `others` are processes of bundles that were there before. */
function memoryOf(bench: Bench, others: ReadonlySet<number>): Memory {
  const figure = (pid: number, name: 'Rss' | 'Pss') => {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      return KiB * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0)
    } catch {
      return 0 // it has ended meanwhile
    }
  }
  const own = treeOf(bench.pids.server, processes()).filter(
    ({ name, pid }) => name === 'workerd' && !others.has(pid),
  )
  return {
    server: figure(bench.pids.server, 'Rss'),
    bundle: new Map(own.map(({ pid }) => [pid, figure(pid, 'Rss')])),
    bundle_shared: sum(own.map(({ pid }) => figure(pid, 'Pss'))),
  }
}

const sum = (figures: Iterable<number>) => [...figures].reduce((all, one) => all + one, 0)

/** Watches a run until it has ended; `midway` is called once, when half of an answer's time has passed. */
async function watch(bench: Bench, run_id: string, look: () => Memory, midway = (_: Memory) => {}) {
  const most = { server: 0, bundle: 0, bundle_shared: 0, processes: 0 }
  const started = performance.now()
  let isMidway = false
  for (;;) {
    const [run] = await bench.sql`select finished_at is not null as over from runs where id = ${run_id}`
    if (run!.over) return { ...most, took_s: (performance.now() - started) / 1000 }
    const now = look()
    most.server = Math.max(most.server, now.server)
    most.bundle = Math.max(most.bundle, sum(now.bundle.values()))
    most.bundle_shared = Math.max(most.bundle_shared, now.bundle_shared)
    most.processes = Math.max(most.processes, now.bundle.size)
    if (!isMidway && performance.now() - started > seconds * 500) {
      isMidway = true
      midway(now)
    }
    await pause(LOOK_MS)
  }
}

/** Ends the process of the bundle that has most in it. */
function killLargest({ bundle }: Memory): void {
  const [largest] = [...bundle].sort(([, a], [, b]) => b - a)
  process.kill(largest![0], 'SIGKILL')
}

async function submit({ agent_id, project }: Agent, count: number): Promise<string> {
  const line = (i: number) =>
    `${JSON.stringify({ item_id: `item-${i}`, input: { id: String(i), text: `item-${i}: Where is my parcel?` } })}\n`
  const text = Array.from({ length: count }, (_, i) => line(i)).join('')
  return (await project.client.submitLines({ agent_id }, new Blob([text]).stream())).run_id
}

async function play(bench: Bench, double: string, kind: AgentKind, isKilled: boolean): Promise<string[]> {
  const key = `places-${kind}-${isKilled}`
  const others = new Set(memoryOf(bench, new Set()).bundle.keys())
  const look = () => memoryOf(bench, others)
  await configure(double, key, { latency: { median_ms: 1, sigma: 0 } })
  const agent = await deploy(bench, kind, environment(double, key))
  await bench.sql`update projects set settings = settings || '{"concurrency": 100000}' where id = ${agent.project.id}`
  await watch(bench, await submit(agent, 1), look) // so that everything has been loaded once
  const before = look()
  await configure(double, key, { latency: { median_ms: seconds * 1000, sigma: 0 } })
  const run_id = await submit(agent, items)
  const ran = await watch(bench, run_id, look, now => isKilled && killLargest(now))
  const { ok, failed, cancelled } = await figuresOf(bench, run_id)
  const counts = await read(double, key)
  const [again] =
    await bench.sql`select count(*)::int as n from items where run_id = ${run_id} and attempt > 1`
  const each = (bytes: number) => `${(bytes / KiB / counts.most_in_flight).toFixed(1)} KiB`
  return [
    isKilled ? `${kind}, one process killed` : kind,
    String(counts.most_in_flight),
    String(ran.processes),
    kind === 'url' ? '–' : `${each(ran.bundle)}, ${each(ran.bundle_shared)}`,
    each(ran.server - before.server),
    `${ran.took_s.toFixed(1)} s of ${seconds}`,
    `${ok} ok, ${failed + cancelled} failed`,
    `${again!.n}, ${counts.most_calls_of_item} at most`,
    String(counts.calls - counts.items),
  ]
}

const COLUMNS = [
  'agent',
  'in flight at most',
  'processes at most',
  'memory of its processes, an item; shared pages once',
  'memory more of the server, an item',
  'time, and what one answer takes',
  'items',
  'sent again, calls of an item',
  'calls more than items',
]
const row = (cells: string[]) => `| ${cells.join(' | ')} |`

async function main(): Promise<void> {
  const bench = await startBench()
  const double = await startDouble()
  bench.defer(double.stop)
  try {
    console.log(
      `${items} items, ${seconds} s each\n\n${row(COLUMNS)}\n|${COLUMNS.map(() => '---|').join('')}`,
    )
    if (options.agent !== 'url') {
      console.log(row(await play(bench, double.url, 'bundle', false)))
      console.log(row(await play(bench, double.url, 'bundle', true)))
    }
    if (options.agent !== 'bundle') console.log(row(await play(bench, double.url, 'url', false)))
  } finally {
    await bench.close()
  }
}

await main()
