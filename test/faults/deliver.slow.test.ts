// A sender of callbacks is killed while it sends a message.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

let stack: Stack
let receiver: Receiver
let agentId: string
beforeAll(async () => {
  stack = await startStack()
  receiver = await startReceiver()
  agentId = await stack.deploy()
}, PATIENCE_MS)
afterAll(async () => {
  await receiver?.close()
  await stack?.close()
})
afterEach(() => stack.endProcesses())

it.for([
  ['before anything was sent', 'deliver.after_claim', 1],
  ['after the receiver had taken it', 'deliver.after_answer', 2],
] as const)(
  'a sender killed %s is followed by another, which sends the same message',
  { timeout: PATIENCE_MS },
  async ([, fault, times]) => {
    await stack.endProcesses()
    await stack.startControl()
    const runId = await stack.submit(agentId, [{}], { callback_url: receiver.url })
    await stack.endProcesses()
    receiver.received.length = 0

    await stack.startControl(`${fault}=kill`)
    const doomed = stack.control
    // The process that ends the run sends its callback; the answer to the cancellation may be lost with it.
    await stack.client.POST('/v2/runs/{runId}/cancel', { params: { path: { runId } } }).catch(() => {})
    expect(await stack.gone(doomed)).toBe('SIGKILL')
    expect(await stack.sql`select tries, delivered_at from deliveries where run_id = ${runId}`).toEqual([
      { tries: 1, delivered_at: null },
    ])

    await stack.startControl()
    await stack.sql`update deliveries set due_at = now() where run_id = ${runId}`
    await receiver.got(times)
    const [first] = receiver.received
    expect(JSON.parse(first!.body).data.run).toMatchObject({ id: runId, status: 'cancelled' })
    for (const { headers, body } of receiver.received) {
      expect([headers['webhook-id'], body]).toEqual([first!.headers['webhook-id'], first!.body])
    }
    expect(receiver.received).toHaveLength(times)
    // Otherwise it would be sent again in the next test.
    await eventually(async () => {
      const [row] = await stack.sql`select delivered_at from deliveries where run_id = ${runId}`
      expect(row!.delivered_at).not.toBeNull()
    })
  },
)
