// The piece of a text around a hit, with the hit marked. Guarantee: at most SNIPPET_CHARACTERS and the marks, on one
// line, and never cut inside a character.

export const HIT = { open: '«', close: '»' } as const
const SNIPPET_CHARACTERS = 160
const BEFORE_CHARACTERS = 60

/** Where in the fields, taken in their order, the query is met first; null when no word of it is in any of them. */
export function snippetOf<F extends string>(
  fields: readonly (readonly [F, string | null])[],
  query: string,
): { field: F; text: string } | null {
  const words = [query, ...(query.match(/[\p{L}\p{N}]+/gu) ?? [])].filter(word => word.trim() !== '')
  for (const word of words) {
    for (const [field, text] of fields) {
      const at = text === null ? -1 : indexOf(text, word.trim())
      if (at !== -1) return { field, text: around(text!, at, word.trim().length) }
    }
  }
  return null
}

function indexOf(text: string, word: string): number {
  const lower = text.toLowerCase()
  // A few letters change their length with their case; then only the exact spelling is found.
  return lower.length === text.length ? lower.indexOf(word.toLowerCase()) : text.indexOf(word)
}

function around(text: string, at: number, length: number): string {
  const from = Math.max(0, at - BEFORE_CHARACTERS)
  const to = Math.min(text.length, from + Math.max(SNIPPET_CHARACTERS, at - from + length))
  const before = `${from > 0 ? '…' : ''}${whole(text.slice(from, at))}`
  const after = `${whole(text.slice(at + length, to))}${to < text.length ? '…' : ''}`
  return `${before}${HIT.open}${whole(text.slice(at, at + length))}${HIT.close}${after}`
}

/** On one line, and without the half of a character at a cut. */
const whole = (text: string) => text.replace(/\s+/g, ' ').replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
