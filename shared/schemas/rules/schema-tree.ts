// Looks through a declared schema before a library reads it. Guarantee: what passes is of a known draft, has a bounded size,
// and cannot change how other schemas are read.

import { LIMITS } from '../../kernel/limits.ts'
import type { SchemaFault } from '../vocabulary.ts'

/** The dialects that are known, by the names that schemas use for them. */
export const DIALECTS = {
  draft7: 'http://json-schema.org/draft-07/schema',
  draft2019: 'https://json-schema.org/draft/2019-09/schema',
  draft2020: 'https://json-schema.org/draft/2020-12/schema',
} as const

/** A reference in a schema, and the address that it is relative to. */
export interface Reference {
  path: string
  ref: string
  base: string
}

export interface SchemaTree {
  dialect: string
  references: Reference[]
}

/** The address of a schema that names none of its own. */
export const BASE = 'https://declared.invalid/schema'

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef']
/** Their values are data, in which nothing refers to anything. */
const DATA = new Set(['const', 'enum', 'default', 'examples', 'example'])

/** @throws Refusal */
export function treeOf(schema: unknown, path: string): SchemaTree {
  const text = JSON.stringify(schema) ?? ''
  if (text.length > LIMITS.schema_bytes || new TextEncoder().encode(text).length > LIMITS.schema_bytes)
    throw new Refusal({
      path,
      message: `is longer than ${LIMITS.schema_bytes} bytes`,
      hint: 'Name parts that come several times under $defs, and refer to them.',
    })
  if (typeof schema !== 'boolean' && !isObject(schema))
    throw new Refusal({ path, message: 'is not a JSON Schema: it must be an object or a boolean' })
  const walk = new Walk()
  walk.into(schema, path, BASE, true)
  return { dialect: dialectOf(schema, path, walk), references: walk.references }
}

/** A schema that is not accepted. */
export class Refusal extends Error {
  readonly fault: SchemaFault
  constructor(fault: SchemaFault) {
    super(fault.message)
    this.fault = fault
  }
}

class Walk {
  readonly references: Reference[] = []
  /** Keywords whose meaning an older draft has: the schema is of that draft if it names none. */
  hasItemsList = false
  hasDependencies = false
  #parts = 0
  #anchors = 0

  /** `isSchema` is false within the maps of names, such as `properties`, whose keys are no keywords. */
  into(value: unknown, path: string, base: string, isSchema: boolean): void {
    if (Array.isArray(value)) {
      for (const [at, one] of value.entries()) this.into(one, `${path}.${at}`, base, true)
      return
    }
    if (!isObject(value)) return
    if (++this.#parts > LIMITS.schema_parts)
      throw new Refusal({
        path,
        message: `is one of more than ${LIMITS.schema_parts} parts`,
        hint: 'Use enum for a list of values, and name parts that come several times under $defs.',
      })
    const here = isSchema ? this.#keywords(value, path, base) : base
    for (const [key, one] of Object.entries(value))
      if (!isSchema || !DATA.has(key)) this.into(one, `${path}.${key}`, here, !isSchema || !MAPS.has(key))
  }

  /** Returns the address to which what is inside is relative. */
  #keywords(schema: Record<string, unknown>, path: string, base: string): string {
    if (schema.$vocabulary !== undefined)
      throw new Refusal({
        path: `${path}.$vocabulary`,
        message: 'declares a dialect of its own, which is not supported',
        hint: 'Remove it.',
      })
    if (typeof schema.$dynamicAnchor === 'string' && ++this.#anchors > LIMITS.schema_dynamic_anchors)
      throw new Refusal({
        path: `${path}.$dynamicAnchor`,
        message: `is one of more than ${LIMITS.schema_dynamic_anchors} dynamic anchors`,
        hint: 'Use $anchor or $defs.',
      })
    if (schema.$schema !== undefined) knownDialect(schema.$schema, path)
    if (Array.isArray(schema['items'])) this.hasItemsList = true
    if (schema['dependencies'] !== undefined) this.hasDependencies = true
    const here = typeof schema.$id === 'string' ? resolved(schema.$id, base) : base
    if (here === undefined)
      throw new Refusal({ path: `${path}.$id`, message: `is no address: ${JSON.stringify(schema.$id)}` })
    for (const keyword of REFERENCES) {
      const ref = schema[keyword]
      if (typeof ref === 'string') this.references.push({ path: `${path}.${keyword}`, ref, base: here })
    }
    return here
  }
}

/** Keywords whose values are maps of schemas by name. */
const MAPS = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
])

/** What a reference points to, as an absolute address; undefined if that is none. */
export function resolved(ref: string, base: string): string | undefined {
  try {
    return new URL(ref, base).href
  } catch {
    return undefined
  }
}

function knownDialect(name: unknown, path: string): string {
  const known = Object.values(DIALECTS).find(
    one => typeof name === 'string' && name.replace(/#$/, '') === one,
  )
  if (known !== undefined) return known
  throw new Refusal({
    path: `${path}.$schema`,
    message: `names a draft that is not known: ${JSON.stringify(name)?.slice(0, 200)}`,
    hint: `Use ${DIALECTS.draft2020}, ${DIALECTS.draft2019} or ${DIALECTS.draft7}#.`,
  })
}

/** A schema that names no draft is of 2020-12, unless it has what only older ones mean, as TypeBox's tuples do. */
function dialectOf(schema: boolean | Record<string, unknown>, path: string, walk: Walk): string {
  if (typeof schema === 'object' && schema.$schema !== undefined) return knownDialect(schema.$schema, path)
  if (walk.hasDependencies) return DIALECTS.draft7
  return walk.hasItemsList ? DIALECTS.draft2019 : DIALECTS.draft2020
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
