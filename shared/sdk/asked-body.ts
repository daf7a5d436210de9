// Reads the body of a request to an agent. Guarantee: what is refused by its head is not read; bodies whose signature was not
// checked yet take LIMITS.agent_unproven_bytes of the process at most, together; a proof lets one body at a time past that
// bound; signed ones have LIMITS.agent_arrival_ms each; nothing of one that was refused is kept.

import { MiB } from '../kernel/limits/bytes.ts'
import { LIMITS } from '../kernel/limits.ts'
import { BODY_PROOF_HEADER } from '../protocol/rules/protocol.ts'
import { type BodyProof, type Caller, callerOf, type HostEnvironment, Refused } from './caller-check.ts'

/** The whole body of a request whose sender may be answered. @throws Refused */
export async function askedBody(request: Request, env: HostEnvironment): Promise<Uint8Array> {
  const caller = await callerOf(request, env)
  const room = roomOf(caller)
  try {
    const length = Number(request.headers.get('content-length') ?? 0)
    if (length > room.most) throw room.tooLarge
    const blocks = new Blocks(room, length)
    await read(request.body, room, piece => {
      blocks.add(piece)
      caller?.update(piece)
    })
    await caller?.check(() => {
      room.take(blocks.bytes) // both are there for a moment
      return blocks.whole()
    })
    return blocks.whole()
  } finally {
    room.release()
  }
}

async function read(
  body: ReadableStream<Uint8Array> | null,
  room: Room,
  take: (piece: Uint8Array) => void,
): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  let isLate = false
  const end = () => void reader.cancel().catch(() => {})
  const timer = setTimeout(() => {
    isLate = true
    end() // a read that waits is done then
  }, room.ms)
  try {
    for (let got = await reader.read(); !got.done; got = await reader.read()) take(got.value)
  } finally {
    clearTimeout(timer)
    end()
  }
  if (isLate) throw TOO_SLOW
}

/** Of the first MiB; then they are larger, as 20,000 small ones took seconds. */
const BLOCK_BYTES = 16 * 1024
const LARGE_BLOCK_BYTES = 256 * 1024

/**
 * A body as it comes. A list of its pieces would grow with their number (a byte each took a gigabyte for ten million), and
 * one array that grows would be there twice whenever it is copied.
 */
class Blocks {
  bytes = 0
  readonly #room: Room
  readonly #length: number
  #blocks: Uint8Array[] = []
  #taken = 0

  /** `length`: what the head says; blocks take no more than that. */
  constructor(room: Room, length: number) {
    this.#room = room
    this.#length = length
  }

  /** @throws Refused */
  add(piece: Uint8Array): void {
    if (this.bytes + piece.length > this.#room.most) throw this.#room.tooLarge
    for (let from = 0; from < piece.length; ) {
      if (this.bytes === this.#taken) this.#takeBlock()
      const block = this.#blocks.at(-1)!
      const part = piece.subarray(from, from + this.#taken - this.bytes)
      block.set(part, block.length - (this.#taken - this.bytes))
      this.bytes += part.length
      from += part.length
    }
  }

  #takeBlock(): void {
    const left = this.#length - this.bytes
    const most = this.bytes < MiB ? BLOCK_BYTES : LARGE_BLOCK_BYTES
    const size = Math.min(most, left > 0 ? left : this.#room.most - this.bytes)
    this.#room.take(size)
    this.#blocks.push(new Uint8Array(size))
    this.#taken += size
  }

  whole(): Uint8Array {
    if (this.#blocks.length > 1) {
      const whole = new Uint8Array(this.#taken)
      let at = 0
      for (const block of this.#blocks) {
        whole.set(block, at)
        at += block.length
      }
      this.#blocks = [whole]
    }
    return (this.#blocks[0] ?? new Uint8Array()).subarray(0, this.bytes)
  }
}

/** What a body may take where nobody has to sign. */
class Room {
  readonly most: number
  /** Until its last byte is there. A timer waits no longer than this. */
  readonly ms: number = 2 ** 31 - 1

  constructor(most: number = LIMITS.agent_body_bytes) {
    this.most = most
  }

  get tooLarge(): Refused {
    return new Refused('too_large', `the body is longer than ${this.most} bytes`)
  }

  /** The body is to have so many bytes more. @throws Refused */
  take(_bytes: number): void {}

  release(): void {}
}

/** The proofs of bodies that are being read. Whoever recorded one can send it with any number of them. */
const proofs = new Set<string>()

function roomOf(caller: Caller | undefined): Room {
  if (caller === undefined) return new Room()
  return caller.proof && !proofs.has(caller.proof.text) ? new ProvenRoom(caller.proof) : new UnprovenRoom()
}

class ProvenRoom extends Room {
  override readonly ms = LIMITS.agent_arrival_ms
  readonly #text: string

  constructor({ bytes, text }: BodyProof) {
    super(Math.min(bytes, LIMITS.agent_body_bytes))
    this.#text = text
    proofs.add(text)
  }

  override release(): void {
    proofs.delete(this.#text)
  }
}

/** Of all bodies whose senders are not known yet. */
let unproven = 0

class UnprovenRoom extends Room {
  override readonly ms = LIMITS.agent_arrival_ms
  #taken = 0

  constructor() {
    super(LIMITS.agent_unproven_bytes - LIMITS.agent_unproven_spare_bytes)
  }

  override get tooLarge(): Refused {
    return new Refused(
      'too_large',
      `the body is longer than ${this.most} bytes, and no ${BODY_PROOF_HEADER} header of its own shows that its sender has the key: send fewer items in a request`,
    )
  }

  override take(bytes: number): void {
    const isSmall = this.#taken + bytes <= LIMITS.agent_small_body_bytes
    if (unproven + bytes > (isSmall ? LIMITS.agent_unproven_bytes : this.most)) throw FULL
    unproven += bytes
    this.#taken += bytes
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
  `the body did not arrive within ${LIMITS.agent_arrival_ms / 1000} seconds: send fewer items in a request`,
)
