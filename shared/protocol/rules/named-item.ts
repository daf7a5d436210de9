// Finds the item that a line is about when the line itself cannot be read. Guarantee: only a line that begins as an
// object names an item, by a field `seq` of its own and not by one inside a value or a text.

import type { UnreadableLine } from '../../json/loose-lines.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'

/** The beginning of a line, for people. */
export const headOf = (line: string | UnreadableLine): string =>
  plainText(typeof line === 'string' ? line : line.head, LIMITS.unrecorded_words)

/** The number that the line names; undefined if it names none. */
export function namedSeq(line: string | UnreadableLine): number | undefined {
  if (typeof line === 'string') return seqOf(line)
  return seqOf(line.head) ?? seqAtEnd(line.tail)
}

const OPENING = new Set(['{', '['])
const CLOSING = new Set(['}', ']'])
const SEQ = /^\s*:\s*(\d{1,9})(?!\d)/

/**
 * Walks over the fields of the outermost object as far as they are there. It takes single quotes too, since Python
 * prints a dict with them, and values that are not JSON, such as NaN.
 */
function seqOf(text: string): number | undefined {
  const start = text.search(/\S/)
  if (start === -1 || text[start] !== '{') return undefined
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const c = text[at]!
    if (OPENING.has(c)) depth++
    else if (CLOSING.has(c) && --depth === 0) return undefined
    else if (c === '"' || c === "'") {
      const end = endOfText(text, at, c)
      const [, seq] =
        (depth === 1 && text.slice(at + 1, end) === 'seq' && SEQ.exec(text.slice(end + 1, end + 32))) || []
      if (seq !== undefined) return Number(seq)
      at = end
    }
  }
  return undefined
}

function endOfText(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at
  }
  return text.length
}

/** The last fields of a line of which only the end is there: short ones, after an output that came first. */
const LAST_FIELDS =
  /[}\]"\d]\s*,\s*((?:"(?:seq|attempt|type)"\s*:\s*(?:\d{1,9}|"[a-z]*")\s*(?:,\s*)?)+)\}\s*$/

function seqAtEnd(tail: string): number | undefined {
  const [, fields] = LAST_FIELDS.exec(tail) ?? []
  const [, seq] = /"seq"\s*:\s*(\d{1,9})/.exec(fields ?? '') ?? []
  return seq === undefined ? undefined : Number(seq)
}
