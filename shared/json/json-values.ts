// Cuts a text into its JSON values while it arrives: the elements of one array, or values one after the other, on any
// number of lines. Guarantee: memory is bounded by one chunk and one value; a value keeps its exact text, which the
// caller has to check; a text that does not end is an error, never fewer values.

const SPACE = 0x20
const LF = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

export interface JsonRow {
  line: number
  text: string
}

/** The values are an array's elements, or stand one after the other. */
export type JsonShape = 'array' | 'sequence'

/** Why a text is no array or sequence; `row` is the value it is about, from 1, or null. */
export class JsonValuesError extends Error {
  readonly row: number | null

  constructor(message: string, row: number | null) {
    super(message)
    this.name = 'JsonValuesError'
    this.row = row
  }
}

/** The values, numbered from 1; those that end in one chunk come together. @throws JsonValuesError */
export async function* jsonValues(
  chunks: AsyncIterable<Uint8Array>,
  shape: JsonShape,
  maxCharacters: number,
): AsyncGenerator<JsonRow[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const cutter = new Cutter(shape, maxCharacters)
  for await (const chunk of chunks) {
    const rows = cutter.cut(decoded(() => decoder.decode(chunk, { stream: true }), cutter))
    if (rows.length > 0) yield rows
  }
  decoded(() => decoder.decode(), cutter)
  const rows = cutter.end()
  if (rows.length > 0) yield rows
}

function decoded(decode: () => string, { row }: Cutter): string {
  try {
    return decode()
  } catch {
    throw new JsonValuesError('is not valid UTF-8', row)
  }
}

class Cutter {
  /** The number of the value that is being read. */
  row = 1
  readonly #isArray: boolean
  readonly #max: number
  #state: 'before' | 'within' | 'after'
  #value = ''
  #depth = 0
  #inString = false
  #escaped = false

  constructor(shape: JsonShape, max: number) {
    this.#isArray = shape === 'array'
    this.#state = this.#isArray ? 'before' : 'within'
    this.#max = max
  }

  cut(text: string): JsonRow[] {
    const rows: JsonRow[] = []
    let from = 0
    for (let at = 0; at < text.length; at++) {
      if (this.#inString) at = this.#behindString(text, at)
      if (at >= text.length) break
      const code = text.charCodeAt(at)
      if (this.#state !== 'within') {
        if (isSpace(code)) continue
        if (this.#state === 'after' || code !== OPEN_BRACKET) throw this.#noArray()
        this.#state = 'within'
        from = at + 1
      } else if (code === QUOTE) this.#inString = true
      else if (code === OPEN_BRACKET || code === OPEN_BRACE) this.#depth++
      else {
        const end = this.#endAt(code, at)
        if (end === undefined) continue
        this.#value += text.slice(from, end)
        from = at + 1
        this.#take(rows, code)
      }
    }
    if (this.#state === 'within') this.#value += text.slice(from)
    this.#checkLength()
    return rows
  }

  end(): JsonRow[] {
    const rows: JsonRow[] = []
    if (this.#isArray && this.#state !== 'after')
      throw new JsonValuesError('ended before its array did: nothing was taken', null)
    if (this.#depth > 0 || this.#inString)
      throw new JsonValuesError('is not JSON (it does not end)', this.row)
    this.#take(rows, SPACE)
    return rows
  }

  /** The end of the value, if this character, which is outside strings, ends one. */
  #endAt(code: number, at: number): number | undefined {
    const closes = code === CLOSE_BRACKET || code === CLOSE_BRACE
    if (this.#depth > 0) {
      if (closes) this.#depth--
      return closes && this.#depth === 0 && !this.#isArray ? at + 1 : undefined
    }
    if (!this.#isArray) return isSpace(code) ? at : undefined
    if (code === CLOSE_BRACE) throw this.#noArray()
    return code === COMMA || code === CLOSE_BRACKET ? at : undefined
  }

  /** The offset behind the string that `at` is in, or behind the text. */
  #behindString(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#escaped) this.#escaped = false
      else if (code === BACKSLASH) this.#escaped = true
      else if (code === QUOTE) {
        this.#inString = false
        return at + 1
      } else if (code === LF)
        throw new JsonValuesError('is not JSON (a string in it is not closed on its line)', this.row)
    }
    return text.length
  }

  /** Takes the value before a character. */
  #take(rows: JsonRow[], code: number): void {
    this.#checkLength()
    const text = this.#value.trim()
    this.#value = ''
    if (this.#isArray && code === CLOSE_BRACKET) this.#state = 'after'
    if (text !== '') return void rows.push({ line: this.row++, text })
    const isEmptyArray = code === CLOSE_BRACKET && this.row === 1
    if (this.#isArray && this.#state !== 'before' && code !== SPACE && !isEmptyArray)
      throw new JsonValuesError('holds no value between its commas', this.row)
  }

  #checkLength(): void {
    if (this.#value.length > this.#max)
      throw new JsonValuesError(`is longer than ${this.#max} characters`, this.row)
  }

  #noArray(): JsonValuesError {
    return new JsonValuesError('is no JSON array of rows; for one value a line say ndjson', null)
  }
}

/** How JSON values are written: one a line, or as an array or sequence on any number of lines. */
export type JsonWriting = 'lines' | JsonShape

/**
 * How values are written, by the beginning of their text; undefined if more of it must be known.
 *
 * @param isWhole the text ends with `head`
 */
export function writingOf(head: string, isWhole: boolean): JsonWriting | undefined {
  const start = head.search(/[^\s\ufeff]/)
  if (start === -1) return isWhole ? 'lines' : undefined
  const isArray = head[start] === '['
  if (!isArray && head[start] !== '{') return 'lines'
  const end = endOfValue(head, start)
  if (end === 'broken') return 'lines' // as a line, its error says where
  if (end === undefined) {
    const line = head.slice(start).split('\n', 1)[0]!
    if (line.length + start === head.length && !isWhole) return undefined
    // Where JSON is spread over lines, these end behind a bracket or a comma.
    return isArray ? 'array' : /[[{,]\s*$/.test(line) ? 'sequence' : 'lines'
  }
  const isOneLine = !head.slice(start, end).includes('\n')
  const next = head.slice(end).search(/\S/)
  if (next === -1 && !isWhole) return undefined
  const goesOn = next !== -1 && head.slice(end, end + next).includes('\n')
  if (isArray) return isOneLine && goesOn ? 'lines' : 'array'
  if (isOneLine) return !goesOn && /[[{]/.test(head[end + next] ?? '') ? 'sequence' : 'lines'
  return 'sequence'
}

/** Where the value that begins at `start` ends; undefined if its end has not arrived. */
function endOfValue(text: string, start: number): number | 'broken' | undefined {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) {
        if (text.charCodeAt(at) === BACKSLASH) at++
        else if (text.charCodeAt(at) === LF) return 'broken'
      }
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth++
    else if ((code === CLOSE_BRACKET || code === CLOSE_BRACE) && --depth === 0) return at + 1
  }
  return undefined
}
