// Describes what is wrong with a JSON text. Guarantee: it says where, by offset, line and column, and how to fix it.

export type JsonErrorCode = 'invalid_json' | 'duplicate_key' | 'too_deep' | 'number_out_of_range'

/** An error in a JSON text; offset counts UTF-16 units from 0, line and column count from 1. */
export class JsonError extends Error {
  readonly code: JsonErrorCode
  readonly offset: number
  readonly line: number
  readonly column: number

  constructor(code: JsonErrorCode, text: string, offset: number, problem: string, advice: string) {
    const lineStart = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
    let line = 1
    for (let at = text.indexOf('\n'); at !== -1 && at < lineStart; at = text.indexOf('\n', at + 1)) line++
    const column = offset - lineStart + 1
    super(`${problem} at line ${line}, column ${column}: ${advice}`)
    this.name = 'JsonError'
    this.code = code
    this.offset = offset
    this.line = line
    this.column = column
  }
}

/** The character at an offset, as messages show it. */
export function quoted(text: string, at: number): string {
  const c = text.codePointAt(at)!
  return c > 0x20 && c < 0x7f
    ? `"${String.fromCodePoint(c)}"`
    : `U+${c.toString(16).toUpperCase().padStart(4, '0')}`
}
