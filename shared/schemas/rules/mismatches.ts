// Notes where a value does not match its schema, and what was expected there. Guarantee: what is noted is of the value
// itself, not of branches that were tried in vain; at most LIMITS.schema_mismatches_named are named.

import type { AST, EvaluationPlugin, Keyword, ValidationContext } from '@hyperjump/json-schema/experimental'
import type * as Instance from '@hyperjump/json-schema/instance/experimental'
import { LIMITS } from '../../kernel/limits.ts'
import { dotted, keywordOf } from './compiled-schema.ts'
import { type Expectation, either, expected } from './expectations.ts'

interface Mismatch extends Expectation {
  /** Where in the value, as a JSON pointer. */
  at: string
  keyword: string
}

/** Keywords that try parts of which some may fail. */
const BRANCHING = new Set([
  'anyOf',
  'oneOf',
  'not',
  'if',
  'contains',
  'draft-06/contains',
  'draft-04/dependencies',
])
/** Of these, it is worth saying why a part failed. */
const EXPLAINED = new Set(['anyOf', 'oneOf', 'draft-04/dependencies'])

interface Branching {
  from: number
  depth: number
  branches: Mismatch[][]
  passed: number
}

/** Enough is known. */
class Full extends Error {}

type Node = [id: string, place: string, value: unknown]

export class Mismatches implements EvaluationPlugin {
  readonly #what: string
  readonly #found: Mismatch[] = []
  readonly #open: Branching[] = []
  #depth = 0
  isFull = false

  constructor(what: string) {
    this.#what = what
  }

  /** All that was noted, in the form in which the SDK writes its own. */
  text(): string {
    const { length } = this.#found
    if (length === 0) return `${this.#what}: does not match`
    // Parts of a schema that say the same say it once.
    const all = new Set(this.#found.map(({ at, words }) => `${this.#what}${dotted(at)}: ${words}`))
    return [...all].slice(0, LIMITS.schema_mismatches_named).join('; ')
  }

  beforeSchema(): void {
    this.#depth++
  }

  afterSchema(url: string, instance: Instance.JsonNode, { ast }: ValidationContext, valid: boolean): void {
    this.#depth--
    if (!valid && (ast as AST)[url] === false) this.#note(instance, 'false', { words: 'is not allowed' })
    const open = this.#open.at(-1)
    if (open?.depth !== this.#depth) return
    if (valid) open.passed++
    open.branches.push(this.#found.splice(open.from))
  }

  beforeKeyword([id]: Node): void {
    if (BRANCHING.has(keywordOf(id)))
      this.#open.push({ from: this.#found.length, depth: this.#depth, branches: [], passed: 0 })
  }

  afterKeyword(
    [id, , value]: Node,
    instance: Instance.JsonNode,
    _context: ValidationContext,
    valid: boolean,
    _schema: ValidationContext,
    { simpleApplicator }: Keyword<unknown>,
  ): void {
    const keyword = keywordOf(id)
    const open = BRANCHING.has(keyword) ? this.#open.pop() : undefined
    if (open) this.#found.length = open.from
    if (valid || simpleApplicator) return
    const chosen = open && EXPLAINED.has(keyword) ? chosenOf(open, instance.pointer) : undefined
    if (chosen) {
      this.#found.push(...chosen)
      this.#stopIfFull()
    } else
      for (const one of expected(keyword, value, instance, open?.passed)) this.#note(instance, keyword, one)
  }

  #note({ pointer }: Instance.JsonNode, keyword: string, expectation: Expectation): void {
    this.#found.push({ at: pointer, keyword, ...expectation })
    this.#stopIfFull()
  }

  #stopIfFull(): void {
    if (this.#open.length > 0 || this.#found.length < LIMITS.schema_mismatches_named) return
    this.isFull = true
    throw new Full()
  }
}

/** Keywords by which a branch says that it is for other values. */
const KIND = new Set(['type', 'const', 'enum'])

/**
 * The mismatches of the only branch that is meant for such a value, or all kinds of values that are; undefined if several
 * branches are meant.
 */
function chosenOf({ branches, passed }: Branching, at: string): Mismatch[] | undefined {
  if (passed > 0) return undefined
  const failed = branches.filter(branch => branch.length > 0)
  const meant = failed.filter(branch => !branch.some(one => KIND.has(one.keyword) && isKind(one, at)))
  if (meant.length === 1) return meant[0]
  if (failed.length === 1) return failed[0]
  const kinds = failed.flatMap(branch => branch.find(one => one.kinds && isKind(one, at)) ?? [])
  const place = kinds[0]?.at
  return kinds.length === failed.length && place !== undefined && kinds.every(one => one.at === place)
    ? [{ at: place, keyword: 'type', ...either(kinds.flatMap(one => one.kinds ?? [])) }]
    : undefined
}

/** Of the value itself, or of the property that says which kind of value it is. */
const isKind = ({ at: place, keyword }: Mismatch, at: string) =>
  place === at ||
  (keyword !== 'type' && place.startsWith(`${at}/`) && !place.slice(at.length + 1).includes('/'))
