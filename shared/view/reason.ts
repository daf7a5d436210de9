// Finds the words by which an answer is, or may be, a refusal, or fails a check, by today's rules; pages show them with
// a step.

import { checkWords } from '../grading/rules/checks.ts'
import { CHECKS } from '../grading/vocabulary.ts'
import { readCompletion, wholeOf } from '../providers/rules/completion.ts'
import { readRefusal } from '../refusals/rules/refusal.ts'

/** Undefined for other reasons, and if the provider marked the refusal and its wording matches no rule. */
export function reasonWords(step: { outcome_reason: string | null; output?: unknown }): string | undefined {
  const { output, outcome_reason: reason } = step
  const check = CHECKS.find(name => name === reason)
  if (check === undefined && reason !== 'refusal' && reason !== 'suspected_refusal') return undefined
  const text = typeof output === 'string' ? output : readCompletion(wholeOf(output))?.text
  return (text && (check === undefined ? readRefusal(text).words : checkWords(text, check))) || undefined
}
