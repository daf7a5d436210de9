// Scans JSON text once, strictly, by offsets. Guarantee: a text that passes is RFC 8259 JSON without repeated keys and
// within the depth; only requested parts of it are copied.

import { INPUT_LIMITS } from '../kernel/limits/input.ts'
import { shortened } from '../kernel/text-head.ts'
import { JsonError, quoted } from './json-error.ts'

/** Of a number or a key that a message shows. */
const QUOTED_CHARACTERS = 60

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
export const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Which characters may follow a backslash, except `u`. */
const ESCAPABLE = new Uint8Array(128)
for (const character of '"\\/bfnrt') ESCAPABLE[character.charCodeAt(0)] = 1

/** Unescaped characters of a string. A call costs as much as SHORT of them read one by one, then a third for each. */
const PLAIN = /[^"\\\u0000-\u001f]*/y
const SHORT = 24

// Objects of up to this many keys are checked for repeated keys by comparing hashes in the arrays below, which
// allocates nothing; larger ones use a Set. Each nesting level has its own stretch of the arrays, and a scan is
// synchronous, so scans can share them.
const HASHED_KEYS = 16
const keyHashes: number[] = []
const keyStarts: number[] = []
const keyEnds: number[] = []

/** Values that other languages print, such as Python. */
const FOREIGN = /^(NaN|Infinity|None|True|False|undefined|nan|inf)\b/
const MEANT: Record<string, string> = {
  none: 'write null',
  undefined: 'write null',
  true: 'write true',
  false: 'write false',
}

/** Each method takes the offset where its construct starts and returns the offset behind it. */
export class Scan {
  readonly text: string
  readonly maxDepth: number
  /** The hash of the key that `key` read last. */
  keyHash = 0

  constructor(text: string, maxDepth: number = INPUT_LIMITS.json_depth) {
    this.text = text
    this.maxDepth = maxDepth
  }

  space(start: number): number {
    const text = this.text
    let at = start
    for (;;) {
      const c = text.charCodeAt(at)
      if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) at++
      else return at
    }
  }

  end(at: number): void {
    const rest = this.space(at)
    if (rest !== this.text.length) this.expected(rest, 'the end of the text')
  }

  value(at: number, depth: number): number {
    const c = this.text.charCodeAt(at)
    if (c === QUOTE) return this.string(at)
    if (c === OPEN_BRACE) return this.object(at, depth + 1, undefined)
    if (c === OPEN_BRACKET) return this.array(at, depth + 1, undefined)
    if ((c >= ZERO && c <= NINE) || c === MINUS) return this.number(at)
    if (c === 0x74 && this.text.startsWith('true', at)) return at + 4
    if (c === 0x66 && this.text.startsWith('false', at)) return at + 5
    if (c === 0x6e && this.text.startsWith('null', at)) return at + 4
    return this.expected(at, 'a value')
  }

  object(start: number, depth: number, members: string[] | undefined): number {
    if (depth > this.maxDepth) this.tooDeep(start)
    const text = this.text
    let at = this.space(start + 1)
    if (text.charCodeAt(at) === CLOSE_BRACE) return at + 1
    let many: Set<string> | undefined
    for (let count = 0; ; count++) {
      const keyStart = at
      if (text.charCodeAt(at) !== QUOTE) this.expected(at, 'a key in double quotes')
      at = this.key(at)
      if (count < HASHED_KEYS) this.compareKey(keyStart, at, depth, count)
      else {
        many ??= this.hashedKeys(depth)
        if (many.size === many.add(this.decode(keyStart, at)).size) this.repeated(keyStart, at)
      }
      const keyEnd = at
      if (text.charCodeAt(at) !== COLON) at = this.space(at)
      if (text.charCodeAt(at) !== COLON) this.expected(at, 'a colon')
      at++
      if (text.charCodeAt(at) <= 0x20) at = this.space(at)
      const valueStart = at
      at = this.value(at, depth)
      if (members !== undefined) members.push(this.decode(keyStart, keyEnd), text.slice(valueStart, at))
      if (text.charCodeAt(at) <= 0x20) at = this.space(at)
      const c = text.charCodeAt(at)
      if (c === CLOSE_BRACE) return at + 1
      if (c !== COMMA) this.expected(at, 'a comma or a closing brace')
      at++
      if (text.charCodeAt(at) <= 0x20) at = this.space(at)
    }
  }

  array(start: number, depth: number, elements: string[] | undefined): number {
    if (depth > this.maxDepth) this.tooDeep(start)
    const text = this.text
    let at = this.space(start + 1)
    if (text.charCodeAt(at) === CLOSE_BRACKET) return at + 1
    for (;;) {
      const valueStart = at
      at = this.value(at, depth)
      if (elements !== undefined) elements.push(text.slice(valueStart, at))
      if (text.charCodeAt(at) <= 0x20) at = this.space(at)
      const c = text.charCodeAt(at)
      if (c === CLOSE_BRACKET) return at + 1
      if (c !== COMMA) this.expected(at, 'a comma or a closing bracket')
      at++
      if (text.charCodeAt(at) <= 0x20) at = this.space(at)
    }
  }

  /** Where the first element of an array starts; null for an empty array. */
  firstOf(start: number): number | null {
    const at = this.space(start + 1)
    return this.text.charCodeAt(at) === CLOSE_BRACKET ? null : at
  }

  /** Where the element after the one that ends here starts; null after the last one. */
  nextOf(end: number): number | null {
    const at = this.space(end)
    const c = this.text.charCodeAt(at)
    if (c === CLOSE_BRACKET) return null
    if (c !== COMMA) this.expected(at, 'a comma or a closing bracket')
    return this.space(at + 1)
  }

  string(start: number): number {
    const text = this.text
    let plain = 0
    for (let at = start + 1; ; ) {
      const c = text.charCodeAt(at)
      if (c === QUOTE) return at + 1
      if (c === BACKSLASH) at = this.escape(at)
      else if (!(c >= 0x20)) this.badInString(at)
      else if (++plain < SHORT) at++
      else {
        PLAIN.lastIndex = at
        PLAIN.test(text)
        at = PLAIN.lastIndex
        plain = 0
      }
    }
  }

  /** Reads a string and leaves a hash of its decoded characters in `keyHash`. */
  key(start: number): number {
    const text = this.text
    let hash = 0
    for (let at = start + 1; ; at++) {
      const c = text.charCodeAt(at)
      if (c === QUOTE) {
        this.keyHash = hash
        return at + 1
      }
      if (c === BACKSLASH) {
        const end = this.string(start)
        this.keyHash = hashOf(this.decode(start, end))
        return end
      }
      if (!(c >= 0x20)) this.badInString(at)
      hash = (Math.imul(hash, 31) + c) | 0
    }
  }

  escape(at: number): number {
    const text = this.text
    const c = text.charCodeAt(at + 1)
    if (ESCAPABLE[c] === 1) return at + 2
    if (c !== 0x75) this.expected(at, 'one of the escapes \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX')
    for (let digit = at + 2; digit < at + 6; digit++) {
      const d = text.charCodeAt(digit)
      const isHex = (d >= ZERO && d <= NINE) || ((d | 0x20) >= 0x61 && (d | 0x20) <= 0x66)
      if (!isHex) this.expected(digit, 'four hexadecimal digits after \\u')
    }
    return at + 6
  }

  number(start: number): number {
    const text = this.text
    let at = text.charCodeAt(start) === MINUS ? start + 1 : start
    at = text.charCodeAt(at) === ZERO ? at + 1 : this.digits(at)
    let c = text.charCodeAt(at)
    // A double holds any number of up to 308 digits before the point.
    let large = at - start > 308
    if (c === DOT) {
      at = this.digits(at + 1)
      c = text.charCodeAt(at)
    }
    if ((c | 0x20) === 0x65) {
      const sign = text.charCodeAt(at + 1)
      at = this.digits(sign === MINUS || sign === 0x2b ? at + 2 : at + 1)
      large = true
    }
    if (large && !Number.isFinite(Number(text.slice(start, at)))) {
      const problem = `The number ${shortened(text.slice(start, at), QUOTED_CHARACTERS)} is beyond the range of a double`
      throw new JsonError('number_out_of_range', text, start, problem, 'send it as a string')
    }
    return at
  }

  digits(start: number): number {
    const text = this.text
    let at = start
    for (let c = text.charCodeAt(at); c >= ZERO && c <= NINE; c = text.charCodeAt(at)) at++
    return at === start ? this.expected(at, 'a digit') : at
  }

  /** Compares a key with the object's earlier ones and adds it to them. */
  compareKey(start: number, end: number, depth: number, count: number): void {
    const first = depth * HASHED_KEYS
    const hash = this.keyHash
    for (let slot = first; slot < first + count; slot++) {
      if (keyHashes[slot] !== hash) continue
      if (this.decode(keyStarts[slot]!, keyEnds[slot]!) === this.decode(start, end)) this.repeated(start, end)
    }
    keyHashes[first + count] = hash
    keyStarts[first + count] = start
    keyEnds[first + count] = end
  }

  hashedKeys(depth: number): Set<string> {
    const keys = new Set<string>()
    const first = depth * HASHED_KEYS
    for (let slot = first; slot < first + HASHED_KEYS; slot++) {
      keys.add(this.decode(keyStarts[slot]!, keyEnds[slot]!))
    }
    return keys
  }

  /** The characters that a string literal stands for. */
  decode(start: number, end: number): string {
    const raw = this.text.slice(start + 1, end - 1)
    return raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw
  }

  expected(at: number, what: string): never {
    const found = at < this.text.length ? `Unexpected ${quoted(this.text, at)}` : 'The text ends'
    const foreign = FOREIGN.exec(this.text.slice(at, at + 12))?.[0]
    if (foreign !== undefined) {
      const advice = `JSON has no ${foreign}, ${MEANT[foreign.toLowerCase()] ?? 'write null, or the number as a string'}`
      throw new JsonError(
        'invalid_json',
        this.text,
        at,
        `${foreign} found`,
        `${advice}; send valid JSON (RFC 8259)`,
      )
    }
    throw new JsonError('invalid_json', this.text, at, found, `expected ${what}; send valid JSON (RFC 8259)`)
  }

  badInString(at: number): never {
    if (at >= this.text.length) this.expected(at, 'a closing quote')
    const problem = `Control character ${quoted(this.text, at)} inside a string`
    throw new JsonError('invalid_json', this.text, at, problem, 'write it as an escape')
  }

  repeated(start: number, end: number): never {
    const problem = `The key ${shortened(this.text.slice(start, end), QUOTED_CHARACTERS)} is repeated in its object`
    throw new JsonError('duplicate_key', this.text, start, problem, 'keep one of the two')
  }

  tooDeep(at: number): never {
    const problem = `Nesting goes deeper than ${this.maxDepth} levels`
    throw new JsonError('too_deep', this.text, at, problem, 'send a flatter value')
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return hash
}
