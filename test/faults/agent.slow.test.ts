// Agents die, hang and eat memory; only the items that cause it may suffer.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type AssayProcess, workerdsOf } from './support/processes.ts'
import { ITEM_COST_MICRO, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
let consumer: AssayProcess
beforeAll(async () => {
  stack = await startStack()
  consumer = await stack.startConsumer()
}, PATIENCE_MS)
afterAll(() => stack?.close())

it('killing an agent process fails none of the items in it', { timeout: PATIENCE_MS }, async () => {
  const items = 50
  const agentId = await stack.deploy()
  const release = stack.probe.hold(call => call.step === 's2' && call.attempt === 1)
  const runId = await stack.submit(
    agentId,
    Array.from({ length: items }, () => ({})),
  )
  await stack.probe.until(calls => calls.filter(c => c.run === runId && c.step === 's2').length === items)
  await eventually(async () => {
    const [row] = await stack.sql`select count(*)::int as n from steps where run_id = ${runId} and key = 's1'`
    expect(row!.n).toBe(items)
  })
  const [pid, ...others] = workerdsOf(consumer.pid)
  expect(others).toEqual([])
  process.kill(pid!, 'SIGKILL')

  expect(await stack.finished(runId)).toMatchObject({
    status: 'completed',
    ok: items,
    cost_micro: items * ITEM_COST_MICRO,
  })
  release()
  expect(await stack.breaches(runId)).toEqual([])
  expect(stack.probe.calls.filter(call => call.run === runId && call.step === 's1')).toHaveLength(items)
  const codes =
    await stack.sql`select code, count(*)::int as n from attempts where run_id = ${runId} group by 1`
  expect(codes).toEqual([{ code: 'request_split', n: items }])
})

it('agents that hang, loop and eat memory delay no other agent, and only their guilty items fail', {
  timeout: PATIENCE_MS,
}, async () => {
  const [looping, eating, healthy] = [
    await stack.deploy(),
    await stack.deploy({ timeout_seconds: 20 }),
    await stack.deploy(),
  ]
  const among = (guilty: object) => Array.from({ length: 8 }, (_, i) => (i === 3 ? guilty : {}))
  const loopId = await stack.submit(looping!, among({ ending: 'loop' }))
  const eatId = await stack.submit(eating!, among({ ending: 'eat' }))
  const lateId = await stack.submit(eating!, among({ ending: 'never' }), { timeout_seconds: '2' })
  // The guilty item has called its last step: it loops from here on.
  await stack.probe.until(calls =>
    calls.some(call => call.run === loopId && call.item === 'i4' && call.step === 'price'),
  )
  const items = 300
  const healthyId = await stack.submit(
    healthy!,
    Array.from({ length: items }, () => ({})),
  )
  expect(await stack.finished(healthyId)).toMatchObject({ status: 'completed', ok: items })
  expect((await stack.run(loopId)).finished_at).toBeNull() // its guilty item is still being isolated

  const codeOf = async (runId: string) =>
    stack.sql`select item_id, error_code from items where run_id = ${runId} and status <> 'completed'`
  for (const [runId, codes] of [
    [loopId, ['agent_unresponsive']],
    [eatId, ['agent_crashed', 'agent_unresponsive']],
    [lateId, ['step_timeout']],
  ] as const) {
    expect(await stack.finished(runId)).toMatchObject({ ok: 7, failed: 1 })
    const failed = await codeOf(runId)
    expect(failed.map(row => row.item_id)).toEqual(['i4'])
    expect(codes).toContain(failed[0]!.error_code)
    expect(await stack.breaches(runId)).toEqual([])
  }
  expect(await stack.breaches(healthyId)).toEqual([])
})
