// Decides whether two requests are equal without keeping either.

import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../kernel/secrets.ts'
import { slices } from '../kernel/slices.ts'

/** Characters hashed at once: a millisecond. */
const PIECE = 256 * 1024

/** A hash fed while the body passes through; `head` stands for everything outside the body. */
export class Fingerprint {
  readonly #hash = sha256.create()

  constructor(head: unknown) {
    this.#hash.update(new TextEncoder().encode(`${JSON.stringify(head)}\n`))
  }

  async text(body: string): Promise<this> {
    const next = slices()
    for (let at = 0; at < body.length; ) {
      // Never between the two halves of a character.
      const end = at + PIECE + Number(/[\ud800-\udbff]/.test(body.charAt(at + PIECE - 1)))
      this.#hash.update(new TextEncoder().encode(body.slice(at, end)))
      at = end
      await next()
    }
    return this
  }

  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk)
      yield chunk
    }
  }

  /** The digest so far; more may be hashed afterwards. */
  digest(): string {
    return toHex(this.#hash.clone().digest())
  }
}
