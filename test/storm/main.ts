// `npm run storm -- [--rounds N] [--seed S] [--verbose]`: load with a ledger of acknowledged submissions, faults in
// processes and both stores, and a check of every promise after each round. Prints the seed and figures; the same seed
// has the same faults strike at the same times. If a check fails, it prints the breach, keeps the processes' logs and
// exits with 1.

import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recountAll } from './checks.ts'
import { type Installation, install } from './installation.ts'
import { openLedger } from './ledger.ts'
import { playRound, type RoundFigures } from './round.ts'

const BREACHES_PRINTED = 12 // breaches printed per round
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const number = (n: number) => n.toLocaleString('en')

function printRound(seed: number, figures: RoundFigures): void {
  const { round, faults, acknowledged, items, answers, unreachable, compared, closures, breaches } = figures
  const parts = [
    `${number(acknowledged)} acknowledged`,
    `${number(items)} items`,
    `${number(answers)} answers, ${unreachable} unreachable`,
    `${number(figures.refused)} calls refused, upstreams closed ${closures.all} times, ${closures.wrong} of these wrongly`,
    `${number(compared)} figures compared at work`,
    `back in ${seconds(figures.slowest_back_ms)}`,
    `drained in ${seconds(figures.drained_ms)}`,
    `${breaches.length} breaches`,
  ]
  console.log(`seed ${seed} round ${round}: ${parts.join('; ')} [${faults.join(', ')}]`)
  for (const breach of breaches.slice(0, BREACHES_PRINTED)) console.log(`  ! ${breach}`)
  if (breaches.length > BREACHES_PRINTED) console.log(`  ! and ${breaches.length - BREACHES_PRINTED} more`)
}

async function keepLogs({ units }: Installation, seed: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `storm-logs-${seed}-`))
  for (const unit of units)
    await writeFile(join(folder, `${unit.name.replace(' ', '-')}.log`), unit.log.join('\n'))
  console.log(`  the processes' logs are in ${folder}`)
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    verbose: { type: 'boolean', default: false },
  },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (!Number.isInteger(rounds) || !Number.isInteger(seed) || rounds < 1)
  throw new Error('npm run storm -- [--rounds N] [--seed S]: both are whole numbers')
console.log(`seed ${seed}, ${rounds} rounds; again: npm run storm -- --rounds ${rounds} --seed ${seed}`)

const began = performance.now()
const say = (line: string) => values.verbose && console.log(`  ${line}`)
const installation = await install()
say(`installed in ${seconds(performance.now() - began)}`)
const close = async (code: number) => {
  await installation.close()
  process.exit(code)
}
process.once('SIGINT', () => close(130))
process.once('SIGTERM', () => close(143))
if (installation.disk.fill === undefined) console.log('the disk is not filled: only root may mount one')

const ledger = openLedger()
const played: RoundFigures[] = []
for (let round = 1; round <= rounds; round++) {
  const figures = await playRound(installation, ledger, { seed, round, say })
  played.push(figures)
  printRound(seed, figures)
  if (figures.breaches.length > 0) await keepLogs(installation, seed)
}
const { compared, differences } = await recountAll(installation.sql)
const sum = (of: (figures: RoundFigures) => number) => played.reduce((total, one) => total + of(one), 0)
const matching = (pattern: RegExp) => sum(one => one.breaches.filter(what => pattern.test(what)).length)
const breaches = sum(one => one.breaches.length) + differences
console.log(
  [
    `seed ${seed}: ${rounds} rounds, ${sum(one => one.faults.length)} faults`,
    `${number(sum(one => one.acknowledged))} acknowledged submissions, ${number(sum(one => one.items))} items`,
    `${matching(/ lost| has \d+ of \d+ items|not drained/)} lost, ${matching(/got \d+ verdicts|verdict was changed/)} double verdicts`,
    `${differences + matching(/differed|verified:|recounted:/)} differences in ${number(compared + sum(one => one.compared))} comparisons`,
    `${sum(one => one.unexpected_exits)} unexpected exits`,
    `slowest back ${seconds(Math.max(...played.map(one => one.slowest_back_ms)))}`,
    breaches === 0 ? 'everything held' : `${breaches} BREACHES`,
  ].join('; '),
)
await close(breaches === 0 ? 0 : 1)
