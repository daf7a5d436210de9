// What happens to a run when something outside fails: a whole Assay with the agent of README.md, against a double of a model
// provider. Prints for each scenario how the items ended, the calls that it took, and when the pace was back.
//
//   npm run bench:limits [-- --quick] [--consumers N] [away hangs …]
//
// Words choose the scenarios with one of them in their name. With --consumers, N processes consume beside the server, which
// then only has the API and the tick.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startWithoutConsumer } from './consumers.ts'
import { type Figures, play } from './limits/play.ts'
import { scenarios } from './limits/scenarios.ts'
import { type Bench, startBench, stopProcess } from './stack.ts'

const { values: options, positionals: words } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, consumers: { type: 'string' } },
  allowPositionals: true,
})
const consumers = options.consumers === undefined ? undefined : Number(options.consumers)
if (consumers !== undefined && !(Number.isInteger(consumers) && consumers > 0))
  throw new Error('--consumers takes a number of processes')

const COLUMNS = [
  'scenario',
  'ok',
  'failed',
  'cancelled',
  'waiting',
  'open',
  'seconds',
  'calls',
  'useless',
  'most sends',
  'retries used',
  'back after',
  'neighbour',
  'why',
]

function row(name: string, of: Figures, isBackAwaited: boolean): string {
  const back = of.back_s === null ? (isBackAwaited ? 'never' : '–') : `${of.back_s} s`
  const waits =
    of.neighbour_s === Number.POSITIVE_INFINITY ? 'still waits' : `${of.neighbour_s?.toFixed(1)} s`
  const neighbour = of.neighbour_s === null ? '–' : waits
  const ends = [of.ok, of.failed, of.cancelled, of.waiting, of.open, Math.round(of.seconds)]
  const cells = [
    name,
    ...ends,
    of.calls,
    of.useless,
    of.most_sends,
    of.retries,
    back,
    neighbour,
    of.notes || '–',
  ]
  return `| ${cells.map(cell => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)).join(' | ')} |`
}

/** In a process of its own, so that it is not slow because Assay is measured. */
async function startDouble() {
  const child = fork(join(import.meta.dirname, '../support/provider.ts'), {
    env: { ...process.env, PORT: '0' },
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { url, stop: () => stopProcess(child) }
}

/** Each consumer is a process with sandboxes of its own. */
async function startStack(): Promise<Bench> {
  if (consumers === undefined) return startBench()
  const bench = await startWithoutConsumer()
  const started = Array.from({ length: consumers }, () => bench.startProcess({ ASSAY_PARTS: 'consumer' }))
  await Promise.all(started)
  return bench
}

async function main(): Promise<void> {
  const chosen = scenarios(options.quick).filter(
    ({ name }) => words.length === 0 || words.some(word => name.includes(word)),
  )
  const bench = await startStack()
  const double = await startDouble()
  bench.defer(double.stop)
  try {
    if (consumers !== undefined)
      console.log(`${consumers} ${consumers === 1 ? 'consumer' : 'consumers'} beside the server\n`)
    console.log(`| ${COLUMNS.join(' | ')} |\n|${COLUMNS.map(() => '---|').join('')}`)
    for (const scenario of chosen)
      console.log(row(scenario.name, await play(bench, double.url, scenario), scenario.for_s !== null))
  } finally {
    await bench.close()
  }
}

await main()
