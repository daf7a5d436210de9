// Reads the lines of a later answer. Guarantee: either all lines of a POST can be read or none is accepted; at most
// LIMITS.answer_lines are held; and an unreadable line is named by its number.

import { LineError, ndjsonLines } from '../../json/ndjson.ts'
import { ApiError } from '../../kernel/errors.ts'
import { KiB } from '../../kernel/limits/bytes.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { type AgentLine, HOLD_KEY } from '../rules/protocol.ts'

/** A line as it was sent, with the fields that decide whether it counts. */
export interface SentLine {
  number: number
  text: string
  type: AgentLine['type']
  seq: number
  attempt: number
  /** The step's key; undefined for other lines. */
  key: string | undefined
}

/** Names a step within an attempt; steps of the same name are one step. */
export const nameOf = ({ seq, key }: { seq: number; key: string | undefined }) => `${seq} ${key}`

/** @throws ApiError `invalid_line` naming the first line that cannot be read, `body_too_large` for too many lines */
export async function linesOf(body: Uint8Array): Promise<SentLine[]> {
  const lines: SentLine[] = []
  try {
    for await (const { first_line, lines: texts } of ndjsonLines(piecesOf(body), LIMITS.agent_line_bytes))
      for (const [at, text] of texts.entries()) {
        if (lines.length === LIMITS.answer_lines) throw tooManyLines()
        lines.push(read(text, first_line + at))
      }
  } catch (error) {
    if (error instanceof LineError) throw badLine(error.message)
    throw error
  }
  return lines
}

/** In pieces, so that millions of lines are not all split before they are counted. */
async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 64 * KiB) yield body.subarray(at, at + 64 * KiB)
}

function read(text: string, number: number): SentLine {
  try {
    const { type, seq, attempt, step } = JSON.parse(text)
    return { number, text, type, seq: placeOf(seq), attempt: placeOf(attempt), key: keyOf(step?.key) }
  } catch {
    throw badLine(`Line ${number} is not a JSON object`)
  }
}

/** The number, or 0 if it is invalid: no item and no attempt has 0. */
const placeOf = (given: unknown): number =>
  Number.isInteger(given) && (given as number) <= LIMITS.items_per_run ? (given as number) : 0

/** The key as it is stored, so that a recorded step is found. Other types are reported when the step is read. */
const keyOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? plainText(given, LIMITS.step_key_characters) : undefined

/** Requires a hold's step and its `hold` line in one POST: the step is written with the hold, and lost without it. */
export function checkHolds(lines: readonly SentLine[]): void {
  for (const { number, seq, attempt, key } of lines) {
    if (key === undefined || !HOLD_KEY.test(key)) continue
    if (!lines.some(one => one.type === 'hold' && one.seq === seq && one.attempt === attempt))
      throw badLine(
        `Line ${number}: the step records a hold, and the item's line "hold" is not in the same POST`,
      )
  }
}

export const badLine = (problem: string) =>
  new ApiError(
    'invalid_line',
    `${problem}. No line of this POST was taken.`,
    'Send the lines of the agent protocol, one JSON object a line.',
  )

const tooManyLines = () =>
  new ApiError(
    'body_too_large',
    `The body has more than ${LIMITS.answer_lines} lines.`,
    'Send the lines in several POSTs, one after the other.',
  )
