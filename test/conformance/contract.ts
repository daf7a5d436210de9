// Checks answers against the OpenAPI document that the same host serves.

import { expect } from 'vitest'
import { z } from 'zod'

interface Media {
  schema: Record<string, unknown>
  examples?: Record<string, unknown>
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Record<string, unknown>
}
export interface Operation {
  operationId: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  /** The same request, line by line. */
  'x-lines'?: Media & { parameters: Parameter[] }
  responses: Record<string, { content?: Record<string, Media> }>
}
export interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Record<string, unknown>> }
}

/** Says its status and nothing else, also where nobody is served. */
const SERVING = '/health/serving'

export class Contract {
  readonly document: Document
  readonly #templates: [RegExp, string][]
  readonly #schemas = new Map<string, z.ZodType>()
  /** Every operation and status seen so far, to find those that the suite leaves out. */
  readonly seen = new Set<string>()
  /** The tests that called each operation, except those that call every operation. */
  readonly calls = new Map<string, Set<string>>()

  constructor(document: Document) {
    this.document = document
    this.#templates = Object.keys(document.paths)
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map(path => [new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), path])
  }

  /** Throws if an answer of a documented operation does not match the document. */
  check(method: string, pathname: string, status: number, contentType: string | null, text: string): void {
    const template = this.#templates.find(([pattern]) => pattern.test(pathname))?.[1]
    const operation = template && this.document.paths[template]?.[method.toLowerCase()]
    if (!operation) return
    const name = `${method} ${template} ${status}`
    this.seen.add(name)
    this.#note(operation.operationId)
    const response = operation.responses[status]
    if (response === undefined) throw new Error(`${name} is not documented`)
    if (response.content === undefined) {
      if (text !== '') throw new Error(`${name} has a body but documents none`)
      return
    }
    const type = (contentType ?? '').split(';', 1)[0]!
    const media = response.content[type]
    if (media === undefined) throw new Error(`${name} has the undocumented content type ${contentType}`)
    if (status >= 400 && pathname !== SERVING) this.#checkCode(name, media, text)
    const values = valuesOf(type, text)
    for (const value of values) {
      const result = this.#schemaOf(`${name} ${contentType}`, media.schema).safeParse(JSON.parse(value))
      if (!result.success)
        throw new Error(`${name} does not fit the document: ${result.error.message}\n${value}`)
    }
  }

  #note(operationId: string): void {
    const [, ...place] = (expect.getState().currentTestName ?? '').split(' > ')
    const part = place[0] ?? ''
    if (place.length === 0 || part === 'every operation of the document' || part === 'bad input') return
    this.calls.set(operationId, (this.calls.get(operationId) ?? new Set()).add(place.join(': ')))
  }

  /** Checks that the operation documents the code of the error. */
  #checkCode(name: string, { examples = {} }: Media, text: string): void {
    const { code } = JSON.parse(text).error
    const isDocumented = code in examples || JSON.stringify(examples).includes(`"${code}"`)
    if (!isDocumented) throw new Error(`${name} answered the undocumented code ${code}`)
  }

  #schemaOf(name: string, schema: Record<string, unknown>): z.ZodType {
    const known = this.#schemas.get(name)
    if (known) return known
    const made = z.fromJSONSchema(this.#resolved(schema) as Parameters<typeof z.fromJSONSchema>[0])
    this.#schemas.set(name, made)
    return made
  }

  /**
   * The schema with every reference replaced by its target; none of ours is recursive. Objects may hold only the
   * properties they name: the document lets them grow, a test does not.
   */
  #resolved(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(member => this.#resolved(member))
    if (schema === null || typeof schema !== 'object') return schema
    const { $ref, ...rest } = schema as Record<string, unknown>
    if (typeof $ref === 'string') {
      const named = this.document.components.schemas[$ref.split('/').at(-1)!]
      if (named === undefined) throw new Error(`${$ref} names nothing`)
      return this.#resolved({ ...named, ...rest })
    }
    const whole = Object.fromEntries(
      Object.entries(rest).map(([key, member]) => [key, this.#resolved(member)]),
    ) as Record<string, unknown>
    if (Array.isArray(whole.allOf)) return merged(whole.allOf)
    return whole.type === 'object' && whole.properties !== undefined
      ? { additionalProperties: false, ...whole }
      : whole
  }
}

/** Merges several schemas into one: objects are joined, and a part that only describes adds nothing. */
function merged(parts: Record<string, unknown>[]): Record<string, unknown> {
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  const required = parts.flatMap(part => (part.required as string[] | undefined) ?? [])
  const whole = Object.assign({}, ...parts)
  return Object.keys(properties).length === 0 ? whole : { ...whole, properties, required }
}

/** The JSON texts in an answer. */
function valuesOf(contentType: string, text: string): string[] {
  if (contentType === 'text/csv') return [JSON.stringify(text)]
  if (contentType === 'application/x-ndjson') return text.split('\n').filter(Boolean)
  if (contentType === 'text/event-stream')
    return text.split('\n').flatMap(line => (line.startsWith('data: ') ? [line.slice(6)] : []))
  return [text]
}
