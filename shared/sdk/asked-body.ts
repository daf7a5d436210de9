// Reads the body of a request to an agent. Guarantee: what is refused by its head is not read; bodies whose signature was not
// checked yet take LIMITS.agent_unproven_bytes of the process at most, together, and LIMITS.agent_unproven_ms each; nothing
// of one that was refused is kept.

import { MiB } from '../kernel/limits/bytes.ts'
import { LIMITS } from '../kernel/limits.ts'
import { BODY_PROOF_HEADER } from '../protocol/rules/protocol.ts'
import { callerOf, type HostEnvironment, Refused } from './caller-check.ts'

/** The whole body of a request whose sender may be answered. @throws Refused */
export async function askedBody(request: Request, env: HostEnvironment): Promise<Uint8Array> {
  const caller = await callerOf(request, env)
  const isKnown = caller === undefined || caller.proven_bytes !== undefined
  const room = isKnown
    ? new Room(Math.min(caller?.proven_bytes ?? LIMITS.agent_body_bytes, LIMITS.agent_body_bytes))
    : new UnprovenRoom()
  try {
    const length = Number(request.headers.get('content-length') ?? 0)
    if (length > room.most) throw room.tooLarge
    const body = await whole(request.body, room, piece => caller?.update(piece))
    await caller?.check(body)
    return body
  } finally {
    room.release()
  }
}

/** Room for a body, which doubles as it comes. */
const BODY_BEGINS_WITH = 16 * 1024

async function whole(
  body: ReadableStream<Uint8Array> | null,
  room: Room,
  seen: (piece: Uint8Array) => void,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  let isLate = false
  const end = () => void reader.cancel().catch(() => {})
  const timer = setTimeout(() => {
    isLate = true
    end() // a read that waits is done then
  }, room.ms)
  let held = new Uint8Array()
  let bytes = 0
  try {
    for (let got = await reader.read(); !got.done; got = await reader.read()) {
      const next = bytes + got.value.length
      if (next > room.most) throw room.tooLarge
      if (next > held.length) {
        const larger = room.take(Math.max(next, Math.min(2 * held.length || BODY_BEGINS_WITH, room.most)))
        larger.set(held.subarray(0, bytes))
        held = larger
      }
      held.set(got.value, bytes) // a list of parts would grow with their number: a byte each took a gigabyte for ten million
      seen(got.value)
      bytes = next
    }
  } finally {
    clearTimeout(timer)
    end()
  }
  if (isLate) throw TOO_SLOW
  return held.subarray(0, bytes)
}

/** What a body may take. */
class Room {
  readonly most: number
  /** Until its last byte is there. A timer waits no longer than this. */
  readonly ms: number = 2 ** 31 - 1

  constructor(most: number) {
    this.most = most
  }

  get tooLarge(): Refused {
    return new Refused('too_large', `the body is longer than ${this.most} bytes`)
  }

  /** The body is to have so many bytes. @throws Refused */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(bytes)
  }

  release(): void {}
}

/** Of all bodies whose senders are not known yet. */
let unproven = 0

class UnprovenRoom extends Room {
  override readonly ms = LIMITS.agent_unproven_ms
  #taken = 0

  constructor() {
    super(LIMITS.agent_unproven_bytes - LIMITS.agent_unproven_spare_bytes)
  }

  override get tooLarge(): Refused {
    return new Refused(
      'too_large',
      `the body is longer than ${this.most} bytes, and no ${BODY_PROOF_HEADER} header shows that its sender has the key: send fewer items in a request`,
    )
  }

  override take(bytes: number): Uint8Array<ArrayBuffer> {
    const most = bytes <= LIMITS.agent_small_body_bytes ? LIMITS.agent_unproven_bytes : this.most
    if (unproven - this.#taken + bytes > most) throw FULL
    unproven += bytes - this.#taken
    this.#taken = bytes
    return super.take(bytes)
  }

  override release(): void {
    unproven -= this.#taken
    this.#taken = 0
  }
}

const FULL = new Refused(
  'overloaded',
  `this process holds ${LIMITS.agent_unproven_bytes / MiB} MiB of bodies whose signature is not checked yet: send this one again in a second`,
)
const TOO_SLOW = new Refused(
  'too_slow',
  `the body did not arrive within ${LIMITS.agent_unproven_ms / 1000} seconds: send fewer items in a request`,
)
