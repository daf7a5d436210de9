// `npm run bench`: prints what this machine does with Assay, and beside it what it does with PostgreSQL alone, so
// that every figure can be read as a ratio. Medians of several rounds; not a test, nothing here passes or fails.
// `npm run bench -- --against REF [WORKLOAD …]` compares with another commit instead (against.ts).

import { parseArgs } from 'node:util'
import { compare } from './against.ts'
import { INPUT, median, perSecond, ROUNDS, show } from './batch.ts'
import { type RawFigures, rawPostgres, type Way } from './raw-postgres.ts'
import { type Bench, memoryOf, startBench } from './stack.ts'
import { type Figures, ITEMS, inMilliseconds, type Measure, WORKLOADS } from './workloads.ts'

const OUTPUT = '{"ok":true,"at":1790000000000}'

/** Prints what PostgreSQL does alone, and returns rows a second for insert and update together. */
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

async function medians(measure: Measure): Promise<Figures> {
  const rounds: Figures[] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await measure())
  return Object.fromEntries(
    Object.keys(rounds[0]!).map(name => [name, median(rounds.map(round => round[name]!))]),
  )
}

async function main(): Promise<void> {
  const bench = await startBench()
  try {
    const idle = {
      server: await memoryOf(bench.pids.server),
      postgres: await memoryOf(bench.pids.postgres),
      redis: await memoryOf(bench.pids.redis),
    }
    console.log(
      `${ITEMS.toLocaleString('en')} items of ${INPUT(1).length} bytes, medians of ${ROUNDS} rounds\n`,
    )
    const raw = { plain: await rawFigures(bench, 'plain'), tuned: await rawFigures(bench, 'tuned') }
    const ratios = (all: number) =>
      `${(all / raw.plain).toFixed(2)} plain, ${(all / raw.tuned).toFixed(2)} tuned`

    for (const prepare of Object.values(WORKLOADS))
      for (const [name, figure] of Object.entries(await medians(await prepare(bench))))
        show(
          name,
          inMilliseconds(name) ? `${figure.toFixed(1)} ms` : perSecond(figure),
          name.startsWith('end to end') ? ratios(figure) : '',
        )

    console.log('\nproportional memory, MiB: idle, then after all of this (server with its agent processes)')
    const after = {
      server: await memoryOf(bench.pids.server),
      postgres: await memoryOf(bench.pids.postgres),
      redis: await memoryOf(bench.pids.redis),
    }
    for (const name of ['server', 'postgres', 'redis'] as const)
      show(name, String(idle[name]), `then ${after[name]}`)
    show('all', String(idle.server + idle.postgres + idle.redis))
  } finally {
    await bench.close()
  }
}

const { values, positionals } = parseArgs({
  options: { against: { type: 'string' } },
  allowPositionals: true,
})
if (values.against === undefined) await main()
else await compare(values.against, positionals)
