// Cuts text into the records of a table as a spreadsheet does: a quote opens a value only where the value begins, and
// anywhere else it is text. Guarantee: no stray quote merges rows in silence; memory is bounded by one record and what is
// read at once; the result does not depend on how the text is split.
//
// A quoted value of several lines ends at a quote before a delimiter or a line end. If any other text follows its quote,
// the quote belongs to another value: then the first one was never closed. Within one line, spreadsheets show text after
// a closing quote as part of the value, and so does this.
//
// Tab-separated tables are mostly written without quotes: there a quote is text unless the value closes on its line,
// or its lines would have another number of values than the first line, and together have that number.

import { INPUT_LIMITS } from '../../kernel/limits/input.ts'

/** How quotes are escaped inside quotes, beside doubling them. */
export const ESCAPES = ['spark', 'mysql'] as const
export type Escape = (typeof ESCAPES)[number]

export interface Dialect {
  /** One character. */
  delimiter: string
  escape?: Escape | undefined
}

export interface CsvRecord {
  /** The line it begins on, counted from 1. */
  line: number
  /** How many lines it has. */
  lines: number
  /** Null only for `\N` of MySQL. */
  values: (string | null)[]
  /** Why the record is none, although the next ones can be read. */
  problem?: string
}

/** The text cannot be read from `line` on; the message is a predicate of that line. */
export class CsvError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.name = 'CsvError'
    this.line = line
  }
}

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
const MAX = INPUT_LIMITS.item_input_bytes
/** An open record is read again from its start with every piece, and whoever sends it may send single bytes. */
const SMALL = INPUT_LIMITS.reread_characters

const FROM_HERE = 'cannot be read as CSV, nor what follows:'
const ADVICE =
  'a quote inside quotes is written twice, or with a backslash and --escape spark (\\" alone) or --escape mysql'

interface Field {
  value: string | null
  /** Where the delimiter, the line end or the end of the text is. */
  end: number
  breaks: number
  problem?: string
}

export class CsvReader {
  /** The line of the first character that is not part of a record yet. */
  line = 1
  /** How many values the first record has; set by the caller, for tables with tabs. */
  columns: number | undefined
  readonly #dialect: Dialect
  #text = ''
  #at = 0
  /** What follows the text and was not looked at yet. */
  #more = ''
  /** How long the open record was when it was last looked at. */
  #open = 0
  #isWhole = false
  /** The next of each character at or after `#at`; -1 where it was not looked for yet. */
  #seen: Record<string, number> = {}

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  /** The line on which the text read so far ends. */
  get lastLine(): number {
    return this.line + breaksIn(this.#text.slice(this.#at) + this.#more)
  }

  /** @throws CsvError */
  *read(text: string): Generator<CsvRecord> {
    this.#more += text
    if (!this.#isWhole && this.#open > SMALL && this.#more.length < this.#open / 8) return
    this.#text = this.#text.slice(this.#at) + this.#more
    this.#more = ''
    this.#at = 0
    this.#seen = {}
    for (let record = this.#next(); record !== undefined; record = this.#next()) yield record
    this.#open = this.#text.length - this.#at
  }

  /** @throws CsvError */
  end(): Generator<CsvRecord> {
    this.#isWhole = true
    return this.read('')
  }

  #next(): CsvRecord | undefined {
    this.#passBlankLines()
    const at = this.#at
    const end = this.#lineEnd(at)
    if (at === this.#text.length) return undefined
    if (end === undefined) return this.#tooLong(at, this.line)
    const { delimiter, escape: escaped } = this.#dialect
    if (this.#indexOf('"') >= end && (escaped === undefined || this.#indexOf('\\') >= end))
      return this.#taken({ values: this.#text.slice(at, end).split(delimiter), end, breaks: 0 })
    return delimiter === '\t' && escaped === undefined ? this.#tabbed(end) : this.#quotedRecord(false)
  }

  #passBlankLines(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== LF && code !== CR) return
      if (code === CR && this.#at + 1 === this.#text.length && !this.#isWhole) return
      this.#pass(this.#at)
    }
  }

  /** Moves behind the line end at `end`, if there is one. */
  #pass(end: number): void {
    const code = this.#text.charCodeAt(end)
    this.#at =
      end + (code === CR && this.#text.charCodeAt(end + 1) === LF ? 2 : code === CR || code === LF ? 1 : 0)
    this.line++
  }

  #taken(of: {
    values: CsvRecord['values']
    end: number
    breaks: number
    problem?: string | undefined
  }): CsvRecord {
    const { values, end, breaks, problem } = of
    const record = { line: this.line, lines: breaks + 1, values, ...(problem !== undefined && { problem }) }
    this.line += breaks
    this.#pass(end)
    return record
  }

  /** The end of the line that begins at `from`; undefined if it has not arrived. */
  #lineEnd(from: number): number | undefined {
    const end =
      from === this.#at ? Math.min(this.#indexOf('\n'), this.#indexOf('\r')) : lineEnd(this.#text, from)
    return this.#isThere(end) ? end : undefined
  }

