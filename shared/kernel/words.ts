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

/**
 * Replaces the escapes of a JSON text by what they stand for, and those such as \n by blanks, so that their letters are
 * not words. Clients in Python write every letter beyond ASCII as an escape.
 */
export function withoutEscapes(json: string): string {
  if (!json.includes('\\')) return json
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code?: string, one?: string) =>
    code !== undefined
      ? String.fromCharCode(Number.parseInt(code, 16))
      : one === '"' || one === '/'
        ? one
        : ' ',
  )
}

/** Stands in the index before a word that no message of the step has. No word begins with it. */
const OUTSIDE = '~'

/** The words of a step as they are indexed: those of its messages, and the others of its texts, marked as such. */
export function markedWords(messages: string, texts: string): string[] {
  const said = wordsOf(messages)
  const others = [...wordsOf(texts)].filter(word => !said.has(word))
  return [...said, ...others.map(word => OUTSIDE + word)]
}

/**
 * The tsquery for a search text: all of its words, the last as a prefix from three characters on; null for none. In
 * everything, a word may be marked or not.
 */
export function wordQuery(q: string, where: 'messages' | 'everything'): string | null {
  const words = [...wordsOf(q)]
  const last = [...wordsOf(q.match(WORD)?.at(-1) ?? '')][0]
  const isPrefix = /[\p{L}\p{N}\p{M}]{3}$/u.test(q)
  const asked = words.map(word => {
    const end = isPrefix && word === last ? ':*' : ''
    return where === 'messages' ? `'${word}'${end}` : `('${word}'${end} | '${OUTSIDE}${word}'${end})`
  })
  return asked.length === 0 ? null : asked.join(' & ')
}
