// Reads a JSON object of which one member may be a long list. Guarantee: that of ./json.ts; neither checking nor
// reading the list holds the thread longer than a slice, or builds more than a piece of it.

import { slices } from '../kernel/slices.ts'
import { Scan } from './json-scan.ts'

/** Elements of a list returned at once. */
const PIECE = 1000

export interface LongList {
  /** The object's text with an empty list in place of its own. */
  rest: string
  /** The list's elements, each as its own text; none where the member is missing or no list. */
  elements(): AsyncGenerator<string[]>
}

/** Checks the text; one whose root is no object has no list. @throws JsonError */
export async function readLongList(text: string, name: string): Promise<LongList> {
  const scan = new Scan(text)
  const start = scan.space(0)
  if (text[start] !== '{') {
    scan.end(scan.value(start, 0))
    return { rest: text, elements: () => elementsAt(scan, undefined) }
  }
  const names = new Set<string>()
  const others: string[] = []
  let list: number | undefined
  let at = scan.space(start + 1)
  while (text[at] !== '}') {
    const nameAt = at
    if (text[at] !== '"') scan.expected(at, 'a key in double quotes')
    at = scan.string(at)
    const key = scan.decode(nameAt, at)
    if (names.size === names.add(key).size) scan.repeated(nameAt, at)
    const nameEnd = at
    at = scan.space(at)
    if (text[at] !== ':') scan.expected(at, 'a colon')
    const valueAt = scan.space(at + 1)
    const isList = key === name && text[valueAt] === '['
    if (isList) list = valueAt
    at = isList ? await endOfList(scan, valueAt) : scan.value(valueAt, 1)
    others.push(`${text.slice(nameAt, nameEnd)}:${isList ? '[]' : text.slice(valueAt, at)}`)
    at = scan.space(at)
    if (text[at] === '}') break
    if (text[at] !== ',') scan.expected(at, 'a comma or a closing brace')
    at = scan.space(at + 1)
    if (text[at] === '}') scan.expected(at, 'a key in double quotes')
  }
  scan.end(at + 1)
  return { rest: `{${others.join()}}`, elements: () => elementsAt(new Scan(text), list) }
}

async function endOfList(scan: Scan, start: number): Promise<number> {
  const next = slices()
  const depth = 2 // the root's is 1
  let at = scan.firstOf(start)
  for (let count = 1; at !== null; count++) {
    const end = scan.value(at, depth)
    at = scan.nextOf(end)
    if (at === null) return scan.space(end) + 1
    if (count % PIECE === 0) await next()
  }
  return scan.space(start + 1) + 1
}

async function* elementsAt(scan: Scan, start: number | undefined): AsyncGenerator<string[]> {
  const next = slices()
  let piece: string[] = []
  for (let at = start === undefined ? null : scan.firstOf(start); at !== null; ) {
    const end = scan.value(at, 2)
    piece.push(scan.text.slice(at, end))
    at = scan.nextOf(end)
    if (at !== null && piece.length < PIECE) continue
    yield piece
    piece = []
    await next()
  }
}
