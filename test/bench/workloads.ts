// The workloads of the bench: each is set up once in a stack and can then be measured any number of times. The name of a
// figure says what it is; larger is better, unless its unit is milliseconds.

import { batch, batches, inRequests, LONG, type Load, lines, perSecond, REQUEST_ITEMS } from './batch.ts'
import { consumers } from './consumers.ts'
import { large } from './large.ts'
import { callLatencies, callsPerSecond, spread, startLatencies } from './latency.ts'
import { slow } from './slow.ts'
import type { Agent, Bench, UrlAgent } from './stack.ts'

export const ITEMS = Number(process.env.BENCH_ITEMS ?? 20_000)
const FEW = ITEMS / 5
const PARTITIONS = 50
const LATENCIES = 100

/** Figures by name: items, steps or requests a second; milliseconds or megabytes if the name ends so. */
export type Figures = Record<string, number>
export type Measure = () => Promise<Figures>

type Workload = (bench: Bench) => Promise<Measure>

/** In the order in which they run. */
const USUAL: Record<string, Workload> = {
  async bundle(bench) {
    const round = await warmed(bench, await bench.deployBundle(), { items: ITEMS })
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
    const round = await warmed(bench, await bench.deployUrl('ndjson'), { items: ITEMS })
    return async () => ({ 'end to end, url agent': (await round()).all })
  },
  async long(bench) {
    const round = await warmed(bench, await bench.deployUrl('ndjson'), { items: ITEMS, bytes: LONG })
    return async () => {
      const { submit, all } = await round()
      return { [`submit, ${LONG} bytes`]: submit, [`end to end, url agent, ${LONG} bytes`]: all }
    }
  },
  /** Items run while more are submitted. */
  async meanwhile(bench) {
    const agent = await bench.deployUrl('ndjson')
    const load = { items: ITEMS, bytes: LONG }
    await batch(bench, agent, load)
    return async () => {
      const { submit, all } = await batches(bench, agent, load)
      return {
        [`submit, ${LONG} bytes, ${REQUEST_ITEMS} a request, items run meanwhile`]: submit,
        [`end to end, ${LONG} bytes, ${REQUEST_ITEMS} a request`]: all,
      }
    }
  },
  async caps(bench) {
    const agent = await bench.deployUrl('ndjson', {}, await bench.newProject())
    const round = await warmed(bench, agent, { items: ITEMS, bytes: LONG })
    return async () => ({ [`end to end, default caps, ${LONG} bytes`]: (await round()).all })
  },
  async partitions(bench) {
    const agent = await bench.deployUrl('ndjson', {}, await bench.newProject())
    const round = await warmed(bench, agent, { items: ITEMS, bytes: LONG, partitions: PARTITIONS })
    return async () => ({
      [`end to end, default caps, ${PARTITIONS} partitions`]: (await round()).all,
    })
  },
  async steps(bench) {
    const round = await warmed(bench, await bench.deployBundle(5), { items: FEW })
    return async () => {
      const { drain, all } = await round()
      return { 'steps, 5 an item, while draining': drain * 5, 'steps, 5 an item, end to end': all * 5 }
    }
  },
  async failing(bench) {
    const agent = await bench.deployUrl('ndjson', { FAIL: '1' })
    const load: Load = { items: FEW, ending: 'failed' }
    const round = await warmed(bench, agent, load)
    return async () => ({
      'items that fail, url agent, draining': (await round()).drain,
      'items that fail, each with its prompt, draining': (
        await batch(bench, agent, { ...load, ownPrompts: true })
      ).drain,
    })
  },
  async rarely(bench) {
    const agent = await bench.deployUrl('ndjson', { FAIL: '100' })
    const round = await warmed(bench, agent, {
      items: ITEMS,
      bytes: LONG,
      ending: 'one in a hundred failed',
      ownPrompts: true,
    })
    return async () => ({ [`end to end, ${LONG} bytes, 1 in 100 fails`]: (await round()).all })
  },
  async single(bench) {
    const round = await warmed(bench, await bench.deployUrl('json'), { items: FEW })
    return async () => ({ 'one item a request, url agent, draining': (await round()).drain })
  },
  /** Agents that call a model: 300 ms an item, each with a recorded step. */
  async model(bench) {
    const round = await warmed(bench, await bench.deployModel(), { items: ITEMS / 2, bytes: LONG })
    return async () => ({ 'end to end, model agent': (await round()).all })
  },
  async 'model-caps'(bench) {
    const agent = await bench.deployModel(await bench.newProject())
    const round = await warmed(bench, agent, { items: FEW, bytes: LONG })
    return async () => ({ 'end to end, model agent, default caps': (await round()).all })
  },
  async 'model-single'(bench) {
    // Items under a budget of their own travel alone.
    const agent = await bench.deployModel(bench.project, { item_budget_cents: 100 })
    const round = await warmed(bench, agent, { items: FEW, bytes: LONG })
    return async () => ({ 'one item a request, model agent': (await round()).all })
  },
  async 'model-start'(bench) {
    const agent = await bench.deployModel()
    await startLatencies(bench, agent, LATENCIES / 10)
    return async () =>
      spread('submit to start, idle, model agent', await startLatencies(bench, agent, LATENCIES / 2))
  },
  async start(bench) {
    const agent = await bench.deployUrl('ndjson')
    await startLatencies(bench, agent, LATENCIES / 10)
    return async () => spread('submit to start, idle', await startLatencies(bench, agent, LATENCIES))
  },
  async submit(bench) {
    const agent = await undeployed(bench)
    const { client } = agent.project
    const perSecond = async (items: number, submit: () => Promise<unknown>) => {
      const began = performance.now()
      await submit()
      return (items / (performance.now() - began)) * 1000
    }
    const send = (items: number) =>
      client.submitLines({ agent_id: agent.agent_id }, lines({ items, bytes: LONG })).then(() => {})
    return async () => {
      const atOnce = await perSecond(ITEMS, () => send(ITEMS))
      const inParts = await perSecond(ITEMS, () => inRequests(ITEMS, send))
      await agent.clear()
      return {
        [`submit, ${LONG} bytes, no items run`]: atOnce,
        [`submit, ${LONG} bytes, ${REQUEST_ITEMS} a request, no items run`]: inParts,
      }
    }
  },
  async calls(bench) {
    const agent = await undeployed(bench)
    await callLatencies(bench, agent, LATENCIES / 10)
    return async () => {
      const one = await callLatencies(bench, agent, LATENCIES)
      const many = await callsPerSecond(bench, agent, FEW / 4, 16)
      await agent.clear()
      return {
        ...spread('request to submit one item', one),
        'requests to submit one item, 16 at once': many,
      }
    }
  },
  async beside(bench) {
    const project = await bench.newProject()
    const agent = await bench.deployUrl('ndjson', {}, project)
    const busy = await bench.deployUrl('ndjson', { THINK_MS: '20' }, project)
    const name = 'submit to start, beside a backlog'
    await startLatencies(bench, agent, LATENCIES / 10)
    return () =>
      besideBacklog(bench, busy, async () => spread(name, await startLatencies(bench, agent, LATENCIES)))
  },
}

