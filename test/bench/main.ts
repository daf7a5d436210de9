// `npm run bench`: prints what this machine does with Assay, and beside it what it does with PostgreSQL alone, so
// that every figure can be read as a ratio. Medians of several rounds; not a test, nothing here passes or fails.

import { Agent, request } from 'node:http'
import { batches, finished, INPUT, median, perSecond, ROUNDS, show } from './batch.ts'
import { type RawFigures, rawPostgres, type Way } from './raw-postgres.ts'
import { type Bench, memoryOf, startBench } from './stack.ts'

const ITEMS = Number(process.env.BENCH_ITEMS ?? 50_000)
const OUTPUT = '{"ok":true,"at":1790000000000}'

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

/** Milliseconds from the request to submit one item until the agent has it, on an idle stack. */
async function startLatency(bench: Bench, runs: number): Promise<number[]> {
  const { agent_id, agent } = await bench.deployUrl('ndjson')
  const latencies: number[] = []
  for (let i = 0; i < runs; i++) {
    const got = new Promise<number>(resolve => agent.once('message', m => resolve((m as { at: number }).at)))
    agent.send('tell')
    const at = performance.timeOrigin + performance.now()
    const { run_id } = await post(bench, `/v1/agents/${agent_id}/runs`, { input: { i } })
    latencies.push((await got) - at)
    await finished(bench, run_id)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return latencies
}

/** Prints what PostgreSQL does alone, and returns rows a second for insert and update together. */
async function rawFigures(bench: Bench, way: Way): Promise<number> {
  const rounds: RawFigures[] = []
  for (let i = 0; i < ROUNDS; i++) rounds.push(await rawPostgres(bench.sql, way, ITEMS, INPUT, OUTPUT))
  const of = (key: keyof RawFigures) => median(rounds.map(round => round[key]))
  show(
    `raw PostgreSQL, ${way}, insert then update`,
    perSecond(of('both')),
    `${perSecond(of('insert'))} and ${perSecond(of('update'))}`,
  )
  return of('both')
}

async function main(): Promise<void> {
  const bench = await startBench()
  try {
    const idle = {
      server: await memoryOf(bench.pids.server),
      postgres: await memoryOf(bench.pids.postgres),
      redis: await memoryOf(bench.pids.redis),
    }
    console.log(
      `${ITEMS.toLocaleString('en')} items of ${INPUT(1).length} bytes, medians of ${ROUNDS} rounds\n`,
    )
    const raw = { plain: await rawFigures(bench, 'plain'), tuned: await rawFigures(bench, 'tuned') }
    const ratios = (all: number) =>
      `${(all / raw.plain).toFixed(2)} plain, ${(all / raw.tuned).toFixed(2)} tuned`

    const bundle = await batches(bench, await bench.deployBundle(), ITEMS)
    show('submit, NDJSON over HTTP', perSecond(bundle.submit))
    show('drain, bundle agent', perSecond(bundle.drain))
    show('end to end, bundle agent', perSecond(bundle.all), ratios(bundle.all))
    const url = await batches(bench, (await bench.deployUrl('ndjson')).agent_id, ITEMS)
    show('end to end, url agent', perSecond(url.all), ratios(url.all))
    const steps = await batches(bench, await bench.deployBundle(5), ITEMS / 5)
    show(
      'steps, 5 an item, while draining',
      perSecond(steps.drain * 5),
      `end to end ${perSecond(steps.all * 5)}`,
    )
    const failing = await batches(
      bench,
      (await bench.deployUrl('ndjson', { FAIL: '1' })).agent_id,
      ITEMS / 5,
      'failed',
    )
    show(
      'items that fail, url agent, draining',
      perSecond(failing.drain),
      `end to end ${perSecond(failing.all)}`,
    )
    const single = await batches(bench, (await bench.deployUrl('json')).agent_id, ITEMS / 5)
    show(
      'one item a request, url agent, draining',
      perSecond(single.drain),
      `end to end ${perSecond(single.all)}`,
    )
    const latencies = await startLatency(bench, 300)
    show(
      'submit to start, idle stack',
      `${percentile(latencies, 50).toFixed(1)} ms`,
      `p99 ${percentile(latencies, 99).toFixed(1)} ms`,
    )

    console.log('\nproportional memory, MiB: idle, then after all of this (server with its agent processes)')
    const after = {
      server: await memoryOf(bench.pids.server),
      postgres: await memoryOf(bench.pids.postgres),
      redis: await memoryOf(bench.pids.redis),
    }
    for (const name of ['server', 'postgres', 'redis'] as const)
      show(name, String(idle[name]), `then ${after[name]}`)
    show('all', String(idle.server + idle.postgres + idle.redis))
  } finally {
    await bench.close()
  }
}

await main()
