// Measures how long reading the results of one large run over HTTP takes, and how much memory the server needs for it.
//
//   npm run bench:results [-- --items 200000]

import { readFile } from 'node:fs/promises'
import { runOfItems } from './result-items.ts'
import { type Bench, startBench } from './stack.ts'

const at = process.argv.indexOf('--items')
const ITEMS = Number(at === -1 ? 1_000_000 : process.argv[at + 1])

/** Peak memory of the server since its start. */
async function peakMb({ pids }: Bench): Promise<number> {
  const status = await readFile(`/proc/${pids.server}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024
}

/** Processor time of the server in seconds; the kernel counts hundredths. */
async function cpuOf({ pids }: Bench): Promise<number> {
  const stat = await readFile(`/proc/${pids.server}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / 100
}

async function read({ base_url, api_key }: Bench, run_id: string, format: string) {
  const began = performance.now()
  const response = await fetch(`${base_url}/v1/results?run_id=${run_id}&format=${format}`, {
    headers: { authorization: `Bearer ${api_key}` },
  })
  let [bytes, rows, first] = [0, 0, 0]
  for await (const chunk of response.body!) {
    if (bytes === 0) first = performance.now() - began
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) rows++
  }
  return { bytes, rows: format === 'csv' ? rows - 1 : rows, first_ms: first, ms: performance.now() - began }
}

const bench = await startBench()
try {
  const run_id = await runOfItems(bench, ITEMS)
  console.log(
    `${ITEMS.toLocaleString('en')} items; peak memory of the idle server ${(await peakMb(bench)).toFixed(0)} MB`,
  )
  for (const format of ['csv', 'ndjson']) {
    const before = await cpuOf(bench)
    const { bytes, rows, first_ms, ms } = await read(bench, run_id, format)
    const cpu = (await cpuOf(bench)) - before
    if (rows !== ITEMS) throw new Error(`${rows} rows were read, not ${ITEMS}`)
    console.log(
      `${format.padEnd(7)}${(ms / 1000).toFixed(1)} s, ${Math.round(rows / (ms / 1000)).toLocaleString('en')} rows/s, ${cpu.toFixed(0)} s of one core, ${(bytes / 1e6).toFixed(0)} MB, first byte after ${first_ms.toFixed(0)} ms, peak memory of the server ${(await peakMb(bench)).toFixed(0)} MB`,
    )
  }
} finally {
  await bench.close()
}
