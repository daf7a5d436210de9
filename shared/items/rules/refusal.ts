// Tells a model's refusal from its wording, where its provider does not mark it.
// Guarantee: `sure` is nearly never said of what people write, who cannot do things either; the words it goes by are
// told. It reads a bounded part of the text, and no text makes it slow or throw. How good it is: ../grading.md.

import { bitOf } from './refusal-phrases.ts'
import { type HeadSigns, nodeOf, phraseTree, SIGNS, signsOf, type WordNode } from './refusal-signs.ts'
import fitted from './refusal-weights.json' with { type: 'json' }
import { type Head, readHead, wordNumber } from './refusal-words.ts'

/** Made by `test/bench/verdicts/train.ts`; weights are hundredths of log odds. */
export interface RefusalWeights {
  bias: number
  /**
   * From these log odds on: `strong` where the speaker says no, or something to be wrong, `sure` where a sentence of
   * the speaker's refuses, `plain` where an early one says no to helping, and `plain_long` where much follows that, as
   * customers who cannot do something write less; sure is that only where it is about what models are asked.
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

type Sentence = HeadSigns['sentences'][number]

const UNABLE = bitOf('unable') | bitOf('refuse')
const REASONS = bitOf('help') | bitOf('act') | bitOf('asked') | bitOf('model') | bitOf('wrong')
const MODEL = bitOf('model')
const WRONG = bitOf('wrong')
const WRONGS = WRONG | bitOf('help')
const ANSWER = bitOf('answer')
const TOLD = bitOf('told')
/** What is said of a model's tasks; letters to customers go on about orders and parcels. */
const OF_MODELS = MODEL | WRONG | bitOf('asked')

/** Whether a sentence says that somebody will not help, or a program's rule against it. */
const refuses = ({ kinds }: Sentence) =>
  ((kinds & UNABLE) !== 0 && (kinds & REASONS) !== 0) || ((kinds & MODEL) !== 0 && (kinds & WRONG) !== 0)

/**
 * And the speaker says so of itself, or that to help were wrong: not a report of a supplier or a product; else nothing
 * is sure.
 */
const refusesItself = (sentence: Sentence) =>
  refuses(sentence) && (sentence.speaks || (sentence.kinds & WRONGS) === WRONGS)

/** "It is not ethical to …" is said by models too, who then do not speak of themselves. */
const judges = ({ kinds, speaks }: Sentence) => speaks || (kinds & WRONG) !== 0

/** Early on somebody else's words begin, or an idiom that is no refusal. */
const isTold = ({ sentences }: HeadSigns) =>
  sentences.slice(0, EARLY_SENTENCES).some(({ kinds }) => (kinds & TOLD) !== 0)

const answers = ({ kinds }: Sentence) => (kinds & ANSWER) !== 0

/** "I'm sorry. I cannot help with that", and not far into a text. */
const EARLY_SENTENCES = 3
const EARLY_CHARACTERS = 240
/** Of 13,083 tickets all but 23 are shorter. */
const LONG_CHARACTERS = 300

/** Where an early sentence says no to helping: the log odds from which that is one, and whether it is one surely. */
function plainOf(
  head: Head,
  { sentences }: HeadSigns,
  { plain, plain_long }: RefusalWeights,
): { from: number; surely: boolean } | undefined {
  const place = sentences.findIndex(({ declines, last }) => declines && head.ends[last]! <= EARLY_CHARACTERS)
  if (place < 0 || place >= EARLY_SENTENCES) return undefined
  const isLong = head.length >= LONG_CHARACTERS
  // "I can't help with that. Here are other ways": refused first, and told at length what is done instead.
  if (sentences.slice(place).some(answers) && !(isLong && place < 2)) return undefined
  return isLong
    ? { from: plain_long, surely: (sentences[place]!.kinds & OF_MODELS) !== 0 }
    : { from: plain, surely: true }
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
      const said = plainOf(head, shown, weights)
      const isPlain = said !== undefined && score >= said.from
      if (score < suspected && !isPlain) return { level: 'none', score, words: '' }
      const own = shown.sentences.find(refusesItself)
      const telling = own ?? shown.sentences.find(refuses)
      const isStrong = score >= strong && shown.sentences.some(judges)
      const isSure =
        ((isPlain && said.surely) || isStrong || (own !== undefined && score >= sure)) && !isTold(shown)
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
