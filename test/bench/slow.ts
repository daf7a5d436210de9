// Measures a fast agent beside one that takes five seconds an item, in the same consumer: first with the slow agent in another
// project with the default caps, then in the same project with caps lifted, where it may take all places of the consumer.

import { setTimeout as pause } from 'node:timers/promises'
import { batch, lines } from './batch.ts'
import { endLatencies, spread } from './latency.ts'
import type { Agent, Bench } from './stack.ts'
import type { Figures, Measure } from './workloads.ts'

const THINK_MS = '5000'
const SLOW_ITEMS = 20_000
const SAMPLES = 50
const LOOK_MS = 50

export async function slow(bench: Bench, items: number): Promise<Measure> {
  const fast = await bench.deployUrl('ndjson')
  const slowOnes = {
    'beside a slow agent of another project': await bench.deployUrl(
      'ndjson',
      { THINK_MS },
      await bench.newProject(),
    ),
    'beside a slow agent of the same project': await bench.deployUrl('ndjson', { THINK_MS }),
  }
  const measure = async (name: string): Promise<Figures> => {
    const latencies = await endLatencies(bench, fast, taken => taken < SAMPLES)
    return {
      [`fast agent ${name}`]: (await batch(bench, fast, { items })).all,
      ...spread(`one item ${name}`, latencies),
    }
  }
  await batch(bench, fast, { items: items / 4 })
  return async () => {
    const figures = await measure('alone')
    for (const [name, agent] of Object.entries(slowOnes))
      Object.assign(figures, await besideSlow(bench, agent, () => measure(name)))
    return figures
  }
}

async function besideSlow<T>(bench: Bench, { agent_id, project }: Agent, work: () => Promise<T>): Promise<T> {
  const { client } = project
  const { run_id } = await client.submitLines({ agent_id }, lines(SLOW_ITEMS))
  const hasStarted = async () =>
    (await bench.sql`select from claims where run_id = ${run_id} limit 1`).length > 0
  while (!(await hasStarted())) await pause(LOOK_MS)
  const done = await work()
  // The first cancellation starts no more items, the second aborts those in flight.
  for (let i = 0; i < 2; i++) {
    const [run] = await bench.sql`select finished_at from runs where id = ${run_id}`
    if (run!.finished_at === null)
      await client.POST('/v2/runs/{runId}/cancel', { params: { path: { runId: run_id } } })
  }
  return done
}
