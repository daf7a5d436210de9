// The API dies around the commit of a submission: the whole run is there, or nothing of it.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
}, PATIENCE_MS)
afterAll(() => stack?.close())
afterEach(async () => {
  await stack.endProcesses()
  await stack.startControl()
})

describe.for([
  { length: 'short', items: 40 },
  { length: 'long', items: 2500 }, // committed in chunks
])('a $length submission', ({ items }) => {
  const inputs = Array.from({ length: items }, () => ({ steps: 0 }))

  /** Submits to an API that dies at the fault point. */
  async function submitTo(fault: string, agentId: string, query: Record<string, string> = {}): Promise<void> {
    await stack.endProcesses()
    await stack.startControl(fault)
    await expect(stack.submit(agentId, inputs, query)).rejects.toThrow('fetch failed')
    expect(await stack.gone(stack.control)).toBe('SIGKILL')
    await stack.startControl()
    await stack.startConsumer()
  }
  const runsOf = (agentId: string) =>
    stack.sql<{ id: string; materializing: boolean; total_items: number }[]>`
      select id, materializing, total_items from runs where agent_id = ${agentId}`
  const earlierRuns = async (agentId: string) =>
    (await stack.sql<{ id: string }[]>`select id from runs where agent_id <> ${agentId}`).map(run => run.id)

  it('cut off before its commit leaves nothing', { timeout: PATIENCE_MS }, async () => {
    const agentId = await stack.deploy()
    await submitTo('submit.before_commit=kill', agentId)
    const left = await runsOf(agentId)
    expect(left.every(run => run.materializing)).toBe(true)
    expect(left).toHaveLength(items > 2000 ? 1 : 0)
    // A run submitted later is dispatched; this one never was.
    const next = await stack.submit(agentId, [{ steps: 0 }])
    expect(await stack.finished(next)).toMatchObject({ ok: 1 })
    expect(stack.probe.calls.filter(call => left.some(run => run.id === call.run))).toEqual([])
    await stack.nothingLeftBut([...(await earlierRuns(agentId)), next])
  })

  it('cut off after its commit runs completely', { timeout: PATIENCE_MS }, async () => {
    const agentId = await stack.deploy()
    await submitTo('submit.after_commit=kill', agentId)
    const [run, ...others] = await runsOf(agentId)
    expect(others).toEqual([])
    expect(run).toMatchObject({ materializing: false, total_items: items })
    expect(await stack.finished(run!.id)).toMatchObject({ status: 'completed', ok: items })
    expect(await stack.breaches(run!.id)).toEqual([])
  })

  it.for(['submit.before_commit=kill', 'submit.after_commit=kill'])(
    'sent again after %s with its idempotency key is one run',
    { timeout: PATIENCE_MS },
    async fault => {
      const agentId = await stack.deploy()
      const key = { idempotency_key: `${fault} ${items}` }
      await submitTo(fault, agentId, key)
      const again = await stack.submit(agentId, inputs, key)
      expect(await stack.submit(agentId, inputs, key)).toBe(again)
      expect((await runsOf(agentId)).filter(run => !run.materializing)).toEqual([
        { id: again, materializing: false, total_items: items },
      ])
      expect(await stack.finished(again)).toMatchObject({ status: 'completed', ok: items })
      await stack.nothingLeftBut([...(await earlierRuns(agentId)), again])
      expect(await stack.breaches(again)).toEqual([])
    },
  )
})

it(
  'items that a process claimed as they were submitted to it are retried if it dies, and end once',
  async () => {
    const agentId = await stack.deploy()
    await stack.endProcesses()
    const whole = await stack.startConsumer('submit.after_commit=kill', { ASSAY_PARTS: 'api,consumer,tick' })
    const inputs = [1, 2, 3].map(() => ({ steps: 1 }))
    await expect(stack.submit(agentId, inputs)).rejects.toThrow('fetch failed')
    expect(await stack.gone(whole)).toBe('SIGKILL')
    const [run] = await stack.sql<{ id: string; running: number }[]>`
      select id, running from runs where agent_id = ${agentId}`
    expect(run!.running).toBe(inputs.length)
    await stack.startControl()
    await stack.startConsumer()
    await stack.ageLeases()
    expect(await stack.finished(run!.id)).toMatchObject({ status: 'completed', ok: inputs.length })
    expect(await stack.breaches(run!.id)).toEqual([])
    expect(await stack.sql`select code from attempts where run_id = ${run!.id}`).toEqual(
      inputs.map(() => ({ code: 'lease_lost' })),
    )
  },
  PATIENCE_MS,
)

it(
  'a caller whose process dies while PostgreSQL runs the one statement finds the run by its key',
  async () => {
    const { sql } = stack
    const agentId = await stack.deploy()
    const key = { idempotency_key: 'sent, and no answer' }
    const body = { agent_id: agentId, ...key, items: [{ input: { steps: 0 } }] }
    const send = () => stack.client.POST('/v1/batches', { body })
    await sql.begin(async tx => {
      // The statement waits for the agent's row, which the new run references.
      await tx`select from agents where id = ${agentId} for update`
      const unanswered = expect(send()).rejects.toThrow('fetch failed')
      await vi.waitFor(async () => {
        const waiting =
          await sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%with admitted as%'`
        expect(waiting).toHaveLength(1)
      }, PATIENCE_MS / 3)
      await stack.control.end()
      await unanswered
    })
    await stack.gone(stack.control)
    await stack.startControl()
    const { data } = await send()
    expect(await sql`select id, materializing, total_items from runs where agent_id = ${agentId}`).toEqual([
      { id: data!.run_id, materializing: false, total_items: 1 },
    ])
  },
  PATIENCE_MS,
)
