// What happens to a run when something outside fails, or has limits: a whole Assay with the agent of README.md, against a double
// of a model provider. Prints for each scenario how the items ended and the calls that it took; of failures when the pace was
// back, of limits how much of them was used.
//
//   npm run bench:limits [-- --quick] [--consumers N] [away hangs limits Azure estimate …]
//
// Words choose the scenarios with one of them in their name. With --consumers, N processes consume beside the server, which
// then only has the API and the tick.

import { parseArgs } from 'node:util'
import { startWithoutConsumer } from './consumers.ts'
import { startDouble } from './limits/double.ts'
import { line, tables } from './limits/tables.ts'
import { type Bench, startBench } from './stack.ts'

const { values: options, positionals: words } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, consumers: { type: 'string' } },
  allowPositionals: true,
})
const consumers = options.consumers === undefined ? undefined : Number(options.consumers)
if (consumers !== undefined && !(Number.isInteger(consumers) && consumers > 0))
  throw new Error('--consumers takes a number of processes')

/** Each consumer is a process with sandboxes of its own. */
async function startStack(): Promise<Bench> {
  if (consumers === undefined) return startBench()
  const bench = await startWithoutConsumer()
  const started = Array.from({ length: consumers }, () => bench.startProcess({ ASSAY_PARTS: 'consumer' }))
  await Promise.all(started)
  return bench
}

/** The scenarios that the words choose, by table. */
const chosen = tables(options.quick).flatMap(({ columns, rows }) => {
  const named = rows.filter(({ name }) => words.length === 0 || words.some(word => name.includes(word)))
  return named.length === 0 ? [] : [{ columns, rows: named }]
})

async function main(): Promise<void> {
  const bench = await startStack()
  const double = await startDouble()
  bench.defer(double.stop)
  try {
    if (consumers !== undefined)
      console.log(`${consumers} ${consumers === 1 ? 'consumer' : 'consumers'} beside the server\n`)
    for (const { columns, rows } of chosen) {
      console.log(`${line(columns)}\n|${columns.map(() => '---|').join('')}`)
      for (const row of rows) console.log(line(await row.play(bench, double.url)))
      console.log()
    }
  } finally {
    await bench.close()
  }
}

await main()
