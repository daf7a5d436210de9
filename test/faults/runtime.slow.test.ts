// The agent runtime as a process of its own, next to the consumer; either may die.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { type AssayProcess, workerdsOf } from './support/processes.ts'
import { ITEM_COST_MICRO, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
let port: number
let runtime: AssayProcess
let consumer: AssayProcess
beforeAll(async () => {
  stack = await startStack()
  port = await freePort()
  runtime = await stack.startRuntime(port)
  consumer = await stack.startConsumer(undefined, { ASSAY_RUNTIME_URL: `http://127.0.0.1:${port}` })
}, PATIENCE_MS)
afterAll(() => stack?.close())

const ITEMS = 40

/** A run whose items have all done their first step and wait in the second. */
async function underWay() {
  const agentId = await stack.deploy()
  const release = stack.probe.hold(call => call.step === 's2' && call.attempt === 1)
  const inputs = Array.from({ length: ITEMS }, () => ({}))
  const runId = await stack.submit(agentId, inputs)
  await stack.probe.until(calls => calls.filter(c => c.run === runId && c.step === 's2').length === ITEMS)
  await eventually(async () => {
    const [row] = await stack.sql`select count(*)::int as n from steps where run_id = ${runId} and key = 's1'`
    expect(row!.n).toBe(ITEMS)
  })
  return { runId, release }
}

/** Checks that all items ended ok and ran no step twice but the one in flight; returns why they were retried. */
async function endsWell(runId: string) {
  expect(await stack.finished(runId)).toMatchObject({
    status: 'completed',
    ok: ITEMS,
    cost_micro: ITEMS * ITEM_COST_MICRO,
  })
  expect(await stack.breaches(runId)).toEqual([])
  expect(stack.probe.calls.filter(call => call.run === runId && call.step === 's1')).toHaveLength(ITEMS)
  return stack.sql`select code, count(*)::int as n from attempts where run_id = ${runId} group by 1`
}

it('an agent process killed in the runtime fails none of its items', { timeout: PATIENCE_MS }, async () => {
  const { runId, release } = await underWay()
  expect(workerdsOf(consumer.pid)).toEqual([])
  const [pid, ...others] = workerdsOf(runtime.pid)
  expect(others).toEqual([])
  process.kill(pid!, 'SIGKILL')
  expect(await endsWell(runId)).toEqual([{ code: 'request_split', n: ITEMS }])
  release()
})

it('items of a killed runtime are retried as agent_unreachable until it is back, and none fails', {
  timeout: PATIENCE_MS,
}, async () => {
  const { runId, release } = await underWay()
  await runtime.end('SIGKILL')
  runtime = await stack.startRuntime(port)
  const codes = await endsWell(runId)
  expect(codes.map(row => row.code)).toEqual(['agent_unreachable'])
  release()
})

it('a consumer killed next to the runtime takes its requests with it, and the next consumer continues', {
  timeout: PATIENCE_MS,
}, async () => {
  const { runId, release } = await underWay()
  consumer.signal('SIGKILL')
  await stack.gone(consumer)
  await stack.ageLeases()
  consumer = await stack.startConsumer(undefined, { ASSAY_RUNTIME_URL: `http://127.0.0.1:${port}` })
  await endsWell(runId)
  release()
})
