// Turns a schema into what the library evaluates. Guarantee: nothing is fetched; every evaluation of a part spends steps;
// no part refers to itself without going into the value.

import { removeUriSchemePlugin, value as valueAt } from '@hyperjump/browser'
import { type SchemaObject, setShouldValidateSchema } from '@hyperjump/json-schema/draft-2020-12'
import '@hyperjump/json-schema/draft-2019-09'
import '@hyperjump/json-schema/draft-07'
import {
  addKeyword,
  buildSchemaDocument,
  type CompiledSchema,
  compile,
  getSchema,
} from '@hyperjump/json-schema/experimental'
import * as Instance from '@hyperjump/json-schema/instance/experimental'
import { LIMITS } from '../../kernel/limits.ts'
import { PatternRefused } from './linear-pattern.ts'
import { spend, spendOnText } from './meter.ts'
import { addKeywords } from './pattern-keywords.ts'
import { BASE, type Reference, Refusal, resolved, type SchemaTree } from './schema-tree.ts'

// The library would ask for what a schema refers to, and for files.
for (const scheme of ['http', 'https', 'file']) removeUriSchemePlugin(scheme)
// Schemas are checked against their draft here, in words that name the place.
setShouldValidateSchema(false)
addKeywords()

/** The names of keywords within the library, without what they all begin with. */
export const keywordOf = (id: string) => id.replace(/^https:\/\/json-schema\.org\/keyword\//, '')

/** @throws Refusal */
export async function compiledSchema(
  schema: unknown,
  { dialect, references }: SchemaTree,
  path: string,
): Promise<CompiledSchema> {
  try {
    const document = buildSchemaDocument(schema as SchemaObject, BASE, dialect)
    const cache = { ...document.embedded, [document.baseUri]: document }
    const open = (uri: string) => getSchema(uri, { _cache: { ...cache } } as never)
    for (const reference of references) await follow(reference, open)
    const compiled = await compile(await open(document.baseUri))
    refuseCircles(compiled, path)
    return metered(compiled)
  } catch (error) {
    if (error instanceof Refusal) throw error
    const at = error instanceof PatternRefused ? `${path}${error.place}` : path
    throw new Refusal({ path: at, message: (error as Error).message })
  }
}

/** The schemas of the drafts themselves, against which declared ones are checked. */
export async function draftSchema(dialect: string): Promise<CompiledSchema> {
  return metered(await compile(await getSchema(dialect)))
}

async function follow(
  { path, ref, base }: Reference,
  open: (uri: string) => Promise<Awaited<ReturnType<typeof getSchema>>>,
): Promise<void> {
  const target = resolved(ref, base)
  const found = target === undefined ? undefined : await open(target).then(valueAt<unknown>, () => undefined)
  if (typeof found === 'boolean' || (typeof found === 'object' && found !== null)) return
  const isOutside = target === undefined || !target.startsWith(`${base.split('#')[0]}#`)
  throw new Refusal({
    path,
    message: `refers to ${JSON.stringify(ref)}, which the schema does not contain`,
    hint: isOutside
      ? 'Nothing is fetched from elsewhere: put what it refers to under $defs, and refer to it there.'
      : 'Correct the reference, or add what it refers to.',
  })
}

type Part = [id: string, place: string, value: unknown]

const partsOf = ({ ast }: CompiledSchema): [string, Part[]][] =>
  Object.entries(ast).flatMap(([url, parts]) =>
    Array.isArray(parts) ? [[url, parts as unknown as Part[]] as [string, Part[]]] : [],
  )

/** Keywords that evaluate other parts with the same value. */
const IN_PLACE = new Set([
  'ref',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'draft-04/dependencies',
])
const DYNAMIC = new Set(['draft-2020-12/dynamicRef', 'draft-2019-09/recursiveRef', 'dynamicRef'])

/** The parts that a part evaluates with the same value. */
function inPlace(parts: readonly Part[], { ast }: CompiledSchema): string[] {
  return parts.flatMap(([id, , value]) => {
    const keyword = keywordOf(id)
    if (IN_PLACE.has(keyword)) return urlsIn(value).filter(url => Object.hasOwn(ast, url))
    // Where a dynamic reference leads depends on how one has come to it: to any anchor of its name.
    if (!DYNAMIC.has(keyword)) return []
    const named = urlsIn(value).filter(url => Object.hasOwn(ast, url))
    return [...named, ...Object.values(ast.metaData).flatMap(one => Object.values(one.dynamicAnchors))]
  })
}

const urlsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.flatMap(urlsIn) : []

/** @throws Refusal */
function refuseCircles(compiled: CompiledSchema, path: string): void {
  const parts = new Map(partsOf(compiled))
  /** How many parts follow one another from here on; those that are looked at now have none yet. */
  const depths = new Map<string, number | undefined>()
  const depthOf = (url: string): number => {
    if (depths.has(url)) {
      const known = depths.get(url)
      if (known !== undefined) return known
      throw refusal(url, 'refers to itself without going into the value, which has no end')
    }
    depths.set(url, undefined)
    const next = inPlace(parts.get(url) ?? [], compiled)
    const depth = 1 + Math.max(0, ...next.map(depthOf))
    if (depth > LIMITS.schema_depth)
      throw refusal(url, `refers on through more than ${LIMITS.schema_depth} parts in a row`)
    depths.set(url, depth)
    return depth
  }
  const refusal = (url: string, message: string) =>
    new Refusal({ path: `${path}${placeOf(url)}`, message, hint: 'Refer to the schema that is meant.' })
  for (const url of parts.keys()) depthOf(url)
}

/** The place of a part within its schema, as a path with dots. */
export function placeOf(url: string): string {
  const pointer = decodeURIComponent(url.split('#')[1] ?? '')
  return dotted(pointer)
}

export const dotted = (pointer: string): string =>
  pointer.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')

const METER = 'assay:meter'

/** What one evaluation of a part spends. */
interface Price {
  /** Of any value. */
  base: number
  /** How often a value is turned into text or compared as a whole. */
  whole: number
  /** Keywords that look at all properties or items. */
  each: number
}

addKeyword<Price>({
  id: METER,
  compile: () => Promise.reject(new Error('it is no keyword of a schema')),
  interpret({ base, whole, each }, instance) {
    spend(base)
    const { children } = instance
    if (each > 0 && children.length > 0) spend((each * children.length) >> 2)
    if (whole > 0) {
      const type = Instance.typeOf(instance)
      if (type === 'object' || type === 'array' || type === 'string')
        for (let times = 0; times < whole; times++) spendOnText(Instance.value(instance))
    }
    return true
  },
})

const WHOLE = new Set(['const', 'enum', 'uniqueItems'])
const LISTS = new Set(['enum', 'required', 'dependentRequired', 'draft-04/dependencies'])
const EACH =
  /^(draft-\d+\/)?(properties|patternProperties|additionalProperties|unevaluatedProperties|propertyNames|items|prefixItems|additionalItems|unevaluatedItems|contains|minProperties|maxProperties)$/

/** Puts before each part what its evaluation spends. */
function metered(compiled: CompiledSchema): CompiledSchema {
  const plugins = [...compiled.ast.plugins]
  // What was evaluated is noted for those that look at the rest, and anchors are gathered, from part to part.
  const notes = plugins.some(one => one.id?.includes('/unevaluated')) ? 10 : plugins.length > 0 ? 4 : 1
  for (const [url, parts] of partsOf(compiled)) {
    const price: Price = { base: notes * (1 + parts.length), whole: 0, each: notes - 1 }
    for (const [id, , value] of parts) {
      const keyword = keywordOf(id)
      if (WHOLE.has(keyword) && value !== false) price.whole++
      if (EACH.test(keyword)) price.each += notes
      if (LISTS.has(keyword) && Array.isArray(value)) price.base += value.flat(2).length >> 2
      // Parts that are only true or false spend nothing themselves.
      else if (Array.isArray(value)) price.base += value.length
    }
    parts.unshift([METER, `${url}/${METER}`, price])
  }
  return compiled
}
