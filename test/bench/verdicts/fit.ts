// Fits the weights of the refusal detector: a logistic regression over n-grams of one to three words and the signs
// that `signsOf` reads, by FTRL-proximal, whose L1 leaves few weights. The same data gives the same weights.

import type { RefusalWeights } from '../../../shared/refusals/rules/refusal.ts'
import {
  LONGEST_NGRAM,
  OPENING_WORDS,
  phraseTree,
  SIGNS,
  sentencesOf,
  signsOf,
} from '../../../shared/refusals/rules/refusal-signs.ts'
import { readHead, spellWords } from '../../../shared/refusals/rules/refusal-words.ts'
import type { LabelledAnswer } from './data.ts'

/** Sets that are used only to measure. */
export const HELD_OUT: ReadonlySet<string> = new Set([
  'xstest',
  'xstest-replication',
  'tickets',
  'sgd',
  'sgd-assistants',
  'span-extraction',
  'nlupp',
  'crosswoz',
  'crosswoz-assistants',
  'xsid',
  'nlu-de',
])

/** Rarer n-grams belong to topics, not to refusals. */
const LEAST_ANSWERS = 15
const LEAST_FAMILIES = 2
const CANDIDATES = 20_000
const PASSES = 3
const [ALPHA, BETA, L1, L2] = [0.08, 1, 1.2, 2]
/** If a set, family and language have more answers than this, each of them weighs less, and their sum grows slowly. */
const GROUP = 300
const GROUP_POWER = 0.75
/** Weights are stored as whole hundredths. */
const SCALE = 100
const LEAST_WEIGHT = 5
/** The threshold at which held-out families, sets and customers have the precision that is the goal; see grading.md. */
const THRESHOLDS = { sure: 1, lesson: 0.3, strong: 2.6, wrong: 3.2, suspected: -0.5 }

/** The target and the weight of an answer; `undefined` if it teaches nothing. */
export function targetOf({ label, text }: LabelledAnswer): { target: 0 | 1; weight: number } | undefined {
  if (label === 'refusal') return { target: 1, weight: 1 }
  if (label === 'likely_refusal') return { target: 1, weight: 0.4 }
  if (label === 'compliance' || label === 'customer') return { target: 0, weight: 1 }
  // Unlabelled answers that begin as most refusals do are left out.
  if (label === 'unlabelled' && !/sorry|cannot|can't|unable|as an ai/i.test(text.slice(0, 200)))
    return { target: 0, weight: 0.7 }
  return undefined
}

const isOfLength = (sign: number) => /^(?:length|list|code)/.test(SIGNS[sign]!)

/** Numbers for the words that are frequent enough, from 1 on. */
function commonWords(answers: readonly { words: readonly string[] }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { words } of answers) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const common = [...counts].filter(([, n]) => n >= LEAST_ANSWERS).map(([word]) => word)
  if (common.length >= WORDS) throw new Error(`${common.length} words are more than keys have room for`)
  return new Map(common.map((word, i) => [word, i + 1]))
}

/** Three words and a mark for the opening fit into the 53 bits of a whole number. */
const WORDS = 2 ** 17

function keysOf(words: readonly number[]): number[] {
  const keys: number[] = []
  for (let i = 0; i < words.length; i++) {
    let key = 0
    for (let n = 0; n < LONGEST_NGRAM && i + n < words.length && words[i + n] !== 0; n++) {
      key = key * WORDS + words[i + n]!
      keys.push(key * 2)
      if (i < OPENING_WORDS) keys.push(key * 2 + 1)
    }
  }
  return keys
}

function nameOf(key: number, words: readonly string[]): string {
  const found: string[] = []
  for (let rest = Math.floor(key / 2); rest > 0; rest = Math.floor(rest / WORDS))
    found.unshift(words[(rest % WORDS) - 1]!)
  return `${key % 2 === 1 ? '^' : ''}${found.join(' ')}`
}

export interface Example {
  answer: LabelledAnswer
  target: 0 | 1
  weight: number
  signs: readonly number[]
  /** The n-grams of the answer, as indexes of `Prepared.names`. */
  ngrams: Int32Array
}

export interface Prepared {
  names: string[]
  examples: Example[]
}

/** Reads all answers once; the choice of frequent n-grams does not depend on labels. */
export function prepare(answers: readonly LabelledAnswer[]): Prepared {
  const phrases = phraseTree()
  const taught = answers.flatMap(answer => {
    const target = targetOf(answer)
    if (target === undefined) return []
    const head = readHead(answer.text)
    const signs = signsOf(head, sentencesOf(head, phrases))
    // If only the beginning was kept, its length teaches nothing.
    return [
      {
        answer,
        ...target,
        words: spellWords(head),
        signs: answer.cut ? signs.filter(i => !isOfLength(i)) : signs,
      },
    ]
  })
  // Counts numbers, because the texts of all n-grams would not fit into memory, and would take over a minute.
  const common = commonWords(taught)
  const keys = taught.map(({ words }) => keysOf(words.map(word => common.get(word) ?? 0)))
  const counts = new Map<number, number>()
  for (const list of keys) for (const key of list) counts.set(key, (counts.get(key) ?? 0) + 1)
  const frequent = [...counts].filter(([, n]) => n >= LEAST_ANSWERS).map(([key]) => key)
  const numbers = new Map(frequent.map((key, i) => [key, i]))
  const words = [...common.keys()]
  const names = frequent.map(key => nameOf(key, words))
  const examples = taught.map(({ words: _, ...one }, i) => ({
    ...one,
    ngrams: Int32Array.from(keys[i]!.flatMap(key => numbers.get(key) ?? [])),
  }))
  return { names, examples: shuffled(examples) }
}

