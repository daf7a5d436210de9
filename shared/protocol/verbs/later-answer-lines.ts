// Reads the lines of a later answer. Guarantee: a line that cannot be read spoils no other; at most LIMITS.answer_lines
// are held; and a line that names no item of the request is named by its number.

import { looseLines, type UnreadableLine } from '../../json/loose-lines.ts'
import { ApiError } from '../../kernel/errors.ts'
import { KiB } from '../../kernel/limits/bytes.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { slices } from '../../kernel/slices.ts'
import { headOf, namedSeq } from '../rules/named-item.ts'
import type { AgentLine } from '../rules/protocol.ts'

/** A line about an item of the request as it was sent, with the fields that decide whether it counts. */
export interface SentLine {
  text: string | UnreadableLine
  type: AgentLine['type'] | undefined
  seq: number
  /** Undefined if the line cannot be read: then it is about the attempt that is awaited. */
  attempt: number | undefined
  /** The step's key; undefined for other lines. */
  key: string | undefined
}

/** A line that names no item of the request. */
export interface PassedOver {
  line: number
  problem: string
}

/** What one POST holds. */
export interface SentLines {
  about: SentLine[]
  /** Whether it says that its agent is alive. */
  beats: boolean
  /** The first lines that were passed over; how many there were in all, and how the first of them begins. */
  passed_over: PassedOver[]
  nameless: { lines: number; first: string } | undefined
  unrecorded_bytes: number
}

/** The items of a request by their seqs. */
interface SeqRange {
  first_seq: number
  last_seq: number
}

/** Names a step within an attempt; steps of the same name are one step. */
export const nameOf = ({ seq, key }: { seq: number; key: string | undefined }) => `${seq} ${key}`

/** @throws ApiError `body_too_large` for too many lines */
export async function linesOf(body: Uint8Array, range: SeqRange): Promise<SentLines> {
  const sent: SentLines = {
    about: [],
    beats: false,
    passed_over: [],
    nameless: undefined,
    unrecorded_bytes: 0,
  }
  let count = 0
  for await (const { lines, numbers, blank_bytes } of looseLines(piecesOf(body), BOUNDS)) {
    await letOthersIn()
    sent.unrecorded_bytes += blank_bytes
    count += lines.length
    if (count > LIMITS.answer_lines) throw tooManyLines()
    for (const [at, line] of lines.entries()) take(sent, range, line, numbers[at]!)
  }
  return sent
}

/** One slice for all bodies: many of them together hold the process no longer than one. */
const letOthersIn = slices()

/** The body has a bound, so each line of it may be passed over. */
const BOUNDS = { line_bytes: LIMITS.agent_line_bytes, skipped_bytes: LIMITS.answer_bytes }

/** In pieces, so that millions of lines are not all split before they are counted. */
async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 64 * KiB) yield body.subarray(at, at + 64 * KiB)
}

function take(sent: SentLines, range: SeqRange, text: string | UnreadableLine, number: number): void {
  const line = read(text)
  const bytes = (typeof text === 'string' ? text.length : text.bytes) + 1
  // What ends an open answer says nothing new here: its items are answered later already.
  if (line.type === 'heartbeat' || line.type === 'later') {
    sent.unrecorded_bytes += sent.beats ? bytes : Math.max(0, bytes - LIMITS.answer_heartbeat_bytes)
    sent.beats = true
    return
  }
  if (line.seq >= range.first_seq && line.seq <= range.last_seq) {
    const { type, seq, attempt, key } = line
    sent.about.push({ text, type, seq, attempt, key })
    return
  }
  sent.unrecorded_bytes += bytes
  sent.nameless ??= { lines: 0, first: headOf(text) }
  sent.nameless.lines++
  if (sent.passed_over.length < LIMITS.answer_passed_over)
    sent.passed_over.push({ line: number, problem: line.problem ?? namesNone(line.seq) })
}

const namesNone = (seq: number) =>
  seq > 0 ? `no item of this address has seq ${seq}` : 'the line names no item by its seq'

interface ReadLine extends Omit<SentLine, 'text'> {
  problem?: string
}

function read(text: string | UnreadableLine): ReadLine {
  if (typeof text !== 'string') return unreadable(text, text.problem)
  try {
    const fields = JSON.parse(text)
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      return unreadable(text, 'the line is not a JSON object')
    const { type, seq, attempt, step } = fields
    return { type, seq: placeOf(seq), attempt: placeOf(attempt), key: keyOf(step?.key) }
  } catch {
    return unreadable(text, 'the line is not JSON')
  }
}

const unreadable = (text: string | UnreadableLine, problem: string): ReadLine => ({
  type: undefined,
  seq: namedSeq(text) ?? 0,
  attempt: undefined,
  key: undefined,
  problem,
})

/** The number, or 0 if it is invalid: no item and no attempt has 0. */
const placeOf = (given: unknown): number =>
  Number.isInteger(given) && (given as number) <= LIMITS.items_per_run ? (given as number) : 0

/** The key as it is stored, so that a recorded step is found. Other types are reported when the step is read. */
const keyOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? plainText(given, LIMITS.step_key_characters) : undefined

/** No line of a POST can be used: so says the first of them. */
export function nothingUsable({ passed_over: [first], nameless }: SentLines): ApiError {
  return badLine(`Line ${first!.line}: ${first!.problem}: ${nameless!.first}`)
}

export const tooMuchUnrecorded = ({ nameless }: SentLines): string =>
  `the agent sent more than ${LIMITS.unrecorded_bytes} bytes that record nothing${nameless === undefined ? '' : `, such as: ${nameless.first}`}`

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
