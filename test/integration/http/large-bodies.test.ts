// Large bodies share the room that a process has for them: those of one account wait for each other, nobody else waits.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { submitBatch } from '../../../functions/runs/submit-batch.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { createApp } from '../../../shared/http/app.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
let app: ReturnType<typeof createApp>
let key: string
beforeAll(async () => {
  engine = await testEngine()
  app = createApp([submitBatch], () => engine.ctx)
  key = (await mintKey(engine.ctx, engine.project_id, 'large')).key
})
afterAll(() => engine.close())

const batch = () => JSON.stringify({ agent_id: engine.agent_id, items: [{ input: 1 }] })
const send = async (body: BodyInit, headers: Record<string, string> = {}) =>
  app.request('/v1/batches', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body,
    duplex: 'half',
  } as RequestInit)
const sendAll = (text: string) => send(text, { 'content-length': String(text.length) })

/** A body of unknown length: `first` comes when it is read, and `rest` after `goOn()`. */
function slowly(first: string, rest: string) {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>()
  const { promise: isRefused, resolve: goOn } = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        controller.enqueue(encoder.encode(first))
        read()
        await isRefused
        controller.enqueue(encoder.encode(rest))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return { body, isRead, goOn }
}

it('a body still arriving keeps its room: large ones of its account wait, short ones and other accounts do not', async () => {
  const { body, isRead, goOn } = slowly(' ', batch())
  const first = send(body)
  await isRead
  const second = sendAll(batch().padEnd(2 * LIMITS.body_bytes))
  await expect.poll(() => engine.ctx.bodies.waiting).toBe(1)
  expect((await sendAll(batch())).status).toBe(202)
  const elsewhere = await engine.ctx.bodies.take('another account', LIMITS.bodies_bytes_per_account, 0)
  expect(elsewhere).toBeDefined()
  elsewhere!()
  expect(engine.ctx.bodies.waiting).toBe(1)
  goOn()
  expect([(await first).status, (await second).status]).toEqual([202, 202])
  expect(engine.ctx.bodies.waiting).toBe(0)
})

it('a refused body gives its room back', async () => {
  for (let n = 0; n < 5; n++) {
    const refused = await send('{"items":['.padEnd(2 * LIMITS.body_bytes))
    expect(refused.status).toBe(400)
  }
  const whole = await engine.ctx.bodies.take('all', LIMITS.bodies_bytes_per_account, 0)
  expect(whole).toBeDefined()
  whole!()
})

it('a body whose length is no number gets room for the largest body', async () => {
  const { body, isRead, goOn } = slowly(' ', batch())
  const first = send(body, { 'content-length': 'many' })
  await isRead
  const second = sendAll(batch().padEnd(2 * LIMITS.body_bytes))
  await expect.poll(() => engine.ctx.bodies.waiting).toBe(1)
  goOn()
  expect([(await first).status, (await second).status]).toEqual([202, 202])
})
