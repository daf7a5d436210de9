// Builds JSON from values and from texts that are JSON already. Guarantee: a raw text reaches the answer byte for byte.

import { LIMITS } from '../kernel/limits.ts'
import { oneLine } from './ndjson.ts'

export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export function rawJson(text: string): RawJson
export function rawJson(text: string | null): RawJson | null
export function rawJson(text: string | null): RawJson | null {
  return text === null ? null : new RawJson(text)
}

/** Like JSON.stringify, with raw texts spliced in; undefined members are left out. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  if (value === null || typeof value !== 'object' || 'toJSON' in value) return JSON.stringify(value) ?? 'null'
  let text = ''
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${toJson(member)}`
  }
  return `{${text}}`
}

/** One value a line, in pieces of text. */
export async function* jsonLines<T>(
  chunks: AsyncIterable<T[]>,
  shape: (row: T) => unknown,
): AsyncGenerator<string> {
  for await (const rows of chunks) yield* inPieces(rows, row => `${oneLine(toJson(shape(row)))}\n`)
}

/** One array, in pieces of text. */
export async function* jsonArray<T>(
  chunks: AsyncIterable<T[]>,
  shape: (row: T) => unknown,
): AsyncGenerator<string> {
  let before = '['
  for await (const rows of chunks)
    yield* inPieces(rows, row => {
      const text = before + toJson(shape(row))
      before = ','
      return text
    })
  yield before === '[' ? '[]' : ']'
}

/** Joins the texts of rows until they are long enough to send, so rows of megabytes do not hold up the process. */
function* inPieces<T>(rows: readonly T[], textOf: (row: T) => string): Generator<string> {
  let text = ''
  for (const row of rows) {
    text += textOf(row)
    if (text.length < LIMITS.piece_characters) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
