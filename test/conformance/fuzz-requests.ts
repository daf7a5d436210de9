// Makes requests from the OpenAPI document: for every operation values that fit its schemas, values that nearly do,
// and bytes that do not.

import fc from 'fast-check'
import { NDJSON } from '../../shared/protocol/rules/protocol.ts'
import type { Document, Operation } from './contract.ts'
import { HINTS } from './fuzz-operations.ts'

type Schema = Record<string, unknown>

/** A request without the ids of things, which are filled in when it is sent. */
export interface Wish {
  operation_id: string
  method: string
  path: string
  params: Record<string, Named>
  query: [string, Named][]
  /** Undefined sends no body. */
  body: string | Uint8Array | undefined
  content_type: string | undefined
  accept: string | undefined
  token: Token | { thing: string; nth: number }
}

export type Token = 'key' | 'session' | 'viewer' | 'stranger' | 'none' | 'bad'

/** A text as it is, or the nth known thing of a kind when the request is sent. */
export type Named = { text: string } | { thing: string; nth: number }

/** Stands in a body for an id that is known when it is sent. */
export const THING = /"@(\w+):(\d+)@"/g

export function wishes(document: Document): fc.Arbitrary<Wish> {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  return fc.oneof(
    ...all.map(({ method, path, operation }) => ({
      weight: HINTS[operation.operationId]?.weight ?? 20,
      arbitrary: wish(document, method, path, operation),
    })),
  )
}

function wish(document: Document, method: string, path: string, operation: Operation): fc.Arbitrary<Wish> {
  const hint = HINTS[operation.operationId] ?? {}
  const bodies = (type: string, schema: Schema) =>
    type === NDJSON ? arbitraryOf(document, schema) : hinted(arbitraryOf(document, schema), hint.body)
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!)
  const lines = operation['x-lines']
  const parameters = [...(operation.parameters ?? []), ...(lines?.parameters ?? [])].filter(
    one => one.in === 'query',
  )
  const content: NonNullable<Operation['requestBody']>['content'] = {
    ...operation.requestBody?.content,
    ...(lines && { [NDJSON]: lines }),
  }
  const types = Object.keys(content)
  // Of the two forms, the one as lines has in the query what the other has in its body.
  const inQuery = (type: string | undefined) => types.length < 2 || type === NDJSON
  const body =
    types.length === 0
      ? fc.oneof({ weight: 9, arbitrary: fc.constant({ type: undefined, body: undefined }) }, odd)
      : fc.oneof(
          {
            weight: 8,
            arbitrary: fc
              .constantFrom(...types)
              .chain(type => bodyOf(type, bodies(type, content[type]!.schema))),
          },
          odd,
        )
  return fc
    .record({
      params: fc.record(Object.fromEntries(names.map(name => [name, idOf(kindOf(name, hint.params))]))),
      query: fc.tuple(
        ...parameters.map(({ name, schema, required }) =>
          fc.option(
            queryValue(document, name, schema).map(value => [name, value] as [string, Named]),
            {
              nil: undefined,
              freq: required || (types.length > 1 && name === 'agent_id') ? 10 : 1,
            },
          ),
        ),
      ),
      extra: fc.option(fc.tuple(fc.constantFrom('limit', 'colour', '__proto__'), words), {
        freq: 1,
        nil: undefined,
      }),
      sent: body,
      accept: fc.constantFrom(
        undefined,
        undefined,
        'application/json',
        'application/x-ndjson',
        '*/*',
        'text/html',
      ),
      token: fc.oneof(
        { weight: 5, arbitrary: fc.constant('key' as const) },
        { weight: 5, arbitrary: fc.constant('session' as const) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('viewer' as const, 'stranger' as const, 'none' as const, 'bad' as const),
        },
      ),
      noise: fc.integer({ min: 0, max: 19 }),
      nth: fc.nat(10_000),
    })
    .map(({ params, query, extra, sent, accept, token, noise, nth }) => ({
      operation_id: operation.operationId,
      method: method.toUpperCase(),
      path,
      params,
      query: [
        ...(inQuery(sent.type) ? query : [])
          .filter(one => one !== undefined)
          .filter(([name]) => !(name in (hint.query ?? {}))),
        ...Object.entries(hint.query ?? {}).map(([name, value]): [string, Named] => [
          name,
          typeof value === 'string' ? { text: value } : { ...value, nth },
        ]),
        ...(extra && noise === 0 ? [[extra[0], { text: extra[1] }] as [string, Named]] : []),
      ],
      body: sent.body,
      content_type: sent.type,
      accept,
      token: hint.token && (token === 'key' || token === 'session') ? { thing: hint.token, nth } : token,
    }))
}

