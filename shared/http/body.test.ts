import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LIMITS } from '../kernel/limits.ts'
import { bodyOf } from './body.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const request = (body: ReadableStream<Uint8Array>) =>
  new Request('http://assay.test', { method: 'POST', body, duplex: 'half' } as RequestInit)

it('a body is given up when nothing has come for 90 s, however slowly it came before', async () => {
  let send!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = controller
    },
  })
  const pieces = bodyOf(request(body))
  for (let n = 0; n < 3; n++) {
    const next = pieces.next()
    await vi.advanceTimersByTimeAsync(LIMITS.body_stall_ms - 1)
    send.enqueue(new Uint8Array([n]))
    expect((await next).value).toEqual(new Uint8Array([n]))
  }
  const last = expect(pieces.next()).rejects.toThrow('Nothing of the body came for 90 s.')
  await vi.advanceTimersByTimeAsync(LIMITS.body_stall_ms)
  await last
})

it('a body is not given up because its reader is slow', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: controller => controller.enqueue(new Uint8Array([1])) })
  const pieces = bodyOf(request(body))
  for (let n = 0; n < 3; n++) {
    expect((await pieces.next()).done).toBe(false)
    await vi.advanceTimersByTimeAsync(2 * LIMITS.body_stall_ms)
  }
  await pieces.return(undefined)
})
