// What happens to a run when something outside fails: a whole Assay with the agent of README.md, against a double of a model
// provider. Prints for each scenario how the items ended, the calls that it took, and when the pace was back.
//
//   npm run bench:limits [-- --quick] [away hangs …]     only scenarios with one of the words in their name

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Figures, play } from './limits/play.ts'
import { scenarios } from './limits/scenarios.ts'
import { startBench, stopProcess } from './stack.ts'

const words = process.argv.slice(2).filter(word => !word.startsWith('--'))
const isQuick = process.argv.includes('--quick')

const COLUMNS = [
  'scenario',
  'ok',
  'failed',
  'cancelled',
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
  const ends = [of.ok, of.failed, of.cancelled, of.open, Math.round(of.seconds)]
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

async function main(): Promise<void> {
  const chosen = scenarios(isQuick).filter(
    ({ name }) => words.length === 0 || words.some(word => name.includes(word)),
  )
  const bench = await startBench()
  const double = await startDouble()
  bench.defer(double.stop)
  try {
    console.log(`| ${COLUMNS.join(' | ')} |\n|${COLUMNS.map(() => '---|').join('')}`)
    for (const scenario of chosen)
      console.log(row(scenario.name, await play(bench, double.url, scenario), scenario.for_s !== null))
  } finally {
    await bench.close()
  }
}

await main()
