// Measures how long reading the results of one large run over HTTP takes, and how much memory the server needs for it.
//
//   npm run bench:results [-- --items 200000]

import { readFile } from 'node:fs/promises'
import { newRunId } from '../../shared/kernel/ids.ts'
import { type Bench, startBench } from './stack.ts'

const at = process.argv.indexOf('--items')
const ITEMS = Number(at === -1 ? 1_000_000 : process.argv[at + 1])

/** Writes items in bulk, each with an answer of about 200 bytes; every 20th is failed. */
async function fill({ client, sql }: Bench): Promise<string> {
  const [project] = await sql`select id from projects limit 1`
  const { data: agent } = await client.POST('/v1/agents', { body: { name: 'results', slug: 'results' } })
  const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  const run_id = newRunId(Date.now(), random)
  const failed = Math.floor(ITEMS / 20)
  await sql`
    insert into runs (id, project_id, agent_id, total_items, next_seq, ok, failed, undecided, started_at, finished_at)
    values (${run_id}, ${project!.id}, ${agent!.id}, ${ITEMS}, ${ITEMS + 1}, ${ITEMS - failed}, ${failed}, 0, now(), now())`
  for (let first = 1; first <= ITEMS; first += 100_000)
    await sql`
      insert into items (project_id, run_id, seq, line, status, outcome, attempt, item_id, partition_key, error_code, input, output,
        started_at, completed_at, cost_micro)
      select (select project_id from runs where id = ${run_id}), ${run_id}, g, g, case when g % 20 = 0 then 'failed' else 'completed' end::item_status,
        case when g % 20 = 0 then 'failed' else 'ok' end::outcome, 1, 'ticket-' || g, 'tenant-' || g % 100,
        case when g % 20 = 0 then 'tool_call_error' end, '{"text": "where is parcel ' || g || '?"}',
        '{"label": "delivery", "why": "' || repeat(md5(g::text) || ' ', 5) || '"}', now(), now(), g % 5000
      from generate_series(${first}::int, ${Math.min(ITEMS, first + 99_999)}::int) g`
  await sql.unsafe('vacuum analyze items')
  return run_id
}

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
  const run_id = await fill(bench)
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
