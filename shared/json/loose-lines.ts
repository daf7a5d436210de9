// Splits a byte stream that is not trusted to be well-formed into lines. Guarantee: a line that cannot be read spoils no
// other line, and no more of it is kept than its beginning and its end; memory is bounded by one chunk and one line.

import { LineError } from './ndjson.ts'

/** A line that is too long, or whose bytes are not UTF-8. */
export interface UnreadableLine {
  problem: string
  /** Its beginning and its end, with U+FFFD for bytes that are not UTF-8. Of a line that is not too long, `head` is all of it. */
  head: string
  tail: string
  bytes: number
}

/** What a chunk completed: its lines in order, without blank ones. */
export interface LineBatch {
  lines: (string | UnreadableLine)[]
  /** The number of each line in the stream, from 1 and with blank ones counted. */
  numbers: number[]
  blank_bytes: number
}

export interface LineBounds {
  /** The longest line that is read. */
  line_bytes: number
  /** The longest that is passed over. */
  skipped_bytes: number
  /** Is shown how a line begins whose end has not come within so many bytes, and may throw. */
  endless?: { bytes: number; seen(head: string): void }
}

const LF = 0x0a
const TAIL_BYTES = 4096
const HEAD_BYTES = 128

/** Reads lines ended by \n or \r\n (optional after the last). @throws LineError for a line longer than `skipped_bytes` */
export async function* looseLines(
  chunks: AsyncIterable<Uint8Array>,
  { line_bytes, skipped_bytes, endless }: LineBounds,
): AsyncGenerator<LineBatch> {
  let open = new OpenLine(line_bytes)
  let seen: OpenLine | undefined
  let ended = 0
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LF) + 1
    if (end > 0) {
      const batch = new Batch(ended)
      let from = 0
      if (open.bytes > 0) {
        from = chunk.indexOf(LF) + 1
        open.push(chunk.subarray(0, from))
        batch.add(open.end())
        open = new OpenLine(line_bytes)
      }
      addLines(batch, chunk.subarray(from, end), line_bytes)
      ended = batch.ended
      yield batch
    }
    if (end < chunk.length) open.push(chunk.subarray(end))
    if (endless !== undefined && open.bytes > endless.bytes && seen !== open) {
      seen = open
      endless.seen(open.head())
    }
    if (open.bytes > skipped_bytes)
      throw new LineError('line_too_long', 0, `a line is longer than ${skipped_bytes} bytes`)
  }
  if (open.bytes === 0) return
  const batch = new Batch(ended)
  batch.add(open.end())
  yield batch
}

class Batch implements LineBatch {
  readonly lines: (string | UnreadableLine)[] = []
  readonly numbers: number[] = []
  blank_bytes = 0
  /** The number of the last line. */
  ended: number

  constructor(ended: number) {
    this.ended = ended
  }

  add(line: string | UnreadableLine): void {
    this.ended++
    if (typeof line === 'string' && isBlank(line)) this.blank_bytes += line.length + 1
    else {
      this.lines.push(line)
      this.numbers.push(this.ended)
    }
  }
}

const isBlank = (line: string): boolean => !(line.charCodeAt(0) > 0x20) && line.trim() === ''

/** A line whose end has not arrived: at most the longest line that is read, and the end of what came after. */
class OpenLine {
  readonly #most: number
  #kept = new Uint8Array(256)
  #length = 0
  #rest = new Uint8Array(0)
  bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Copies the piece: its owner may reuse the buffer, and a short rest should not keep a long chunk alive. */
  push(piece: Uint8Array): void {
    this.bytes += piece.length
    // Two more bytes may be the end of the line.
    const kept = piece.subarray(0, Math.max(0, this.#most + 2 - this.#length))
    if (kept.length > 0) this.#keep(kept)
    const rest = piece.subarray(kept.length)
    if (rest.length === 0) return
    // Grows to twice what is needed, so that a piece of a byte is not copied with all that came before it.
    const end = joined([this.#rest, rest])
    this.#rest = end.length > 2 * TAIL_BYTES ? end.slice(-TAIL_BYTES) : end
  }

  head(): string {
    return new TextDecoder().decode(this.#kept.subarray(0, Math.min(this.#length, HEAD_BYTES)))
  }

  end(): string | UnreadableLine {
    const whole = this.#kept.subarray(0, this.#length)
    if (this.bytes === this.#length) return lineOf(whole, this.#most)
    const tail = joined([whole.subarray(-TAIL_BYTES), this.#rest]).subarray(-TAIL_BYTES)
    return tooLong(whole, tail, this.bytes, this.#most)
  }

  #keep(piece: Uint8Array): void {
    if (this.#length + piece.length > this.#kept.length) {
      const larger = new Uint8Array(Math.max(2 * this.#kept.length, this.#length + piece.length))
      larger.set(this.#kept.subarray(0, this.#length))
      this.#kept = larger
    }
    this.#kept.set(piece, this.#length)
    this.#length += piece.length
  }
}

/** Decodes whole lines at once; only a block that fails is decoded line by line. */
function addLines(batch: Batch, block: Uint8Array, most: number): void {
  if (block.length <= most) {
    const text = strict(block)
    if (text !== undefined) {
      const lines = text.split('\n')
      lines.pop()
      const mayEnd = text.includes('\r')
      for (const line of lines) batch.add(mayEnd ? withoutEnd(line) : line)
      return
    }
  }
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(LF, at) + 1
    batch.add(lineOf(block.subarray(at, end), most))
    at = end
  }
}

function lineOf(bytes: Uint8Array, most: number): string | UnreadableLine {
  const text = strict(bytes)
  const line = withoutEnd(text ?? new TextDecoder().decode(bytes))
  if (bytes.length > most + 2 || (bytes.length > most && new TextEncoder().encode(line).length > most))
    return tooLong(bytes, bytes.slice(-TAIL_BYTES), bytes.length, most)
  if (text !== undefined) return line
  return { problem: 'the line is not valid UTF-8', head: line, tail: '', bytes: bytes.length }
}

function tooLong(head: Uint8Array, tail: Uint8Array, bytes: number, most: number): UnreadableLine {
  const decoder = new TextDecoder()
  return {
    problem: `the line is longer than ${most} bytes`,
    head: decoder.decode(head.subarray(0, Math.min(most, TAIL_BYTES))),
    tail: withoutEnd(decoder.decode(tail)),
    bytes,
  }
}

const withoutEnd = (line: string): string => {
  const text = line.endsWith('\n') ? line.slice(0, -1) : line
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

function strict(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
