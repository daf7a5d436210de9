// The shape of an OpenAPI document, as far as it is made and read here.

import type { JsonSchema } from '../kernel/sample.ts'

export interface Media {
  schema: JsonSchema
  examples?: Record<string, { summary?: string; value: unknown }>
}
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { description: string; content?: Record<string, Media> }>
  /** The same request sent line by line, as application/x-ndjson. */
  'x-lines'?: Lines
}
/** A second form of a request, kept apart since client generators expect an operation to have one form. */
export interface Lines extends Media {
  content_type: string
  /** The query parameters that replace the body. */
  parameters: Parameter[]
}
export interface Document {
  openapi: string
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  /** The messages Assay sends, by type. */
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, JsonSchema> }
}
