// Reads the beginning of an answer as words. Guarantee: a bounded part of the text is read, whatever the text is; a
// word is a number, so that reading an answer does not make a string of each word.

import { afterThinking } from './thinking.ts'

/** A refusal shows in its first sentences: with 300 characters a third fewer are found, and 900 add none. */
const HEAD_CHARACTERS = 600
const HEAD_WORDS = 160
/** How far a long answer is searched for lists and code, which refusals rarely have. */
const BODY_CHARACTERS = 2000
/** Tokens of a chat template before an answer are looked for up to this place. */
const TEMPLATE_CHARACTERS = 400
/** How much of a model's thinking is skipped to find its answer. */
const THINKING_CHARACTERS = 200_000

/** The beginning of an answer: its words in small letters, without apostrophes; a Chinese character is a word. */
export interface Head {
  /** The `wordNumber` of each word. */
  words: number[]
  /** Where each word begins and ends in `text`. */
  starts: number[]
  ends: number[]
  text: string
  /** Characters of the whole answer. */
  length: number
  hasList: boolean
  hasCode: boolean
  isData: boolean
}

const TEMPLATE =
  /^(?:\s|<\|[\w ]{1,40}\|>|<\/?(?:s|bos|eos|start_of_turn|end_of_turn)>|\[\/?(?:INST|SYS)\]|<<\/?SYS>>|(?:assistant|model)\s*\n|(?:assistant|answer|response|ai):\s)+/i

/** The answer without the tokens of a chat template before it, and without the thinking. */
function withoutTemplate(text: string): string {
  const template = TEMPLATE.exec(text.slice(0, TEMPLATE_CHARACTERS))?.[0].length ?? 0
  const from = afterThinking(text.slice(0, THINKING_CHARACTERS), template) ?? template
  return text.slice(from, from + BODY_CHARACTERS)
}

export function readHead(answer: string): Head {
  const body = withoutTemplate(answer)
  const text = body.slice(0, HEAD_CHARACTERS)
  const { words, starts, ends } = readWords(text)
  return {
    words,
    starts,
    ends,
    text,
    length: answer.length,
    hasList: /\n\s{0,3}(?:[-*•] |\d{1,2}[.)] )/.test(body),
    hasCode: body.includes('```'),
    isData: /^\s*[[{]/.test(text),
  }
}

const [LETTER, OWN_WORD, STOP, APOSTROPHE] = [1, 2, 3, 4]

/** The class of each UTF-16 unit. */
const CLASSES = new Uint8Array(2 ** 16)
// In scripts with letters, each letter and mark belongs to a word; the few signs in these ranges are taken out below.
CLASSES.fill(LETTER, 48, 58).fill(LETTER, 97, 123).fill(LETTER, 0xc0, 0x2000)
for (const sign of '×÷،') CLASSES[sign.charCodeAt(0)] = 0
// Scripts written without spaces, or with endings that change the word: each character is a word of its own.
CLASSES.fill(OWN_WORD, 0x3040, 0x3100).fill(OWN_WORD, 0x3400, 0xa000).fill(OWN_WORD, 0xac00, 0xd7a4)
for (const sign of '.!?\n:;。！？؟؛：；') CLASSES[sign.charCodeAt(0)] = STOP
for (const sign of "'’ʼ") CLASSES[sign.charCodeAt(0)] = APOSTROPHE

const FNV_BASIS = -2128831035
const FNV_PRIME = 16777619
/** A word's FNV-1a hash: none of 10,000 known words is taken for another, and an unknown word is once in 400,000. */
export const wordNumber = (word: string): number => {
  let hash = FNV_BASIS
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME)
  return hash
}

/** The word between sentences, and before the first. */
export const STOP_WORD = wordNumber('.')
const I = wordNumber('i')
const QU = wordNumber('qu')

/**
 * The words of a text. "can't" is `cant`, and "l'aide" is `l` and `aide`: a single letter before an apostrophe is a
 * word of its own, except in "I'm", and so is "qu'".
 */
export function readWords(text: string): Pick<Head, 'words' | 'starts' | 'ends'> {
  // A few letters become longer in lower case; the places are then only nearly right.
  const said = text.toLowerCase()
  const words = [STOP_WORD]
  const starts = [0]
  const ends = [0]
  let hash = FNV_BASIS
  let letters = 0
  let start = 0
  for (let at = 0; at <= said.length && words.length < HEAD_WORDS; at++) {
    const code = at < said.length ? said.charCodeAt(at) : 32
    const kind = CLASSES[code]!
    if (kind === LETTER) {
      if (letters++ === 0) start = at
      hash = Math.imul(hash ^ code, FNV_PRIME)
      continue
    }
    if (letters > 0) {
      if (kind === APOSTROPHE && (letters > 1 || hash === I) && hash !== QU) continue
      words.push(hash)
      starts.push(start)
      ends.push(at)
      hash = FNV_BASIS
      letters = 0
    }
    if (kind !== OWN_WORD && (kind !== STOP || words[words.length - 1] === STOP_WORD)) continue
    words.push(kind === STOP ? STOP_WORD : Math.imul(FNV_BASIS ^ code, FNV_PRIME))
    starts.push(at)
    ends.push(at + 1)
  }
  return { words, starts, ends }
}

/** Whether a word is a single character, as in Chinese, Japanese and Korean, which may name help before a refusal. */
export const isCharacter = ({ text, starts }: Head, word: number): boolean =>
  CLASSES[text.charCodeAt(starts[word]!)] === OWN_WORD

/** The words as text, for training. */
export function spellWords({
  text,
  words,
  starts,
  ends,
}: Pick<Head, 'text' | 'words' | 'starts' | 'ends'>): string[] {
  const said = text.toLowerCase()
  return words.map((word, i) =>
    word === STOP_WORD ? '.' : said.slice(starts[i], ends[i]).replace(/['’ʼ]/g, ''),
  )
}
