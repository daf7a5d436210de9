// Detects a model's refusal by its wording, when its provider does not mark it.
// Guarantee: texts by people, who cannot do things either, are nearly never `sure`; the words that decided are
// returned. It reads a bounded part of the text, and no text makes it slow or throw. How good it is:
// shared/grading/grading.md.

import { bitOf } from './refusal-phrases.ts'
import {
  nodeOf,
  phraseTree,
  type Sentence,
  SIGNS,
  sentencesOf,
  signsOf,
  weightOf,
  wordNode,
} from './refusal-signs.ts'
import { weightsText } from './refusal-weights.gen.ts'
import { type Head, readHead, wordNumber } from './refusal-words.ts'

/** Made by `test/bench/verdicts/train.ts`; weights are hundredths of log odds. */
export interface RefusalWeights {
  bias: number
  /**
   * The least log odds of a sure refusal: `sure` if a sentence of the speaker refuses, `lesson` if the answer begins
   * with morals and says what is important, `strong` if the speaker refuses anything, `wrong` if it calls something
   * wrong.
   */
  sure: number
  lesson: number
  strong: number
  wrong: number
  suspected: number
  signs: Record<string, number>
  /** An n-gram with `^` before it has the additional weight in the opening. */
  ngrams: Record<string, number>
}

export type RefusalLevel = 'none' | 'suspected' | 'sure'

export interface RefusalReading {
  level: RefusalLevel
  score: number
  /** The words that decided, as they stand in the answer; empty when the level is `none`. */
  words: string
}

export interface RefusalDetector {
  read(answer: string): RefusalReading
}

/**
 * An answer without any of these kinds is polite at most: "We are sorry that …". Of 24,104 labelled refusals 327 have
 * none of them; these evade a question or deny its premise.
 */
const CUES = bitOf('refuse') | bitOf('unable') | bitOf('model') | bitOf('wrong') | bitOf('urge')
const mayRefuse = ({ kinds }: Sentence) => (kinds & CUES) !== 0
const NONE: RefusalReading = { level: 'none', score: Number.NEGATIVE_INFINITY, words: '' }

const UNABLE = bitOf('unable') | bitOf('refuse')
const REASONS = bitOf('help') | bitOf('act') | bitOf('asked') | bitOf('model') | bitOf('wrong')
const MODEL = bitOf('model')
const WRONG = bitOf('wrong')
/** About what models are asked; companies' letters are about refunds and parcels. */
const OF_MODELS = MODEL | WRONG | bitOf('asked')
const QUOTED = bitOf('told')
const URGE = bitOf('urge')
const PREMISE = bitOf('premise')

/** Whether a sentence says that somebody will not help, or that a program has a rule against it. */
const refuses = ({ kinds }: Sentence) =>
  ((kinds & UNABLE) !== 0 && (kinds & REASONS) !== 0) || ((kinds & MODEL) !== 0 && (kinds & WRONG) !== 0)

/** All but 23 of 13,083 tickets are shorter; letters are longer. */
const LONG_CHARACTERS = 300

/** Whether the speaker itself refuses; a long text must also name what models are asked, or a harm. */
const refusesItself = (sentence: Sentence, { length }: Head, isHarm: boolean) =>
  refuses(sentence) &&
  sentence.speaks &&
  (isHarm || (sentence.kinds & OF_MODELS) !== 0 || length < LONG_CHARACTERS)

const saysNo = ({ kinds, speaks }: Sentence) => speaks && (kinds & REASONS) !== 0
/** Models say this too, without speaking of themselves; people say it of contracts and remedies. */
const judges = ({ kinds }: Sentence) => (kinds & WRONG) !== 0

const EARLY_SENTENCES = 3
const isEarly = (sentences: readonly Sentence[], kind: number) =>
  sentences.slice(0, EARLY_SENTENCES).some(({ kinds }) => (kinds & kind) !== 0)

/** "It is not ethical to … It is important to …": a lesson in place of an answer; legal advice lacks the first part. */
const teaches = (sentences: readonly Sentence[]) =>
  sentences.slice(0, LESSON_SENTENCES).some(({ moralizes }) => moralizes) &&
  sentences.some(({ kinds }) => (kinds & URGE) !== 0)
const LESSON_SENTENCES = 2

export function refusalDetector(weights: RefusalWeights): RefusalDetector {
  const { bias, sure, lesson, strong, wrong, suspected } = weights
  const phrases = phraseTree()
  const ngrams = wordNode()
  for (const [name, weight] of Object.entries(weights.ngrams)) {
    const isOpening = name.startsWith('^')
    const node = nodeOf(ngrams, (isOpening ? name.slice(1) : name).split(' ').map(wordNumber))
    if (isOpening) node.opening += weight
    else node.anywhere += weight
  }
  const signWeights = SIGNS.map(name => weights.signs[name] ?? 0)
  return {
    read(answer) {
      const head = readHead(answer)
      const sentences = sentencesOf(head, phrases)
      if (!sentences.some(mayRefuse)) return NONE
      let weight = weightOf(head, ngrams)
      for (const sign of signsOf(head, sentences)) weight += signWeights[sign]!
      const score = bias + weight / 100
      if (score < suspected) return { level: 'none', score, words: '' }
      const isHarm = isEarly(sentences, WRONG)
      const own = sentences.find(sentence => refusesItself(sentence, head, isHarm))
      const refusing = own ?? sentences.find(refuses)
      const isOther =
        (score >= strong && sentences.some(saysNo)) ||
        (score >= lesson && teaches(sentences)) ||
        (score >= wrong && sentences.some(judges))
      // An answer that corrects a question's premise is no refusal, nor are quoted words or an idiom.
      const isSure =
        ((own !== undefined && score >= sure) || (isOther && !isEarly(sentences, PREMISE))) &&
        !isEarly(sentences, QUOTED)
      const { first, last } = refusing ?? sentences.find(one => one.first >= 0) ?? { first: 0, last: 0 }
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
  detector ??= refusalDetector(JSON.parse(weightsText()) as RefusalWeights)
  return detector.read(answer)
}