  /** Whether what stands at `end` cannot change by what follows: a CR may be half a line end. */
  #isThere(end: number): boolean {
    if (this.#isWhole) return true
    const last = this.#text.length - 1
    return end < last || (end === last && this.#text.charCodeAt(end) !== CR)
  }

  /** Where a character is next; the text's length if nowhere. Each is looked for once. */
  #indexOf(character: string): number {
    const seen = this.#seen[character] ?? -1
    if (seen >= this.#at) return seen
    const found = this.#text.indexOf(character, this.#at)
    const next = found === -1 ? this.#text.length : found
    this.#seen[character] = next
    return next
  }

  /** Waits for more text. @throws CsvError if there is enough already */
  #tooLong(at: number, line: number): undefined {
    if (this.#text.length - at > MAX) throw new CsvError(line, `${FROM_HERE} it is longer than ${MAX} bytes`)
    return undefined
  }

  /** A record with quotes or escapes in it. With `strictly`, nothing may follow a closing quote. */
  #quotedRecord(strictly: boolean): CsvRecord | undefined {
    const values: CsvRecord['values'] = []
    let [at, breaks, problem]: [number, number, string | undefined] = [this.#at, 0, undefined]
    for (;;) {
      const line = this.line + breaks
      const isQuoted = this.#text.charCodeAt(at) === QUOTE
      const field = isQuoted ? this.#quoted(at, line, strictly) : this.#plain(at)
      if (field === undefined || !this.#isThere(field.end)) return this.#tooLong(this.#at, this.line)
      values.push(field.value)
      breaks += field.breaks
      problem ??= field.problem
      at = field.end
      if (this.#text[at] !== this.#dialect.delimiter) return this.#taken({ values, end: at, breaks, problem })
      at++
    }
  }

  #plain(at: number): Field | undefined {
    if (this.#dialect.escape === 'mysql') return this.#escaped(at)
    const end = this.#boundary(at)
    return { value: this.#text.slice(at, end), end, breaks: 0 }
  }

  #quoted(at: number, line: number, strictly: boolean): Field | undefined {
    const text = this.#text
    let value = ''
    for (let from = at + 1; ; ) {
      const close = this.#closing(from)
      if (close === text.length) {
        if (!this.#isWhole && close - this.#at <= MAX) return undefined
        throw neverClosed(line)
      }
      if (text.charCodeAt(close) !== QUOTE) {
        if (close + 1 === text.length && !this.#isWhole) return undefined
        value += text.slice(from, close) + this.#unescaped(text.charAt(close + 1))
        from = close + 2
        continue
      }
      if (close + 1 === text.length && !this.#isWhole) return undefined
      value += text.slice(from, close)
      from = close + 2
      if (text.charCodeAt(close + 1) !== QUOTE) {
        const field = { value, breaks: breaksIn(text.slice(at, close)), line }
        return this.#closed(field, close + 1, strictly)
      }
      value += '"'
    }
  }

  /** The end of a quoted value, and what a spreadsheet shows of the text behind its closing quote. */
  #closed(
    { value, breaks, line }: { value: string; breaks: number; line: number },
    from: number,
    strictly: boolean,
  ): Field | undefined {
    const end = this.#boundary(from)
    if (!this.#isThere(end)) return undefined
    const rest = this.#text.slice(from, end)
    if (rest.trim() === '') return { value: value + rest, end, breaks }
    if (strictly || breaks > 0) throw neverClosed(line, value.endsWith('\\'))
    const isEscaped = value.endsWith('\\') && this.#dialect.escape === undefined
    return {
      value: value + rest,
      end,
      breaks,
      ...(isEscaped && { problem: `has a quote behind a backslash inside quotes: ${ADVICE}` }),
    }
  }

  /** The next quote or escape; the text's length if there is none. */
  #closing(from: number): number {
    const quote = this.#text.indexOf('"', from)
    const end = quote === -1 ? this.#text.length : quote
    if (this.#dialect.escape === undefined) return end
    for (
      let at = this.#text.indexOf('\\', from);
      at !== -1 && at < end;
      at = this.#text.indexOf('\\', at + 1)
    )
      if (this.#dialect.escape === 'mysql' || /["\\]|^$/.test(this.#text.charAt(at + 1))) return at
    return end
  }

  #unescaped(character: string): string {
    if (this.#dialect.escape === 'spark') return character
    return MYSQL[character] ?? character
  }

  /** A value without quotes in which MySQL escapes delimiters and line ends. */
  #escaped(at: number): Field | undefined {
    const text = this.#text
    let [value, end, breaks] = ['', at, 0]
    for (; ; end += 2) {
      const from = end
      while (end < text.length && text[end] !== '\\' && !this.#isBoundary(text.charCodeAt(end))) end++
      value += text.slice(from, end)
      if (text[end] !== '\\') break
      if (end + 1 === text.length && !this.#isWhole) return undefined
      if (text[end + 1] === '\n') breaks++
      value += this.#unescaped(text.charAt(end + 1))
    }
    return { value: text.slice(at, end) === '\\N' ? null : value, end, breaks }
  }

  #isBoundary(code: number): boolean {
    return code === LF || code === CR || code === this.#dialect.delimiter.charCodeAt(0)
  }

  #boundary(from: number): number {
    let at = from
    while (at < this.#text.length && !this.#isBoundary(this.#text.charCodeAt(at))) at++
    return at
  }

  #tabbed(end: number): CsvRecord | undefined {
    const values = this.#text.slice(this.#at, end).split('\t')
    const opens = values.some(value => value.startsWith('"') && unquoted(value) === undefined)
    if (opens && this.columns !== undefined && this.columns > 1) {
      const isOdd = values.length !== this.columns || this.#isNextShort(end)
      const several = isOdd && this.#strictRecord()
      if (isOdd === undefined || several === undefined) return undefined
      if (several) return several
    }
    return this.#taken({ values: values.map(value => unquoted(value) ?? value), end, breaks: 0 })
  }

  /** Whether the line after `end` has too few values; undefined if it has not arrived. */
  #isNextShort(end: number): boolean | undefined {
    const from = end + (this.#text.startsWith('\r\n', end) ? 2 : 1)
    const next = this.#lineEnd(from)
    if (next === undefined) return this.#text.length - from > MAX ? false : undefined
    return from < this.#text.length && this.#text.slice(from, next).split('\t').length < this.columns!
  }

  /** A record with tabs or line ends in quotes; false if it is none, undefined if its end has not arrived. */
  #strictRecord(): CsvRecord | false | undefined {
    const [at, line] = [this.#at, this.line]
    try {
      const record = this.#quotedRecord(true)
      if (record === undefined || record.values.length === this.columns) return record
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
    }
    ;[this.#at, this.line, this.#seen] = [at, line, {}]
    return false
  }
}

/** What MySQL escapes by a letter; before other characters the backslash is dropped. */
const MYSQL: Record<string, string> = { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\x1a' }

const neverClosed = (line: number, isEscaped = false) =>
  new CsvError(line, `${FROM_HERE} a quote is opened and never closed${isEscaped ? `; ${ADVICE}` : ''}`)

/** The value of a text in quotes that are closed at its end and nowhere before; undefined for any other text. */
function unquoted(text: string): string | undefined {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return undefined
  const inner = text.slice(1, -1)
  return inner.replaceAll('""', '').includes('"') ? undefined : inner.replaceAll('""', '"')
}

function lineEnd(text: string, from: number): number {
  const [lf, cr] = [text.indexOf('\n', from), text.indexOf('\r', from)]
  return Math.min(lf === -1 ? text.length : lf, cr === -1 ? text.length : cr)
}

export const breaksIn = (text: string): number =>
  text.includes('\n') || text.includes('\r') ? (text.match(/\r\n|\n|\r/g)?.length ?? 0) : 0
