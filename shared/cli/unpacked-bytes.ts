// Bounds what a file that is small outside may hold inside. Guarantee: a file of any size may unpack to SURE_BYTES, and beyond
// that to TIMES its own size, which is several times what tables do; what unpacks to more ends with one sentence.

import { NotText } from '../submission/rules/file-text.ts'
import { bytes } from './format.ts'

const SURE_BYTES = 256 * 1024 * 1024
const TIMES = 200

export class UnpackedBytes {
  readonly #most: number
  readonly #size: number
  #count = 0

  constructor(size: number, sure = SURE_BYTES) {
    this.#size = size
    this.#most = Math.max(sure, TIMES * size)
  }

  /** @throws NotText */
  add(count: number, what: string): void {
    this.#count += count
    if (this.#count > this.#most)
      throw new NotText(
        `holds over ${bytes(this.#most)} in ${what}, more than ${TIMES} times its own ${bytes(this.#size)}, as no table does: look at it, and save it as CSV`,
      )
  }

  async *counted(part: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.add(chunk.length, part)
      yield chunk
    }
  }
}
