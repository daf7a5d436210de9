// Schemas of what callers may send. Guarantee: a value that fits them can be stored: no control characters in names, no
// lone surrogates, every number within the range of its column.

import * as z from 'zod'
import { LIMITS } from '../kernel/limits.ts'

const encoder = new TextEncoder()
const CONTROL = /[\u0000-\u001f\u007f]/

/** One line of text of at most `max` characters. */
export function label(max: number, description: string) {
  return z
    .string()
    .min(1)
    .max(max)
    .refine(text => !CONTROL.test(text), 'must hold no control characters')
    .refine(text => text.isWellFormed(), 'must hold no lone surrogates')
    .describe(description)
}

/** Text of several lines. */
export function prose(max: number, description: string) {
  return z
    .string()
    .max(max)
    .refine(text => !text.includes('\0') && text.isWellFormed(), 'must hold no NUL and no lone surrogates')
    .describe(description)
}

/** Why a text cannot be an item_id or a partition_key; undefined when it can. */
export function keyProblem(text: string, maxBytes: number): string | undefined {
  if (text === '') return 'must not be empty'
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  if (text.length * 3 > maxBytes && encoder.encode(text).length > maxBytes) {
    return `is longer than ${maxBytes} bytes`
  }
  if (CONTROL.test(text)) return 'must hold no control characters'
  return text.isWellFormed() ? undefined : 'must hold no lone surrogates'
}

function keyText(maxBytes: number, description: string) {
  return z
    .string()
    .superRefine((text, ctx) => {
      const message = keyProblem(text, maxBytes)
      if (message !== undefined) ctx.addIssue({ code: 'custom', message })
    })
    .meta({ minLength: 1, maxLength: maxBytes, description })
}

export const itemId = keyText(
  LIMITS.item_id_bytes,
  'Your own identifier of the item; at most 256 bytes of UTF-8.',
)
export const partitionKey = keyText(
  LIMITS.partition_key_bytes,
  'For example a tenant; at most 256 bytes of UTF-8.',
)

/** A caller's own word to find runs by. It holds no comma, which separates tags in a query. */
export const tag = label(LIMITS.tag_characters, 'Word by which runs are found again.').refine(
  text => text.trim() === text && !text.includes(','),
  'must hold no comma and not begin or end with a space',
)

export const tags = z
  .array(tag)
  .max(LIMITS.tags_per_run)
  .refine(words => new Set(words).size === words.length, 'must hold each tag once')
  .describe('Words by which runs are found again, such as a customer or a ticket.')

/** Tags in a query. */
export const queryTags = z
  .string()
  .transform((text, ctx) => {
    const { data, error } = tags.safeParse(text.split(','))
    for (const { message } of error?.issues ?? []) ctx.addIssue({ code: 'custom', message })
    return data ?? []
  })
  .meta({ type: 'string', description: 'Tags of the run, with commas between them.' })

export const slug = z
  .string()
  .max(LIMITS.slug_characters)
  .regex(/^[a-z0-9][a-z0-9._-]*$/, 'must be lower-case letters, digits, dots, dashes and underscores')
  .describe('Unique within its project.')

export const uuid = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'must be a UUID')
    .transform(text => text.toLowerCase())
    .meta({ format: 'uuid', description })

export const httpUrl = (description: string) =>
  z
    .string()
    .max(LIMITS.callback_url_characters)
    .refine(text => isHttpUrl(text), 'must be an http or https URL without credentials')
    .meta({ format: 'uri', description })

/** Other spellings that a URL parser takes are refused: what hides the secret of an address knows this one alone. */
const PLAIN_URL = /^https?:\/\/[^\s/\\][^\s\\]*$/i

export function isHttpUrl(text: string): boolean {
  if (CONTROL.test(text) || !PLAIN_URL.test(text) || !text.isWellFormed() || !URL.canParse(text)) return false
  const url = new URL(text)
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''
}

const MAIL_ADDRESS = /^[^\s@,;<>"]+@[^\s@,;<>"]+$/

export const isMailAddress = (text: string) =>
  MAIL_ADDRESS.test(text) && !CONTROL.test(text) && text.isWellFormed()

/** A JSON object that jsonb can hold. */
export const settings = (description: string) =>
  z
    .record(z.string(), z.unknown())
    .refine(isStorable, 'must hold no \\u0000 and no lone surrogates in its texts')
    .describe(description)

export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (value === null || typeof value !== 'object') return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(([key, member]) => isStorable(key) && isStorable(member))
}

