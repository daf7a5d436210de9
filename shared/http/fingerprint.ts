// Tells whether two requests say the same, without keeping either.

import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../domain/secrets.ts'

/** A hash fed as the body goes by; `head` stands for what is not in the body. */
export class Fingerprint {
  readonly #hash = sha256.create()

  constructor(head: unknown) {
    this.#hash.update(new TextEncoder().encode(`${JSON.stringify(head)}\n`))
  }

  text(body: string): this {
    this.#hash.update(new TextEncoder().encode(body))
    return this
  }

  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk)
      yield chunk
    }
  }

  /** The digest of what has gone by; the hash may go on. */
  digest(): string {
    return toHex(this.#hash.clone().digest())
  }
}
