// The records of a CSV text (RFC 4180). Guarantee: memory is bounded by one chunk and one record; a value is the very
// text that stands there; a record is named by the line it begins on; what is doubtful is refused, not guessed.

import { LIMITS } from './limits.ts'

const DELIMITERS = [',', ';', '\t']
/** What a first line may be long; beyond it, its delimiter is judged by what came so far. */
const HEADER_CHARACTERS = 64 * 1024

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d

export interface CsvRecord {
  /** Counts from 1. */
  line: number
  values: string[]
}

/** The text cannot be read from a line on. */
export class CsvError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.name = 'CsvError'
    this.line = line
  }
}

/** Blank lines are left out. Those of one chunk come at once. @throws CsvError */
export async function* csvRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord[]> {
  const decoder = new TextDecoder()
  let rest = ''
  let line = 1
  let delimiter: string | undefined
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    if (delimiter === undefined && !rest.includes('\n') && rest.length < HEADER_CHARACTERS) continue
    delimiter ??= delimiterOf(rest)
    const read = readRecords(rest, line, delimiter, false)
    if (read.records.length > 0) yield read.records
    rest = rest.slice(read.end)
    line = read.line
    if (read.problem !== undefined) throw new CsvError(line, read.problem)
    if (rest.length > LIMITS.item_input_bytes)
      throw new CsvError(line, `is longer than ${LIMITS.item_input_bytes} characters`)
  }
  rest += decoder.decode()
  const read = readRecords(rest, line, delimiter ?? delimiterOf(rest), true)
  if (read.records.length > 0) yield read.records
  if (read.problem !== undefined) throw new CsvError(read.line, read.problem)
}

/** The delimiter that the first line has most of. */
function delimiterOf(text: string): string {
  const header = (text.split(/[\r\n]/, 1)[0] ?? '').replace(/"[^"]*"/g, '')
  const count = (delimiter: string) => header.split(delimiter).length
  return DELIMITERS.reduce((best, other) => (count(other) > count(best) ? other : best))
}

/** As many whole records as a text begins with; `end` and `line` are where the next one begins. */
function readRecords(text: string, first_line: number, delimiter: string, isLast: boolean) {
  const records: CsvRecord[] = []
  let end = 0
  let line = first_line
  while (end < text.length) {
    const read = readRecord(text, end, delimiter.charCodeAt(0), isLast)
    if (read === undefined) break
    if (typeof read === 'string') return { records, end, line, problem: read }
    const isBlank = read.values.length === 1 && read.values[0] === '' && text.charCodeAt(end) !== QUOTE
    if (!isBlank) records.push({ line, values: read.values })
    line += 1 + read.breaks
    end = read.end
  }
  return { records, end, line, problem: undefined }
}

/** Undefined where more of the text is needed to tell; words where it cannot be read. */
function readRecord(text: string, start: number, delimiter: number, isLast: boolean) {
  const values: string[] = []
  let breaks = 0
  for (let at = start; ; at++) {
    const isQuoted = text.charCodeAt(at) === QUOTE
    const value = isQuoted ? quotedValue(text, at, isLast) : plainValue(text, at, delimiter)
    if (value === undefined || typeof value === 'string') return value
    values.push(value.text)
    if (isQuoted) breaks += value.text.match(/\r\n|\n|\r/g)?.length ?? 0
    at = value.end
    const c = text.charCodeAt(at)
    if (c === delimiter) continue
    if (at === text.length) return isLast ? { values, breaks, end: at } : undefined
    if (c === LF) return { values, breaks, end: at + 1 }
    if (c !== CR) return 'something stands behind a closing quote'
    if (at + 1 === text.length && !isLast) return undefined
    return { values, breaks, end: text.charCodeAt(at + 1) === LF ? at + 2 : at + 1 }
  }
}

function quotedValue(text: string, start: number, isLast: boolean) {
  let value = ''
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote === -1) return isLast ? 'a quote is opened and never closed' : undefined
    if (text.charCodeAt(quote + 1) !== QUOTE) {
      // At the end of a chunk it may be the first half of a doubled one.
      if (quote + 1 === text.length && !isLast) return undefined
      return { text: value + text.slice(from, quote), end: quote + 1 }
    }
    value += text.slice(from, quote + 1)
    from = quote + 2
  }
}

function plainValue(text: string, start: number, delimiter: number) {
  for (let at = start; ; at++) {
    const c = text.charCodeAt(at)
    if (c === QUOTE) return 'a quote stands inside a value that does not begin with one'
    if (c === delimiter || c === LF || c === CR || at >= text.length)
      return { text: text.slice(start, at), end: at }
  }
}
