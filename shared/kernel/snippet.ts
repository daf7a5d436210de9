// Cuts the piece of a text around a hit, with the hit marked and centred as far as the text allows. Guarantee: at most
// SNIPPET_CHARACTERS and the marks, unless the hit is longer; on one line, and never cut inside a character.

import { wordsOf } from './words.ts'

const HIT = { open: '«', close: '»' } as const
const SNIPPET_CHARACTERS = 160
// A word longer than this is cut rather than left out at the edge.
const EDGE_WORD = { first: /^\S{1,20}\s+/, last: /\s+\S{1,20}$/ }

/** The query's first hit in the fields, in their order; the whole query is tried before its words. Null for no hit. */
export function snippetOf<F extends string>(
  fields: readonly (readonly [F, string | null])[],
  query: string,
): { field: F; text: string } | null {
  for (const wanted of [query.trim(), ...wordsOf(query)].filter(Boolean)) {
    for (const [field, text] of fields) {
      const hit = text === null ? null : find(text, wanted)
      if (hit !== null) return { field, text: around(text!, hit.index, hit[0].length) }
    }
  }
  return null
}

/** Finds it at the beginning of a word, as the index does; else within a word, as names are found. */
function find(text: string, wanted: string): RegExpExecArray | null {
  const pattern = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return (
    new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${pattern}`, 'iu').exec(text) ?? new RegExp(pattern, 'iu').exec(text)
  )
}

function around(text: string, at: number, length: number): string {
  const end = at + length
  const room = Math.max(0, SNIPPET_CHARACTERS - length)
  // Room that one side does not need goes to the other.
  const before = Math.max(Math.ceil(room / 2), room - (text.length - end))
  const from = Math.max(0, at - before)
  const to = Math.min(text.length, Math.max(end, from + SNIPPET_CHARACTERS))
  const head = from > 0 ? `…${text.slice(from, at).replace(EDGE_WORD.first, '')}` : text.slice(0, at)
  const tail = to < text.length ? `${text.slice(end, to).replace(EDGE_WORD.last, '')}…` : text.slice(end)
  return `${whole(head)}${HIT.open}${whole(text.slice(at, end))}${HIT.close}${whole(tail)}`
}

/** Puts the text on one line and drops half a character at a cut. */
const whole = (text: string) =>
  text.replace(/\s+/g, ' ').replace(/^(…?)[\udc00-\udfff]|[\ud800-\udbff](…?)$/g, '$1$2')

/** Splits a snippet into the text before the hit, the hit, and the text after; the text may hold such marks itself. */
export function hitOf(snippet: string, query: string): [before: string, hit: string, after: string] {
  const hits = [...snippet.matchAll(/«([^»]*)»/gu)]
  const wanted = [query.trim(), ...wordsOf(query)].map(word => word.toLowerCase())
  const found = hits.find(hit => wanted.includes(hit[1]!.toLowerCase())) ?? hits[0]
  if (found === undefined) return [snippet, '', '']
  return [snippet.slice(0, found.index), found[1]!, snippet.slice(found.index + found[0].length)]
}
