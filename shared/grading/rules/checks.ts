// Checks answers that arrived for signs that they did not work; a check runs only if the deployment has it. Guarantee:
// pure, of bounded cost whatever the text; a check that is not sure lets the answer pass. How good they are:
// ../grading.md.

import { isCutJson } from '../../json/cut-json.ts'
import { afterThinking } from '../../refusals/rules/thinking.ts'
import { CHECKS, type CheckName, type DeclaredCheck, type Language } from '../vocabulary.ts'
import { echoes } from './echo.ts'
import { otherLanguage } from './language.ts'
import { leakedCallIn } from './leaked-call.ts'
import { withoutCode } from './prose.ts'

/**
 * The checks of a new deployment that declares none; existing deployments keep the defaults they got. These checks find
 * answers that are broken whatever was asked. What the others find may be right for an agent: some are asked for the
 * same again and again.
 */
export const DEFAULT_CHECKS: readonly DeclaredCheck[] = [
  'template_leak',
  'cut_json',
  'length_jump',
  'cost_jump',
]

const HEAD_CHARACTERS = 600
/** How much is read of an answer's end, and of a text that is searched whole. */
const TAIL_CHARACTERS = 2_000
const BODY_CHARACTERS = 20_000
/** Data that is longer is not parsed. */
const DATA_CHARACTERS = 1_000_000
/** How much is shown of the words that a check found. */
const SHOWN_CHARACTERS = 120

const MATERIAL =
  'text|ticket|document|passage|article|content|message|input|transcript|e-?mail|review|file|image|code|snippet|data|conversation|list|report'

/** The answer asks for the material to work on, because the prompt held none. */
const ASKS_BACK = [
  new RegExp(
    `\\b(?:please|could you|can you|kindly)\\b[^.?!\\n]{0,30}\\b(?:provide|share|paste|send|upload|supply|attach|include|give)\\b[^.?!\\n]{0,20}\\b(?:the|your|an?|that|some)\\b[^.?!\\n]{0,30}\\b(?:${MATERIAL})s?\\b[^.?!\\n]{0,40}\\b(?:you(?:'d| would)? (?:like|want)|to be |so (?:that )?i can|for me to|and i(?:'ll| will)|that (?:i|you))`,
  ),
  new RegExp(
    `\\b(?:i (?:don't|do not) see|i (?:haven't|have not) received|there (?:is|was) no|you (?:haven't|have not|didn't|did not) (?:provided?|included?|attach(?:ed)?|shared?|pasted?))\\b[^.?!\\n]{0,30}\\b(?:${MATERIAL})s?\\b(?=[^\\n]{0,200}\\b(?:provide|share|paste|send|upload|include|attach)\\b)`,
  ),
]

