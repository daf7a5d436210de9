// Says what a keyword expects of a value, and what it got: words in the manner of the schema libraries that authors of
// bundles use, so that both read alike.

import * as Instance from '@hyperjump/json-schema/instance/experimental'
import { LIMITS } from '../../kernel/limits.ts'
import { shortened } from '../../kernel/text-head.ts'
import type { LinearPattern } from './linear-pattern.ts'

export interface Expectation {
  words: string
  /** Of keywords that say which values there may be: which, and what there was. */
  kinds?: { these: string; got: string }
  /** Where, if it is not the value itself: of a property that is missing. */
  at?: string
}

type Says = (bound: never) => string

const count = (number: number, one: string) =>
  `${number} ${number === 1 ? one : one.replace(/y$/, 'ie')}${number === 1 ? '' : 's'}`

/** Of keywords that say which values there may be. */
const KINDS: Record<string, Says> = {
  type: (types: string | string[]) => or([types].flat()),
  const: short,
  enum: choice,
}

const SAYS: Record<string, Says> = {
  minimum: (least: number) => `expected at least ${least}`,
  maximum: (most: number) => `expected at most ${most}`,
  exclusiveMinimum: (bound: number) => `expected more than ${bound}`,
  exclusiveMaximum: (bound: number) => `expected less than ${bound}`,
  multipleOf: (divisor: number) => `expected a multiple of ${divisor}`,
  minLength: (least: number) => `expected at least ${count(least, 'character')}`,
  maxLength: (most: number) => `expected at most ${count(most, 'character')}`,
  pattern: ({ source }: LinearPattern) => `expected a match of the pattern ${short(source)}`,
  minItems: (least: number) => `expected at least ${count(least, 'item')}`,
  maxItems: (most: number) => `expected at most ${count(most, 'item')}`,
  uniqueItems: () => 'expected no item twice',
  minProperties: (least: number) => `expected at least ${count(least, 'property')}`,
  maxProperties: (most: number) => `expected at most ${count(most, 'property')}`,
  contains: ({ minContains = 1, maxContains = 0 }: { minContains?: number; maxContains?: number }) =>
    maxContains > 0 && maxContains < Number.MAX_SAFE_INTEGER
      ? `expected ${minContains} to ${maxContains} items that match contains`
      : `expected at least ${count(minContains, 'item')} that ${minContains === 1 ? 'matches' : 'match'} contains`,
  not: () => 'expected no match of the schema in not',
  anyOf: (parts: unknown[]) => `expected a match of one of the ${parts.length} schemas in anyOf`,
  oneOf: (parts: unknown[]) => `expected a match of exactly one of the ${parts.length} schemas in oneOf`,
}
// Draft 7 has them under other names.
SAYS['draft-06/contains'] = () => 'expected an item that matches contains'

/** What a keyword that failed expected; `passed` is how many of its parts matched. */
export function expected(
  keyword: string,
  bound: unknown,
  instance: Instance.JsonNode,
  passed = 0,
): Expectation[] {
  const value: unknown = Instance.value(instance)
  if (keyword === 'required') return missing(bound as string[], value, instance)
  if (keyword === 'dependentRequired' || keyword === 'draft-04/dependencies')
    return dependents(bound as [string, unknown][], value, instance)
  const these = KINDS[keyword]?.(bound as never)
  if (these !== undefined) return [ofKinds([these], received(value))]
  const says = SAYS[keyword]?.(bound as never) ?? `does not match ${keyword}`
  const got = keyword === 'oneOf' && passed > 1 ? `it matches ${passed}` : `received ${received(value)}`
  return [{ words: `${says}, ${got}` }]
}

/** One of several kinds of values. */
export const either = (all: readonly Required<Expectation>['kinds'][]): Expectation =>
  ofKinds([...new Set(all.map(({ these }) => these))], all[0]?.got ?? 'another')

function ofKinds(all: readonly string[], got: string): Expectation {
  const these = or(all)
  return { kinds: { these, got }, words: `expected ${these}, received ${got}` }
}

const has = (value: unknown, name: string) => Object.hasOwn(value as object, name)

function missing(names: readonly string[], value: unknown, { pointer }: Instance.JsonNode): Expectation[] {
  return names
    .filter(name => !has(value, name))
    .slice(0, LIMITS.schema_mismatches_named)
    .map(name => ({ words: 'is required', at: `${pointer}/${escaped(name)}` }))
}

function dependents(
  all: readonly [string, unknown][],
  value: unknown,
  { pointer }: Instance.JsonNode,
): Expectation[] {
  const found = all.flatMap(([name, names]) =>
    has(value, name) && Array.isArray(names)
      ? (names as string[])
          .filter(one => !has(value, one))
          .map(one => ({ words: `is required beside ${short(name)}`, at: `${pointer}/${escaped(one)}` }))
      : [],
  )
  return found.length > 0 ? found : [{ words: 'does not match what one of its properties requires' }]
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

function or(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** The first values of an enum. */
function choice(texts: readonly string[]): string {
  const first = texts.slice(0, CHOICES).map(short)
  return texts.length > CHOICES ? `${first.join(', ')} or one of ${texts.length - CHOICES} more` : or(first)
}
const CHOICES = 8

function short(text: string): string {
  return shortened(text, SHOWN)
}
const SHOWN = 80

/** A value in short. A text that is too long to be shown is counted, not cut: what masks a secret has to see all of it. */
export function received(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${count(value.length, 'item')}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'string' && value.length > SHOWN) return `a string of ${value.length} characters`
  return JSON.stringify(value)
}
