// The OpenAPI 3.1 document of a list of endpoints. Guarantee: made from the very schemas that check requests, and
// the same list always gives the same document.

import { z } from 'zod'
import { API_ERRORS, type ApiErrorCode } from '../domain/errors.ts'
import type { Endpoint } from './endpoint.ts'

type Schema = Record<string, unknown>
type Components = Record<string, Schema>

const INFO = {
  title: 'Assay',
  version: '1.0.0',
  description:
    'An item-level task queue for batch and periodic AI work. For every item and every run it says two things: whether it ran (`status`) and whether it worked (`worst_outcome_status`).',
  license: { name: 'MIT', identifier: 'MIT' },
}

const TAGS: Record<string, string> = {
  Health: 'Whether the service and its stores answer.',
  Projects: 'Environments, and the keys that open them.',
  Agents: 'The deployable units of code, and their versions.',
  Runs: 'Invocations of an agent over items.',
  Items: 'The units of verdict and of recovery, and their traces.',
  Recovery: 'What did not work, and what can be done about it.',
  Schedules: 'Recurring starts.',
  Account: 'Members and their sessions.',
  'self-hosted': 'Runs in your own infrastructure; there is no shared endpoint.',
}

/** Codes any operation can answer with, by what it takes. */
function errorsOf(endpoint: Endpoint): ApiErrorCode[] {
  const codes = new Set<ApiErrorCode>(['invalid_request', ...endpoint.errors, 'internal'])
  if (endpoint.auth !== 'none') codes.add('unauthenticated')
  if (endpoint.auth !== 'none') codes.add('forbidden')
  if (Object.keys(endpoint.params).length > 0) codes.add('not_found')
  if (endpoint.body !== undefined) {
    const gate = [
      'invalid_json',
      'invalid_utf8',
      'duplicate_key',
      'too_deep',
      'number_out_of_range',
      'body_too_large',
    ]
    for (const code of gate as ApiErrorCode[]) codes.add(code)
  }
  return [...codes].sort()
}

export function openApiDocument(endpoints: readonly Endpoint[]): Schema {
  const components: Components = { Error: errorSchema() }
  const paths: Record<string, Schema> = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint, components) }
  }
  const used = new Set(endpoints.map(endpoint => endpoint.tag as string).concat('self-hosted'))
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).flatMap(([name, description]) =>
      used.has(name) ? [{ name, description }] : [],
    ),
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      headers: { RequestId: { description: 'Names this request in the log.', schema: { type: 'string' } } },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A project key (`pk_…`) or the access token of a session.',
        },
      },
    },
  }
}

function operation(endpoint: Endpoint, components: Components): Schema {
  const { body, lines } = endpoint
  return {
    operationId: endpoint.operation_id,
    tags: [endpoint.tag, 'self-hosted'],
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    ...(endpoint.auth === 'none' && { security: [] }),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint, components)],
    ...((body !== undefined || lines !== undefined) && {
      requestBody: {
        required: true,
        content: {
          ...(body !== undefined && { 'application/json': { schema: schemaOf(body, 'input', components) } }),
          ...(lines !== undefined && {
            'application/x-ndjson': {
              schema: { ...schemaOf(lines.line, 'input', components), description: lines.description },
            },
          }),
        },
      },
    }),
    responses: { ...answersOf(endpoint, components), ...failuresOf(endpoint) },
  }
}

function pathParameters(endpoint: Endpoint): Schema[] {
  return Object.entries(endpoint.params).map(([name, noun]) => ({
    name,
    in: 'path',
    required: true,
    description: `Id of the ${noun}.`,
    schema: { type: 'string', format: 'uuid' },
  }))
}

function queryParameters(endpoint: Endpoint, components: Components): Schema[] {
  const { query, lines } = endpoint
  if (lines !== undefined) {
    const note = (text = '') => `${text} Only with application/x-ndjson.`.trim()
    return parametersOf(lines.query, components).map(parameter => ({
      ...parameter,
      required: false,
      description: note(parameter.description as string | undefined),
    }))
  }
  return query === undefined ? [] : parametersOf(query, components)
}

function parametersOf(query: z.ZodType, components: Components): Schema[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input', components) as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}

function answersOf(endpoint: Endpoint, components: Components): Schema {
  const answers: Schema = {}
  for (const [status, { description, schema, ndjson, headers }] of Object.entries(endpoint.answers)) {
    const content = {
      ...(schema !== undefined && { 'application/json': { schema: schemaOf(schema, 'output', components) } }),
      ...(ndjson !== undefined && {
        'application/x-ndjson': { schema: schemaOf(ndjson, 'output', components) },
      }),
    }
    answers[status] = {
      description,
      headers: { ...REQUEST_ID, ...headersOf(headers ?? {}) },
      ...(Object.keys(content).length > 0 && { content }),
    }
  }
  return answers
}

const REQUEST_ID = { 'x-request-id': { $ref: '#/components/headers/RequestId' } }

const headersOf = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )

function failuresOf(endpoint: Endpoint): Schema {
  const failures: Schema = {}
  const codes = errorsOf(endpoint)
  for (const status of new Set(codes.map(code => API_ERRORS[code]))) {
    if (status in endpoint.answers) continue
    const named = codes.filter(code => API_ERRORS[code] === status).map(code => `\`${code}\``)
    failures[status] = {
      description: named.join(', '),
      headers: REQUEST_ID,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  }
  return failures
}

/** The JSON Schema of a shape; named shapes in it move to the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): Schema {
  const whole = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  const text = JSON.stringify(whole).replaceAll('"#/$defs/', '"#/components/schemas/')
  const {
    $schema: _,
    $defs = {},
    id,
    ...rest
  } = JSON.parse(text) as Schema & { $defs?: Components; id?: string }
  for (const [name, component] of Object.entries($defs)) addComponent(components, name, component)
  if (id === undefined) return rest
  addComponent(components, id, rest)
  return { $ref: `#/components/schemas/${id}` }
}

function addComponent(components: Components, name: string, { id: _, ...component }: Schema): void {
  const known = components[name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
    throw new Error(`Two different shapes are called ${name}`)
  }
  components[name] = component
}

function errorSchema(): Schema {
  const code = { type: 'string', enum: Object.keys(API_ERRORS), description: 'Stable, for machines.' }
  return {
    type: 'object',
    description: 'What went wrong, where, and what to do next.',
    properties: {
      error: {
        type: 'object',
        properties: {
          code,
          message: { type: 'string', description: 'For people.' },
          hint: { type: 'string', description: 'What to do next.' },
        },
        required: ['code', 'message'],
        additionalProperties: false,
      },
    },
    required: ['error'],
    additionalProperties: false,
  }
}
