// The shapes of sources. Guarantee: none returns the value of a header.

import * as z from '../../kernel/documented-zod.ts'
import { ApiError } from '../../kernel/errors.ts'
import { httpUrl, label, uuid } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { shownUrl } from '../../kernel/shown-url.ts'
import type { DeclaredSource } from '../../protocol/rules/protocol.ts'
import { TRIGGER_NAME } from '../../triggers/vocabulary.ts'
import type { ItemsOrder } from '../rules/declared-source.ts'
import {
  formatOf,
  isBody,
  isEmptyHeader,
  isGenerator,
  type Source as KeptSource,
  type TriggerSource,
} from '../rules/source.ts'
import { unknownPlaceholder } from '../rules/source-url.ts'
import { SOURCE_FORMATS, type SourceFormat } from '../vocabulary.ts'

const field = (description: string) => label(LIMITS.source_field_characters, description)

/** Headers that the connection itself sets, or that reading relies on. */
const OWN_HEADERS = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const headers = z.record(z.string(), z.string()).superRefine((all, ctx) => {
  const refuse = (message: string, ...path: string[]) => ctx.addIssue({ code: 'custom', message, path })
  for (const [name, value] of Object.entries(all)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) refuse('is no name of a header', name)
    else if (OWN_HEADERS.includes(name.toLowerCase())) refuse('is a header that Assay sets itself', name)
    else if (!/^[\x20-\x7e]*$/.test(value)) refuse('must be printable ASCII', name)
    else if (isEmptyHeader(name, value)) refuse('has no value, or a scheme without credentials', name)
  }
  if (Object.keys(all).length > LIMITS.source_headers)
    refuse(`must not be more than ${LIMITS.source_headers} headers`)
  if (JSON.stringify(all).length > LIMITS.source_header_bytes)
    refuse(`must not be longer than ${LIMITS.source_header_bytes} bytes together`)
})

const ABOUT_URL =
  'Read with a GET at each start. {date} and {scheduled_for} stand for the day and the time of the start, on the clock of the zone.'
const url = httpUrl(ABOUT_URL)
  .superRefine((url, ctx) => {
    const unknown = unknownPlaceholder(url)
    if (unknown !== undefined)
      ctx.addIssue({ code: 'custom', message: `names ${unknown}; there are {date} and {scheduled_for}` })
  })
  .meta({ format: 'uri-template', description: ABOUT_URL })

export const generatorName = z
  .string()
  .regex(TRIGGER_NAME, 'must be the name of a method under @items')
  .meta({
    maxLength: LIMITS.generator_name_characters,
    example: 'tickets',
    description: 'A generator of the agent.',
  })

export type SourceOrder = DeclaredSource

function formatFor(url: string, said: SourceFormat | undefined) {
  const format = said ?? formatOf(url)
  return format === undefined ? { format: 'ndjson', format_guessed: true } : { format }
}

export const SourceOrder = z
  .strictObject({
    url: url.optional(),
    format: z
      .enum(SOURCE_FORMATS)
      .optional()
      .describe(
        'Of a URL. ndjson: a JSON value a line. csv: names in the first line. json: one array of values. Left out it is what the end of the path says, or else ndjson, unless the body is one JSON array.',
      ),
    generator: generatorName
      .optional()
      .describe('Instead of a URL: a generator of the agent, which is called at each start.'),
    item_id: field('The field of a row that is its item_id; without it the service gives ids.')
      .nullable()
      .optional(),
    partition_key: field('The field of a row that is its partition_key.').nullable().optional(),
    headers: headers
      .optional()
      .describe(
        'Sent along to a URL, and never shown again. In a change, headers that are left out stay while the URL keeps its host and its path.',
      ),
  })
  .superRefine(({ url, format, generator, headers }, { addIssue }) => {
    const refuse = (message: string) => addIssue({ code: 'custom', message })
    if ((url === undefined) === (generator === undefined))
      refuse('must name either a url or a generator of the agent')
    else if (generator !== undefined && (format !== undefined || headers !== undefined))
      refuse('must not say format or headers, which are for a url: a generator yields items')
  })
  .transform(
    ({ format, ...source }) =>
      (source.url === undefined ? source : { ...source, ...formatFor(source.url, format) }) as SourceOrder,
  )
  .openapi('SourceOrder', {
    description:
      'Where the items of each start come from, a URL or a generator of the agent: a row is an item, the whole row its input.',
    example: {
      url: 'https://example.com/export?day={date}',
      format: 'ndjson',
      item_id: 'ticket_id',
      headers: { authorization: 'Bearer token' },
    },
  })

