// The piece of a text around a hit, with the hit marked and in its middle as far as the text goes. Guarantee: at most
// SNIPPET_CHARACTERS and the marks, unless the hit is longer; on one line, and never cut inside a character.

import { wordsOf } from './words.ts'

const HIT = { open: '«', close: '»' } as const
const SNIPPET_CHARACTERS = 160
// A word longer than this is cut rather than left out at the edge.
const EDGE_WORD = { first: /^\S{1,20}\s+/, last: /\s+\S{1,20}$/ }

/** Where in the fields, taken in their order, the query is met first; null when no word of it is in any of them. */
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

/** At the beginning of a word, as the index finds it; else within one, as names are found. */
function find(text: string, wanted: string): RegExpExecArray | null {
  const pattern = wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  return (
    new RegExp(`(?<![\\p{L}\\p{N}\\p{M}])${pattern}`, 'iu').exec(text) ?? new RegExp(pattern, 'iu').exec(text)
  )
}

function around(text: string, at: number, length: number): string {
  const end = at + length
  const room = Math.max(0, SNIPPET_CHARACTERS - length)
  // What one side has no use for goes to the other.
  const before = Math.max(Math.ceil(room / 2), room - (text.length - end))
  const from = Math.max(0, at - before)
  const to = Math.min(text.length, Math.max(end, from + SNIPPET_CHARACTERS))
  const head = from > 0 ? `…${text.slice(from, at).replace(EDGE_WORD.first, '')}` : text.slice(0, at)
  const tail = to < text.length ? `${text.slice(end, to).replace(EDGE_WORD.last, '')}…` : text.slice(end)
  return `${whole(head)}${HIT.open}${whole(text.slice(at, end))}${HIT.close}${whole(tail)}`
}

/** On one line, and without the half of a character at a cut. */
const whole = (text: string) =>
  text.replace(/\s+/g, ' ').replace(/^(…?)[\udc00-\udfff]|[\ud800-\udbff](…?)$/g, '$1$2')

/** A snippet as what stands before the hit, the hit, and what stands after it; the text may have such marks itself. */
export function hitOf(snippet: string, query: string): [before: string, hit: string, after: string] {
  const hits = [...snippet.matchAll(/«([^»]*)»/gu)]
  const wanted = [query.trim(), ...wordsOf(query)].map(word => word.toLowerCase())
  const found = hits.find(hit => wanted.includes(hit[1]!.toLowerCase())) ?? hits[0]
  if (found === undefined) return [snippet, '', '']
  return [snippet.slice(0, found.index), found[1]!, snippet.slice(found.index + found[0].length)]
}