/** The kind that a name stands for: `agentId` and `agent_id` both name an agent. */
export const kindOf = (name: string, instead: Record<string, string> = {}) => {
  const kind = name.replace(/_id$|Id$/, '').replace(/^record$/, 'item')
  return instead[kind] ?? kind
}

/** The value, mostly with the fields of the hint. */
function hinted(value: fc.Arbitrary<unknown>, body?: (nth: number) => object): fc.Arbitrary<unknown> {
  if (body === undefined) return value
  return fc
    .tuple(value, fc.nat(10_000), fc.integer({ min: 1, max: 5 }))
    .map(([value, nth, luck]) => (luck > 1 ? { ...(value as object), ...body(nth) } : value))
}

type Sent = { type: string | undefined; body: string | Uint8Array | undefined }

function bodyOf(type: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Sent> {
  const text = spoiled(value).map(value => JSON.stringify(value) ?? '')
  if (type !== NDJSON) return text.map(body => ({ type, body }))
  return fc
    .array(text, { maxLength: 5 })
    .map(lines => ({ type, body: lines.map(line => `${line}\n`).join('') }))
}

/** Bodies that no schema describes. */
const odd: fc.Arbitrary<Sent> = fc.record({
  type: fc.constantFrom(
    'application/json',
    'application/x-ndjson',
    'text/plain',
    'application/json; charset=latin1',
  ),
  body: fc.oneof(
    fc.constantFrom(
      '',
      '{',
      '[]',
      'null',
      '{"a":1,"a":2}',
      '{"a":1e400}',
      '[[[[',
      '{"__proto__":1}',
      '\ufeff{}',
    ),
    fc.constant(`{"a":${'['.repeat(70)}`),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.uint8Array({ maxLength: 40 }),
    fc.jsonValue({ maxDepth: 3 }).map(value => JSON.stringify(value)),
  ),
})

const words: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    "' OR 1=1--",
    '../../etc',
    '__proto__',
    '%',
    '1e2',
    '-1',
    '2026-02-30T00:00:00Z',
  ),
  fc.constantFrom(
    'x'.repeat(300),
    '😀'.repeat(65),
    '9007199254740993',
    'NaN',
    'true',
    'null',
    '{}',
    '<script>',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const strange: fc.Arbitrary<unknown> = fc.oneof(
  words,
  fc.constantFrom(null, true, -1, 0, 1.5, 2 ** 53, 1e308, -0, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
)

const idOf = (thing: string): fc.Arbitrary<Named> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.nat(10_000).map(nth => ({ thing, nth })) },
    { weight: 1, arbitrary: fc.uuid().map(text => ({ text })) },
    { weight: 1, arbitrary: words.map(text => ({ text })) },
  )

/** A query's value, mostly one that its schema allows. */
function queryValue(document: Document, name: string, schema: Schema): fc.Arbitrary<Named> {
  if (NAMED_BY_ID.test(name)) return idOf(kindOf(name))
  if (name === 'cursor')
    return fc.oneof(
      idOf('cursor'),
      words.map(text => ({ text })),
    )
  if (name === 'agent')
    return fc.oneof(
      idOf('slug'),
      words.map(text => ({ text })),
    )
  const good = fieldOf(name, schema, inner => arbitraryOf(document, inner as Schema)).map(value => ({
    text: String(value),
  }))
  return fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: words.map(text => ({ text })) })
}

/** Mostly the value; otherwise with a field less, a field more, or a strange value in a field. */
function spoiled(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.oneof(
    { weight: 6, arbitrary: fc.constant(null) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constantFrom('less', 'more', 'strange'), nth: fc.nat(50), strange }),
    },
  )
  return fc.tuple(value, change).map(([value, change]) => {
    if (change === null || value === null || typeof value !== 'object' || Array.isArray(value)) return value
    const copy: Record<string, unknown> = { ...value }
    const keys = Object.keys(copy)
    const key = keys[change.nth % Math.max(1, keys.length)] ?? 'none'
    if (change.kind === 'less') delete copy[key]
    else copy[change.kind === 'more' ? 'more' : key] = change.strange
    return copy
  })
}

