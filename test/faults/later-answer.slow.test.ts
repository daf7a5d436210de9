// Each participant in a later answer is killed: the consumer as it hands over, the API as it takes lines, the agent
// before, between and while it sends them.

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { freePort } from '../support/ports.ts'
import type { AssayProcess } from './support/processes.ts'
import { ITEM_COST_MICRO, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

const ITEMS = 40

let stack: Stack
let agentPort: string
let agentId: string
let agent: AssayProcess
beforeAll(async () => {
  stack = await startStack()
  agentPort = String(await freePort())
  const [project] = await stack.sql<{ id: string }[]>`select id from projects`
  const body = { project_id: project!.id, name: 'later', slug: 'later' }
  const { data } = await stack.client.POST('/v1/agents', { body })
  agentId = data!.id
  const deployed = await stack.client.POST('/v1/agents/{agentId}/deployments', {
    params: { path: { agentId } },
    body: {
      kind: 'url',
      url: `http://127.0.0.1:${agentPort}`,
      protocol: 'ndjson',
      declaration: { name: 'later' },
    },
  })
  expect(deployed.response.status).toBe(201)
  await startAgent()
}, PATIENCE_MS)
afterAll(() => stack?.close())
afterEach(async () => {
  await stack.endProcesses()
  await stack.startControl()
  await startAgent()
})

async function startAgent() {
  agent = await stack.startProgram('../../test/faults/support/later-agent', {
    PORT: agentPort,
    PROBE_URL: stack.probe.url,
  })
}

const startConsumer = (fault?: string) => stack.startConsumer(fault, { BASE_URL: stack.base_url })

const submit = () =>
  stack.submit(
    agentId,
    Array.from({ length: ITEMS }, () => ({})),
  )

/** How often each item of the run made its model call. */
function paidOf(runId: string): Map<string, number> {
  const paid = new Map<string, number>()
  for (const { run, step, item } of stack.probe.calls)
    if (run === runId && step === 'price') paid.set(item, (paid.get(item) ?? 0) + 1)
  return paid
}

const attemptsOf = (runId: string) =>
  stack.sql<{ item_id: string; attempt: number }[]>`
    select item_id, attempt from items where run_id = ${runId} order by seq`

/** Checks that each item ended ok and once, with at most one paid call an attempt and at most so many attempts. */
async function endsWell(runId: string, mostAttempts: number) {
  expect(await stack.finished(runId)).toMatchObject({
    status: 'completed',
    ok: ITEMS,
    cost_micro: ITEMS * ITEM_COST_MICRO,
  })
  const paid = paidOf(runId)
  for (const { item_id, attempt } of await attemptsOf(runId)) {
    expect(attempt).toBeLessThanOrEqual(mostAttempts)
    expect(paid.get(item_id)).toBeLessThanOrEqual(attempt)
  }
  expect(await stack.breaches(runId)).toEqual([])
}

const heldByConsumers = () => stack.sql`select run_id, seqs from claims where handed_from is null`

/** Resolves when the agent has all items of the run, and no consumer holds any. */
const handedOver = (runId: string) =>
  vi.waitFor(
    async () => {
      const [row] = await stack.sql<{ handed: number }[]>`
        select coalesce(sum(cardinality(seqs)), 0)::int as handed from claims
        where run_id = ${runId} and handed_from is not null`
      expect(row!.handed).toBe(ITEMS)
      expect(await heldByConsumers()).toEqual([])
    },
    { timeout: PATIENCE_MS, interval: 20 },
  )

const firstStepsReported = (runId: string) =>
  vi.waitFor(
    async () => {
      const reported = await stack.sql`select from steps where run_id = ${runId} and key = 's1'`
      expect(reported).toHaveLength(ITEMS)
    },
    { timeout: PATIENCE_MS, interval: 20 },
  )

it.for(['hand_over.before_commit=kill@3', 'hand_over.after_commit=kill@3'])(
  'a consumer killed at %s loses nothing, and items that its agent has by then run once',
  { timeout: PATIENCE_MS },
  async fault => {
    const runIds = await Promise.all(Array.from({ length: 6 }, submit))
    const doomed = await startConsumer(fault)
    expect(await stack.gone(doomed)).toBe('SIGKILL')
    const held = await stack.sql<{ run_id: string }[]>`
      update claims set lease_until = now() - interval '1 second' where handed_from is null returning run_id`
    if (fault.includes('before')) expect(held.length).toBeGreaterThan(0)

    await startConsumer()
    for (const runId of runIds) await endsWell(runId, held.some(({ run_id }) => run_id === runId) ? 2 : 1)
  },
)

it.for(['answer.before_settle=kill@3', 'answer.after_settle=kill@3'])(
  'an API killed at %s gets the lines again, and no item runs twice',
  { timeout: PATIENCE_MS },
  async fault => {
    await stack.control.end()
    await stack.startControl(fault)
    const runIds = await Promise.all(Array.from({ length: 3 }, submit))
    await startConsumer()
    expect(await stack.gone(stack.control)).toBe('SIGKILL')
    // However long the new process takes to start.
    await stack.sql`update claims set lease_until = now() + interval '1 hour'`
    await stack.startControl()
    for (const runId of runIds) await endsWell(runId, 1)
  },
)

it.for(['s1', 'price'])(
  'an agent killed after its 202, with %s in flight, gets its items again without the steps that it had sent',
  { timeout: PATIENCE_MS },
  async at => {
    const release = stack.probe.hold(call => call.step === at && call.attempt === 1)
    const runId = await submit()
    await startConsumer()
    await stack.probe.until(calls => calls.filter(c => c.run === runId && c.step === at).length === ITEMS)
    await handedOver(runId)
    if (at === 'price') await firstStepsReported(runId)
    await agent.end()
    await startAgent()
    release()
    expect(await stack.ageLeases()).toBeGreaterThan(0)

    await endsWell(runId, 2)
    const calls = stack.probe.calls.filter(call => call.run === runId && call.step === 's1')
    expect(calls).toHaveLength(at === 'price' ? ITEMS : 2 * ITEMS)
  },
)

it('an agent killed while it sends gets again only the items whose results were not accepted', {
  timeout: PATIENCE_MS,
}, async () => {
  const release = stack.probe.hold(call => call.step === 'price' && call.attempt === 1)
  const runId = await submit()
  await startConsumer()
  await handedOver(runId)
  await firstStepsReported(runId)
  await stack.control.end()
  await stack.startControl('answer.before_settle=stop')
  release()
  await stack.control.stopped()
  await agent.end()
  await startAgent()
  stack.control.signal('SIGCONT') // and settles what the dead agent sent, while the tick retries it
  await stack.ageLeases()

  await endsWell(runId, 2)
})