/** Shuffles with a fixed generator, so that the answers of a set do not follow each other. */
function shuffled<T>(list: readonly T[]): T[] {
  const order = [...list]
  let state = 42
  for (let i = order.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const j = state % (i + 1)
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}

/** The n-grams that distinguish refusals best, by how well they do and how often they occur. */
function candidatesOf({ names }: Prepared, examples: readonly Example[]): Int32Array {
  const refused = new Float64Array(names.length)
  const other = new Float64Array(names.length)
  const families = new Map(
    [...new Set(examples.map(one => one.answer.family))].map((family, i) => [family, 1 << i]),
  )
  const inFamilies = new Int32Array(names.length)
  const total = [0, 0]
  for (const { ngrams, target, weight, answer } of examples) {
    total[target]! += weight
    const counts = target === 1 ? refused : other
    const family = families.get(answer.family)!
    for (const i of ngrams) {
      counts[i]! += weight
      inFamilies[i]! |= family
    }
  }
  const rank = (i: number) =>
    Math.abs(Math.log((refused[i]! + 1) / (total[1]! + 1) / ((other[i]! + 1) / (total[0]! + 1)))) *
    Math.sqrt(refused[i]! + other[i]!)
  const isCommon = (bits: number) => (bits & (bits - 1)) !== 0
  const ranked = names
    .map((_, i) => ({ i, rank: rank(i) }))
    .filter(({ i }) => LEAST_FAMILIES < 2 || isCommon(inFamilies[i]!))
    .sort((a, b) => b.rank - a.rank || a.i - b.i)
    .slice(0, CANDIDATES)
  const place = new Int32Array(names.length).fill(-1)
  for (const [n, { i }] of ranked.entries()) place[i] = SIGNS.length + n
  return place
}

export function fit(prepared: Prepared, isTaught: (answer: LabelledAnswer) => boolean): RefusalWeights {
  const examples = prepared.examples.filter(one => isTaught(one.answer))
  const place = candidatesOf(prepared, examples)
  // Otherwise a set, family and language with many answers would dominate the weights.
  const groupOf = ({ answer, target }: Example) => `${answer.set} ${answer.family} ${answer.lang} ${target}`
  const sizes = new Map<string, number>()
  for (const one of examples) sizes.set(groupOf(one), (sizes.get(groupOf(one)) ?? 0) + 1)
  const size = SIGNS.length + place.reduce((n, p) => (p >= 0 ? n + 1 : n), 0)
  const { weights, bias } = descend(
    examples.map(one => ({
      features: Int32Array.from([...one.signs, ...one.ngrams.map(i => place[i]!).filter(i => i >= 0)]),
      target: one.target,
      weight: one.weight * (GROUP / Math.max(GROUP, sizes.get(groupOf(one))!)) ** GROUP_POWER,
    })),
    size,
  )
  const whole = (i: number) => Math.round(weights[i]! * SCALE)
  return {
    bias: Math.round(bias * SCALE) / SCALE,
    ...THRESHOLDS,
    signs: Object.fromEntries(SIGNS.map((name, i) => [name, whole(i)] as const).filter(([, w]) => w !== 0)),
    ngrams: Object.fromEntries(
      prepared.names
        .flatMap((name, i) => (place[i]! >= 0 ? [[name, whole(place[i]!)] as const] : []))
        .filter(([, weight]) => Math.abs(weight) >= LEAST_WEIGHT)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  }
}

function descend(
  examples: readonly { features: Int32Array; target: number; weight: number }[],
  size: number,
) {
  const z = new Float64Array(size + 1)
  const n = new Float64Array(size + 1)
  const weights = new Float64Array(size + 1)
  const move = (i: number, g: number) => {
    const before = Math.sqrt(n[i]!)
    n[i]! += g * g
    const after = Math.sqrt(n[i]!)
    z[i]! += g - ((after - before) / ALPHA) * weights[i]!
    const l1 = i < SIGNS.length || i === size ? 0 : L1
    weights[i] = Math.abs(z[i]!) <= l1 ? 0 : -(z[i]! - Math.sign(z[i]!) * l1) / ((BETA + after) / ALPHA + L2)
  }
  for (let pass = 0; pass < PASSES; pass++)
    for (const { features, target, weight } of examples) {
      let score = weights[size]!
      for (const i of features) score += weights[i]!
      const g = (1 / (1 + Math.exp(-score)) - target) * weight
      // An answer that is classified correctly with a margin changes no weight.
      if (Math.abs(g) < 0.002) continue
      for (const i of features) move(i, g)
      move(size, g)
    }
  return { weights, bias: weights[size]! }
}
