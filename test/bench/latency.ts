// Measures how long single items take. They are submitted one after the other with random gaps, as users do, so that they
// never fall into step with a timer of the server.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent as Connections, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { finished, percentile } from './batch.ts'
import type { Agent, Bench, UrlAgent } from './stack.ts'

const GAP_MS = { least: 20, most: 120 }
const SEED = 20_260_301

/** Pseudo-random numbers from 0 to 1, the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Submits a single item after each gap while `more` returns true. */
async function eachAfterGap(more: (taken: number) => boolean, submit: (i: number) => Promise<void>) {
  const random = seeded(SEED)
  for (let i = 0; more(i); i++) {
    await pause(GAP_MS.least + random() * (GAP_MS.most - GAP_MS.least))
    await submit(i)
  }
}

/** Milliseconds from the submission of each item until the worker reports that it has it. */
export async function startsOf(
  worker: ChildProcess,
  samples: number,
  submit: (i: number) => Promise<void>,
): Promise<number[]> {
  const latencies: number[] = []
  await eachAfterGap(
    taken => taken < samples,
    async i => {
      const got = once(worker, 'message') as Promise<[{ at: number }]>
      worker.send('report')
      const at = performance.timeOrigin + performance.now()
      const submitted = submit(i)
      latencies.push((await got)[0].at - at)
      await submitted
    },
  )
  return latencies
}

/** Milliseconds from each request to submit one item until the agent has it. */
export const startLatencies = (bench: Bench, agent: UrlAgent, samples: number): Promise<number[]> =>
  startsOf(agent.process, samples, async i => finished(bench, await submitOne(bench, agent, { i })))

/** Milliseconds from each request to submit one item until its verdict is committed, while `more` returns true. */
export async function endLatencies(
  bench: Bench,
  agent: Agent,
  more: (taken: number) => boolean,
): Promise<number[]> {
  const latencies: number[] = []
  await eachAfterGap(more, async i => {
    const at = performance.now()
    const runId = await submitOne(bench, agent, { i })
    await finished(bench, runId)
    latencies.push(performance.now() - at)
  })
  return latencies
}

/** Milliseconds of each request to submit one item, sent after gaps. */
export async function callLatencies(bench: Bench, agent: Agent, samples: number): Promise<number[]> {
  const latencies: number[] = []
  await eachAfterGap(
    taken => taken < samples,
    async i => {
      const at = performance.now()
      await submitOne(bench, agent, { i })
      latencies.push(performance.now() - at)
    },
  )
  return latencies
}

/** Requests a second that submit one item each, with this many at once. */
export async function callsPerSecond(bench: Bench, agent: Agent, calls: number, atOnce: number) {
  let sent = 0
  const began = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (sent < calls) await submitOne(bench, agent, { i: sent++ })
    }),
  )
  return (calls / (performance.now() - began)) * 1000
}

/** The percentiles as figures in milliseconds. */
export function spread(name: string, latencies: readonly number[]): Record<string, number> {
  const at = (p: number) => percentile(latencies, p)
  return {
    [`${name}, p50 ms`]: at(50),
    [`${name}, p95 ms`]: at(95),
    [`${name}, p99 ms`]: at(99),
    [`${name}, max ms`]: at(100),
  }
}

const connections = new Connections({ keepAlive: true })

/** Uses a lean client, because the latency of fetch should not be measured. @returns the run's id */
function submitOne({ base_url }: Bench, { agent_id, project }: Agent, input: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${project.api_key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(
      `${base_url}/v1/agents/${agent_id}/runs`,
      { method: 'POST', agent: connections, headers },
      async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        const { run_id } = JSON.parse(text) as { run_id?: string }
        if (run_id === undefined) reject(new Error(`the submission was answered with ${text}`))
        else resolve(run_id)
      },
    )
    sent.on('error', reject).end(JSON.stringify({ input }))
  })
}