export const Source = z
  .object({
    url: z
      .string()
      .nullable()
      .describe('What may be a secret in it is masked; null where a generator makes the items.'),
    format: z.enum(SOURCE_FORMATS).nullable(),
    generator: z
      .string()
      .nullable()
      .describe('The generator of the agent; null where they are read from a URL.'),
    item_id: z.string().nullable(),
    partition_key: z.string().nullable(),
    header_names: z.array(z.string()).describe('The headers it is asked with; their values are not shown.'),
  })
  .openapi('Source', { description: 'Where the items of each start come from.' })

export function sourceOf(source: KeptSource): z.input<typeof Source> {
  const { item_id, partition_key } = source
  if (isGenerator(source))
    return { url: null, format: null, generator: source.generator, item_id, partition_key, header_names: [] }
  const { url, format, header_names } = source
  return { url: shownUrl(url), format, generator: null, item_id, partition_key, header_names }
}

/** The request fields of a trigger about the items of its fires. */
export const triggerItems = {
  items: z
    .boolean()
    .optional()
    .describe(
      'True: the body of a fire is the items of its run, a JSON array or NDJSON, each value the input of one. For any other trigger an array is one input.',
    ),
  item_id: field('With items: the field of a value that is its item_id; without it the service gives ids.')
    .nullable()
    .optional(),
  partition_key: field('With items: the field of a value that is its partition_key.').nullable().optional(),
  source: SourceOrder.nullable()
    .optional()
    .describe('Read at each fire, instead of its body; the answer comes when all items are committed.'),
}

export type TriggerItems = { [K in keyof typeof triggerItems]?: z.output<(typeof triggerItems)[K]> }

/**
 * Where the items of fires come from: null if each fire is one item, undefined if that stays as it is. `known` is
 * where they come from so far: `items: false` removes no source, and `source: null` does not end items in the body.
 *
 * @throws ApiError `invalid_request` for fields that do not go together
 */
export function triggerSourceOrder(
  said: TriggerItems,
  known: TriggerSource | null = null,
): ItemsOrder | null | undefined {
  const fields = isBody(known) ? known : { item_id: null, partition_key: null }
  const { items, source, item_id = fields.item_id, partition_key = fields.partition_key } = said
  const refuse = (text: string): never => {
    throw new ApiError('invalid_request', text)
  }
  if (items && source) refuse('Fields "items" and "source" exclude each other: items come from one of them.')
  if (!items && (said.item_id ?? said.partition_key ?? null) !== null)
    refuse('Fields "item_id" and "partition_key" go with "items": true; a source has its own.')
  if (items) return { body: true, item_id, partition_key }
  if (source) return source
  return (isBody(known) ? items === false : source === null) ? null : undefined
}

export const shownTriggerItems = {
  items: z.boolean().describe('The body of a fire is the items of its run.'),
  item_id: z.string().nullable().describe('The field of such an item that is its item_id.'),
  partition_key: z.string().nullable(),
  source: z.union([Source, z.null()]).describe('What is read at each fire instead of its body.'),
}

export function triggerItemsOf(source: TriggerSource | null) {
  if (!isBody(source))
    return { items: false, item_id: null, partition_key: null, source: source && sourceOf(source) }
  const { item_id, partition_key } = source
  return { items: true, item_id, partition_key, source: null }
}

export const SourcePreviewOrder = z
  .strictObject({
    schedule_id: uuid('The schedule whose source is read.').optional(),
    agent_id: uuid('The agent that a source is tried for.').optional(),
    source: SourceOrder.optional(),
    timezone: z.string().default('UTC').describe('A name of the IANA database.'),
  })
  .openapi('SourcePreviewOrder', {
    description: 'A schedule, or an agent with a source that no schedule has yet.',
    example: {
      agent_id: '019c2b1e-7a40-7c3d-9f21-5be000000000',
      source: { url: 'https://example.com/export?day={date}', format: 'ndjson' },
    },
  })

export const SourcePreview = z
  .object({
    count: z.int().describe('Items in all.'),
    items: z
      .array(
        z.object({
          item_id: z.string().nullable().describe('Null where the service gives it one.'),
          partition_key: z.string().nullable(),
          input: z.unknown(),
        }),
      )
      .describe(`The first ${LIMITS.source_preview_items}.`),
  })
  .openapi('SourcePreview', { description: 'What a source holds; nothing was started.' })

export const SourceProblem = z
  .object({
    line: z.int().nullable().describe('The line of the source; null where it is not about one.'),
    text: z.string(),
  })
  .openapi('SourceProblem', { description: 'What was wrong with a source.' })
