// Keeps the last bytes that a process wrote, up to a bound.

/** Empty lines, and the raw addresses that V8 and workerd print when they die. */
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

  /** Returns the last lines that are not noise, at most this many characters. */
  tail(characters: number): string {
    const lines = Buffer.concat(this.#chunks).toString('utf8').split('\n')
    const text = lines.filter(line => !NOISE.test(line)).join('\n')
    if (text.length <= characters) return text
    const cut = text.slice(-characters)
    return cut.slice(cut.indexOf('\n') + 1)
  }
}
