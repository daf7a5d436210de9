// The keywords of JSON Schema that a tenant could make slow, in place of the library's own. Guarantee: they spend steps for
// what they do, match in linear time, count characters without copying, and divide decimal numbers exactly.

import * as Schema from '@hyperjump/browser'
import {
  addKeyword,
  getKeyword,
  getKeywordName,
  type Keyword,
  Validation,
} from '@hyperjump/json-schema/experimental'
import * as Instance from '@hyperjump/json-schema/instance/experimental'
import { LIMITS } from '../../kernel/limits.ts'
import { slices } from '../../kernel/slices.ts'
import { type LinearPattern, linearPattern, PatternRefused } from './linear-pattern.ts'
import { spend } from './meter.ts'

const id = (name: string) => `https://json-schema.org/keyword/${name}`

/** What keywords note of properties and items that they looked at, for those that look at the rest. */
interface Evaluation {
  evaluatedProperties?: Set<string>
}
const seen = (context: unknown, name: string) => (context as Evaluation).evaluatedProperties?.add(name)

/** How large the patterns of a schema are that is being read. */
const sizes = new WeakMap<object, number>()
const turn = slices()

/** @throws PatternRefused with its place */
async function patternAt(source: string, pointer: string, ast: object): Promise<LinearPattern> {
  await turn()
  try {
    const pattern = linearPattern(source)
    const size = (sizes.get(ast) ?? 0) + pattern.size
    if (size > LIMITS.schema_patterns_size)
      throw new PatternRefused('is one pattern too many for one schema: together they are too large')
    sizes.set(ast, size)
    return pattern
  } catch (error) {
    if (error instanceof PatternRefused) error.place = pointer.replaceAll('/', '.')
    throw error
  }
}

const pattern: Keyword<LinearPattern> = {
  id: id('pattern'),
  compile: (schema, ast) => patternAt(Schema.value(schema), schema.cursor, ast),
  interpret: (pattern, instance) =>
    Instance.typeOf(instance) !== 'string' || pattern.test(Instance.value(instance)),
}

const patternProperties: Keyword<[LinearPattern, string][]> = {
  id: id('patternProperties'),
  simpleApplicator: true,
  async compile(schema, ast, parent) {
    const all: [LinearPattern, string][] = []
    for await (const [source, property] of Schema.entries(schema))
      all.push([
        await patternAt(source, property.cursor, ast),
        await Validation.compile(property as typeof schema, ast, parent),
      ])
    return all
  },
  interpret(patterns, instance, context) {
    let isValid = true
    for (const [pattern, url] of patterns)
      for (const [nameNode, property] of Instance.entries(instance)) {
        const name = Instance.value<string>(nameNode)
        if (!pattern.test(name)) continue
        if (!Validation.interpret(url, property, context)) isValid = false
        seen(context, name)
      }
    return isValid
  },
}

interface Additional {
  names: Set<string>
  patterns: LinearPattern[]
  url: string
}

const additionalProperties: Keyword<Additional> = {
  id: id('additionalProperties'),
  simpleApplicator: true,
  async compile(schema, ast, parent) {
    const named = async (keyword: string) => {
      const name = getKeywordName(schema.document.dialectId, id(keyword))
      const map = await Schema.step(name, parent)
      return Schema.typeOf(map) === 'object' ? [...Schema.keys(map)] : []
    }
    return {
      names: new Set(await named('properties')),
      patterns: (await named('patternProperties')).map(source => linearPattern(source)),
      url: await Validation.compile(schema, ast, parent),
    }
  },
  interpret({ names, patterns, url }, instance, context) {
    let isValid = true
    for (const [nameNode, property] of Instance.entries(instance)) {
      const name = Instance.value<string>(nameNode)
      spend(1)
      if (names.has(name) || patterns.some(pattern => pattern.test(name))) continue
      if (!Validation.interpret(url, property, context)) isValid = false
      seen(context, name)
    }
    return isValid
  },
}

/** Code points, as far as they have to be counted to know whether there are more than `most`. */
function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false
  if (text.length > 2 * most) return true
  spend(text.length >> 5)
  let count = text.length
  for (let at = 1; at < text.length; at++)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--
  return count > most
}

const ofText = (name: string, isValid: (text: string, bound: number) => boolean): Keyword<number> => ({
  id: id(name),
  compile: async schema => Schema.value(schema),
  interpret: (bound, instance) =>
    Instance.typeOf(instance) !== 'string' || isValid(Instance.value(instance), bound),
})

/** The number as digits and a power of ten. */
function decimal(number: number): [bigint, number] {
  const [digits = '0', exponent = '0'] = String(Math.abs(number)).split('e')
  const [whole = '0', fraction = ''] = digits.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

function isMultiple(number: number, divisor: number): boolean {
  const [a, aPower] = decimal(number)
  const [b, bPower] = decimal(divisor)
  const power = Math.min(aPower, bPower)
  return (a * 10n ** BigInt(aPower - power)) % (b * 10n ** BigInt(bPower - power)) === 0n
}

const multipleOf: Keyword<number> = {
  id: id('multipleOf'),
  compile: async schema => Schema.value(schema),
  interpret(divisor, instance) {
    if (Instance.typeOf(instance) !== 'number') return true
    spend(40)
    return isMultiple(Instance.value(instance), divisor)
  },
}

/** Most schemas have a type; reading a large one lets others have their turn between two of them. */
function type(): Keyword<unknown> {
  const own = getKeyword<unknown>(id('type'))
  const turn = slices()
  return {
    ...own,
    async compile(...given) {
      await turn()
      return own.compile(...given)
    },
  }
}

/** Replaces the library's own, once in a process. */
export function addKeywords(): void {
  addKeyword(pattern)
  addKeyword(patternProperties)
  addKeyword(additionalProperties)
  addKeyword(ofText('minLength', (text, least) => least <= 0 || isLongerThan(text, least - 1)))
  addKeyword(ofText('maxLength', (text, most) => !isLongerThan(text, most)))
  addKeyword(multipleOf)
  addKeyword(type())
}
