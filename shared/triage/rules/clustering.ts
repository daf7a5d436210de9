// Computes the canonical prompt of an item, by which failed items are grouped. Guarantee: the same input always gives
// the same text of at most LIMITS.cluster_prompt_characters characters, free of control characters and surrogate
// halves, so that it can be stored, hashed and compared.
//
// 1. A string is its own prompt.
// 2. The prompt of an object is the first of its fields prompt, messages, message, text with any text: a string, or an
//    array of messages, each a string or an object whose `content` is a string or an array of parts with a `text`.
// 3. Anything else is written as JSON with its keys sorted and nothing between tokens.
// 4. Unicode is composed (NFC), runs of white space and control characters become one space, the ends are trimmed.
// 5. The first 200 characters count, a character being a code point.

import { LIMITS } from '../../kernel/limits.ts'

const FIELDS = ['prompt', 'messages', 'message', 'text'] as const

/**
 * The head of the prompt in an input's JSON text.
 *
 * @example promptHead('{"ticket": 7, "text": "  Where is\nmy order? "}') // 'Where is my order?'
 */
export function promptHead(input: string): string {
  const value: unknown = JSON.parse(input)
  const prompt = wordsOf(value) ?? folded(sorted(value))
  // In ASCII, a character is one code unit.
  if (isAscii(prompt)) return prompt.slice(0, LIMITS.cluster_prompt_characters).trimEnd()
  let head = ''
  let left = LIMITS.cluster_prompt_characters
  for (const character of prompt) {
    if (left-- === 0) break
    head += character
  }
  return head.trimEnd()
}

/** The prompt by rules 1 and 2, folded; undefined when neither applies. */
function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return folded(value)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  for (const field of FIELDS) {
    if (!Object.hasOwn(value, field)) continue
    const words = folded(spoken((value as Record<string, unknown>)[field]))
    if (words !== '') return words
  }
  return undefined
}

/** The text of a field; empty when it is neither a string nor messages. */
function spoken(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map(message => (typeof message === 'string' ? message : contentOf(message))).join('\n')
}

function contentOf(message: unknown): string {
  if (message === null || typeof message !== 'object') return ''
  const { content, text } = message as { content?: unknown; text?: unknown }
  if (typeof text === 'string') return text
  return spoken(content)
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sorted(member)}`).join(',')}}`
}

const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)

/** ASCII is well-formed and composed already, and most of it needs no folding. */
function folded(text: string): string {
  if (!isAscii(text))
    return text
      .toWellFormed()
      .normalize('NFC')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
  return (/[\x00-\x1f\x7f]| {2}/.test(text) ? text.replace(/[\x00-\x20\x7f]+/g, ' ') : text).trim()
}
