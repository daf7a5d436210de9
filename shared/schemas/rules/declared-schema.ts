// Reads declared schemas. Guarantee: loading this loads no library; that comes with the first schema that is read.

import type { SchemaEngine } from '../vocabulary.ts'

let engine: SchemaEngine | undefined

/** Reads a schema of a declaration; a fault says why it cannot be checked. */
export const readSchema: SchemaEngine = async (schema, name) => {
  engine ??= (await import('./schema-engine.ts')).engine
  return engine(schema, name)
}
