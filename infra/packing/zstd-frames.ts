// Cuts zstd data at the ends of its frames. Node's decoder drops what follows a frame in the same chunk, without an
// error: files of several frames (pzstd, `cat a.zst b.zst`) would lose most of their rows. Guarantee: no piece has bytes
// of two frames; what is no zstd is passed on for the decoder to refuse.

const MAGIC = 0xfd2fb528
/** Frames that hold no data; the last four bits vary. */
const SKIPPABLE = 0x184d2a50
const RLE = 1

/** What comes next in a frame: `bytes` that are to be known before its length is. */
type Expected = 'magic' | 'skippable size' | 'descriptor' | 'block'
const KNOWN: Record<Expected, number> = { magic: 4, 'skippable size': 4, descriptor: 1, block: 3 }

export async function* zstdFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const frame = new Frame()
  for await (const chunk of chunks) {
    let from = 0
    for (let at = 0; at < chunk.length; ) {
      const { bytes, isEnd } = frame.pass(chunk, at)
      at += bytes
      if (!isEnd) continue
      yield chunk.subarray(from, at)
      from = at
    }
    if (from < chunk.length) yield chunk.subarray(from)
  }
}

class Frame {
  #expected: Expected = 'magic'
  /** What is known of it. */
  #value = 0
  #known = 0
  /** Bytes to pass before it. */
  #left = 0
  #checksum = 0
  #isLast = false
  #isForeign = false

  /** How many bytes at `at` belong together, and whether the frame ends with them. */
  pass(chunk: Uint8Array, at: number): { bytes: number; isEnd: boolean } {
    const there = chunk.length - at
    if (this.#isForeign) return { bytes: there, isEnd: false }
    if (this.#left > 0) {
      const bytes = Math.min(there, this.#left)
      this.#left -= bytes
      return { bytes, isEnd: this.#left === 0 && this.#ended() }
    }
    this.#value += chunk[at]! * 2 ** (8 * this.#known++)
    const isKnown = this.#known === KNOWN[this.#expected]
    if (!isKnown) return { bytes: 1, isEnd: false }
    this.#take(this.#value)
    this.#value = 0
    this.#known = 0
    return { bytes: 1, isEnd: this.#left === 0 && this.#ended() }
  }

  #take(value: number): void {
    if (this.#expected === 'magic') {
      this.#isForeign = value !== MAGIC && value - (value % 16) !== SKIPPABLE
      this.#expected = value === MAGIC ? 'descriptor' : 'skippable size'
    } else if (this.#expected === 'skippable size') {
      this.#left = value
      this.#isLast = true
    } else if (this.#expected === 'descriptor') {
      const isSingle = (value & 0x20) !== 0
      const size = [isSingle ? 1 : 0, 2, 4, 8][value >> 6]!
      this.#left = (isSingle ? 0 : 1) + [0, 1, 2, 4][value & 3]! + size
      this.#checksum = (value & 4) === 0 ? 0 : 4
      this.#expected = 'block'
    } else {
      this.#isLast = (value & 1) === 1
      this.#left = ((value >> 1) & 3) === RLE ? 1 : value >> 3
      if (this.#isLast) this.#left += this.#checksum
    }
  }

  /** Whether the frame has ended, where nothing is left to pass; then the next one begins. */
  #ended(): boolean {
    if (!this.#isLast) return false
    this.#isLast = false
    this.#expected = 'magic'
    return true
  }
}
