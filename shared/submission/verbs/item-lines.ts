// Turns submitted text into items. Guarantee: an input keeps the exact text it was sent as, and the error for a bad
// submission names its bad lines, up to LIMITS.bad_lines_named.

import { type BadLine, describeLines } from '../../json/bad-lines.ts'
import { membersOf } from '../../json/json.ts'
import { JsonError } from '../../json/json-error.ts'
import { LineError, ndjsonLines } from '../../json/ndjson.ts'
import { ApiError } from '../../kernel/errors.ts'
import { keyProblem } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { NewItem } from '../rules/chunks.ts'

/** Why a line is not an item. */
class BadItem extends Error {}

/** Reads `{input, item_id?, partition_key?}`; throws BadItem or JsonError. A hot path: 1 to 2 µs a line. */
export const parseItemLine = (text: string, line: number): NewItem => itemOf(membersOf(text), line, true)

/** Makes an item of an object's members; with `isAll`, members that are not an item's are an error. */
function itemOf(members: readonly string[], line: number, isAll: boolean): NewItem {
  const item: NewItem = { line, item_id: null, partition_key: null, input: '' }
  for (let at = 0; at < members.length; at += 2) {
    const [name, raw] = [members[at]!, members[at + 1]!]
    if (name === 'input') item.input = raw
    else if (name === 'item_id') item.item_id = keyOf(name, raw, LIMITS.item_id_bytes)
    else if (name === 'partition_key') item.partition_key = keyOf(name, raw, LIMITS.partition_key_bytes)
    else if (isAll) throw new BadItem(`unknown field ${JSON.stringify(name)}`)
  }
  if (item.input === '') throw new BadItem('input is missing')
  if (isOver(item.input, LIMITS.item_input_bytes)) {
    throw new BadItem(`input is longer than ${LIMITS.item_input_bytes} bytes`)
  }
  return item
}

function keyOf(name: string, raw: string, maxBytes: number): string {
  if (raw.charCodeAt(0) !== 0x22) throw new BadItem(`${name} must be a string`)
  const text: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
  const problem = keyProblem(text, maxBytes)
  if (problem !== undefined) throw new BadItem(`${name} ${problem}`)
  return text
}

const encoder = new TextEncoder()
// UTF-8 takes at most three bytes for a UTF-16 unit: most texts need no measuring.
const isOver = (text: string, bytes: number) => text.length * 3 > bytes && encoder.encode(text).length > bytes

/** Yields the items of a stream of lines; memory is bounded by one chunk of it. @throws ApiError `invalid_line` */
export async function* itemsOfLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<NewItem[]> {
  const bad: BadLine[] = []
  try {
    for await (const { first_line, lines } of ndjsonLines(chunks, LIMITS.item_line_bytes)) {
      const items = parsed(lines, first_line, bad, parseItemLine)
      if (bad.length >= LIMITS.bad_lines_named) break
      if (bad.length === 0) yield items
    }
  } catch (error) {
    if (!(error instanceof LineError)) throw error
    bad.push({ line: error.line, problem: error.message.replace(/^Line \d+ /, '') }) // no later line can be read
  }
  if (bad.length > 0) throw refusal('invalid_line', 'line', bad)
}

/** Yields the one item of a run's body, whose other members are run settings. @throws ApiError `invalid_request` */
export async function* itemOfBody(text: string): AsyncGenerator<NewItem[]> {
  yield allOf([text], (one, line) => itemOf(membersOf(one), line, false))
}

/** Yields the items of a list whose elements arrive in pieces. @throws ApiError `invalid_request` */
export async function* itemsOfList(pieces: AsyncIterable<readonly string[]>): AsyncGenerator<NewItem[]> {
  const bad: BadLine[] = []
  let first = 1
  for await (const piece of pieces) {
    const items = parsed(piece, first, bad, parseItemLine)
    first += piece.length
    if (bad.length >= LIMITS.bad_lines_named) break
    if (bad.length === 0) yield items
  }
  if (bad.length > 0) throw refusal('invalid_request', 'item', bad)
}

function allOf(given: readonly string[], parse: Parse): NewItem[] {
  const bad: BadLine[] = []
  const items = parsed(given, 1, bad, parse)
  if (bad.length > 0) throw refusal('invalid_request', 'item', bad)
  return items
}

type Parse = (text: string, line: number) => NewItem

/** Parses lines until LIMITS.bad_lines_named of them are bad. */
function parsed(given: readonly string[], first: number, bad: BadLine[], parse: Parse): NewItem[] {
  const items: NewItem[] = []
  for (let at = 0; at < given.length && bad.length < LIMITS.bad_lines_named; at++) {
    try {
      items.push(parse(given[at]!, first + at))
    } catch (error) {
      if (!(error instanceof BadItem || error instanceof JsonError)) throw error
      const problem =
        error instanceof JsonError ? error.message.replace(' at line 1, column', ' at column') : error.message
      bad.push({ line: first + at, problem })
    }
  }
  return items
}

function refusal(code: 'invalid_line' | 'invalid_request', noun: 'line' | 'item', bad: BadLine[]): ApiError {
  const more = bad.length >= LIMITS.bad_lines_named ? ' There may be more.' : ''
  const named = describeLines(bad, noun).map(words => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`)
  return new ApiError(
    code,
    `Nothing was accepted. ${named.join(' ')}${more}`,
    'Each item is {"input": any JSON, "item_id"?: string, "partition_key"?: string}.',
  )
}
