// Reads and writes names of checks in one line of text. Guarantee: `readChecks` reads what `writeChecks` writes.

import { nearest } from '../../kernel/nearest.ts'
import { ANSWER_CHECKS, type AnswerCheck } from '../vocabulary.ts'

export const NO_CHECKS = 'none'

const MOST_WRONG_LETTERS = 3

export type NamedChecks = { checks: AnswerCheck[] } | { unknown: string; near: string | undefined }

/** @example readChecks('cut_json, repeat') // { unknown: 'repeat', near: 'repeats' } */
export function readChecks(text: string): NamedChecks {
  const names = text === NO_CHECKS ? [] : text.split(',').map(name => name.trim())
  const unknown = names.find(name => !ANSWER_CHECKS.includes(name as AnswerCheck))
  if (unknown === undefined) return { checks: names as AnswerCheck[] }
  return { unknown, near: nearest(unknown, ANSWER_CHECKS, MOST_WRONG_LETTERS) }
}

export const writeChecks = (checks: readonly AnswerCheck[]): string => checks.join() || NO_CHECKS