/** Workloads that take so long that they run only when named, and once. */
const LONG_ONES: Record<string, Workload> = {
  consumers: bench => consumers(bench, ITEMS),
  slow: bench => slow(bench, ITEMS),
  large,
}

export const WORKLOADS = { ...USUAL, ...LONG_ONES }

/** @throws Error that names the unknown workloads */
export function workloadsNamed(names: readonly string[]): string[] {
  const unknown = names.filter(name => !(name in WORKLOADS))
  if (unknown.length > 0)
    throw new Error(`No workload ${unknown.join(', ')}; there are ${Object.keys(WORKLOADS).join(', ')}.`)
  return names.length === 0 ? Object.keys(USUAL) : [...names]
}

/** The number of rounds of a workload, given the usual number. */
export const roundsOf = (name: string, usual: number) => (name in LONG_ONES && !asked ? 1 : usual)
const asked = process.env.BENCH_ROUNDS !== undefined

/** Formats a figure with its unit, which the end of its name gives. */
export function shown(name: string, figure: number): string {
  if (name.endsWith(' ms')) return `${figure.toFixed(1)} ms`
  if (name.endsWith(' MB')) return `${figure.toFixed(0)} MB`
  return name.endsWith(' of one') ? figure.toFixed(2) : perSecond(figure)
}

/** Creates an agent without a deployment, so that no items run. */
async function undeployed(bench: Bench): Promise<UrlAgent & { clear(): Promise<void> }> {
  const agent = await bench.deployUrl('ndjson')
  const { agent_id } = agent
  await bench.sql`update agents set current_deployment_id = null where id = ${agent_id}`
  return {
    ...agent,
    async clear() {
      await bench.sql`delete from items where run_id in (select id from runs where agent_id = ${agent_id})`
      await bench.sql`delete from runs where agent_id = ${agent_id}`
    },
  }
}

/** Returns a function that runs a batch of the agent, after one that does not count. */
async function warmed(bench: Bench, agent: Agent, load: Load) {
  await batch(bench, agent, { ...load, items: Math.min(load.items, 5000) })
  return () => batch(bench, agent, load)
}

const BACKLOG = { items: 100_000, concurrency: 128 }

/** Does the work beside a run that uses half of its project's places and has too many items to end; then cancels the run. */
async function besideBacklog<T>(bench: Bench, agent: Agent, work: () => Promise<T>): Promise<T> {
  const { client } = agent.project
  const order = { agent_id: agent.agent_id, concurrency: BACKLOG.concurrency }
  const { run_id } = await client.submitLines(order, lines(BACKLOG.items))
  const done = await work()
  const [run] = await bench.sql`select finished_at from runs where id = ${run_id}`
  if (run!.finished_at !== null) throw new Error('the backlog ended before what was measured beside it')
  await client.POST('/v2/runs/{runId}/cancel', { params: { path: { runId: run_id } } })
  return done
}
