// Reads the records of a table, whose delimiter is found in its first line. Guarantee: memory is bounded by one chunk
// and one record; a value keeps its exact text; a record's line is the one it begins on.

import { CsvError, CsvReader, type CsvRecord, type Dialect, type Escape } from './csv-reader.ts'

export { CsvError, type CsvRecord, ESCAPES, type Escape } from './csv-reader.ts'

/** Where two occur equally often, the first: names have no tabs, but may have commas. */
const DELIMITERS = ['\t', ',', ';', '|']
/** The longest first line to wait for; beyond it, the delimiter is chosen by the text so far. */
const HEADER_CHARACTERS = 64 * 1024

export interface TableChoices {
  escape?: Escape | undefined
  /** The file is named as one with tabs. */
  tabs?: boolean | undefined
  /** Called with what was found, before the first record. */
  found?: ((dialect: Dialect) => void) | undefined
}

/** Yields the records of each chunk, without blank lines. @throws CsvError */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  choices: TableChoices = {},
): AsyncGenerator<CsvRecord[]> {
  let reader: CsvReader | undefined
  let head = ''
  for await (const { text, isLast, problem } of decoded(chunks)) {
    head += text
    if (reader === undefined) {
      if (!isLast && head.length < HEADER_CHARACTERS && !(text.includes('\n') && /\S/.test(head))) continue
      const { rest, dialect } = startOf(head, choices)
      reader = new CsvReader(dialect)
      if (rest !== head) reader.line = 2
      choices.found?.(dialect)
      head = rest
    }
    yield* taken(reader, head, isLast && problem === undefined)
    head = ''
    if (problem !== undefined) throw new CsvError(reader.lastLine, problem)
  }
}

/** The records before an error are passed on. */
function* taken(reader: CsvReader, text: string, isLast: boolean): Generator<CsvRecord[]> {
  const records: CsvRecord[] = []
  try {
    for (const record of reader.read(text)) {
      reader.columns ??= record.values.length
      records.push(record)
    }
    if (isLast) for (const record of reader.end()) records.push(record)
  } finally {
    if (records.length > 0) yield records
  }
}

/** The text of each chunk; where it is not UTF-8, what stands before, and why it ends there. */
async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ text: string; isLast: boolean; problem?: string }> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch {
      return undefined
    }
  }
  for await (const chunk of chunks) {
    const text = decode(chunk)
    if (text === undefined) return yield { text: goodPart(chunk), isLast: true, problem: NOT_UTF8 }
    if (text !== '') yield { text, isLast: false }
  }
  const rest = decode()
  yield rest === undefined ? { text: '', isLast: true, problem: NOT_UTF8 } : { text: rest, isLast: true }
}

const NOT_UTF8 =
  'is not UTF-8, and perhaps Latin-1 (Windows-1252): save the file as UTF-8; what follows was not read'

/** The text before the first bytes that are not UTF-8; a character that an earlier chunk began is left out. */
function goodPart(chunk: Uint8Array): string {
  let begin = 0
  while (begin < 3 && (chunk[begin]! & 0xc0) === 0x80) begin++
  let [good, bad] = [begin, chunk.length + 1]
  const upTo = (end: number) => {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(chunk.subarray(begin, end), {
        stream: true,
      })
    } catch {
      return undefined
    }
  }
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (upTo(middle) === undefined) bad = middle
    else good = middle
  }
  return upTo(good) ?? ''
}

/** What a text begins with: its dialect, and the text behind the line in which Excel names the delimiter. */
function startOf(head: string, choices: TableChoices): { rest: string; dialect: Dialect } {
  const { tabs, escape: escaped } = choices
  const named = /^"?sep=([^\r\n])"?(\r\n|\n|\r)/i.exec(head)
  const rest = head.slice(named?.[0].length ?? 0)
  return { rest, dialect: { delimiter: named?.[1] ?? (tabs ? '\t' : delimiterOf(rest)), escape: escaped } }
}

/** The delimiter that occurs most often in the first line, outside its quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1)
  // A name of several lines stands in quotes that its first line does not close.
  const header = (line.split('"').length % 2 === 1 ? line : text.trimStart())
    .replace(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)[0]!
  const counts = DELIMITERS.map(delimiter => header.split(delimiter).length)
  const most = Math.max(...counts)
  return most === 1 ? ',' : DELIMITERS[counts.indexOf(most)]!
}
