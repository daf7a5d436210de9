// Measures one large run with the default caps, and single items beside it: of the same agent, of another agent of the same
// project, and of another project.

import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { lines } from './batch.ts'
import { endLatencies, spread } from './latency.ts'
import type { Bench } from './stack.ts'
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
  return async () => {
    forgetPeak(bench)
    const began = performance.now()
    const { run_id } = await project.client.submitLines({ agent_id: agent.agent_id }, lines(LOAD))
    const submit = (ITEMS / (performance.now() - began)) * 1000
    let isOver = false
    const watched = tenths(bench, run_id).finally(() => {
      isOver = true
    })
    const probes = Object.entries(probed).map(async ([name, agent]) =>
      spread(`one item of ${name} beside it`, await endLatencies(bench, agent, () => !isOver)),
    )
    const [rates, ...latencies] = await Promise.all([watched, ...probes])
    return Object.assign({ 'large run, submit': submit }, rates, ...latencies, {
      'peak memory of the server, MB': peakMb(bench),
    })
  }
}

/** Items a second in each tenth of a run, and over all of it since its submission. */
async function tenths({ sql }: Bench, runId: string): Promise<Figures> {
  const began = performance.now()
  const rates: Figures = {}
  let last = began
  for (let tenth = 1; tenth <= 10; ) {
    const [run] = await sql<
      { ended: number }[]
    >`select (ok + failed)::float8 as ended from runs where id = ${runId}`
    const now = performance.now()
    if (run!.ended >= (ITEMS * tenth) / 10) {
      rates[`large run, tenth ${String(tenth).padStart(2)}`] = (ITEMS / 10 / (now - last)) * 1000
      tenth++
      last = now
    }
    await pause(LOOK_MS)
  }
  return { ...rates, 'large run, drain': (ITEMS / (last - began)) * 1000 }
}

/** Resets the peak of the server's memory that the kernel keeps. */
const forgetPeak = ({ pids }: Bench) => writeFileSync(`/proc/${pids.server}/clear_refs`, '5')

const peakMb = ({ pids }: Bench) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pids.server}/status`, 'utf8'))![1]) / 1024
