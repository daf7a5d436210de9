// Ways in which an answer arrives and has not worked, each looked for only where a deployment has it. Guarantee: pure,
// of bounded cost whatever the text; a check that finds nothing sure lets the answer pass. How good they are:
// ../grading.md.

import { CHECKS, type CheckName, type DeclaredCheck, type Language } from '../vocabulary.ts'
import { echoes } from './echo.ts'
import { otherLanguage } from './language.ts'
import { withoutCode } from './prose.ts'

/**
 * Made of what declares none, in deployments of now on: what a deployment got stays its own. They find what is broken in
 * itself, whatever was asked for; the others may be right for an agent: some are asked for the same again and again.
 */
export const DEFAULT_CHECKS: readonly DeclaredCheck[] = [
  'template_leak',
  'cut_json',
  'length_jump',
  'cost_jump',
]

const HEAD_CHARACTERS = 600
/** What is read of an answer's end, and of a text that is searched whole. */
const TAIL_CHARACTERS = 2_000
const BODY_CHARACTERS = 20_000
/** Longer data is not read for where it stops. */
const DATA_CHARACTERS = 1_000_000
/** Of the words that a check goes by. */
const SHOWN_CHARACTERS = 120

const MATERIAL =
  'text|ticket|document|passage|article|content|message|input|transcript|e-?mail|review|file|image|code|snippet|data|conversation|list|report'

/** It asks for what it should work on, as its prompt held nothing. */
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
/** Between quotation marks or brackets one is spoken of. */
const TEMPLATE_TOKEN = new RegExp(`(?<!["'“‘«(])${TOKEN}|${TOKEN}(?!["'”’»)])`)

/** A token of a chat template that an answer ends its turn with, or goes on with another; one in code was asked for. */
function templateTokenIn(text: string): string | undefined {
  const find = (text: string) =>
    (TEMPLATE_TOKEN.exec(text.slice(0, BODY_CHARACTERS)) ?? TEMPLATE_TOKEN.exec(tail(text)))?.[0]
  // Where code begins is known of the whole text alone; most have no token.
  return find(text) === undefined ? undefined : find(withoutCode(text.slice(0, DATA_CHARACTERS)))
}

const PLACEHOLDER =
  /\[(?:(?:your|insert|enter|add|company|customer|client|recipient|sender|first|last|full|phone|email|order|contact|job|product) [a-z][^\]\n]{0,40}|(?:name|date|company|phone|email|address|insert|signature|title|amount))\](?![([:])/i

/** A period of at most so many characters, again and again for at least so many, is no sentence. */
const LONGEST_PERIOD = 300
const REPEATED_CHARACTERS = 240
const LEAST_TIMES = 4

/** What is said again and again to the end. */
function repeatedIn(text: string): string | undefined {
  const end = text.trimEnd().slice(-TAIL_CHARACTERS)
  for (let period = 3; period <= LONGEST_PERIOD; period++) {
    let at = end.length - 1
    while (at >= period && end[at] === end[at - period]) at--
    const alike = end.length - 1 - at
    if (alike < Math.max(REPEATED_CHARACTERS, (LEAST_TIMES - 1) * period)) continue
    const piece = end.slice(-period)
    return /\p{L}.*\p{L}/su.test(piece) && !isLabel(piece) ? piece : undefined
  }
  return undefined
}

const LABEL_WORDS = 3
/** Some scripts write no space between words, of two characters mostly. */
const WORDS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{1,2}|[\p{L}\p{N}]+/gu

const CELLS = /[,;|\t]+/
const isShort = (cell: string) => (cell.match(WORDS) ?? []).length <= LABEL_WORDS

/** What stands between separators in a piece of a repetition, which begins anywhere in one; each once. */
const partsOf = (piece: string, separators: RegExp) => [
  ...new Set(
    piece
      .repeat(2)
      .split(separators)
      .slice(1, -1)
      .map(part => part.trim()),
  ),
]

/** Of things that are alike the labels are: one short line for each, or one short cell. */
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

/** A sentence before data is short; in a longer text data is an example. */
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

/** JSON that begins and does not end. */
function isCutJson(text: string): boolean {
  const whole = text.trim().replace(/^```(?:json)?\s*\n/i, '')
  if (whole.length > DATA_CHARACTERS || !/^(?:\{\s*"|\[\s*[{["\d])/.test(whole)) return false
  let depth = 0
  let isQuoted = false
  for (let i = 0; i < whole.length; i++) {
    const code = whole.charCodeAt(i)
    if (isQuoted) {
      if (code === 92) i++
      else if (code === 34) isQuoted = false
    } else if (code === 34) isQuoted = true
    else if (code === 123 || code === 91) depth++
    else if ((code === 125 || code === 93) && --depth === 0) return false
  }
  return true
}

const ofHead = (text: string) => text.slice(0, HEAD_CHARACTERS).toLowerCase().replaceAll('’', "'")

/** Letters to Ann ask Ann for things; they are answers. */
const LETTER =
  /^\s*(?:(?:subject:[^\n]*\n\s*)?(?:dear|hi|hello|hey|good (?:morning|afternoon|evening))\b[^\n]{0,40}[,!\n])/i

/** What a check knows beside the answer. */
export interface Asked {
  /** What the model was asked with, in any shape; unknown where an agent returned the answer. */
  input?: unknown
  /** In which language its agent's answers are. */
  language?: Language | undefined
  /** The rest of it was not kept. */
  is_beginning?: boolean | undefined
}

function isInAnotherLanguage(text: string, language: Language | undefined): boolean {
  // The names in data are a program's.
  return language !== undefined && !/^\s*[[{]/.test(text) && otherLanguage(text, language) !== undefined
}

/** What one of the patterns meets in the head of a text. */
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

/** A check: all there is to say of it, but for what a person can do (../../triage/rules/outcome-meanings.ts). */
interface CheckRule {
  /** What is wrong, after "The last model call (ask)". */
  says: string
  /** It goes by how an answer ends, so that of a beginning nothing can be said. */
  needs_end?: true
  /** It goes by what the model was asked, and not by words of the answer. */
  needs_asked?: true
  /** The words that it goes by; undefined where it finds nothing. */
  find(text: string, asked: Asked): string | undefined
}

const RULES: Record<CheckName, CheckRule> = {
  template_leak: { says: 'holds tokens of a chat template.', find: templateTokenIn },
  repeats: { says: 'repeats itself to its end.', needs_end: true, find: repeatedIn },
  cut_json: {
    says: 'is JSON that does not end.',
    needs_end: true,
    find: text => (isCutJson(text) ? text.slice(-SHOWN_CHARACTERS) : undefined),
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

/** By which words an answer failed a check, whatever was asked for. */
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
