// Splits a byte stream into lines of strict UTF-8, in memory bounded by one chunk and one line.
// Guarantee: every line that is not blank is returned once, in order, with its number; and blank lines, which record
// nothing, are no more than the others beyond a bound.

import { INPUT_LIMITS } from '../kernel/limits/input.ts'

export type LineErrorCode = 'invalid_utf8' | 'line_too_long' | 'blank_lines'

/** A line that cannot be read as text; `line` counts from 1. */
export class LineError extends Error {
  readonly code: LineErrorCode
  readonly line: number

  constructor(code: LineErrorCode, line: number, message: string) {
    super(message)
    this.name = 'LineError'
    this.code = code
    this.line = line
  }
}

/** Consecutive lines: `lines[i]` is line `first_line + i` of the stream. A blank line ends a batch. */
export interface LineBatch {
  first_line: number
  lines: string[]
}

const LF = 0x0a
const CR = 0x0d

/** Reads lines ended by \n or \r\n (optional after the last), in a batch or a few for each chunk. @throws LineError */
export async function* ndjsonLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<LineBatch> {
  let next = 1
  const blanks = new Blanks()
  let open: Uint8Array[] = []
  let openBytes = 0
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LF) + 1
    if (end > 0) {
      const block = joined(open, chunk.subarray(0, end))
      const text = decodeLines(block, next, maxLineBytes)
      const lines = text.split('\n')
      lines.pop()
      yield* batchesOf(lines, next, blanks)
      next += lines.length
      open = []
      openBytes = 0
    }
    if (end < chunk.length) {
      // Copied: the source may reuse its buffer, and a short rest should not keep a long chunk alive.
      open.push(chunk.slice(end))
      openBytes += chunk.length - end
      // The extra byte may be the \r before a \n that has not arrived yet.
      if (openBytes > maxLineBytes + 1) throw tooLong(next, maxLineBytes)
    }
  }
  if (openBytes > 0) {
    yield* batchesOf([decodeLines(joined(open, new Uint8Array(0)), next, maxLineBytes)], next, blanks)
  }
}

function joined(open: Uint8Array[], last: Uint8Array): Uint8Array {
  if (open.length === 0) return last
  const whole = new Uint8Array(open.reduce((bytes, piece) => bytes + piece.length, last.length))
  let at = 0
  for (const piece of open) {
    whole.set(piece, at)
    at += piece.length
  }
  whole.set(last, at)
  return whole
}

/** Decodes whole lines at once; only a block that fails is checked line by line. */
function decodeLines(block: Uint8Array, firstLine: number, maxLineBytes: number): string {
  if (block.length > maxLineBytes) checkLengths(block, firstLine, maxLineBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: firstLine > 1 })
  try {
    return decoder.decode(block)
  } catch {
    let line = firstLine
    for (let at = 0; at < block.length; line++) {
      const end = lineEnd(block, at)
      if (!isUtf8(block.subarray(at, end))) break
      at = end + 1
    }
    throw new LineError(
      'invalid_utf8',
      line,
      `Line ${line} is not valid UTF-8: send the text encoded as UTF-8`,
    )
  }
}

function checkLengths(block: Uint8Array, firstLine: number, maxLineBytes: number): void {
  let line = firstLine
  for (let at = 0; at < block.length; line++) {
    const end = lineEnd(block, at)
    const bytes = end > at && block[end - 1] === CR ? end - 1 - at : end - at
    if (bytes > maxLineBytes) throw tooLong(line, maxLineBytes)
    at = end + 1
  }
}

function lineEnd(block: Uint8Array, from: number): number {
  const end = block.indexOf(LF, from)
  return end === -1 ? block.length : end
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Weighs blank lines, of which there may be one after each line, or some at the end. */
class Blanks {
  #left: number = INPUT_LIMITS.blank_bytes

  /** @throws LineError */
  count(line: string, isBlank: boolean, number: number): void {
    const bytes = line.length + 1
    this.#left += isBlank ? -bytes : bytes
    if (this.#left >= 0) return
    const message = `Line ${number} is blank, as are more than ${INPUT_LIMITS.blank_bytes} bytes of lines beyond what the others have: leave blank lines out`
    throw new LineError('blank_lines', number, message)
  }
}

function* batchesOf(lines: string[], firstLine: number, blanks: Blanks): Generator<LineBatch> {
  let batch: LineBatch | undefined
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]!
    const text = line.charCodeAt(line.length - 1) === CR ? line.slice(0, -1) : line
    const isNothing = isBlank(text)
    blanks.count(text, isNothing, firstLine + index)
    if (isNothing) {
      if (batch !== undefined) yield batch
      batch = undefined
    } else {
      batch ??= { first_line: firstLine + index, lines: [] }
      batch.lines.push(text)
    }
  }
  if (batch !== undefined) yield batch
}

/** Whether it holds only what JSON calls whitespace. */
function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c !== 0x20 && c !== 0x09 && c !== CR) return false
  }
  return true
}

function tooLong(line: number, maxLineBytes: number): LineError {
  const message = `Line ${line} is longer than ${maxLineBytes} bytes: send a smaller item, or a link to its content`
  return new LineError('line_too_long', line, message)
}

/** JSON on one line: line ends between its tokens become spaces; inside strings they cannot occur raw. */
export const oneLine = (json: string) =>
  json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json
