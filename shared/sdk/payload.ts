// Values on their way into a line: written as JSON once, and cut where they are longer than a trace keeps.

import { LIMITS } from '../domain/limits.ts'

const encoder = new TextEncoder()

/** The value as JSON text; undefined when there is nothing to write. Throws on what JSON cannot express. */
export function jsonOf(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw new TypeError(
      `${what} cannot be written as JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
  if (text === undefined) throw new TypeError(`${what} cannot be written as JSON: it is a ${typeof value}`)
  return text
}

/** Whether the text takes more than `limit` bytes as UTF-8; most texts are decided without encoding them. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length * 3 <= limit) return false
  return text.length > limit || encoder.encode(text).length > limit
}

/**
 * A step's input or output as the trace keeps it. Beyond the limit a marker takes its place: the true size, the
 * beginning, and the `model` and `usage` of a provider's response, so that the step is still priced.
 */
export function payloadOf(value: unknown, what: string): string | undefined {
  const text = jsonOf(value, what)
  if (text === undefined || !isLongerThan(text, LIMITS.step_payload_bytes)) return text
  const head = encoder
    .encode(text.slice(0, LIMITS.step_cut_head_bytes))
    .subarray(0, LIMITS.step_cut_head_bytes)
  return JSON.stringify({
    cut: true,
    bytes: encoder.encode(text).length,
    head: new TextDecoder().decode(head).replace(/\uFFFD$/, ''),
    ...small(value, 'model'),
    ...small(value, 'usage'),
  })
}

/** Whether a recording is such a marker: then the step has to run again. */
export function isCut(recorded: unknown): boolean {
  if (typeof recorded !== 'object' || recorded === null) return false
  const { cut, bytes, head } = recorded as Record<string, unknown>
  return cut === true && typeof bytes === 'number' && typeof head === 'string'
}

function small(value: unknown, key: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || !(key in value)) return {}
  const part = (value as Record<string, unknown>)[key]
  const text = JSON.stringify(part)
  return text !== undefined && text.length <= LIMITS.step_cut_head_bytes ? { [key]: part } : {}
}