/** Names that stand for ids of ours; an `item_id` is the caller's. */
const NAMED_BY_ID = /^(?!item_id$)\w+_id$/
const MAX_TEXT = 40
const CRONS = ['* * * * *', '0 9 * * MON-FRI', '*/7 1-5 1,15 * 0', '0 0 29 2 *', '0 0 30 2 *', '@daily']

/** Values that fit a JSON Schema of the document. */
function arbitraryOf(document: Document, given: Schema, depth = 0): fc.Arbitrary<unknown> {
  const { $ref, ...rest } = given
  const schema: Schema =
    typeof $ref === 'string' ? { ...document.components.schemas[$ref.split('/').at(-1)!], ...rest } : given
  const within = (inner: unknown) => arbitraryOf(document, inner as Schema, depth + 1)
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return fc.oneof(...choices.map(within))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map(type => within({ ...schema, type })))
  switch (schema.type) {
    case 'object':
      return objectOf(schema, within)
    case 'array':
      return fc.array(within(schema.items ?? {}), { maxLength: 4 })
    case 'integer':
      return nearBounds(schema, fc.integer(range(schema, 1000)), 1)
    case 'number':
      return nearBounds(schema, fc.double({ ...range(schema, 1000), noNaN: true }), 1e-9)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'string':
      return textOf(schema)
    default:
      return depth > 3 ? fc.constant(1) : fc.jsonValue({ maxDepth: 2 })
  }
}

/** Values within bounds; now and then the bounds, values just beyond them, and values that no column holds. */
function nearBounds({ minimum = 0, maximum = 2 ** 31 }: Schema, within: fc.Arbitrary<number>, step: number) {
  const [least, most] = [Number(minimum), Number(maximum)]
  const beyond = [least - step, most + step, 2 ** 31, 2 ** 53, 1e300]
  return fc.oneof(
    { weight: 9, arbitrary: within },
    { weight: 1, arbitrary: fc.constantFrom(least, most, ...beyond) },
  )
}

function range({ minimum, maximum, exclusiveMinimum }: Schema, width: number) {
  const min = Number(minimum ?? (exclusiveMinimum === undefined ? 0 : Number(exclusiveMinimum) + 1))
  return { min, max: Math.min(Number(maximum ?? min + width), min + width) }
}

function objectOf(schema: Schema, within: (inner: unknown) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, fieldOf(name, inner, within)]),
  )
  if (Object.keys(fields).length > 0) {
    return fc.record(fields, { requiredKeys: (schema.required ?? []) as string[] })
  }
  const values =
    typeof schema.additionalProperties === 'object' ? within(schema.additionalProperties) : strange
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), values, { maxKeys: 3 })
}

function fieldOf(name: string, inner: Schema, within: (inner: unknown) => fc.Arbitrary<unknown>) {
  const thing = NAMED_BY_ID.test(name) ? kindOf(name) : name === 'agent' ? 'slug' : undefined
  if (thing) return fc.nat(10_000).map(nth => `@${thing}:${nth}@`)
  // Few e-mails and keys, so that sign-ins are throttled and idempotency keys repeat.
  if (name === 'idempotency_key') return fc.nat(1000).map(n => `key ${n}`)
  if (name === 'cron') return fc.oneof(fc.constantFrom(...CRONS), words)
  if (name === 'timezone') return fc.oneof(fc.constantFrom('UTC', 'Africa/Cairo', 'Local'), words)
  if (name === 'secret_env') return fc.oneof(fc.constantFrom('ORDERS_SECRET', 'S'), words)
  if (name === 'email') return fc.nat(5).map(n => `fuzz-${n}@example.org`)
  return within(inner)
}

function textOf({ format, pattern, minLength = 0, maxLength = MAX_TEXT }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'uri' || format === 'uri-template') return fc.webUrl()
  if (format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
      .map(date => date.toISOString())
  if (typeof pattern === 'string' && !/@/.test(pattern))
    return fc.oneof({ weight: 4, arbitrary: fc.stringMatching(new RegExp(pattern)) }, words)
  return fc.string({
    minLength: Number(minLength),
    maxLength: Math.max(Number(minLength), Math.min(Number(maxLength), MAX_TEXT)),
  })
}
