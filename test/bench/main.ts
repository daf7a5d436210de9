// `npm run bench [-- [--anyway] [WORKLOAD …]]` measures Assay on this machine and, as a yardstick, PostgreSQL alone, so that
// every figure can be read as a ratio. It prints medians of several rounds; it is no test, and nothing passes or fails. A
// figure that other programs disturbed (rounds.ts) is left out unless --anyway is given.
//
// `npm run bench -- --memory` prints the memory of an idle `npm start`, `--against REF [WORKLOAD …]` compares with another
// commit (against.ts), `--profile [WORKLOAD …]` prints where the time goes (profile/main.ts). The long workloads (consumers,
// slow, large) run only when named, and once unless BENCH_ROUNDS sets the number of rounds.

import { parseArgs } from 'node:util'
import { compare } from './against.ts'
import { INPUT, LONG, median, perSecond, ROUNDS, SHORT, show } from './batch.ts'
import { idleMemory } from './memory.ts'
import { profile } from './profile/main.ts'
import { type RawFigures, rawPostgres, type Way } from './raw-postgres.ts'
import { coresOf, inTheWay, isQuiet, measured, medians, quietRounds } from './rounds.ts'
import { type Bench, memoryOf, startBench } from './stack.ts'
import { ITEMS, roundsOf, shown, WORKLOADS, workloadsNamed } from './workloads.ts'

const OUTPUT = '{"ok":true,"at":1790000000000}'

/** Measures and prints PostgreSQL alone; returns rows a second for insert and update together. */
async function rawFigures(bench: Bench, way: Way): Promise<number> {
  const rounds: RawFigures[] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await rawPostgres(bench.sql, way, ITEMS, INPUT, OUTPUT))
  const of = (key: keyof RawFigures) => median(rounds.map(round => round[key]))
  show(
    `raw PostgreSQL, ${way}, insert then update`,
    perSecond(of('both')),
    `${perSecond(of('insert'))} and ${perSecond(of('update'))}`,
  )
  return of('both')
}

async function workload(bench: Bench, name: string, raw: Record<Way, number>, anyway: boolean) {
  const measure = await WORKLOADS[name]!(bench)
  const isGood = anyway ? () => true : isQuiet
  const rounds = roundsOf(name, ROUNDS)
  const { good, disturbed } = await quietRounds(rounds, () => measured(bench, measure), isGood)
  if (good.length < rounds) {
    console.log(`${name}: left out, ${inTheWay(disturbed.at(-1)!)}; --anyway prints it`)
    return
  }
  for (const [name, figure] of Object.entries(medians(good.map(({ figures }) => figures)))) {
    const ratios = `; ${(figure / raw.plain).toFixed(2)} plain, ${(figure / raw.tuned).toFixed(2)} tuned`
    show(name, shown(name, figure), coresOf(good) + (name.startsWith('end to end') ? ratios : ''))
  }
}

async function main(names: readonly string[], anyway: boolean): Promise<void> {
  const bench = await startBench()
  try {
    console.log(
      `${ITEMS.toLocaleString('en')} items of ${SHORT} bytes unless a name says ${LONG}; caps lifted unless a name says default caps; medians of ${ROUNDS} rounds\n`,
    )
    const raw = { plain: await rawFigures(bench, 'plain'), tuned: await rawFigures(bench, 'tuned') }
    for (const name of names) await workload(bench, name, raw, anyway)
    const { server, postgres, redis } = bench.pids
    const used = await Promise.all([server, postgres, redis].map(memoryOf))
    console.log(
      `\nMiB of memory at the end: server with its agents ${used[0]}, PostgreSQL ${used[1]}, Redis ${used[2]}`,
    )
  } finally {
    await bench.close()
  }
}

async function memory(): Promise<void> {
  const rows = await idleMemory()
  for (const [name, mib] of rows) show(name, `${mib.toFixed(0)} MiB`)
  show('idle, all processes of npm start', `${rows.reduce((sum, [, mib]) => sum + mib, 0).toFixed(0)} MiB`)
}

const { values, positionals } = parseArgs({
  options: {
    against: { type: 'string' },
    anyway: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const names = workloadsNamed(positionals)
if (values.against !== undefined) await compare(values.against, names, values.anyway)
else if (values.memory) await memory()
else if (values.profile) await profile(names)
else await main(names, values.anyway)
