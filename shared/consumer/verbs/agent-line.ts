// Reads one line of an agent's answer. Guarantee: an output keeps its text exactly, and what a line has in place of what the
// protocol says is named in the error.

import { ProtocolError } from '../../grading/rules/step-row.ts'
import { rawMembers } from '../../json/raw-members.ts'
import type { Mask } from '../../kernel/masking.ts'
import type { AgentLine } from '../../protocol/rules/protocol.ts'

export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProtocolError('the line is not JSON')
  }
}

export function parse(text: string): AgentLine {
  const line = parsedJson(text)
  if (typeof line !== 'object' || line === null) throw new ProtocolError('a line is not a JSON object')
  return line as AgentLine
}

export type ResultLine = Extract<AgentLine, { type: 'result' }>
export type LineOfItem = Exclude<AgentLine, { type: 'heartbeat' | 'later' }>

/** The beginning of a result as the SDK writes it. */
const RESULT_HEAD = /^\{"type":"result","seq":(\d{1,9}),"attempt":(\d{1,9}),"output":/

/**
 * Reads a result that has only an output; undefined for any other line. The output is parsed alone, so that its text is
 * exactly one JSON value.
 */
export function returnedOf(text: string): { line: ResultLine; output: string } | undefined {
  const head = RESULT_HEAD.exec(text)
  if (head === null || !text.endsWith('}')) return undefined
  const output = text.slice(head[0].length, -1)
  try {
    const line = {
      type: 'result',
      seq: Number(head[1]),
      attempt: Number(head[2]),
      output: JSON.parse(output),
    }
    return { line: line as ResultLine, output: output.trim() }
  } catch {
    return undefined
  }
}

/** The beginning of a step as the SDK writes it. */
const STEP_HEAD = /^\{"type":"step","seq":\d{1,9},"attempt":\d{1,9},"step":/

const AGAIN = ['"seq"', '"step"']

/** The step of a line that was parsed, exactly as it was sent. */
export function stepText(text: string): string {
  const head = STEP_HEAD.exec(text)?.[0].length
  // Unless a name of the head comes again; where another field follows the step, it is read up to its own end.
  if (head !== undefined && text.endsWith('}}') && !AGAIN.some(name => text.includes(name, head)))
    return text.slice(head, -1)
  return fieldText(text, 'step') ?? 'null'
}

/** A field of a line that was parsed, exactly as it was sent. */
export function fieldText(text: string, name: string): string | undefined {
  const members = rawMembers(text)
  if (members === undefined) throw new ProtocolError('the line has a key twice')
  return members.get(name)
}

/** An optional text of an agent; null counts as none. */
export function wordsOf(name: string, given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given === 'string') return given
  throw new ProtocolError(`${name} must be a string`)
}

export function checkedResult({ degraded, schema_error, ...line }: ResultLine, mask: Mask): ResultLine {
  const said = wordsOf('degraded', degraded)
  const mismatch = wordsOf('schema_error', schema_error)
  return {
    ...line,
    ...(said !== undefined && { degraded: mask.text(said) }),
    ...(mismatch !== undefined && { schema_error: mask.text(mismatch) }),
  }
}
