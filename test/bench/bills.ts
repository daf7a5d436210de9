// Whether what Assay says a run cost is what the provider bills: a whole Assay with agents of three kinds, against a double of
// model providers that keeps a ledger, while processes are killed and runs cancelled and recovered. Prints for each agent what
// was billed, recorded and cut; exits with 1 where the two differ by a micro-dollar, or a call was cut that nothing explains.
//
//   npm run bench:bills [-- --items 2000 --agent ai-sdk|langchain|python --strikes 24 --seed N]
//
// The clients are installed into test/clients first.

import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomFrom } from '../storm/random.ts'
import { AGENTS, type AgentName, deploy } from './bills/agents.ts'
import { type Comparison, compare, type Strike } from './bills/check.ts'
import { Consumers, recoverAll, type Struck, strikeAtRandom } from './bills/strikes.ts'
import { TARIFFS } from './bills/tariffs.ts'
import { line } from './limits/tables.ts'
import { type Bench, startBench, stopProcess } from './stack.ts'

const { values: options } = parseArgs({
  options: {
    items: { type: 'string', default: '2000' },
    strikes: { type: 'string', default: '24' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    agent: { type: 'string' },
  },
})
const [items, strikes, seed] = [Number(options.items), Number(options.strikes), Number(options.seed)]
if (!(Number.isInteger(items) && items > 0 && Number.isInteger(strikes) && strikes >= 0))
  throw new Error('--items and --strikes take numbers')
const chosen = AGENTS.filter(name => options.agent === undefined || options.agent === name)
if (chosen.length === 0) throw new Error(`--agent takes one of ${AGENTS.join(', ')}`)

/** In flight at once, over both consumers. */
const CONCURRENCY = 150
const RUNS = 10

async function startDouble() {
  const child = fork(join(import.meta.dirname, 'bills/double.ts'))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return { url, stop: () => stopProcess(child) }
}

/** Every third item makes two calls, every fourth reads a stream. */
function linesOf(run: number): ReadableStream<Uint8Array> {
  const lines = []
  for (let item = run; item < items; item += RUNS) {
    const { model } = TARIFFS[item % TARIFFS.length]!
    const input = { item, model, stream: item % 4 === 0, checks: item % 3 === 0 }
    lines.push(`${JSON.stringify({ item_id: `item-${item}`, input })}\n`)
  }
  return new Blob(lines).stream()
}

interface Played extends Comparison {
  strikes: Strike[]
  took_s: number
  recoveries: number
}

async function play(bench: Bench, name: AgentName): Promise<Played> {
  const double = await startDouble()
  bench.defer(double.stop)
  await bench.sql`update projects set settings = settings || ${bench.sql.json({ concurrency: CONCURRENCY })}
    where id = ${bench.project.id}`
  const consumers = new Consumers(bench)
  await consumers.start()
  const agent = await deploy(bench, name, { model_url: double.url, consumers: consumers.all })
  const began = performance.now()
  const run_ids: string[] = []
  for (let run = 0; run < Math.min(RUNS, items); run++)
    run_ids.push((await bench.client.submitLines({ agent_id: agent.agent_id }, linesOf(run))).run_id)
  const struck: Struck = { bench, agent, consumers, run_ids, random: randomFrom(seed, name).next }
  const struckAt = await strikeAtRandom(struck, { items, times: strikes })
  const recoveries = await recoverAll(struck)
  const took_s = (performance.now() - began) / 1000
  return { ...(await compare(bench, double.url, struckAt)), strikes: struckAt, took_s, recoveries }
}

const dollars = (micro: number) => `$${(micro / 1e6).toFixed(6)}`
const COLUMNS = [
  'agent',
  'items',
  'calls',
  'billed',
  'answers recorded',
  'they were billed',
  'Assay counts',
  'cut',
  'in flight when struck',
  'time',
]
const FAULTS_PRINTED = 12

function print(name: AgentName, played: Played): void {
  const { calls, billed_micro, recorded, recorded_micro, cost_micro, cut, cut_micro, faults } = played
  const row = [
    name,
    String(items),
    String(calls),
    dollars(billed_micro),
    String(recorded),
    dollars(recorded_micro),
    dollars(cost_micro),
    `${cut.length}, ${dollars(cut_micro)}`,
    String(played.strikes.reduce((all, { in_flight }) => all + in_flight, 0)),
    `${played.took_s.toFixed(0)} s`,
  ]
  console.log(line(row))
  for (const fault of faults.slice(0, FAULTS_PRINTED)) console.error(`  ! ${fault}`)
  if (faults.length > FAULTS_PRINTED) console.error(`  ! and ${faults.length - FAULTS_PRINTED} more`)
}

execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
  cwd: join(import.meta.dirname, '../clients'),
  stdio: 'pipe',
})
console.log(`seed ${seed}, ${strikes} strikes\n\n${line(COLUMNS)}\n|${COLUMNS.map(() => '---|').join('')}`)
for (const name of chosen) {
  const bench = await startBench({ parts: ['api'] })
  try {
    const played = await play(bench, name)
    print(name, played)
    if (played.faults.length > 0) process.exitCode = 1
  } finally {
    await bench.close()
  }
}
