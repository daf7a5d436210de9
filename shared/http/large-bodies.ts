// Makes large bodies wait for room. Guarantee: a process holds a bounded amount of them, however many are sent, and no
// account takes all room; a short body waits for nobody.

import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { Pool } from '../kernel/pool.ts'

/**
 * Resolves when there is room for the request's body: its content-length, or `max` bytes without one. Until then its
 * bytes wait at the sender. Dispose of the result once nothing of the body is held any more; undefined for a short
 * body.
 */
export async function roomFor(
  bodies: Pool,
  request: Request,
  account_id: string,
  max: number,
): Promise<Disposable | undefined> {
  const length = request.headers.get('content-length') ?? ''
  const bytes = /^\d+$/.test(length) ? Math.min(Number(length), max) : max
  if (bytes <= LIMITS.body_bytes) return undefined
  const giveBack = await bodies.take(account_id, bytes, LIMITS.bodies_wait_ms)
  if (giveBack !== undefined) return { [Symbol.dispose]: giveBack }
  throw new ApiError(
    'rate_limited',
    `Too many large bodies are on their way: there was no room for ${bytes} bytes more.`,
    'Send fewer at a time, and a large batch as application/x-ndjson, which needs no room.',
    Math.ceil(LIMITS.bodies_wait_ms / 1000),
  )
}