const wholeNumber = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : Number.NaN)

interface PageBounds {
  default: number
  max: number
}

const clamped = ({ max }: PageBounds) =>
  z
    .string()
    .refine(text => !Number.isNaN(wholeNumber(text)), 'must be a whole number')
    .transform(text => Math.min(Math.max(wholeNumber(text), 1), max))
const documented = ({ max: maximum }: PageBounds, description: string) =>
  ({ type: 'integer', minimum: 1, maximum, description }) as const

/** The page size in a query: clamped to the limits; anything but a whole number is refused. */
export const pageSize = (page: PageBounds) =>
  clamped(page)
    .default(page.default)
    .meta(documented(page, `Entries in one page: ${page.default} by default; clamped to 1 to ${page.max}.`))

/** The same for a list that is sent whole where nothing is said of pages. */
export const pageSizeIfPaged = (page: PageBounds) =>
  clamped(page)
    .optional()
    .meta(
      documented(
        page,
        `Entries in one page, clamped to 1 to ${page.max}; ${page.default} with a cursor alone, and all of them in one answer with neither.`,
      ),
    )

/** A whole number in a query, with the range of the body field it corresponds to. */
export function queryNumber(schema: z.ZodNumber, [minimum, maximum]: readonly [number, number]) {
  return z
    .string()
    .refine(text => !Number.isNaN(wholeNumber(text)), 'must be a whole number')
    .transform(wholeNumber)
    .pipe(schema)
    .meta({ ...schema.meta(), type: 'integer', minimum, maximum })
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

/** Why a text is no RFC 3339 time; undefined when it is one. */
function instantProblem(text: string): string | undefined {
  const day = RFC_3339.exec(text)?.[1]
  if (day === undefined) return 'must be an RFC 3339 time with a zone, such as 2026-03-02T09:30:00Z'
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // Date.parse turns 30 February into 2 March.
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  const inRange = Date.parse(text) >= 0 && Date.parse(text) < 2 ** 47
  return exists && inRange ? undefined : 'is no moment in time'
}

/** A time in a query, with its zone. */
export const instant = (description: string) =>
  z
    .string()
    .superRefine((text, ctx) => {
      const message = instantProblem(text)
      if (message !== undefined) ctx.addIssue({ code: 'custom', message })
    })
    .meta({ format: 'date-time', description })

const MAX_USD = 999_999_999 // micro-dollars stay below 2^53

/** An amount of dollars in a query, converted to micro-dollars. */
export const usdAmount = (description: string) =>
  z
    .string()
    .refine(text => /^\d{1,9}(\.\d{1,12})?$/.test(text), 'must be a number of dollars, at least 0')
    .refine(text => Number(text) <= MAX_USD, `must be at most ${MAX_USD}`)
    .transform(text => Math.ceil(Number(text) * 1e6 - 1e-6))
    .meta({ type: 'number', minimum: 0, maximum: MAX_USD, description })

export const cursor = z
  .string()
  .min(1)
  .max(1024)
  .describe('Opaque; where the page before said the next one begins.')

// Money has to stay exact in micro-dollars below 2^53.
export const BUDGET_CENTS = [0, LIMITS.budget_cents] as const
export const CONCURRENCY = [1, LIMITS.run_concurrency] as const
export const PILOT_ITEMS = [1, LIMITS.pilot_of_run_items] as const
export const TIMEOUT_SECONDS = [1, LIMITS.agent_timeout_seconds.max] as const
export const PATIENCE_SECONDS = [LIMITS.patience_seconds.min, LIMITS.patience_seconds.max] as const

const whole = ([min, max]: readonly [number, number], description: string) =>
  z.int().min(min).max(max).describe(description)
export const budgetCents = whole(BUDGET_CENTS, 'Money the run may spend, in cents.')
export const concurrency = whole(
  CONCURRENCY,
  "Items at work at once at most; what the agent declares and the project's cap hold as well.",
)
export const pilotItems = whole(
  PILOT_ITEMS,
  'So many items of a run go first; the others follow when these have ended and one of them was ok, else the run is stopped (pilot_failed).',
)
export const timeoutSeconds = whole(TIMEOUT_SECONDS, 'Time one item may take.')
export const patienceSeconds = whole(
  PATIENCE_SECONDS,
  'How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day.',
)
export const idempotencyKey = label(
  LIMITS.idempotency_key_characters,
  'The same key with the same body starts nothing more for 24 hours: the answer names the first run, as a duplicate.',
)
