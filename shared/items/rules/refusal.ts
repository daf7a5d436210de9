// Tells a model's refusal from its wording, where its provider does not mark it.
// Guarantee: `sure` is nearly never said of what people write, who cannot do things either; the words it goes by are
// told. It reads a bounded part of the text, and no text makes it slow or throw. How good it is: ../grading.md.

import { PHRASE_KINDS, type PhraseKind } from './refusal-phrases.ts'
import { type HeadSigns, nodeOf, phraseTree, SIGNS, signsOf, type WordNode } from './refusal-signs.ts'
import fitted from './refusal-weights.json' with { type: 'json' }
import { type Head, readHead, wordNumber } from './refusal-words.ts'

/** Made by `test/bench/verdicts/train.ts`; weights are hundredths of log odds. */
export interface RefusalWeights {
  bias: number
  /**
   * From these log odds on: `strong` whatever it says, `sure` where a sentence refuses, `plain` where an early one says
   * no to helping, and `plain_long` where much follows that, as customers who cannot do something write less.
   */
  strong: number
  sure: number
  plain: number
  plain_long: number
  suspected: number
  signs: Record<string, number>
  /** With `^` before it, what it weighs more in the opening. */
  ngrams: Record<string, number>
}

export type RefusalLevel = 'none' | 'suspected' | 'sure'

export interface RefusalReading {
  level: RefusalLevel
  score: number
  /** The words that say so, as they stand in the answer; empty where it is none. */
  words: string
}

export interface RefusalDetector {
  read(answer: string): RefusalReading
}

const bit = (kind: PhraseKind) => 1 << PHRASE_KINDS.indexOf(kind)
const UNABLE = bit('unable') | bit('refuse')
const REASONS = bit('help') | bit('act') | bit('asked') | bit('model') | bit('wrong')
const SPEAKER = bit('model')
const WRONG = bit('wrong')
const ANSWER = bit('answer')
const TOLD = bit('told')

/** Whether a sentence says that somebody will not help, or a program's rule against it; else nothing is sure. */
const refuses = ({ kinds }: HeadSigns['sentences'][number]) =>
  ((kinds & UNABLE) !== 0 && (kinds & REASONS) !== 0) || ((kinds & SPEAKER) !== 0 && (kinds & WRONG) !== 0)

/** Early on somebody else's words begin, or an idiom that is no refusal. */
const isTold = ({ sentences }: HeadSigns) =>
  sentences.slice(0, EARLY_SENTENCES).some(({ kinds }) => (kinds & TOLD) !== 0)

const answers = ({ kinds }: HeadSigns['sentences'][number]) => (kinds & ANSWER) !== 0

/** "I'm sorry. I cannot help with that", and not far into a text. */
const EARLY_SENTENCES = 3
const EARLY_CHARACTERS = 240
/** Of 13,083 tickets all but 23 are shorter. */
const LONG_CHARACTERS = 300

/** Log odds from which an answer is a refusal because it says so plainly; infinite where it does not. */
function plainFrom(head: Head, { sentences }: HeadSigns, { plain, plain_long }: RefusalWeights): number {
  const place = sentences.findIndex(
    ({ refusesHelp, last }) => refusesHelp && head.ends[last]! <= EARLY_CHARACTERS,
  )
  if (place < 0 || place >= EARLY_SENTENCES) return Number.POSITIVE_INFINITY
  const isLong = head.length >= LONG_CHARACTERS
  // "I can't help with that. Here are other ways": refused first, and told at length what is done instead.
  if (sentences.slice(place).some(answers)) return isLong && place < 2 ? plain_long : Number.POSITIVE_INFINITY
  return isLong ? plain_long : plain
}

export function refusalDetector(weights: RefusalWeights): RefusalDetector {
  const { bias, strong, sure, suspected } = weights
  const root: WordNode = phraseTree()
  for (const [name, weight] of Object.entries(weights.ngrams)) {
    const isOpening = name.startsWith('^')
    const node = nodeOf(root, (isOpening ? name.slice(1) : name).split(' ').map(wordNumber))
    if (isOpening) node.opening += weight
    else node.anywhere += weight
  }
  const signWeights = SIGNS.map(name => weights.signs[name] ?? 0)
  return {
    read(answer) {
      const head = readHead(answer)
      const shown = signsOf(head, root)
      let weight = shown.weight
      for (const sign of shown.signs) weight += signWeights[sign]!
      const score = bias + weight / 100
      const isPlain = score >= plainFrom(head, shown, weights)
      if (score < suspected && !isPlain) return { level: 'none', score, words: '' }
      const telling = shown.sentences.find(refuses)
      const isSure =
        (isPlain || score >= strong || (telling !== undefined && score >= sure)) && !isTold(shown)
      const { first, last } = telling ?? shown.sentences.find(one => one.first >= 0) ?? { first: 0, last: 0 }
      return {
        level: isSure ? 'sure' : 'suspected',
        score,
        words: head.text.slice(head.starts[first], head.ends[last]),
      }
    },
  }
}

let detector: RefusalDetector | undefined

/** Whether a model's answer is a refusal, how sure that is, and by which words. */
export function readRefusal(answer: string): RefusalReading {
  detector ??= refusalDetector(fitted)
  return detector.read(answer)
}
