// Reads a plain JSON answer that reports what its item did. Guarantee: it becomes the lines of the protocol that say the
// same, so that one reader takes both; every payload keeps its text exactly.

import { oneLine } from '../../json/ndjson.ts'
import { rawElements, rawMembers } from '../../json/raw-members.ts'
import type { PlainReport } from '../../protocol/rules/protocol.ts'
import { ProtocolError } from './step-row.ts'

const KEYS: Record<keyof PlainReport, true> = {
  output: true,
  error: true,
  hold: true,
  steps: true,
  degraded: true,
  schema_error: true,
  version: true,
}
const ENDS = ['output', 'error', 'hold'] as const

/** The lines about an item. @throws ProtocolError when the text is no report */
export function linesOfReport(text: string, item: { seq: number; attempt: number }): string[] {
  const members = membersOf(text)
  const line = (type: string, more: Record<string, string | undefined>) => {
    const { seq, attempt } = item
    const fields = Object.entries({ type: `"${type}"`, seq, attempt, ...more })
    const said = fields.flatMap(([name, value]) => (value === undefined ? [] : [`"${name}":${value}`]))
    return oneLine(`{${said.join()}}`)
  }
  const version = members.get('version')
  const steps = stepsOf(members.get('steps')).map(step => line('step', { step }))
  const [output, error, hold] = ENDS.map(name => members.get(name))
  if (error !== undefined) return [...steps, line('error', { version, error })]
  if (hold !== undefined) return [...steps, line('hold', { version, reason: hold })]
  const [degraded, schema_error] = [members.get('degraded'), members.get('schema_error')]
  return [...steps, line('result', { degraded, schema_error, version, output })]
}

function membersOf(text: string): Map<string, string> {
  if (!isObject(text)) throw new ProtocolError('the report is not a JSON object')
  const members = rawMembers(text)
  if (members === undefined) throw new ProtocolError('the report has a key twice')
  const unknown = [...members.keys()].find(name => !Object.hasOwn(KEYS, name))
  if (unknown !== undefined)
    throw new ProtocolError(
      `the report has the key ${JSON.stringify(unknown.slice(0, 64))}; there are ${Object.keys(KEYS).join(', ')}`,
    )
  // Null is absent, as everywhere in the protocol; only an output may be null.
  for (const [name, value] of members) if (value === 'null' && name !== 'output') members.delete(name)
  const ends = ENDS.filter(name => members.has(name))
  const isFailed = ends.length === 2 && ends[0] === 'output' && members.get('output') === 'null'
  if (ends.length !== 1 && !isFailed)
    throw new ProtocolError(
      ends.length === 0
        ? `the report has none of ${ENDS.join(', ')}`
        : `the report has ${ends.join(' and ')}, and an item ends once`,
    )
  return members
}

function stepsOf(text: string | undefined): string[] {
  if (text === undefined) return []
  if (!text.startsWith('[')) throw new ProtocolError('steps must be a list')
  return rawElements(text)
}

function isObject(text: string): boolean {
  try {
    return text.trimStart().startsWith('{') && JSON.parse(text) !== null
  } catch {
    return false
  }
}
