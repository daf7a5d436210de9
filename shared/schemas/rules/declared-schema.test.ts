// What declared schemas say of values: every keyword, what generators in several languages write, and what cannot be read.

import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { readSchema } from './declared-schema.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'

async function said(schema: unknown, value: unknown): Promise<string | undefined> {
  const result = await readSchema(schema, 'output_schema')
  if ('fault' in result) throw new Error(`${result.fault.path}: ${result.fault.message}`)
  const answer = result.read.check(value)
  if (answer === undefined) return undefined
  return 'over' in answer ? answer.over : answer.problem
}

async function fault(schema: unknown) {
  const result = await readSchema(schema, 'output_schema')
  if ('read' in result) throw new Error('the schema was read')
  return result.fault
}

/** As a text: an object with `then` looks like a promise. */
const CONDITIONAL = JSON.parse('{"if":{"minimum":5},"then":{"multipleOf":5},"else":{"const":0}}')

const KEYWORDS: [schema: object | boolean, good: unknown, bad: unknown, words: string][] = [
  [{ type: 'string' }, 'a', 1, 'output: expected string, received 1'],
  [{ type: 'integer' }, 2.0, 2.5, 'output: expected integer, received 2.5'],
  [{ type: ['string', 'null'] }, null, {}, 'output: expected string or null, received an object'],
  [{ enum: ['a', 'b'] }, 'b', 42, 'output: expected "a" or "b", received 42'],
  [{ const: { a: 1 } }, { a: 1 }, { a: 2 }, 'output: expected {"a":1}, received an object'],
  [{ minimum: 1 }, 1, 0, 'output: expected at least 1, received 0'],
  [{ maximum: 1 }, 1, 2, 'output: expected at most 1, received 2'],
  [{ exclusiveMinimum: 1 }, 2, 1, 'output: expected more than 1, received 1'],
  [{ exclusiveMaximum: 1 }, 0, 1, 'output: expected less than 1, received 1'],
  [{ multipleOf: 0.01 }, 0.07, 0.075, 'output: expected a multiple of 0.01, received 0.075'],
  [{ multipleOf: 1e-9 }, 3e-9, 1.5e-9, 'output: expected a multiple of 1e-9, received 1.5e-9'],
  [{ minLength: 2 }, '😀😀', '😀', 'output: expected at least 2 characters, received "😀"'],
  [{ maxLength: 1 }, '😀', 'ab', 'output: expected at most 1 character, received "ab"'],
  [
    { pattern: '^P-\\d{4}$' },
    'P-0001',
    'P-1',
    'output: expected a match of the pattern ^P-\\d{4}$, received "P-1"',
  ],
  [{ minItems: 1 }, [1], [], 'output: expected at least 1 item, received an array of 0 items'],
  [{ maxItems: 1 }, [1], [1, 2], 'output: expected at most 1 item, received an array of 2 items'],
  [
    { uniqueItems: true },
    [1, '1'],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    'output: expected no item twice',
  ],
  [{ items: { type: 'string' } }, ['a'], ['a', 1], 'output.1: expected string, received 1'],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a'], ['a', 1], 'output.1: is not allowed'],
  [
    { contains: { const: 1 }, minContains: 2 },
    [1, 1],
    [1],
    'output: expected at least 2 items that match contains',
  ],
  [
    { contains: { const: 1 }, maxContains: 1 },
    [1],
    [1, 1],
    'output: expected 1 to 1 items that match contains',
  ],
  [{ unevaluatedItems: false, prefixItems: [true] }, [1], [1, 2], 'output.1: is not allowed'],
  [{ required: ['a/b'] }, { 'a/b': 1 }, {}, 'output.a/b: is required'],
  [{ properties: { a: { type: 'null' } } }, { a: null }, { a: 0 }, 'output.a: expected null, received 0'],
  [{ patternProperties: { '^x-': { type: 'null' } } }, { y: 1 }, { 'x-a': 1 }, 'output.x-a: expected null'],
  [
    { properties: { a: {} }, additionalProperties: false },
    { a: 1 },
    { constructor: 1 },
    'output.constructor: is not',
  ],
  [{ additionalProperties: { type: 'null' } }, {}, { a: 1 }, 'output.a: expected null, received 1'],
  [
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { a: 1 },
    { b: 1 },
    'output.b: is not allowed',
  ],
  [{ propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }, 'expected at most 1 character, received "ab"'],
  [{ minProperties: 1 }, { a: 1 }, {}, 'output: expected at least 1 property, received an object'],
  [{ maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }, 'output: expected at most 1 property, received an object'],
  [{ dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }, 'output.b: is required beside a'],
  [{ dependentSchemas: { a: { required: ['b'] } } }, {}, { a: 1 }, 'output.b: is required'],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 1, 3, 'output: expected at most 2, received 3'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, null, 1, 'output: expected string or null, received 1'],
  [
    { anyOf: [{ minimum: 5 }, { multipleOf: 2 }] },
    2,
    1,
    'output: expected a match of one of the 2 schemas in anyOf',
  ],
  [
    { oneOf: [{ minimum: 5 }, { multipleOf: 2 }] },
    2,
    6,
    'output: expected a match of exactly one of the 2 schemas in oneOf, it matches 2',
  ],
  [{ not: { const: 1 } }, 2, 1, 'output: expected no match of the schema in not, received 1'],
  [CONDITIONAL, 10, 6, 'output: expected a multiple of 5'],
  [CONDITIONAL, 0, 1, 'output: expected 0, received 1'],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'null' } } }, null, 1, 'output: expected null, received 1'],
  [
    { $ref: '#here', $defs: { a: { $anchor: 'here', type: 'null' } } },
    null,
    1,
    'output: expected null, received 1',
  ],
  [
    { $id: 'https://a.test/s', $ref: 'item', $defs: { i: { $id: 'item', type: 'null' } } },
    null,
    1,
    'output: expected null',
  ],
  [
    { $dynamicRef: '#n', $defs: { n: { $dynamicAnchor: 'n', type: 'null' } } },
    null,
    1,
    'output: expected null',
  ],
  [
    { $schema: DRAFT_2019, $ref: '#/definitions/a', definitions: { a: { type: 'null' } } },
    null,
    1,
    'output: expected null',
  ],
  [
    { $schema: DRAFT_7, items: [{ type: 'null' }], additionalItems: false },
    [null],
    [null, 1],
    'output.1: is not allowed',
  ],
  [{ $schema: DRAFT_7, dependencies: { a: ['b'] } }, { b: 1 }, { a: 1 }, 'output.b: is required beside a'],
  [{ $schema: DRAFT_7, contains: { const: 1 } }, [1], [2], 'output: expected an item that matches contains'],
  [false, undefined, 1, 'output: is not allowed'],
]

