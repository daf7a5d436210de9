// The document as third-party tools read it.

import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { endpoints } from '../../functions/index.ts'
import type { JsonSchema } from '../../shared/kernel/sample.ts'
import { type Document, type Media, openApiDocument } from '../../shared/openapi/openapi.ts'
import { BatchOrder, BatchQuery } from '../../shared/submission/wire/run-order.ts'

const document = openApiDocument(endpoints)
const operations = Object.values(document.paths).flatMap(path => Object.values(path))

it('the document passes a linter', async () => {
  const rules = {
    // Every operation can be refused, and only the caller can say the address of the server.
    'no-server-example.com': 'off',
    'operation-2xx-response': 'error',
    'operation-4xx-response': 'off',
    'operation-description': 'error',
    'no-invalid-media-type-examples': 'error',
  } as const
  const config = await createConfig({ extends: ['recommended-strict'], rules })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  const lines = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`,
  )
  expect(lines.slice(0, 20)).toEqual([])
})

it('the document has an example of every body and of every parameter', () => {
  const bare = operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => {
    const media = [requestBody?.content ?? {}, ...Object.values(responses).map(one => one.content ?? {})]
    return [
      ...parameters.filter(one => one.example === undefined).map(one => `${operationId} ${one.name}`),
      ...media.flatMap(content =>
        Object.entries(content)
          .filter(([, one]) => Object.keys(one.examples ?? {}).length === 0)
          .map(([type]) => `${operationId} ${type}`),
      ),
    ]
  })
  expect(bare).toEqual([])
})

it("the document names its shapes by .openapi('Name'): zod's own .meta({ id }) leaves a stray id in the shape", () => {
  const strays: string[] = []
  JSON.stringify(document, (key, value) => {
    if (key === 'examples' || key === 'example') return undefined
    const isSchema = 'type' in Object(value) || 'description' in Object(value) || 'anyOf' in Object(value)
    if (isSchema && typeof value.id === 'string') strays.push(value.id)
    return value
  })
  expect(strays).toEqual([])
})

it('the document says in a sentence of its own what each operation does', () => {
  const silent = endpoints.filter(one => one.description === undefined).map(one => one.operation_id)
  expect(silent).toEqual([])
})

it('example bodies are accepted by their own operation', () => {
  const refused = endpoints.flatMap(({ body, path, method, operation_id }) => {
    if (body === undefined) return []
    const media = document.paths[path]![method]!.requestBody!.content['application/json'] as Media
    const result = body.safeParse(Object.values(media.examples!)[0]!.value)
    return result.success ? [] : [`${operation_id}: ${z.prettifyError(result.error)}`]
  })
  expect(refused).toEqual([])
})

it('examples match their own schemas, for an independent validator', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema({ $id: 'document', components: document.components })
  const within = (schema: JsonSchema) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'))
  const misfits = (where: string, schema: JsonSchema, values: unknown[]) => {
    const fits = ajv.compile(within(schema))
    return values.flatMap(value => (fits(value) ? [] : [`${where}: ${ajv.errorsText(fits.errors)}`]))
  }
  const ofMedia = (where: string, content: Record<string, Media>) =>
    Object.entries(content).flatMap(([type, { schema, examples = {} }]) =>
      misfits(
        `${where} ${type}`,
        schema,
        Object.values(examples).map(one => one.value),
      ),
    )
  const sent = Object.values(document.webhooks).map(({ post }) => post)
  const found = [...operations, ...sent].flatMap(
    ({ operationId, parameters = [], requestBody, responses, 'x-lines': lines }) => [
      ...parameters.flatMap(one => misfits(`${operationId} ${one.name}`, one.schema, [one.example])),
      ...ofMedia(operationId, requestBody?.content ?? {}),
      ...(lines ? ofMedia(operationId, { lines }) : []),
      ...(lines?.parameters ?? []).flatMap(one =>
        misfits(`${operationId} ${one.name}`, one.schema, [one.example]),
      ),
      ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
        ofMedia(`${operationId} ${status}`, content),
      ),
    ],
  )
  const named = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
    misfits(
      name,
      schema,
      [schema.example, ...(schema.examples ?? [])].filter(one => one !== undefined),
    ),
  )
  expect([...found, ...named]).toEqual([])
})

it('each operation has one form of request, and no field that generators take to be present because of a default', () => {
  const forms = operations.map(one => Object.keys(one.requestBody?.content ?? {}).length)
  expect(Math.max(...forms)).toBe(1)
  expect(JSON.stringify(document.components.schemas)).not.toMatch(/"default":(?![[{])/)
})

it('a batch sent line by line is in the document: its type, its line, and every parameter of its query', () => {
  const { 'x-lines': lines, description } = document.paths['/v1/batches']!.post!
  const read = Object.keys(BatchQuery.shape)
  expect(lines!.content_type).toBe('application/x-ndjson')
  expect(JSON.stringify(lines!.schema)).toContain('#/components/schemas/BatchItem')
  expect(lines!.parameters.map(({ name }) => name)).toEqual(read)
  for (const one of lines!.parameters)
    expect(one).toMatchObject({ in: 'query', required: false, description: expect.any(String), schema: {} })
  // All that a body takes but its items, which are the lines.
  const { items: _, ...rest } = BatchOrder.shape
  expect(read.toSorted()).toEqual(Object.keys(rest).toSorted())
  for (const name of read) expect(description).toContain(`- \`${name}\`: `)
})

it('the example of a batch names its agent once, so that it is accepted as it is printed', () => {
  const media = document.paths['/v1/batches']!.post!.requestBody!.content['application/json'] as Media
  const body = Object.values(media.examples!)[0]!.value as Record<string, unknown>
  expect([body.agent, body.agent_id, body.project_id]).toEqual(['ticket-triage', undefined, undefined])
})

it('the document is the same each time it is made, and says its version [service.version]', () => {
  expect(document.info.version).toBe('1.0.0')
  const again: Document = openApiDocument(endpoints)
  expect(JSON.stringify(again)).toBe(JSON.stringify(document))
})

it('the document has only the statuses of the contract [errors.only-these]', () => {
  const known = ['200', '201', '202', '204', '400', '401', '402', '403', '404', '409', '429', '500', '503']
  const others = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).flatMap(status => (known.includes(status) ? [] : [`${operationId} ${status}`])),
  )
  expect(others).toEqual([])
})

it('each operation is under a tag that is explained, and is marked as self-hosted [service.tags]', () => {
  const explained = document.tags.map(tag => tag.name)
  for (const { operationId, tags } of operations) {
    expect([operationId, tags]).toEqual([operationId, [expect.any(String), 'self-hosted']])
    expect(explained).toEqual(expect.arrayContaining(tags))
  }
})

it('paths are under the generation they belong to [service.generations]', () => {
  const paths = Object.keys(document.paths).filter(path => !path.startsWith('/health'))
  const second = paths.filter(path => /^\/v2\/runs(\/|$)/.test(path))
  expect(paths.filter(path => !second.includes(path) && !/^\/v1\/(?!runs\/)/.test(path))).toEqual([])
})
