// Measures one large run with the default caps: alone, and again with single items beside it, some nine a second each of
// the same agent, of another agent of the same project, and of another project.

import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { lines } from './batch.ts'
import { endLatencies, spread } from './latency.ts'
import type { Agent, Bench, Project } from './stack.ts'
import type { Figures, Measure } from './workloads.ts'

const ITEMS = Number(process.env.BENCH_LARGE_ITEMS ?? 3_000_000)
const LOAD = { items: ITEMS, bytes: 230, partitions: 50 }
const FAIL_EVERY = 100
const LOOK_MS = 50

export async function large(bench: Bench): Promise<Measure> {
  const project = await bench.newProject()
  const agent = await bench.deployUrl('ndjson', { FAIL: String(FAIL_EVERY) }, project)
  const probed = {
    'the same agent': agent,
    'the same project': await bench.deployUrl('ndjson', {}, project),
    'another project': await bench.deployUrl('ndjson', {}, await bench.newProject()),
  }
  return async () => ({
    ...(await drained(bench, project, agent, 'large run')),
    ...(await drained(bench, project, agent, 'large run beside single items', probed)),
  })
}

/** Submits the run and works it off, while single items of `probed` go in beside it. */
async function drained(
  bench: Bench,
  { client }: Project,
  { agent_id }: Agent,
  name: string,
  probed: Readonly<Record<string, Agent>> = {},
): Promise<Figures> {
  forgetPeak(bench)
  const began = performance.now()
  const { run_id } = await client.submitLines({ agent_id }, lines(LOAD))
  const submit = (ITEMS / (performance.now() - began)) * 1000
  let isOver = false
  const watched = tenths(bench, run_id, name).finally(() => {
    isOver = true
  })
  const probes = Object.entries(probed).map(async ([of, agent]) =>
    spread(`one item of ${of} beside it`, await endLatencies(bench, agent, () => !isOver)),
  )
  const [rates, ...latencies] = await Promise.all([watched, ...probes])
  const peak = { [`${name}, peak memory of the server, MB`]: peakMb(bench) }
  return Object.assign({ [`${name}, submit`]: submit }, rates, ...latencies, peak)
}

/** Items a second in each tenth of a run, and over all of it since its submission. */
async function tenths({ sql }: Bench, runId: string, name: string): Promise<Figures> {
  const began = performance.now()
  const rates: Figures = {}
  let last = began
  for (let tenth = 1; tenth <= 10; ) {
    const [run] = await sql<
      { ended: number }[]
    >`select (ok + failed)::float8 as ended from runs where id = ${runId}`
    const now = performance.now()
    if (run!.ended >= (ITEMS * tenth) / 10) {
      rates[`${name}, tenth ${String(tenth).padStart(2)}`] = (ITEMS / 10 / (now - last)) * 1000
      tenth++
      last = now
    }
    await pause(LOOK_MS)
  }
  return { ...rates, [`${name}, drain`]: (ITEMS / (last - began)) * 1000 }
}

/** Resets the peak of the server's memory that the kernel keeps. */
const forgetPeak = ({ pids }: Bench) => writeFileSync(`/proc/${pids.server}/clear_refs`, '5')

const peakMb = ({ pids }: Bench) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pids.server}/status`, 'utf8'))![1]) / 1024
