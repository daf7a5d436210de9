// Examples of agents' input schemas, each parsed by the schema it was made from.

import { expect, it } from 'vitest'
import { z } from 'zod'
import { sampleOf } from './sample.ts'

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree)
  },
})

it.each([
  [
    'plain values',
    z.object({ id: z.string(), text: z.string().min(12), n: z.number().gt(3), ok: z.boolean() }),
  ],
  [
    'bounds',
    z.object({ name: z.string().max(3), pages: z.int().min(7).multipleOf(5), below: z.number().lt(0) }),
  ],
  [
    'bounds less than 1 apart',
    z.object({
      share: z.number().gt(0).lt(1),
      rate: z.number().gt(0).max(0.5),
      low: z.number().min(0.2).lt(0.3),
      step: z.number().min(0.1).max(0.5).multipleOf(0.2),
      whole: z.int().gt(5).max(6),
    }),
  ],
  [
    'formats',
    z.object({ id: z.uuid(), mail: z.email(), url: z.url(), at: z.iso.datetime(), on: z.iso.date() }),
  ],
  ['choices', z.object({ one: z.enum(['b', 'a']), two: z.literal(3), three: z.string().nullable() })],
  ['lists', z.object({ tags: z.array(z.string()).min(2), pair: z.tuple([z.string(), z.number()]) })],
  ['a schema that refers to itself', Tree],
  ['unions and records', z.union([z.object({ by: z.record(z.string(), z.number()) }), z.string()])],
])('a sample of %s fits its schema', (_, schema) => {
  const sample = sampleOf(z.toJSONSchema(schema, { io: 'input' }))
  expect(schema.safeParse(sample), JSON.stringify(sample)).toMatchObject({ success: true })
})

it('there is no sample without a schema, or for a schema that requires itself without end', () => {
  expect(sampleOf(undefined)).toBeUndefined()
  expect(sampleOf(true)).toBeUndefined()
  expect(sampleOf({ $ref: '#' })).toBeUndefined()
})
