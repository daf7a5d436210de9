// Every number that a caller may send has a minimum and a maximum: a number without bounds does not fit its column, or
// makes work that never ends.

import { expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'

type Schema = Record<string, unknown>

const document = openApiDocument(endpoints)
const named = document.components.schemas as Record<string, Schema>

/** Where numbers of a schema have no bounds; a schema that is referred to is searched once. */
function unbounded(where: string, schema: unknown, seen = new Set<string>()): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema)) return schema.flatMap(one => unbounded(where, one, seen))
  const { $ref, type, properties, example: _, examples: _more, ...rest } = schema as Schema
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!
    if (seen.has(name)) return []
    seen.add(name)
    return unbounded(`${where} ${name}`, named[name], seen)
  }
  const isNumber = [type].flat().some(one => one === 'integer' || one === 'number')
  const hasBounds =
    rest.enum !== undefined ||
    rest.const !== undefined ||
    ((rest.minimum ?? rest.exclusiveMinimum) !== undefined && rest.maximum !== undefined)
  return [
    ...(isNumber && !hasBounds ? [where] : []),
    ...Object.entries((properties ?? {}) as Schema).flatMap(([name, one]) =>
      unbounded(`${where}.${name}`, one, seen),
    ),
    ...Object.values(rest).flatMap(one => unbounded(where, one, seen)),
  ]
}

it('every number of a request has a minimum and a maximum', () => {
  const operations = Object.values(document.paths).flatMap(path => Object.values(path))
  const found = operations.flatMap(({ operationId, parameters = [], requestBody, 'x-lines': lines }) => [
    ...parameters.flatMap(one => unbounded(`${operationId} ${one.name}`, one.schema)),
    ...Object.values(requestBody?.content ?? {}).flatMap(one => unbounded(operationId, one.schema)),
    ...(lines === undefined ? [] : unbounded(operationId, lines.schema)),
    ...(lines?.parameters ?? []).flatMap(one => unbounded(`${operationId} ${one.name}`, one.schema)),
  ])
  expect(found).toEqual([])
})
