import { expect, it } from 'vitest'
import { takesNull } from './takes-null.ts'

it('null is accepted where the schema allows it or does not say', () => {
  const takes = [{}, true, undefined, { type: ['object', 'null'] }, { enum: ['a', null] }, { const: null }]
  const more = [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { $ref: '#/$defs/Ticket' }]
  for (const schema of [...takes, ...more]) expect([schema, takesNull(schema)]).toEqual([schema, true])
})

it('null is not accepted where the schema requires something else', () => {
  const refuses = [{ type: 'object' }, false, { type: ['string', 'number'] }, { enum: ['a'] }, { const: 1 }]
  const more = [{ oneOf: [{ type: 'string' }, { type: 'object' }] }, { allOf: [{}, { type: 'object' }] }]
  for (const schema of [...refuses, ...more]) expect([schema, takesNull(schema)]).toEqual([schema, false])
})
