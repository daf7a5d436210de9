// `npm run bench -- --profile [WORKLOAD …]` prints where the time of a workload goes, as tables: processor time by process
// and by function of the server, statements by time, and what sessions of PostgreSQL waited for. Profiling slows Assay
// down, so compare its rates only within one run.

import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { show } from '../batch.ts'
import { watchCores } from '../proc.ts'
import { atRest, medians } from '../rounds.ts'
import { type Bench, startBench } from '../stack.ts'
import { type Figures, shown, WORKLOADS } from '../workloads.ts'
import { readFunctions, type Spent } from './functions.ts'
import type { Word } from './inspected.ts'
import { addedTo, secondsSoFar } from './seconds.ts'
import { beginStatements, readStatements, SETTINGS, type Wait, watchWaits } from './sessions.ts'

const AT_LEAST_MS = 5000
const ROWS = 25
const TEXT_CHARACTERS = 150

export async function profile(names: readonly string[]): Promise<void> {
  const inspected = new URL('inspected.ts', import.meta.url).href
  const bench = await startBench({ settings: SETTINGS, nodeArguments: ['--import', inspected] })
  try {
    for (const name of names) await profileOf(bench, name)
  } finally {
    await bench.close()
  }
}

async function profileOf(bench: Bench, name: string): Promise<void> {
  const measure = await WORKLOADS[name]!(bench)
  await measure() // warm-up
  await atRest(bench)
  await beginStatements(bench)
  const before = await secondsSoFar(bench)
  const cores = watchCores()
  const waits = watchWaits(bench)
  await sendWord(bench, {})
  const began = performance.now()
  const rounds: Figures[] = []
  do rounds.push(await measure())
  while (performance.now() - began < AT_LEAST_MS)
  const seconds = (performance.now() - began) / 1000
  const file = join(tmpdir(), `assay-${name}-${process.pid}.cpuprofile`)
  const processors = addedTo(before, await secondsSoFar(bench))
  const { ours, caller, others } = cores.end()
  await sendWord(bench, { write: file })
  console.log(`\n# ${name}: ${rounds.length} rounds in ${seconds.toFixed(1)} s`)
  console.log(
    `cores: ${ours.toFixed(2)} Assay with its stores, ${caller.toFixed(2)} the bench, ${others.toFixed(2)} other programs\n`,
  )
  for (const [figure, value] of Object.entries(medians(rounds))) show(figure, shown(figure, value))
  printSeconds('processor time by process, and by thread of the server', processors, seconds)
  await printFunctions(file)
  await printStatements(bench)
  printWaits(await waits.end())
}

async function sendWord({ server }: Bench, word: Word): Promise<void> {
  const done = once(server, 'message')
  server.send(word)
  await done
}

const title = (text: string) => console.log(`\n## ${text}\n`)
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)}%`.padStart(7)

function printSeconds(name: string, rows: [string, number][], whole: number): void {
  title(`${name}: seconds, of one core`)
  for (const [kind, seconds] of rows)
    if (seconds >= 0.01) console.log(`${seconds.toFixed(2).padStart(8)}${percent(seconds, whole)}  ${kind}`)
}

async function printFunctions(file: string): Promise<void> {
  const { self, inclusive, files, seconds } = await readFunctions(file)
  const print = (name: string, rows: readonly Spent[]) => {
    title(`the server's ${name}: ms, share of ${seconds.toFixed(2)} s at work`)
    for (const row of rows.slice(0, ROWS))
      console.log(
        `${(row.seconds * 1000).toFixed(0).padStart(8)}${percent(row.seconds, seconds)}  ${row.name}`,
      )
  }
  print('files', files)
  print('functions, their own lines', self)
  print(
    'functions, including their callees',
    inclusive.filter(({ name }) => !name.includes(' node:')),
  )
  console.log(`\nthe whole recording: ${file}`)
}

const brief = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, TEXT_CHARACTERS)

async function printStatements(bench: Bench): Promise<void> {
  title(
    'statements: seconds, planning seconds, calls, mean ms, rows and bytes of WAL per call (· within another statement)',
  )
  for (const one of await readStatements(bench, ROWS)) {
    const { seconds, planning, calls, rows, wal } = one
    const mean = (seconds * 1000) / calls
    const cells = [seconds.toFixed(2), planning.toFixed(2), calls, mean.toFixed(3), (rows / calls).toFixed(0)]
    const row = [...cells, (wal / calls).toFixed(0)].map(cell => String(cell).padStart(9)).join('')
    console.log(`${row}  ${one.nested ? '· ' : ''}${brief(one.text)}`)
  }
}

function printWaits(waits: readonly Wait[]): void {
  title('what sessions were at: how many on average')
  const events = Map.groupBy(waits, ({ event }) => event)
  const sums = [...events].map(([event, rows]) => ({
    event,
    sessions: rows.reduce((sum, row) => sum + row.sessions, 0),
  }))
  for (const { event, sessions } of sums.sort((a, b) => b.sessions - a.sessions))
    console.log(`${sessions.toFixed(2).padStart(8)}  ${event}`)
  title('the same by statement')
  for (const { event, sessions, text } of waits.slice(0, ROWS))
    if (sessions >= 0.01)
      console.log(`${sessions.toFixed(2).padStart(8)}  ${event.padEnd(26)} ${brief(text)}`)
}