describe('a keyword', () => {
  it.each(KEYWORDS)('%j', async (schema, good, bad, words) => {
    if (good !== undefined) expect(await said(schema, good)).toBeUndefined()
    expect(await said(schema, bad)).toContain(words)
  })

  it.each([
    [{ format: 'email' }, 'nobody'],
    [{ format: 'date-time' }, '2026-01-01T00:00:00'], // as Python writes a time without a zone
    [{ contentEncoding: 'base64' }, '!'],
    [{ deprecated: true, title: 'x', default: 1, examples: [1], readOnly: true }, 'x'],
    [{ discriminator: { propertyName: 'kind' }, nullable: true, 'x-own': 1 }, 'x'],
    [{}, 1],
    [true, 1],
  ])('%j describes, and refuses nothing', async (schema, value) => {
    expect(await said(schema, value)).toBeUndefined()
  })

  it('names five places at most, and each place once', async () => {
    const all = Array.from({ length: 20 }, () => 'x')
    expect((await said({ items: { type: 'null' } }, all))!.split('; ')).toHaveLength(5)
    const twice = { allOf: [{ type: 'null' }, { type: 'null' }] }
    expect(await said(twice, 1)).toBe('output: expected null, received 1')
  })

  it('shows no part of a long text, which may be part of a secret', async () => {
    expect(await said({ type: 'null' }, 'x'.repeat(500))).toBe(
      'output: expected null, received a string of 500 characters',
    )
  })
})

