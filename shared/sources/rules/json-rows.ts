// Cuts a JSON array into the texts of its elements while it arrives. Guarantee: memory is bounded by one chunk and one
// element; an element keeps its exact text, which the caller has to check; an array that does not end is an error,
// never a shorter array.

import { SourceError } from './source.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** The elements, numbered from 1; those that end in one chunk come together. @throws SourceError */
export async function* jsonRows(
  chunks: AsyncIterable<Uint8Array>,
  maxCharacters: number,
): AsyncGenerator<{ line: number; text: string }[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const cutter = new Cutter(maxCharacters)
  for await (const chunk of chunks) {
    const rows = cutter.cut(decoded(() => decoder.decode(chunk, { stream: true }), cutter))
    if (rows.length > 0) yield rows
  }
  decoded(() => decoder.decode(), cutter)
  cutter.end()
}

function decoded(decode: () => string, { row }: Cutter): string {
  try {
    return decode()
  } catch {
    throw new SourceError('is not valid UTF-8', row)
  }
}

class Cutter {
  /** The number of the element that is being read. */
  row = 1
  readonly #max: number
  #state: 'before' | 'within' | 'after' = 'before'
  #element = ''
  #depth = 0
  #inString = false
  #escaped = false

  constructor(max: number) {
    this.#max = max
  }

  cut(text: string): { line: number; text: string }[] {
    const rows: { line: number; text: string }[] = []
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === BACKSLASH) this.#escaped = true
        else if (code === QUOTE) this.#inString = false
        continue
      }
      if (this.#state !== 'within') {
        if (isSpace(code)) continue
        if (this.#state === 'after' || code !== OPEN_BRACKET) throw this.#noArray()
        this.#state = 'within'
        from = at + 1
      } else if (code === QUOTE) this.#inString = true
      else if (code === OPEN_BRACKET || code === OPEN_BRACE) this.#depth++
      else if (this.#depth > 0) {
        if (code === CLOSE_BRACKET || code === CLOSE_BRACE) this.#depth--
      } else if (code === COMMA || code === CLOSE_BRACKET) {
        this.#element += text.slice(from, at)
        from = at + 1
        this.#take(rows, code === COMMA)
        if (code === CLOSE_BRACKET) this.#state = 'after'
      } else if (code === CLOSE_BRACE) throw this.#noArray()
    }
    if (this.#state === 'within') this.#element += text.slice(from)
    if (this.#element.length > this.#max)
      throw new SourceError(`is longer than ${this.#max} characters`, this.row)
    return rows
  }

  end(): void {
    if (this.#state !== 'after')
      throw new SourceError('The source ended before its array did: nothing was taken.', null)
  }

  #take(rows: { line: number; text: string }[], more: boolean): void {
    const text = this.#element.trim()
    this.#element = ''
    if (text === '' && !more && this.row === 1) return // an empty array
    if (text === '') throw new SourceError('holds no value between its commas', this.row)
    rows.push({ line: this.row++, text })
  }

  #noArray(): SourceError {
    return new SourceError('The source is no JSON array of rows; for one value a line say ndjson.', null)
  }
}
