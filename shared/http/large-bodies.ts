// Room for large bodies. Guarantee: a process holds a bounded amount of them, whoever sends how many, and no account takes the
// room of all others; a short body waits for nobody.

import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { Pool } from '../kernel/pool.ts'

/**
 * Resolves when there is room for the request's body, as long as it says to be, or of `max` bytes where it says nothing; until
 * then its bytes wait at the sender. It is given back when nothing of the body is held any more.
 *
 * @throws ApiError `rate_limited`
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
