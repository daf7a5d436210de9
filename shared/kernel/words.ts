// Splits a text into the words that a search finds. Guarantee: indexing, queries and marks in excerpts split by the
// same rule: case-insensitive runs of letters, digits and marks of any script.

const WORD = /[\p{L}\p{N}\p{M}]+/gu
// Longer than any word; PostgreSQL keeps no word of more than 2,046 bytes.
const WORD_CHARACTERS = 128

/** The different words of a text in lower case, in order of appearance. */
export function wordsOf(text: string): Set<string> {
  const found = text.toLowerCase().match(WORD) ?? []
  return new Set(text.length > WORD_CHARACTERS ? found.map(cut) : found)
}

const cut = (word: string) =>
  word.length > WORD_CHARACTERS ? word.slice(0, WORD_CHARACTERS).replace(/[\ud800-\udbff]$/, '') : word

/** Replaces escapes such as \n, \t or \u0000 in a JSON text by blanks, so that their letters are not words. */
export function withoutEscapes(json: string): string {
  return json.includes('\\') ? json.replace(/\\(?:u[0-9a-fA-F]{4}|.)/g, ' ') : json
}

/** The tsquery for a search text: all of its words, the last as a prefix from three characters on; null for none. */
export function wordQuery(q: string): string | null {
  const words = [...wordsOf(q)]
  const last = [...wordsOf(q.match(WORD)?.at(-1) ?? '')][0]
  const isPrefix = /[\p{L}\p{N}\p{M}]{3}$/u.test(q)
  const asked = words.map(word => `'${word}'${isPrefix && word === last ? ':*' : ''}`)
  return asked.length === 0 ? null : asked.join(' & ')
}
