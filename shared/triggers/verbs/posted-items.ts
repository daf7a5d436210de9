// Reads the body of a fire as items. Guarantee: an item keeps the text that was sent, except that line ends between
// JSON tokens become blanks; if one item is bad, none is taken.

import { elementsOf } from '../../json/json.ts'
import { oneLine } from '../../json/ndjson.ts'
import { ApiError } from '../../kernel/errors.ts'
import { type BodySource, fieldsOf } from '../../sources/rules/source.ts'
import type { NewItem } from '../../submission/rules/chunks.ts'
import { BadLines, linesOfRows } from '../../submission/rules/file-items.ts'
import { jsonRows } from '../../submission/rules/file-rows.ts'
import type { Row } from '../../submission/rules/rows.ts'
import { itemsOfLines } from '../../submission/verbs/item-lines.ts'

/** The body as sent: the text of a JSON value that has passed the gate, or the bytes of JSON lines. */
export type Posted = { text: string } | { lines: Uint8Array }

const ROWS_AT_ONCE = 500

/** @throws ApiError `invalid_request` where it is no array, `invalid_line` naming the items that cannot be taken */
export async function* postedItems(source: BodySource, posted: Posted): AsyncGenerator<NewItem[]> {
  const fields = fieldsOf(source)
  try {
    yield* itemsOfLines(linesOfRows('The body', rowsOf(posted), fields))
  } catch (error) {
    if (!(error instanceof BadLines)) throw error
    throw new ApiError(
      'invalid_line',
      `Nothing was accepted: ${error.named.join(' ')}`,
      'Items of an array are counted like lines, from 1.',
    )
  }
}

async function* rowsOf(posted: Posted): AsyncGenerator<readonly Row[]> {
  if ('lines' in posted) return yield* jsonRows(whole(posted.lines))
  if (!posted.text.trimStart().startsWith('['))
    throw new ApiError(
      'invalid_request',
      'The body is no JSON array: this trigger takes many items.',
      'Send [item, item, …] as application/json, or an item a line as application/x-ndjson.',
    )
  const texts = elementsOf(posted.text)
  for (let at = 0; at < texts.length; at += ROWS_AT_ONCE)
    yield texts.slice(at, at + ROWS_AT_ONCE).map((text, n) => ({ line: at + n + 1, text: oneLine(text) }))
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
