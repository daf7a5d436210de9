import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createOutside } from '../../../infra/node/reach.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { OutsideFile, Post } from '../../kernel/outside.ts'
import { postFile } from './post-file.ts'

// Only these timers are faked: sockets keep their own time.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const SLICE = new Uint8Array(LIMITS.results_file_slice_bytes)
const nearly = () => vi.advanceTimersByTimeAsync(LIMITS.results_file_idle_ms - 1)

async function* slices(n: number, before: () => Promise<unknown> = async () => {}) {
  for (let at = 0; at < n; at++) {
    await before()
    yield SLICE
  }
}
const send = (post: Post, read: OutsideFile['read'], url = 'http://receiver.example/') =>
  postFile(post, {
    url,
    account_id: null,
    headers: {},
    signal: new AbortController().signal,
    body: { bytes: 2 ** 30, read },
  })
/** Takes the file, and each slice only after a while. */
const reader =
  (onSlice: () => Promise<unknown>): Post =>
  async ({ body, signal }) => {
    for await (const _ of (body as OutsideFile).read()) await onSlice()
    await nearly()
    signal.throwIfAborted()
    return { status: 204 }
  }

it('a receiver that accepts the connection and never reads is given up', async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { post } = createOutside(['127.0.0.0/8'])
  const connected = once(server, 'connection')
  let ended: unknown
  void send(post, () => slices(2 ** 14), `http://127.0.0.1:${port}/`).catch(error => {
    ended = error
  })
  const [socket] = await connected
  socket.on('error', () => {}) // cut off, as it should be
  for (let waits = 0; waits < 10_000 && ended === undefined; waits++) await nearly()
  socket.destroy()
  server.close()
  expect(ended).toMatchObject({
    message: 'The receiver neither took more of the file nor answered for 30 s.',
  })
})

it('a receiver that is slow to take each slice and to answer is not given up', async () => {
  expect(await send(reader(nearly), () => slices(50))).toEqual({ status: 204 })
})

it('a receiver that has to wait for the next slice is not given up', async () => {
  const long = () => vi.advanceTimersByTimeAsync(LIMITS.results_file_idle_ms * 3)
  expect(
    await send(
      reader(async () => {}),
      () => slices(5, long),
    ),
  ).toEqual({ status: 204 })
})

it('a receiver that took the whole file and does not answer is given up', async () => {
  const post: Post = async ({ body, signal }) => {
    for await (const _ of (body as OutsideFile).read()) await nearly()
    await vi.advanceTimersByTimeAsync(LIMITS.results_file_idle_ms)
    signal.throwIfAborted()
    return { status: 204 }
  }
  await expect(send(post, () => slices(3))).rejects.toThrow('neither took more')
  expect(vi.getTimerCount()).toBe(0)
})
