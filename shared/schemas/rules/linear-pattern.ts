// Reads the regular expressions of schemas. Guarantee: a match takes time in proportion to the text, whatever the
// expression; one that cannot be matched so is refused, with its reason.

import { RE2JS } from 're2js'
import { LIMITS } from '../../kernel/limits.ts'
import { spend } from './meter.ts'

/** The expression cannot be matched in linear time, or is none. */
export class PatternRefused extends Error {
  /** Where it stands in its schema, once that is known. */
  place = ''
}

/** A regular expression that is matched in linear time. */
export interface LinearPattern {
  source: string
  /** Parts of its automaton. */
  size: number
  test(text: string): boolean
}

/** @throws PatternRefused */
export function linearPattern(source: string): LinearPattern {
  if (source.length > LIMITS.schema_pattern_characters)
    throw new PatternRefused(`is longer than ${LIMITS.schema_pattern_characters} characters`)
  const { conditions, rest } = leadingConditions(asEcma(source))
  const pattern = new Automata(source, [...conditions, { holds: true, pattern: rest }])
  if (pattern.size > LIMITS.schema_pattern_size)
    throw new PatternRefused('is too large: its counted repetitions have too many parts; count fewer')
  return pattern
}

/** Patterns that have automata at present, which grow with what they match: all are dropped together. */
const grown = new Set<Automata>()
let grownBytes = 0

class Automata implements LinearPattern {
  readonly source: string
  readonly size: number
  readonly #conditions: readonly Condition[]
  #engines: readonly RE2JS[] | undefined

  constructor(source: string, conditions: readonly Condition[]) {
    this.source = source
    this.#conditions = conditions
    this.size = this.#made().reduce((sum, engine) => sum + engine.programSize(), 0)
  }

  test(text: string): boolean {
    spend(STEPS_PER_TEST + Math.ceil((text.length * this.size) / CHARACTERS_PER_STEP))
    const engines = this.#engines ?? this.#made()
    const isMatch = this.#conditions.every(({ holds }, at) => engines[at]!.test(text) === holds)
    grownBytes += text.length * (STATE_BYTES + PART_BYTES * this.size)
    if (grownBytes > LIMITS.schema_automata_bytes) dropAutomata()
    return isMatch
  }

  drop(): void {
    this.#engines = undefined
  }

  #made(): readonly RE2JS[] {
    grown.add(this)
    this.#engines = this.#conditions.map(({ pattern }) => compiled(pattern))
    return this.#engines
  }
}

function dropAutomata(): void {
  for (const one of grown) one.drop()
  grown.clear()
  grownBytes = 0
}

/** What an automaton grows by for each character, if each comes to a state that it had not been in; it keeps 8 MB at most. */
const STATE_BYTES = 200
const PART_BYTES = 4

/** A character takes up to 6 ns for each part of the expression, as measured with `(a?){500}a{500}`, and 10 ns as a rule. */
const CHARACTERS_PER_STEP = 48
const STEPS_PER_TEST = 6

function compiled(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern), RE2JS.LOOKBEHINDS)
  } catch (error) {
    throw new PatternRefused(reasonOf(pattern, error as Error))
  }
}

function reasonOf(pattern: string, error: Error): string {
  if (/\(\?[=!]/.test(pattern))
    return 'has a lookahead that is not at its beginning, right after ^, and cannot be matched in linear time; write it without'
  if (/\\[1-9]|\\k</.test(pattern))
    return 'refers back to a group, and cannot be matched in linear time; write it without'
  return `cannot be read: ${error.message.replace(/^error parsing regexp: /, '')}`
}

/** Throws what the standard's own dialect refuses: the linear engine reads more than that. */
function asEcma(source: string): string {
  try {
    new RegExp(source, 'u')
  } catch (error) {
    // Older generators escape what needs no escape, such as \- outside of a class.
    try {
      new RegExp(source)
    } catch {
      throw new PatternRefused(`is no regular expression: ${(error as Error).message}`)
    }
  }
  return source
    .replace(CLASSES, found => ECMA[found] ?? found)
    .replace(PROPERTY, (_, p, name) => `\\${p}{${CATEGORIES[name] ?? name}}`)
}

/** Spaces and the dot are more, and fewer, characters in ECMAScript than in RE2; a class in brackets keeps RE2's. */
const ECMA: Record<string, string> = {
  '\\s':
    '[\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}]',
  '\\S':
    '[^\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}]',
  '.': '[^\\n\\r\\x{2028}\\x{2029}]',
}
/** An escape, a class in brackets, or a dot. */
const CLASSES = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\./g

/** A property of Unicode, such as `\p{Script=Greek}`; RE2 has short names of categories, and scripts by their name alone. */
const PROPERTY = /\\([pP])\{(?:(?:Script|sc|Script_Extensions|scx|General_Category|gc)=)?(\w+)\}/g
const CATEGORIES: Record<string, string> = {
  Letter: 'L',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Punctuation: 'P',
  punct: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Space_Separator: 'Zs',
}

interface Condition {
  holds: boolean
  pattern: string
}

/**
 * Takes apart lookaheads at the beginning, such as `^(?=.*\d)(?!.*\s).{8,}$`: each is a pattern of its own, which has to
 * match, or must not. That is how passwords, host names and lengths are commonly written.
 */
function leadingConditions(source: string): { conditions: Condition[]; rest: string } {
  const conditions: Condition[] = []
  let at = 1
  while (source[0] === '^' && /^\(\?[=!]/.test(source.slice(at, at + 3))) {
    const end = endOfGroup(source, at)
    conditions.push({ holds: source[at + 2] === '=', pattern: `^(?:${source.slice(at + 3, end)})` })
    at = end + 1
  }
  const isWhole = conditions.length > 0 && !isQuantifier(source[at]) && !hasChoice(source)
  return isWhole ? { conditions, rest: `^${source.slice(at)}` } : { conditions: [], rest: source }
}

const isQuantifier = (character: string | undefined) => character !== undefined && '*+?{'.includes(character)

/** Whether the expression is a choice at its top: the `^` would then be of its first branch alone. */
function hasChoice(source: string): boolean {
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '|') return true
    at = partEnd(source, at)
  }
  return false
}

/** The place of the parenthesis that closes the group which begins there. */
function endOfGroup(source: string, begin: number): number {
  for (let at = begin + 1; at < source.length; at++) {
    if (source[at] === ')') return at
    at = partEnd(source, at)
  }
  return source.length
}

/** Where what begins there ends: an escape, a class, a group, or one character. */
function partEnd(source: string, at: number): number {
  if (source[at] === '\\') return at + 1
  if (source[at] === '(') return endOfGroup(source, at)
  if (source[at] !== '[') return at
  let end = at + 1
  while (end < source.length && source[end] !== ']') end += source[end] === '\\' ? 2 : 1
  return end
}
