// What the bench measures of a running Assay: each workload is set up once in a stack and then measured as often as
// somebody asks. Every figure says in its name what it is; a larger one is better unless its unit is milliseconds.

import type { ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import { batch, type Ending, finished } from './batch.ts'
import type { Bench } from './stack.ts'

export const ITEMS = Number(process.env.BENCH_ITEMS ?? 50_000)

/** By what was measured: items, or steps, a second; milliseconds where the name ends so. */
export type Figures = Record<string, number>
export type Measure = () => Promise<Figures>

/** In the order in which they run. */
export const WORKLOADS: Record<string, (bench: Bench) => Promise<Measure>> = {
  async bundle(bench) {
    const round = await warmed(bench, await bench.deployBundle(), ITEMS)
    return async () => {
      const { submit, drain, all } = await round()
      return {
        'submit, NDJSON over HTTP': submit,
        'drain, bundle agent': drain,
        'end to end, bundle agent': all,
      }
    }
  },
  async url(bench) {
    const round = await warmed(bench, (await bench.deployUrl('ndjson')).agent_id, ITEMS)
    return async () => ({ 'end to end, url agent': (await round()).all })
  },
  async steps(bench) {
    const round = await warmed(bench, await bench.deployBundle(5), ITEMS / 5)
    return async () => {
      const { drain, all } = await round()
      return { 'steps, 5 an item, while draining': drain * 5, 'steps, 5 an item, end to end': all * 5 }
    }
  },
  async failing(bench) {
    const { agent_id } = await bench.deployUrl('ndjson', { FAIL: '1' })
    const round = await warmed(bench, agent_id, ITEMS / 5, 'failed')
    return async () => ({ 'items that fail, url agent, draining': (await round()).drain })
  },
  async single(bench) {
    const round = await warmed(bench, (await bench.deployUrl('json')).agent_id, ITEMS / 5)
    return async () => ({ 'one item a request, url agent, draining': (await round()).drain })
  },
  async start(bench) {
    const { agent_id, agent } = await bench.deployUrl('ndjson')
    return async () => {
      const latencies = await startLatencies(bench, agent_id, agent, 100)
      return {
        'submit to start, idle stack, p50 ms': percentile(latencies, 50),
        'submit to start, idle stack, p99 ms': percentile(latencies, 99),
      }
    }
  },
}

export const inMilliseconds = (name: string) => name.endsWith(' ms')

/** Batches of an agent, after one that is not counted. */
async function warmed(bench: Bench, agentId: string, items: number, how: Ending = 'ok') {
  await batch(bench, agentId, Math.min(items, 5000), how)
  return () => batch(bench, agentId, items, how)
}

/** Milliseconds from each request to submit one item until the agent has it. */
async function startLatencies(
  bench: Bench,
  agentId: string,
  agent: ChildProcess,
  runs: number,
): Promise<number[]> {
  const latencies: number[] = []
  for (let i = 0; i < runs; i++) {
    const got = new Promise<number>(resolve => agent.once('message', m => resolve((m as { at: number }).at)))
    agent.send('tell')
    const at = performance.timeOrigin + performance.now()
    const { run_id } = await post(bench, `/v1/agents/${agentId}/runs`, { input: { i } })
    latencies.push((await got) - at)
    await finished(bench, run_id)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return latencies
}

const percentile = (figures: number[], p: number) =>
  figures.sort((a, b) => a - b)[Math.min(figures.length - 1, Math.floor((figures.length * p) / 100))]!

const connections = new Agent({ keepAlive: true })

/** A lean client: the latency of fetch is not what is measured. */
function post(bench: Bench, path: string, body: unknown): Promise<{ run_id: string }> {
  const headers = { authorization: `Bearer ${bench.api_key}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(
      bench.base_url + path,
      { method: 'POST', agent: connections, headers },
      async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve(JSON.parse(text))
      },
    )
    sent.on('error', reject).end(JSON.stringify(body))
  })
}
