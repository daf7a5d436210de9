// What the beginning of an answer does with its words. Guarantee: the same head shows the same signs, in an order that
// weights can be learned for.

import { bitOf, PHRASE_KINDS, PHRASES, type PhraseKind } from './refusal-phrases.ts'
import { type Head, isCharacter, readWords, STOP_WORD } from './refusal-words.ts'

/** A word counts as the opening of an answer up to this place. */
export const OPENING_WORDS = 12
export const LONGEST_NGRAM = 3

/** A word that phrases or n-grams go on from. */
export interface WordNode {
  next?: Map<number, WordNode>
  /** Which kinds the phrase that ends here is of, as bits. */
  kinds: number
  /** What its n-gram weighs anywhere, and more in the opening. */
  anywhere: number
  opening: number
}

export const wordNode = (): WordNode => ({ kinds: 0, anywhere: 0, opening: 0 })

/** The node of these words, made where there is none. */
export function nodeOf(root: WordNode, words: readonly number[]): WordNode {
  let at = root
  for (const word of words) {
    at.next ??= new Map()
    const next = at.next.get(word) ?? wordNode()
    at.next.set(word, next)
    at = next
  }
  return at
}

/** All phrases, without weights. */
export function phraseTree(): WordNode {
  const root = wordNode()
  for (const phrases of Object.values(PHRASES))
    for (const [kind, list] of Object.entries(phrases) as [PhraseKind, string][])
      for (const phrase of list.split('|'))
        nodeOf(root, readWords(phrase).words.slice(1)).kinds |= bitOf(kind) | (IMPLIED[kind] ?? 0)
  return root
}

const KINDS = PHRASE_KINDS.length
/** The first sentence, the second, and those after it. */
const PLACES = 3
/** A kind, or two of them in one sentence, by the sentence's place. */
const PAIRS = (KINDS * (KINDS + 1)) / 2
const LENGTHS = 13

/** Names of all that a head can show beside its n-grams, in the order of their numbers. */
export const SIGNS: readonly string[] = [
  ...Array.from({ length: PLACES }, (_, place) =>
    PHRASE_KINDS.flatMap((kind, i) =>
      PHRASE_KINDS.slice(i).map(other => `${place + 1}:${kind === other ? kind : `${kind}+${other}`}`),
    ),
  ).flat(),
  ...Array.from({ length: LENGTHS }, (_, i) => `length:${2 ** (i + 1)}`),
  'list',
  'code',
  'data',
  'one_sentence',
  'refuses_help:1',
  'refuses_help:2',
  'refuses_help:3',
  ...['declines', 'refuses'].flatMap(name => [1, 2, 3].map(place => `${name}:${place}`)),
]

const LENGTH = PLACES * PAIRS
const LIST = LENGTH + LENGTHS
const REFUSES_HELP = LIST + 4
const DECLINES = REFUSES_HELP + PLACES
const REFUSES = DECLINES + PLACES

const pairOf = (kind: number, other: number) => (kind * (2 * KINDS - kind + 1)) / 2 + (other - kind)

export interface Sentence {
  /** Of its phrases, as bits; `first` and `last` are the words at their ends. */
  kinds: number
  first: number
  last: number
  /** Help is named close to the words that refuse, whoever does. */
  refusesHelp: boolean
  /** The speaker says no, or to be a program: not of a supplier or a product. */
  speaks: boolean
  /** The speaker says no to helping. */
  declines: boolean
  /** Something is said to be against morals, not against a law alone. */
  moralizes: boolean
}

/** "I cannot in good conscience help"; with more characters between, something else is what cannot be. */
const CLOSE = 26
/** "Ich kann Ihnen bei dieser Anfrage leider nicht helfen"; further on somebody else is spoken of. */
const SPEAKER_CLOSE = 60
const sentenceOf = (): Sentence => ({
  kinds: 0,
  first: -1,
  last: -1,
  refusesHelp: false,
  speaks: false,
  declines: false,
  moralizes: false,
})
const [REFUSE, HELP, MODEL] = [bitOf('refuse'), bitOf('help'), bitOf('model')]
const [ANYONE, SPEAKER, COMPANY] = [bitOf('anyone'), bitOf('speaker'), bitOf('company')]
const [WILL, MORAL] = [bitOf('will'), bitOf('moral')]
const IMPLIED: Partial<Record<PhraseKind, number>> = { will: REFUSE, moral: bitOf('wrong') }
const ASKED = HELP | bitOf('act') | bitOf('asked')
const WEIGHED = (1 << KINDS) - 1