/** As each generator writes the schema of its own example. */
const PYDANTIC = {
  $defs: {
    Cat: {
      properties: { kind: { const: 'cat', title: 'Kind', type: 'string' }, lives: { type: 'integer' } },
      required: ['kind', 'lives'],
      title: 'Cat',
      type: 'object',
    },
    Dog: {
      properties: { kind: { const: 'dog', title: 'Kind', type: 'string' }, name: { type: 'string' } },
      required: ['kind', 'name'],
      title: 'Dog',
      type: 'object',
    },
    Node: {
      properties: {
        value: { type: 'integer' },
        next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }], default: null },
      },
      required: ['value'],
      title: 'Node',
      type: 'object',
    },
  },
  additionalProperties: false,
  properties: {
    pet: {
      discriminator: { mapping: { cat: '#/$defs/Cat', dog: '#/$defs/Dog' }, propertyName: 'kind' },
      oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
    },
    at: { format: 'date-time', title: 'At', type: 'string' },
    pair: { maxItems: 2, minItems: 2, prefixItems: [{ type: 'string' }, { type: 'number' }], type: 'array' },
    note: { anyOf: [{ maxLength: 5, type: 'string' }, { type: 'null' }], default: null },
    list: { $ref: '#/$defs/Node' },
  },
  required: ['pet'],
  title: 'Answer',
  type: 'object',
}
const TYPEBOX = {
  type: 'object',
  required: ['id', 'pair'],
  properties: {
    id: { $id: 'T0', type: 'object', properties: { nodes: { type: 'array', items: { $ref: 'T0' } } } },
    pair: {
      type: 'array',
      items: [{ type: 'string' }, { type: 'number' }],
      additionalItems: false,
      minItems: 2,
      maxItems: 2,
    },
  },
}
const MSGSPEC = {
  $ref: '#/$defs/User',
  $defs: {
    User: {
      title: 'User',
      type: 'object',
      properties: {
        name: { type: 'string', pattern: '^[a-z]+$' },
        groups: { type: 'array', items: { enum: ['admin', 'staff'] }, default: [] },
        email: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
      },
      required: ['name'],
    },
  },
}
const ZOD = z.object({
  kind: z.enum(['a', 'b']),
  email: z.email(),
  at: z.iso.datetime(),
  url: z.url().optional(),
  id: z.uuid(),
  host: z.hostname(),
  pair: z.tuple([z.string(), z.number()]),
  map: z.record(z.string(), z.int()),
  shape: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), r: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]),
})
const zod = {
  kind: 'a',
  email: 'a.b@example.com',
  at: '2026-11-29T16:00:00Z',
  id: '0b4f5cf0-6f6e-4a0c-9d0e-2f3c1b7f0a11',
  host: 'api.example.com',
  pair: ['x', 1],
  map: { a: 1 },
  shape: { kind: 'circle', r: 1 },
}

describe('the schema that a generator writes', () => {
  it.each([
    [
      'pydantic',
      PYDANTIC,
      {
        pet: { kind: 'dog', name: 'Rex' },
        note: null,
        pair: ['a', 1],
        list: { value: 1, next: { value: 2 } },
      },
    ],
    ['TypeBox', TYPEBOX, { id: { nodes: [{ nodes: [] }] }, pair: ['a', 1] }],
    ['msgspec', MSGSPEC, { name: 'ada', groups: ['admin'], email: null }],
    ['zod', z.toJSONSchema(ZOD), zod],
    ['zod, in draft 7', z.toJSONSchema(ZOD, { target: 'draft-7' }), zod],
  ])('%s takes what it describes', async (_, schema, value) => {
    expect(await said(schema, value)).toBeUndefined()
  })

  it.each([
    [
      'pydantic, of a union',
      PYDANTIC,
      { pet: { kind: 'dog', name: 7 } },
      'output.pet.name: expected string, received 7',
    ],
    [
      'pydantic, of no kind',
      PYDANTIC,
      { pet: { kind: 'cow' } },
      'output.pet.kind: expected "cat" or "dog", received "cow"',
    ],
    [
      'pydantic, of an optional',
      PYDANTIC,
      { pet: { kind: 'cat', lives: 9 }, note: 'too long' },
      'output.note: expected at most 5 characters, received "too long"',
    ],
    [
      'pydantic, of a list',
      PYDANTIC,
      { pet: { kind: 'cat', lives: 9 }, list: { value: 1, next: { value: 'x' } } },
      'output.list.next.value: expected integer, received "x"',
    ],
    [
      'pydantic, of one too many',
      PYDANTIC,
      { pet: { kind: 'cat', lives: 9 }, extra: 1 },
      'output.extra: is not allowed',
    ],
    ['TypeBox', TYPEBOX, { id: {}, pair: ['a', 'b'] }, 'output.pair.1: expected number, received "b"'],
    [
      'TypeBox, of a recursion',
      TYPEBOX,
      { id: { nodes: [{ nodes: 1 }] }, pair: ['a', 1] },
      'output.id.nodes.0.nodes: expected array, received 1',
    ],
    [
      'msgspec',
      MSGSPEC,
      { name: 'Ada', groups: ['root'] },
      'output.groups.0: expected "admin" or "staff", received "root"',
    ],
    [
      'zod',
      z.toJSONSchema(ZOD),
      { ...zod, email: 'nobody' },
      'output.email: expected a match of the pattern',
    ],
    [
      'zod, of a host',
      z.toJSONSchema(ZOD),
      { ...zod, host: `${'a'.repeat(300)}` },
      'output.host: expected a match of the pattern',
    ],
    [
      'zod, of a union',
      z.toJSONSchema(ZOD),
      { ...zod, shape: { kind: 'circle', r: 'x' } },
      'output.shape.r: expected number, received "x"',
    ],
  ])('%s says where a value does not match', async (_, schema, value, words) => {
    expect(await said(schema, value)).toContain(words)
  })
})

