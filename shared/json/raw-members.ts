// Cuts the members out of an object's text that JSON.parse has accepted, or the elements out of a list's. Guarantee: each value keeps its text exactly, so
// that the digits of a number and the nesting of a value are its sender's.

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** What a value can have between two characters that say where it ends. */
const PLAIN = /[^"[\]{},]*/y
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy
const KEY = /[\s,{]*("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*/sy

/**
 * The members of the object at the root, each as its key and its text; `undefined` if the object has a key twice.
 *
 * @example rawMembers('{"n": 1.50}') // Map { 'n' => '1.50' }
 */
export function rawMembers(text: string): Map<string, string> | undefined {
  const members = new Map<string, string>()
  let count = 0
  for (let at = text.indexOf('{'); ; ) {
    KEY.lastIndex = at
    const key = KEY.exec(text)?.[1]
    if (key === undefined) break
    const start = KEY.lastIndex
    at = endOfValue(text, start)
    members.set(key.includes('\\') ? JSON.parse(key) : key.slice(1, -1), text.slice(start, at).trimEnd())
    count++
  }
  return members.size === count ? members : undefined
}

/**
 * The elements of the list that a text is, each as its text.
 *
 * @example rawElements('[1.50, {"a": 2}]') // ['1.50', '{"a": 2}']
 */
export function rawElements(text: string): string[] {
  const elements: string[] = []
  for (let at = text.indexOf('[') + 1; at < text.length; at++) {
    const end = endOfValue(text, at)
    const element = text.slice(at, end).trim()
    if (element !== '') elements.push(element)
    at = end
  }
  return elements
}

function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const c = text.charCodeAt(at)
    if (c === QUOTE) {
      STRING.lastIndex = at
      STRING.test(text)
      at = STRING.lastIndex
    } else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      depth++
      at++
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      if (depth === 0) return at
      depth--
      at++
    } else if (c === COMMA) {
      if (depth === 0) return at
      at++
    } else {
      PLAIN.lastIndex = at
      PLAIN.test(text)
      at = PLAIN.lastIndex
    }
  }
  return text.length
}
