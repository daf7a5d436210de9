// Checks uploads a hundred times as often as a real server does.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchUploads } from './uploads.ts'

const BOUNDS = { look_ms: 20, idle_looks: 25, free_looks: 50, least_bytes: 64 * 1024 }
const ALL_MS = BOUNDS.look_ms * (BOUNDS.idle_looks + BOUNDS.free_looks)

/** The server reads bodies only once this resolves. */
let mayRead: Promise<unknown> = Promise.resolve()
const server = createServer(async (incoming, outgoing) => {
  await mayRead
  let bytes = 0
  try {
    for await (const chunk of incoming) bytes += chunk.length
    outgoing.end(String(bytes))
  } catch {} // the upload was ended, and its sender got the reason
})
beforeAll(async () => {
  watchUploads(server, BOUNDS)
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => server.close())

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** Sends `bytes` per check until `isOver`; returns the response and after how many ms it came. */
async function upload(bytes: number, isOver: (ms: number) => boolean) {
  const { port } = server.address() as AddressInfo
  const sent = request({ port, host: '127.0.0.1', method: 'POST' })
  const began = performance.now()
  let answer: { status: number; text: string } | undefined
  let whole = 0
  const answered = once(sent, 'response').then(async ([response]) => {
    let text = ''
    for await (const chunk of response) text += chunk
    answer = { status: response.statusCode, text }
  })
  sent.on('error', () => {}) // bytes sent to a connection that was ended
  while (answer === undefined && !isOver(performance.now() - began)) {
    if (bytes > 0) sent.write(Buffer.alloc(bytes))
    else sent.flushHeaders()
    whole += bytes
    await pause(BOUNDS.look_ms)
  }
  if (answer === undefined) sent.end()
  await answered
  return { ...answer!, whole, ms: performance.now() - began }
}

it('an upload that makes progress may take longer than the time limit of a request', async () => {
  const { status, text, whole } = await upload(BOUNDS.least_bytes, ms => ms > 2 * ALL_MS)
  expect([status, text]).toEqual([200, String(whole)])
})

it('an upload that stalls is ended, and its sender gets a 400', async () => {
  const { status, ms } = await upload(0, () => false)
  expect(status).toBe(400)
  expect(ms).toBeGreaterThanOrEqual(BOUNDS.look_ms * (BOUNDS.idle_looks - 1))
})

it('an upload that trickles is ended once the time limit of a request has passed', async () => {
  const { status, ms, whole } = await upload(1, () => false)
  expect(status).toBe(400)
  expect(ms).toBeGreaterThanOrEqual(BOUNDS.look_ms * (BOUNDS.free_looks - 1))
  expect(whole).toBeLessThan(BOUNDS.least_bytes)
})

it('an upload that this process does not read for a while is not ended', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  mayRead = promise
  setTimeout(resolve, 2 * ALL_MS)
  const { status, text, whole } = await upload(2 ** 20, ms => ms > 10 * BOUNDS.look_ms)
  expect([status, text]).toEqual([200, String(whole)])
})
