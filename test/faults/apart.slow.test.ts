// Every part as two processes of its own, over one PostgreSQL and one Redis: the tickets of the example run as on one
// machine, and one process of each part may be killed while it works.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startModelServer } from '../../examples/model-server/server.ts'
import { bundleAgent } from '../../shared/cli/bundle.ts'
import { createClient } from '../../shared/sdk/client.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { type AssayProcess, workerdsOf } from './support/processes.ts'
import { type Relay, startRelay } from './support/relay.ts'
import { linesOf, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/ticket-triage')
const TICKETS = readFileSync(join(EXAMPLE, 'tickets.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))
const BATCHES = 8

interface Pair<T> {
  first: T
  second: T
}

const parts = new AsyncDisposableStack()
let stack: Stack
let model: Relay
let runtimes: Relay
let apis: Pair<AssayProcess>
let ticks: Pair<AssayProcess>
let consumers: Pair<AssayProcess>
let runtime: Pair<AssayProcess>
let secondApi: string
let agentId: string

async function two<T>(start: (nth: number) => Promise<T>): Promise<Pair<T>> {
  const [first, second] = await Promise.all([start(0), start(1)])
  return { first: first!, second: second! }
}

beforeAll(async () => {
  stack = parts.adopt(await startStack(), one => one.close())
  await stack.control.end('SIGTERM')
  const provider = parts.adopt(await startModelServer({ port: 0 }), one => one.close())
  model = parts.adopt(await startRelay([Number(new URL(provider.url).port)]), one => one.close())
  const ports = [await freePort(), await freePort()]
  runtime = await two(nth => stack.startRuntime(ports[nth]!))
  runtimes = parts.adopt(await startRelay(ports), one => one.close())
  const ASSAY_RUNTIME_URL = `http://127.0.0.1:${runtimes.port}`
  const port = String(await freePort())
  secondApi = `http://127.0.0.1:${port}`
  apis = await two(nth => stack.startPart('api', nth === 0 ? {} : { PORT: port }))
  ticks = await two(() => stack.startPart('tick'))
  consumers = await two(() => stack.startPart('consumer', { ASSAY_RUNTIME_URL }))
  agentId = await stack.deploy({}, await ticketTriage())
}, 2 * PATIENCE_MS) // ten processes are started
afterAll(() => parts.disposeAsync())

async function ticketTriage() {
  const { code, declaration } = await bundleAgent(join(EXAMPLE, 'agent.ts'))
  return {
    code,
    declaration,
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`, OPENAI_API_KEY: 'none' },
  }
}

/** Submits the tickets once per batch, through the two APIs in turn. */
const submitAll = (urls = [stack.base_url, secondApi]) =>
  Promise.all(
    Array.from({ length: BATCHES }, async (_, n) => {
      const client = createClient({ baseUrl: urls[n % urls.length]!, apiKey: stack.api_key })
      const lines = new Blob([linesOf(TICKETS)]).stream() as ReadableStream<Uint8Array>
      return (await client.submitLines({ agent_id: agentId }, lines)).run_id
    }),
  )

/** Waits until all items are settled, and returns what does not hold. */
async function settled(runIds: readonly string[]): Promise<string[]> {
  for (const runId of runIds) await stack.runBecomes(runId, run => run.running === 0 && isSettled(run))
  return (await Promise.all(runIds.map(stack.breaches))).flat()
}

const isSettled = (run: object) => {
  const { ok, degraded, failed, paused, total_items } = run as Record<string, number>
  return ok! + degraded! + failed! + paused! === total_items
}

/** Why items of the runs were retried, apart from the retries that their agent asked for. */
const offeredAgain = (runIds: readonly string[]) => stack.sql<{ code: string; items: number }[]>`
  select code, count(*)::int as items from attempts
  where run_id = any(${[...runIds]}::uuid[]) and code in ('lease_lost', 'agent_unreachable', 'agent_crashed')
  group by 1 order by 1`

/** How many items a consumer says that it claimed. */
const claimedBy = ({ log }: AssayProcess) =>
  log
    .map(line => JSON.parse(line))
    .filter(({ event }) => event === 'consumed')
    .reduce((sum, { claimed }) => sum + claimed, 0)

it('two processes of each part share the tickets, and no attempt of an item is lost', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const runIds = await submitAll()
  expect(await settled(runIds)).toEqual([])
  expect(await offeredAgain(runIds)).toEqual([])
  const [row] = await stack.sql`
    select count(*)::int as items, sum(transport_failures)::int as lost from items
    where run_id = any(${runIds}::uuid[])`
  expect(row).toEqual({ items: BATCHES * TICKETS.length, lost: 0 })
  for (const one of Object.values(runtime)) expect(workerdsOf(one.pid)).toHaveLength(1)
  expect(Math.min(...runtimes.taken)).toBeGreaterThan(0)
  // A consumer logs what it did once it finds nothing more to do.
  await eventually(() => {
    const claimed = Object.values(consumers).map(claimedBy)
    expect(claimed[0]! + claimed[1]!).toBeGreaterThanOrEqual(BATCHES * TICKETS.length)
    expect(Math.min(...claimed)).toBeGreaterThan(0)
  })
})

it('one process of each part is killed while it works, and no item is lost or gets two verdicts', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const before = await submitAll()
  await stack.runBecomes(before[BATCHES - 1]!, run => run.ok > 0)
  const release = model.hold()
  await Promise.all([apis, consumers, ticks, runtime].map(pair => pair.second.end('SIGKILL')))
  release()
  const after = await submitAll([stack.base_url])
  expect(await settled([...before, ...after])).toEqual([])
  const codes = (await offeredAgain([...before, ...after])).map(({ code }) => code)
  // Which of both there are depends on who held the items when they were killed.
  expect(codes.length).toBeGreaterThan(0)
  expect(['agent_unreachable', 'lease_lost']).toEqual(expect.arrayContaining(codes))
})