const CANNOT_LOOK_UP =
  /\bi(?:'m| am)? (?:(?:currently|unfortunately) )?(?:can't|cannot|can not|don't|do not|unable to|not able to) (?:currently |directly |actually )?(?:have (?:the ability to |(?:direct |real-time |live )?access to (?:the )?(?:internet|web|real-time|live|current|external|up-to-date))|browse|access (?:the )?(?:internet|web|external|websites|urls?|links?|real-time|live)|search the (?:web|internet)|look (?:things|that|this|it) up|open (?:links|urls?|websites)|visit (?:links|urls?|websites|external))/

const TOKEN =
  '(?:<\\|(?:im_start|im_end|im_sep|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_text|assistant|user|system|end)\\|>|\\[/?INST\\]|<</?SYS>>|<(?:start|end)_of_turn>|<｜[^｜\\n]{1,30}｜>)'
/** A token between quotation marks or brackets is only mentioned. */
const TEMPLATE_TOKEN = new RegExp(`(?<!["'“‘«(])${TOKEN}|${TOKEN}(?!["'”’»)])`)

/**
 * Tokens that also stand in texts about models, and so count only where they begin an answer or end it; and the words
 * that gpt-oss leaves without its tokens.
 */
const TURN = [
  /^\s{0,20}(?:<\|start\|>assistant)?\s{0,20}<\|(?:channel|START_RESPONSE|CHATBOT_TOKEN|begin_of_box|header_start)\|>/,
  /<\|(?:return|eom|eot|END_OF_TURN_TOKEN|END_RESPONSE|end_of_box)\|>\s{0,20}$/,
  /(?:^|[.!?…)\]"'”’\n])\s?assistant(?:final|commentary\b|analysis)/,
] as const

/** A chat template's token with which the answer ends its turn or begins another; a token in code was asked for. */
function templateTokenIn(text: string): string | undefined {
  const find = (text: string) =>
    (TEMPLATE_TOKEN.exec(text.slice(0, BODY_CHARACTERS)) ?? TEMPLATE_TOKEN.exec(tail(text)))?.[0]
  // Only the whole text shows where code begins. Most texts have no token, so they are not read whole.
  return find(text) === undefined ? undefined : find(withoutCode(text.slice(0, DATA_CHARACTERS)))
}

/** The words of a turn's beginning, after the thinking, or of its end. */
function turnIn(text: string): string | undefined {
  const begin = afterThinking(text) ?? 0
  const answer = text.slice(begin, begin + BODY_CHARACTERS)
  const [begins, ends, joins] = TURN
  if (answer.includes('<|') || tail(text).includes('<|')) {
    const met = begins.exec(answer) ?? ends.exec(tail(text))
    if (met !== null) return met[0]
  }
  return /^\s{0,20}(?:analysis|commentary|assistant)/.test(text)
    ? joins.exec(text.slice(0, BODY_CHARACTERS))?.[0]
    : undefined
}

const PLACEHOLDER =
  /\[(?:(?:your|insert|enter|add|company|customer|client|recipient|sender|first|last|full|phone|email|order|contact|job|product) [a-z][^\]\n]{0,40}|(?:name|date|company|phone|email|address|insert|signature|title|amount))\](?![([:])/i

/** A period of at most LONGEST_PERIOD characters, repeated for at least REPEATED_CHARACTERS, is no sentence. */
const LONGEST_PERIOD = 300
const REPEATED_CHARACTERS = 240
const LEAST_TIMES = 4

/** The piece that the text repeats to its end. */
function repeatedIn(text: string): string | undefined {
  const end = text.trimEnd().slice(-TAIL_CHARACTERS)
  for (let period = 3; period <= LONGEST_PERIOD; period++) {
    let at = end.length - 1
    while (at >= period && end[at] === end[at - period]) at--
    const repeated = end.length - 1 - at
    if (repeated < Math.max(REPEATED_CHARACTERS, (LEAST_TIMES - 1) * period)) continue
    const piece = end.slice(-period)
    return /\p{L}.*\p{L}/su.test(piece) && !isLabel(piece) ? piece : undefined
  }
  return undefined
}

const LABEL_WORDS = 3
/** Some scripts write no space between words, which mostly have two characters. */
const WORDS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{1,2}|[\p{L}\p{N}]+/gu

const CELLS = /[,;|\t]+/
const isShort = (cell: string) => (cell.match(WORDS) ?? []).length <= LABEL_WORDS

/** The distinct parts between separators in a piece of a repetition; the piece may begin within a part. */
const partsOf = (piece: string, separators: RegExp) => [
  ...new Set(
    piece
      .repeat(2)
      .split(separators)
      .slice(1, -1)
      .map(part => part.trim()),
  ),
]

/** Whether the piece is a label, which similar things share: one short line for each, or one short cell. */
function isLabel(piece: string): boolean {
  const [line, ...lines] = partsOf(piece, /\n+/)
  if (line !== undefined) return lines.length === 0 && line.split(CELLS).every(isShort)
  const [cell, ...cells] = partsOf(piece, CELLS)
  return cell !== undefined && cells.length === 0 && isShort(cell)
}

const isJson = (text: string) => {
  if (text.length > DATA_CHARACTERS || !/^[{[]/.test(text)) return false
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

/** A sentence before data is short; data in a longer text is an example. */
const PREFACE_CHARACTERS = 200

/** JSON in a fence, or behind a sentence, so that no program reads it as it is. */
function isFencedJson(text: string): boolean {
  const whole = text.trim()
  const fence = /^([^`]{0,200})```(?:json|JSON)?[ \t]*\n/.exec(whole)
  if (fence !== null) {
    const end = whole.indexOf('\n```', fence[0].length - 1)
    return (
      end > 0 && whole.length - end < PREFACE_CHARACTERS && isJson(whole.slice(fence[0].length, end).trim())
    )
  }
  const start = whole.slice(0, PREFACE_CHARACTERS).search(/\n\s*[{[]/)
  if (start <= 0) return false
  const end = Math.max(whole.lastIndexOf('}'), whole.lastIndexOf(']')) + 1
  return whole.length - end < PREFACE_CHARACTERS && isJson(whole.slice(start, end).trim())
}

/** A text that is JSON, and no sentence in brackets, and does not end. */
function isCutData(text: string): boolean {
  const whole = text.trim().replace(/^```(?:json)?\s*\n/i, '')
  return whole.length <= DATA_CHARACTERS && /^(?:\{\s*"|\[\s*[{["\d])/.test(whole) && isCutJson(whole)
}

const ofHead = (text: string) => text.slice(0, HEAD_CHARACTERS).toLowerCase().replaceAll('’', "'")

/** A letter to Ann asks Ann for things, not the caller; it is an answer. */
const LETTER =
  /^\s*(?:(?:subject:[^\n]*\n\s*)?(?:dear|hi|hello|hey|good (?:morning|afternoon|evening))\b[^\n]{0,40}[,!\n])/i

/** What a check knows in addition to the answer. */
export interface Asked {
  /** The input of the model call, in any shape; unknown when an agent returned the answer. */
  input?: unknown
  /** The language that the agent declares for its answers. */
  language?: Language | undefined
  /** Only the beginning of the answer was kept. */
  is_beginning?: boolean | undefined
}

function isInAnotherLanguage(text: string, language: Language | undefined): boolean {
  // Names in JSON data are a program's and in no language.
  return language !== undefined && !/^\s*[[{]/.test(text) && otherLanguage(text, language) !== undefined
}

/** The words in the head of a text that match one of the patterns. */
function metIn(text: string, patterns: readonly RegExp[]): string | undefined {
  const head = ofHead(text)
  for (const pattern of patterns) {
    const met = pattern.exec(head)
    if (met !== null) return text.slice(met.index, met.index + met[0].length)
  }
  return undefined
}

const beginning = (text: string) => text.slice(0, SHOWN_CHARACTERS)
const tail = (text: string) => text.slice(-TAIL_CHARACTERS)

/** A check, except what a person can do about it (shared/triage/rules/outcome-meanings.ts). */
interface CheckRule {
  /** What is wrong, after "The last model call (ask)". */
  says: string
  /** The check depends on how an answer ends, so it is skipped when only the beginning was kept. */
  needs_end?: true
  /** The check depends on what was asked of the model, not on single words of the answer. */
  needs_asked?: true
  /** The words that the check found; undefined when it found nothing. */
  find(text: string, asked: Asked): string | undefined
}

const RULES: Record<CheckName, CheckRule> = {
  template_leak: {
    says: 'holds tokens of a chat template, or a tool call as text.',
    find: (text, { input }) => templateTokenIn(text) ?? turnIn(text) ?? leakedCallIn(text, input),
  },
  repeats: { says: 'repeats itself to its end.', needs_end: true, find: repeatedIn },
  cut_json: {
    says: 'is JSON that does not end, or calls a tool with such JSON.',
    needs_end: true,
    find: text => (isCutData(text) ? text.slice(-SHOWN_CHARACTERS) : undefined),
  },
  fenced_json: {
    says: 'is JSON in a fence or behind a sentence.',
    needs_end: true,
    find: text => (isFencedJson(text) ? beginning(text) : undefined),
  },
  asks_back: {
    says: 'asks for what it should have been given.',
    find: text => (LETTER.test(text) ? undefined : metIn(text, ASKS_BACK)),
  },
  cannot_look_up: {
    says: 'says that the model cannot look things up.',
    find: text => metIn(text, [CANNOT_LOOK_UP]),
  },
  placeholders: {
    says: 'leaves placeholders to be filled in.',
    find: text => PLACEHOLDER.exec(text.slice(0, BODY_CHARACTERS))?.[0],
  },
  echoes_prompt: {
    says: 'repeats its prompt.',
    needs_asked: true,
    find: (text, { input }) => (echoes(text, input) ? beginning(text) : undefined),
  },
  wrong_language: {
    says: 'is in another language than its agent declares.',
    needs_asked: true,
    find: (text, { language }) => (isInAnotherLanguage(text, language) ? beginning(text) : undefined),
  },
}

/** What a check says of an answer that failed it. */
export const checkSays = (name: CheckName): string => RULES[name].says

/** The words by which an answer failed a check; its beginning if the check depends on what was asked. */
export const checkWords = (text: string, name: CheckName): string | undefined =>
  RULES[name].needs_asked ? beginning(text) : RULES[name].find(text, {})

/** The first of the declared checks that finds something, in the order of CHECKS. */
export function failedCheck(
  text: string,
  checks: readonly (CheckName | DeclaredCheck)[],
  asked: Asked = {},
): CheckName | undefined {
  return CHECKS.find(
    name =>
      checks.includes(name) &&
      !(asked.is_beginning && RULES[name].needs_end) &&
      RULES[name].find(text, asked) !== undefined,
  )
}
