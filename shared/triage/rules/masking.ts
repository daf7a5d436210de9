// Masks the parts of a message that vary from item to item. Guarantee: pure, and in time that grows with the message
// alone; the same message and input always give the same words, so they can form a key.

import { LIMITS } from '../../kernel/limits.ts'

/** Stands for a part that varies. */
export const VARIABLE = '*'

/** The last word of a message that is longer than the part that is read. */
const REST = '…'

const METHODS = 'GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS'
const REQUEST = new RegExp(`^(${METHODS}) \\S`)

/** Names with a digit that mean the same in every message. */
const NAMES =
  /^(?:ipv[46]|socks[45]|https?[123]?|h[23]|utf-?(?:8|16|32)|base64|sha-?(?:1|256|512)|md5|s3|ec2|k8s|oauth2|tls(?:v?1\.[0-3])?)$/i

/** The name of a field, a code, or an error's type. Unlike other quoted texts, it says what is wrong. */
const IDENTIFIER = /^[a-z]+(?:_[a-z]+)+$/i

interface Mask {
  readonly what: string
  readonly pattern: RegExp
  readonly by?: (match: string, ...rest: never[]) => string
}

/** An HTTP status, so that 429 and 500 are different causes: at the start, or after a word that announces a status. */
const STATUS = /(^|\b(?:status(?: code)?|http(?:\/[\d.]+)?|code|error)["\s:=(]*)([45]\d\d)(?![\w.])/gi

/** While numbers are masked, the digits of a status are replaced by letters of the private use area. */
const KEPT = 0xe000
const keep = (digits: string) => digits.replace(/\d/g, digit => String.fromCharCode(KEPT + Number(digit)))
const unkeep = (text: string) =>
  text.replace(/[\ue000-\ue009]/g, letter => String(letter.charCodeAt(0) - KEPT))

const UNITS = 'bytes?|[kmgt]i?b|ms|us|µs|ns|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|%|tokens?'
const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'

/** Applied in this order: texts that are recognized as a whole come before the numbers in them. */
const MASKS: readonly Mask[] = [
  { what: 'URLs', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]]+/gi },
  { what: 'quoted texts', pattern: /(?<!\w)(["'`])((?:(?!\1).)+)\1(?!\w)/g, by: quoted },
  { what: 'addresses', pattern: /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g },
  {
    what: 'hosts',
    pattern:
      /(?<![\w.-])(?:(?:[a-z0-9-]+\.)+(?:com|org|net|edu|gov|io)|(?:[a-z0-9-]+\.){2,}[a-z]{2})(?![\w.])/gi,
  },
  {
    what: 'dates in words',
    pattern: new RegExp(
      `\\b(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\\s+)?(?:${MONTHS})[a-z]{0,6}\\.?\\s+\\d{1,2}` +
        '(?:,?\\s+\\d{2}:\\d{2}(?::\\d{2})?)?(?:,?\\s+\\d{4})?(?!\\w)',
      'gi',
    ),
  },
  { what: 'paths', pattern: /(?<![\w.])(?:\/[\w.$@%+~:-]+)+\/?/g },
  {
    what: 'all but a status',
    pattern: STATUS,
    by: (_, before: string, status: string) => before + keep(status),
  },
  {
    what: 'quantities',
    pattern: new RegExp(`<?(?<![\\w.-])\\d+(?:[.,]\\d+)*\\s?(?:${UNITS})(?!\\w)`, 'gi'),
  },
  {
    what: 'numbers, ids, times',
    pattern: /(?<![\w.-])[\w.-]*\d[\w.-]*/g,
    by: word => (NAMES.test(word) ? word : VARIABLE),
  },
  { what: 'the same said again in brackets', pattern: /\*(?:\s*\(\*?\))+/g },
  { what: 'variables joined to one', pattern: /\*(?:[:.,/@-]\*)+/g },
]

/** A quoted text is a variable, unless it is a name: a key of JSON, an identifier, the method of a request. */
function quoted(match: string, quote: string, text: string, at: number, whole: string): string {
  const [, method] = REQUEST.exec(text) ?? []
  if (method !== undefined) return `${quote}${method} ${VARIABLE}${quote}`
  if (IDENTIFIER.test(text)) return match
  return quote === '"' && whole[at + match.length] === ':' ? match : VARIABLE
}

/**
 * The words of a message, with `*` for what varies.
 *
 * @example maskedWords('Ticket 4711 was not found in /srv/tickets', '{"id":4711}')
 * // ['Ticket', '*', 'was', 'not', 'found', 'in', '*']
 */
export function maskedWords(message: string, input: string | null): readonly string[] {
  const head = message.slice(0, LIMITS.cause_message_characters)
  const words = masked(input === null ? head : withoutTextsOf(input, head))
  const isCut = words.length > LIMITS.cause_words || head.length < message.length
  return isCut ? [...words.slice(0, LIMITS.cause_words), REST] : words
}

/** Recently masked messages: items that fail together mostly have the same one, and a mask costs half a microsecond. */
const lately = new Map<string, string[]>()

function masked(text: string): readonly string[] {
  const known = lately.get(text)
  if (known !== undefined) return known
  const words = MASKS.reduce(
    (rest, { pattern, by }) => rest.replace(pattern, (by as never) ?? VARIABLE),
    text,
  )
  const made = unkeep(words).toWellFormed().split(/\s+/).filter(Boolean)
  if (lately.size >= LIMITS.masked_messages) lately.clear()
  lately.set(text, made)
  return made
}

/** Messages often contain the head of a long text of their input, without quotes around it. */
const HEAD_CHARACTERS = 16

/** Shorter texts are in every message by chance. */
const SHORTEST_TEXT = 3

/** A message with `*` in place of the texts that occur in its item's own input. */
function withoutTextsOf(input: string, message: string): string {
  let text = message
  for (const own of textsIn(message, input)) {
    const head = own.slice(0, HEAD_CHARACTERS)
    for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
      const length = commonLength(own, text, at)
      const isWhole = length === own.length && !isInWord(text, at, length)
      if (isWhole || length >= HEAD_CHARACTERS) text = text.slice(0, at) + VARIABLE + text.slice(at + length)
    }
  }
  return text
}

function commonLength(own: string, text: string, at: number): number {
  let length = 0
  while (length < own.length && own[length] === text[at + length]) length++
  return length
}

const isInWord = (text: string, at: number, length: number) =>
  /\w/.test(text[at - 1] ?? ' ') || /\w/.test(text[at + length] ?? ' ')

/** The strings in an input's JSON whose heads occur in a message, longest first, of a bounded number that is read. */
function textsIn(message: string, input: string): string[] {
  if (input.length > LIMITS.cause_input_characters) return []
  const texts = new Set<string>()
  const look = (value: unknown): void => {
    if (texts.size >= LIMITS.cause_input_texts) return
    if (typeof value === 'string') {
      const text = value.trim()
      if (text.length >= SHORTEST_TEXT) texts.add(text)
    } else if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) look(member)
  }
  look(JSON.parse(input))
  return [...texts]
    .filter(own => message.includes(own.slice(0, HEAD_CHARACTERS)))
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
}
