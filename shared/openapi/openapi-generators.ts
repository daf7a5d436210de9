// What the document leaves out for the sake of programs that make clients of it. Guarantee: nothing is lost that people
// read: a second form of a request stands beside the first, and a default is said in words.

import type { JsonSchema } from '../kernel/sample.ts'
import type { Operation } from './openapi-document.ts'

/** Generators take an operation to have one form of request. */
export function setLinesApart(operation: Operation): void {
  const { 'application/x-ndjson': line, ...content } = operation.requestBody?.content ?? {}
  if (line === undefined || Object.keys(content).length === 0) return
  operation.requestBody!.content = content
  operation['x-lines'] = { ...line, parameters: operation.parameters ?? [] }
  delete operation.parameters
}

/** A default is said in words: generators take a field that has one for a field that is always there. */
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

const sayDefault = (value: unknown) => `\`${String(value)}\` unless told.`
