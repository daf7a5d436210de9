// Writes values as JSON for a line: each once, and cut if it is longer than a trace keeps.

import { LIMITS } from '../kernel/limits.ts'
import { messageOf } from './errors.ts'
import { ownMask } from './own-mask.ts'

const encoder = new TextEncoder()

/** The value as JSON text; undefined when there is nothing to write. Throws on what JSON cannot express. */
export function jsonOf(value: unknown, what: string, ofStep?: string): string | undefined {
  if (value === undefined) return undefined
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new TypeError(`${named(what, ofStep)} cannot be written as JSON: ${messageOf(error)}`)
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
 * A step's input or output as the trace keeps it, without the agent's own secrets. A value over the limit is
 * replaced by a marker with its true size, its beginning, and an outline whose long texts and lists are cut. An answer
 * is still graded and priced from the outline.
 */
export function payloadOf(value: unknown, what: string, ofStep?: string): string | undefined {
  const text = jsonOf(value, what, ofStep)
  if (text === undefined) return undefined
  const masked = ownMask().json(text)
  return cutText(masked, masked === text ? value : JSON.parse(masked))
}

/** The same for a value whose JSON text is known. */
export function cutText(text: string, value: unknown): string {
  if (!isLongerThan(text, LIMITS.step_payload_bytes)) return text
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

/** Whether a recording is such a marker; if so, its step has to run again. */
export function isCut(recorded: unknown): boolean {
  if (typeof recorded !== 'object' || recorded === null) return false
  const { cut, bytes, head } = recorded as Record<string, unknown>
  return cut === true && typeof bytes === 'number' && typeof head === 'string'
}

/** A copy with only the beginning of long texts, and the beginning and end of long lists. */
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
  // Through JSON, so that values with their own toJSON are outlined as they would be written.
  return outline(JSON.parse(JSON.stringify(value)), 0)
}

/** Keeps the last pieces too: those of a stream hold its tokens and how it ended. */
function endsOf(values: readonly unknown[]): readonly unknown[] {
  const most = LIMITS.outline_entries
  return values.length <= most ? values : [...values.slice(0, most - 4), ...values.slice(-4)]
}
