// The gate for JSON text from outside: one strict scan, and raw slices of the text instead of parsed values.
// Guarantee: what passes is RFC 8259 JSON within the bounds, without repeated keys, and is kept byte for byte.

import { JsonError } from './json-error.ts'
import { OPEN_BRACE, OPEN_BRACKET, Scan } from './json-scan.ts'

/** Accepts one JSON value with only whitespace around it; throws JsonError otherwise. */
export function checkJson(text: string, limits?: { depth?: number }): void {
  const scan = new Scan(text, limits?.depth)
  scan.end(scan.value(scan.space(0), 0))
}

/** What is wrong with one JSON value, and where; undefined if it can be kept. */
export function problemOf(text: string): string | undefined {
  try {
    checkJson(text)
    return undefined
  } catch (error) {
    if (error instanceof JsonError) return error.message
    throw error
  }
}

/** The members of a text whose root is an object: decoded key to the value's own text. @throws JsonError */
export function fieldsOf(text: string, limits?: { depth?: number }): Map<string, string> {
  const members = membersOf(text, limits)
  const fields = new Map<string, string>()
  for (let at = 0; at < members.length; at += 2) fields.set(members[at]!, members[at + 1]!)
  return fields
}

/** The same as a flat list, each key before its value: building a map takes longer than scanning a short text. */
export function membersOf(text: string, limits?: { depth?: number }): string[] {
  const scan = new Scan(text, limits?.depth)
  const start = scan.space(0)
  if (text.charCodeAt(start) !== OPEN_BRACE) scan.expected(start, 'a JSON object')
  const members: string[] = []
  scan.end(scan.object(start, 1, members))
  return members
}

/** The elements of a text whose root is an array, each as its own text. @throws JsonError */
export function elementsOf(text: string, limits?: { depth?: number }): string[] {
  const scan = new Scan(text, limits?.depth)
  const start = scan.space(0)
  if (text.charCodeAt(start) !== OPEN_BRACKET) scan.expected(start, 'a JSON array')
  const elements: string[] = []
  scan.end(scan.array(start, 1, elements))
  return elements
}
