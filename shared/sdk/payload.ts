// Values on their way into a line: written as JSON once, and cut where they are longer than a trace keeps.

import { LIMITS } from '../kernel/limits.ts'

const encoder = new TextEncoder()

/** The value as JSON text; undefined when there is nothing to write. Throws on what JSON cannot express. */
export function jsonOf(value: unknown, what: string, ofStep?: string): string | undefined {
  if (value === undefined) return undefined
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new TypeError(
      `${named(what, ofStep)} cannot be written as JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (text === undefined)
    throw new TypeError(`${named(what, ofStep)} cannot be written as JSON: it is a ${typeof value}`)
  return text
}

const named = (what: string, ofStep: string | undefined) =>
  ofStep === undefined ? what : `${what} of step ${JSON.stringify(ofStep)}`

/** Whether the text takes more than `limit` bytes as UTF-8; most texts are decided without encoding them. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length * 3 <= limit) return false
  return text.length > limit || encoder.encode(text).length > limit
}

/**
 * A step's input or output as the trace keeps it. Beyond the limit a marker takes its place: the true size, the
 * beginning, and an outline with long texts and lists cut, from which an answer is still graded and priced.
 */
export function payloadOf(value: unknown, what: string, ofStep?: string): string | undefined {
  const text = jsonOf(value, what, ofStep)
  if (text === undefined || !isLongerThan(text, LIMITS.step_payload_bytes)) return text
  const head = encoder
    .encode(text.slice(0, LIMITS.step_cut_head_bytes))
    .subarray(0, LIMITS.step_cut_head_bytes)
  return JSON.stringify({
    cut: true,
    bytes: encoder.encode(text).length,
    head: new TextDecoder().decode(head).replace(/\uFFFD$/, ''),
    outline: outlineOf(value),
  })
}

/** Whether a recording is such a marker: then the step has to run again. */
export function isCut(recorded: unknown): boolean {
  if (typeof recorded !== 'object' || recorded === null) return false
  const { cut, bytes, head } = recorded as Record<string, unknown>
  return cut === true && typeof bytes === 'number' && typeof head === 'string'
}

/** The value with the beginning of its texts, and the beginning and the end of its lists. */
export function outlineOf(value: unknown): unknown {
  let left: number = LIMITS.outline_values
  const outline = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return value.slice(0, LIMITS.outline_text_characters).toWellFormed()
    if (typeof value !== 'object' || value === null) return value
    if (depth > LIMITS.outline_depth) return null
    const kept: Record<string, unknown> = {}
    const entries = Array.isArray(value) ? endsOf(value).entries() : Object.entries(value)
    for (const [key, entry] of entries) {
      if (left-- <= 0) break
      kept[key] = outline(entry, depth + 1)
    }
    return Array.isArray(value) ? Object.values(kept) : kept
  }
  // As JSON has it: what has its own way of being written is written so.
  return outline(JSON.parse(JSON.stringify(value)), 0)
}

/** Tokens and the end of a stream stand in its last pieces. */
function endsOf(values: readonly unknown[]): readonly unknown[] {
  const most = LIMITS.outline_entries
  return values.length <= most ? values : [...values.slice(0, most - 4), ...values.slice(-4)]
}
