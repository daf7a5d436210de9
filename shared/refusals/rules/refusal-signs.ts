// Finds signs of a refusal in the beginning of an answer. Guarantee: the same head shows the same signs, in an order
// that weights can be learned for.

import { bitOf, PHRASE_KINDS, PHRASES, type PhraseKind } from './refusal-phrases.ts'
import { type Head, isCharacter, readWords, STOP_WORD } from './refusal-words.ts'

/** Words up to this place count as the opening of an answer. */
export const OPENING_WORDS = 12
export const LONGEST_NGRAM = 3

/** A node in a tree of words, from which phrases or n-grams continue. */
export interface WordNode {
  next?: Map<number, WordNode>
  /** The kinds of the phrase that ends here, as bits. */
  kinds: number
  /** The weight of the n-gram that ends here: anywhere, and in addition in the opening. */
  anywhere: number
  opening: number
}

export const wordNode = (): WordNode => ({ kinds: 0, anywhere: 0, opening: 0 })

/** The node of these words, created if there is none. */
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
/** The number of kinds, and of pairs of kinds in one sentence, for each place of the sentence. */
const PAIRS = (KINDS * (KINDS + 1)) / 2
const LENGTHS = 13

/** Names of all signs that a head can show in addition to its n-grams, in the order of their numbers. */
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
  /** The kinds of its phrases, as bits; `first` and `last` are the first and the last word of the phrases. */
  kinds: number
  first: number
  last: number
  /** Help is named close to the words that refuse, whoever refuses. */
  refusesHelp: boolean
  /** The speaker refuses, or says that it is a program; the sentence is not about a supplier or a product. */
  speaks: boolean
  /** The speaker refuses to help. */
  declines: boolean
  /** The sentence says that something is immoral, not only illegal. */
  moralizes: boolean
}

/** "I cannot in good conscience help": with more characters between, the refusal is about something else. */
const CLOSE = 26
/** "Ich kann Ihnen bei dieser Anfrage leider nicht helfen": with more between, the refusal is about somebody else. */
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

/** The sum of the weights of a head's n-grams; `ngrams` is the tree that holds the weights. */
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
      // A sentence that ends with its verb names the help first.
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
