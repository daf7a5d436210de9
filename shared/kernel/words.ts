// How a text falls into the words that a search finds. Guarantee: what is indexed, what is asked for and what is marked
// in an excerpt are words by the same rule: runs of letters, digits and marks of any script, whatever their case.

const WORD = /[\p{L}\p{N}\p{M}]+/gu
// Longer than any word; PostgreSQL keeps none of more than 2,046 bytes.
const WORD_CHARACTERS = 128

/** The different words of a text, in the order they come. */
export function wordsOf(text: string): Set<string> {
  const found = text.toLowerCase().match(WORD) ?? []
  return new Set(text.length > WORD_CHARACTERS ? found.map(cut) : found)
}

const cut = (word: string) =>
  word.length > WORD_CHARACTERS ? word.slice(0, WORD_CHARACTERS).replace(/[\ud800-\udbff]$/, '') : word

/** A JSON text without what it writes as \n, \t or \u0000: these are blanks, not letters. */
export function withoutEscapes(json: string): string {
  return json.includes('\\') ? json.replace(/\\(?:u[0-9a-fA-F]{4}|.)/g, ' ') : json
}

/** What q asks for, to PostgreSQL: every word of it, the last of which may be the beginning of one; null for no word. */
export function wordQuery(q: string): string | null {
  const words = [...wordsOf(q)]
  const last = [...wordsOf(q.match(WORD)?.at(-1) ?? '')][0]
  const isPrefix = /[\p{L}\p{N}\p{M}]{3}$/u.test(q)
  const asked = words.map(word => `'${word}'${isPrefix && word === last ? ':*' : ''}`)
  return asked.length === 0 ? null : asked.join(' & ')
}
