// Invocations of the consumer that are too short for the agent: the items continue from one to the next.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { createInvoker } from '../../infra/runtime/invoker.ts'
import { findBundle } from '../../shared/agents/queries/bundles.ts'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { MASTER_KEY, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

const parts = new AsyncDisposableStack()
let stack: Stack
beforeAll(async () => {
  stack = await startStack()
  parts.defer(() => stack.close())
}, PATIENCE_MS)
afterAll(() => parts.disposeAsync())

it('an item with many slow steps continues over several invocations, and each step runs once', {
  timeout: PATIENCE_MS,
}, async () => {
  const connections = openConnections(stack.stores)
  parts.defer(() => connections.close())
  const invoker = createInvoker({
    loadBundle: hash => findBundle(connections.sql, hash),
    dataDir: stack.dataDir,
    allowPrivateNetworks: ['127.0.0.1/32'],
  })
  parts.defer(() => invoker.close())
  const ctx = createContext({
    connections,
    config: { base_url: '', master_key: MASTER_KEY },
    invokeAgent: invoker.invoke,
    writeLog: () => {},
  })

  const [items, steps, work_ms] = [30, 12, 300]
  stack.probe.slow_ms = 60 // 13 steps take 780 ms at least: more than two invocations have time for
  const agentId = await stack.deploy()
  const runId = await stack.submit(
    agentId,
    Array.from({ length: items }, () => ({ steps })),
  )
  let invocations = 0
  do invocations++
  while ((await consume(ctx, { time_ms: LIMITS.yield_before_end_ms + work_ms })).more)

  expect(invocations).toBeGreaterThanOrEqual(3)
  expect(await stack.run(runId)).toMatchObject({ status: 'completed', ok: items })
  expect(await stack.breaches(runId)).toEqual([])
  const calls = stack.probe.calls.filter(call => call.run === runId)
  expect(calls).toHaveLength(items * (steps + 1))
  expect(new Set(calls.map(call => `${call.item} ${call.step}`)).size).toBe(calls.length)
  const codes = await stack.sql`select distinct code from attempts where run_id = ${runId}`
  expect(codes).toEqual([{ code: 'yielded' }])
})