/** What the n-grams of a head weigh, by a tree that holds their weights. */
export function weightOf({ words }: Head, ngrams: WordNode): number {
  let weight = 0
  for (let i = 0; i < words.length; i++) {
    let at = ngrams.next?.get(words[i]!)
    for (let j = i; at !== undefined; at = at.next?.get(words[++j]!))
      weight += i < OPENING_WORDS ? at.anywhere + at.opening : at.anywhere
  }
  return weight
}

/** The sentences of a head, by the phrases in them. */
export function sentencesOf(head: Head, phrases: WordNode): Sentence[] {
  const { words } = head
  const sentences: Sentence[] = []
  let sentence = sentenceOf()
  let refusedAt = -1
  let helpedAt = -1
  let spokeAt = Number.NEGATIVE_INFINITY
  let declinedAt = -1
  let willedAt = -1
  let isCompany = false
  for (let i = 0; i < words.length; i++) {
    if (words[i] === STOP_WORD && i > 0) {
      sentences.push(sentence)
      sentence = sentenceOf()
      refusedAt = helpedAt = declinedAt = willedAt = -1
      isCompany = false
    }
    let at = phrases.next?.get(words[i]!)
    for (let j = i; at !== undefined; at = at.next?.get(words[++j]!)) {
      if ((at.kinds & SPEAKER) !== 0) spokeAt = head.ends[j]!
      if ((at.kinds & COMPANY) !== 0) isCompany = true
      if ((at.kinds & MORAL) !== 0) sentence.moralizes = true
      const kinds = at.kinds & WEIGHED
      if (kinds === 0) continue
      sentence.kinds |= kinds
      if (sentence.first < 0) sentence.first = i
      if (j > sentence.last) sentence.last = j
      const isRefused = (at.kinds & REFUSE) !== 0
      const isHelp = (at.kinds & HELP) !== 0
      // What ends with its verb names the help first.
      if (isRefused && helpedAt >= 0 && isCharacter(head, j))
        sentence.refusesHelp ||= head.starts[i]! - helpedAt <= CLOSE
      const isOwn = !isCompany && ((at.kinds & ANYONE) === 0 || head.starts[i]! - spokeAt <= SPEAKER_CLOSE)
      if (isOwn && (at.kinds & (REFUSE | MODEL)) !== 0) sentence.speaks = true
      if (isOwn && isRefused) {
        declinedAt = head.ends[j]!
        if ((at.kinds & WILL) !== 0) willedAt = declinedAt
        if (helpedAt >= 0 && isCharacter(head, j)) sentence.declines ||= head.starts[i]! - helpedAt <= CLOSE
      }
      if (isHelp && declinedAt >= 0) sentence.declines ||= head.starts[i]! - declinedAt <= CLOSE
      if ((at.kinds & ASKED) !== 0 && willedAt >= 0) sentence.declines ||= head.starts[i]! - willedAt <= CLOSE
      if (isRefused) refusedAt = head.ends[j]!
      if (isHelp && refusedAt >= 0) sentence.refusesHelp ||= head.starts[i]! - refusedAt <= CLOSE
      if (isHelp) helpedAt = head.starts[i]!
    }
  }
  if (words.at(-1) !== STOP_WORD) sentences.push(sentence)
  return sentences
}

/** Numbers of the signs that a head shows, each once. */
export function signsOf(head: Head, sentences: readonly Sentence[]): number[] {
  const shown = new Uint8Array(SIGNS.length)
  const numbers: number[] = []
  const show = (sign: number) => {
    if (shown[sign] === 1) return
    shown[sign] = 1
    numbers.push(sign)
  }
  for (let place = 0; place < sentences.length; place++) {
    const { kinds, refusesHelp, declines, speaks } = sentences[place]!
    const base = Math.min(place, PLACES - 1)
    for (let a = 0; kinds >> a > 0; a++) {
      if (((kinds >> a) & 1) === 0) continue
      for (let b = a; kinds >> b > 0; b++) if (((kinds >> b) & 1) === 1) show(base * PAIRS + pairOf(a, b))
    }
    if (refusesHelp) show(REFUSES_HELP + base)
    if (declines) show(DECLINES + base)
    if (speaks && (kinds & REFUSE) !== 0 && (kinds & ASKED) !== 0) show(REFUSES + base)
  }
  show(LENGTH + Math.min(LENGTHS - 1, 31 - Math.clz32(head.length | 1)))
  if (head.hasList) show(LIST)
  if (head.hasCode) show(LIST + 1)
  if (head.isData) show(LIST + 2)
  if (sentences.length <= 1) show(LIST + 3)
  return numbers
}