const REFUSED: [what: string, schema: unknown, path: string, words: string][] = [
  ['no schema', 'string', 'output_schema', 'must be an object or a boolean'],
  ['null', null, 'output_schema', 'must be an object or a boolean'],
  [
    'a type that there is not',
    { properties: { a: { type: 'strin' } } },
    'output_schema.properties.a.type',
    'received "strin"',
  ],
  [
    'a part that is none',
    { properties: { a: 3 } },
    'output_schema.properties.a',
    'expected object or boolean, received 3',
  ],
  ['required that is no list', { required: 'a' }, 'output_schema.required', 'expected array, received "a"'],
  ['enum that is no list', { enum: 'a' }, 'output_schema.enum', 'expected array, received "a"'],
  ['a length in quotes', { minLength: '3' }, 'output_schema.minLength', 'expected integer, received "3"'],
  ['a length below zero', { minLength: -1 }, 'output_schema.minLength', 'expected at least 0'],
  [
    'a bound of an old draft',
    { exclusiveMinimum: true },
    'output_schema.exclusiveMinimum',
    'expected number, received true',
  ],
  ['a multiple of nothing', { multipleOf: 0 }, 'output_schema.multipleOf', 'expected more than 0'],
  [
    'a draft that is not known',
    { $schema: 'http://json-schema.org/draft-04/schema#' },
    'output_schema.$schema',
    'draft-04',
  ],
  ['a draft that is no text', { $schema: 7 }, 'output_schema.$schema', 'not known: 7'],
  ['a draft of its own', { $vocabulary: {} }, 'output_schema.$vocabulary', 'not supported'],
  [
    'a remote reference',
    { items: { $ref: 'https://a.test/x.json' } },
    'output_schema.items.$ref',
    '"https://a.test/x.json"',
  ],
  ['a file', { $ref: 'file:///etc/passwd' }, 'output_schema.$ref', '"file:///etc/passwd"'],
  ['a relative address', { $ref: 'other.json' }, 'output_schema.$ref', '"other.json"'],
  ['a definition that there is not', { $ref: '#/$defs/B' }, 'output_schema.$ref', '"#/$defs/B"'],
  ['an anchor that there is not', { $ref: '#b' }, 'output_schema.$ref', '"#b"'],
  ['a reference to itself', { $ref: '#' }, 'output_schema', 'refers to itself'],
  [
    'a reference to itself, within',
    { properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } },
    'output_schema.properties.a',
    'refers to itself',
  ],
  [
    'two that refer to each other',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/a' } } } },
    'output_schema.$defs.a',
    'refers to itself',
  ],
  [
    'a dynamic reference to itself',
    { $dynamicAnchor: 'n', $dynamicRef: '#n' },
    'output_schema',
    'refers to itself',
  ],
  [
    'no regular expression',
    { properties: { a: { pattern: '(' } } },
    'output_schema.properties.a.pattern',
    'no regular expression',
  ],
  [
    'a name that is none',
    { patternProperties: { '[': {} } },
    'output_schema.patternProperties.[',
    'no regular expression',
  ],
  ['a lookahead', { pattern: 'a(?!b)' }, 'output_schema.pattern', 'lookahead'],
  ['a reference back', { pattern: '(a)\\1' }, 'output_schema.pattern', 'refers back to a group'],
  [
    'a thousand repetitions of a thousand',
    { pattern: '(a{1000}){1000}' },
    'output_schema.pattern',
    'invalid repeat count',
  ],
]

describe('a schema that cannot be checked', () => {
  it.each(REFUSED)('%s is refused with its path', async (_, schema, path, words) => {
    expect(await fault(schema)).toMatchObject({ path, message: expect.stringContaining(words) })
  })

  it('leaves others as they are, whatever it calls itself', async () => {
    await fault({ $id: 'https://json-schema.org/draft/2020-12/schema', $vocabulary: {} })
    expect(
      await said({ $id: 'https://json-schema.org/draft/2020-12/schema', type: 'null' }, null),
    ).toBeUndefined()
    expect(await fault({ type: 'strin' })).toMatchObject({ path: 'output_schema.type' })
  })
})

describe('a pattern', () => {
  it.each([
    ['^(?=.*\\d)(?=.*[A-Z]).{4,}$', 'Abc1', 'abc1'],
    ['^(?!.*\\s)\\S+$', 'ab', 'a b'],
    ['(?<=#)\\d', '#1', '1'],
    ['^\\s+$', '\u00a0\u2003', 'a'],
    ['^.$', '😀', '\u2028'],
    ['^\\p{Letter}+$', 'Grüße', 'a1'],
    ['^\\p{Script=Greek}$', 'α', 'a'],
    ['^\\u0041\\x42\\/\\-$', 'AB/-', 'AB'],
    ['^[^]$', '\n', ''],
    ['b', 'abc', 'ac'],
  ])('%s matches as it does elsewhere', async (pattern, good, bad) => {
    expect(await said({ pattern }, good)).toBeUndefined()
    expect(await said({ pattern }, bad)).toContain('expected a match')
  })
})
