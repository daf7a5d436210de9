// Adapts the document to programs that generate clients. Guarantee: nothing that people read is lost: a second form of
// a request is kept next to the first, and defaults are described in words.

import type { JsonSchema } from '../kernel/sample.ts'
import type { Operation } from './openapi-document.ts'

/** Moves a request's second form to `x-lines`: generators expect an operation to have one form of request. */
export function setLinesApart(operation: Operation): void {
  const { 'application/x-ndjson': line, ...content } = operation.requestBody?.content ?? {}
  if (line === undefined || Object.keys(content).length === 0) return
  operation.requestBody!.content = content
  const parameters = operation.parameters ?? []
  operation['x-lines'] = { content_type: 'application/x-ndjson', ...line, parameters }
  // Programs that do not know x-lines still show what that form takes.
  const named = parameters.map(({ name, description = '' }) => `- \`${name}\`: ${description}`)
  operation.description += `\n\nThe query parameters of the form as application/x-ndjson, each optional (\`x-lines\` has their schemas, and that of a line):\n\n${named.join('\n')}`
  delete operation.parameters
}

/** Describes defaults in words: generators take a field with a default for one that is always present. */
export function withoutDefaults(value: unknown): void {
  if (value === null || typeof value !== 'object') return
  const { properties } = value as JsonSchema
  for (const field of Object.values(properties ?? {})) {
    if (field.default === undefined || typeof field.default === 'object') continue
    field.description = `${field.description ?? ''} ${sayDefault(field.default)}`.trim()
    delete field.default
  }
  for (const [key, member] of Object.entries(value)) if (!key.startsWith('example')) withoutDefaults(member)
}

const sayDefault = (value: unknown) => `\`${String(value)}\` by default.`
