// The last bytes a process wrote, and no more of them than its bound.

/** Empty lines, and what V8 and workerd print when they die: addresses nobody can read. */
const NOISE = /^\s*$|^stack: |^<--- |^\[\d+:0x/

export class LogRing {
  readonly #bound: number
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(bound_bytes: number) {
    this.#bound = bound_bytes
  }

  push(chunk: Buffer): void {
    const kept = chunk.length > this.#bound ? chunk.subarray(chunk.length - this.#bound) : chunk
    this.#chunks.push(kept)
    this.#bytes += kept.length
    while (this.#bytes > this.#bound) this.#bytes -= this.#chunks.shift()!.length
  }

  /** The last lines that are not noise, at most this many characters of them. */
  tail(characters: number): string {
    const lines = Buffer.concat(this.#chunks).toString('utf8').split('\n')
    const text = lines.filter(line => !NOISE.test(line)).join('\n')
    if (text.length <= characters) return text
    const cut = text.slice(-characters)
    return cut.slice(cut.indexOf('\n') + 1)
  }
}
