// Reads and discards the rest of a refused body. Guarantee: its sender sees the answer if it sends no more than a
// limit; long bodies are read a few at a time, so that other requests are answered meanwhile.

import { LIMITS } from '../kernel/limits.ts'
import { Pool } from '../kernel/pool.ts'
import { slices } from '../kernel/slices.ts'

/** One pool for the process. It is polled, not awaited: in workerd no request may wait for another one's promise. */
const turns = new Pool({ size: LIMITS.bodies_drained_at_once, share: LIMITS.bodies_drained_at_once })
const ASK_AGAIN_MS = 20
/** One slice for all senders: a fast one is read on while others wait, up to 2 MiB at a time from each. */
const letOthersIn = slices()

/**
 * Reads the rest of a body, up to LIMITS.body_drain_bytes and LIMITS.body_drain_ms. A host resets a connection with
 * unread bytes, and the sender would then see the reset and not the answer. If still more arrives, the answer closes
 * the connection. A long body's bytes wait at the sender until it is its turn.
 */
export async function drain(request: Request, answer: Response): Promise<Response> {
  if (request.body === null || request.body.locked) return answer
  const until_ms = performance.now() + LIMITS.body_drain_ms
  const giveBack = isShort(request) ? () => {} : await turn(until_ms)
  if (giveBack === undefined || !(await readAway(request.body, until_ms)))
    answer.headers.set('connection', 'close')
  giveBack?.()
  return answer
}

function isShort({ headers }: Request): boolean {
  const length = headers.get('content-length') ?? ''
  return /^\d+$/.test(length) && Number(length) <= LIMITS.body_bytes
}

async function turn(until_ms: number): Promise<(() => void) | undefined> {
  for (;;) {
    const giveBack = turns.tryTake('', 1)
    if (giveBack !== undefined || performance.now() >= until_ms) return giveBack
    await pause(ASK_AGAIN_MS)
  }
}

/** Returns whether the body came to its end. */
async function readAway(body: ReadableStream<Uint8Array>, until_ms: number): Promise<boolean> {
  const reader = body.getReader()
  let isWhole = true
  const giveUp = () => {
    isWhole = false
    void reader.cancel().catch(() => {})
  }
  const timer = setTimeout(giveUp, Math.max(0, until_ms - performance.now()))
  try {
    let bytes = 0
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.length
      if (bytes > LIMITS.body_drain_bytes) giveUp()
      await letOthersIn()
    }
  } catch {
    // The sender has gone; there is nobody to answer.
  } finally {
    clearTimeout(timer)
  }
  return isWhole
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
