// By which words an answer is, or may be, a refusal, or fails a check: said where a step is shown, by today's rules.

import { checkWords } from '../grading/rules/checks.ts'
import { CHECKS } from '../grading/vocabulary.ts'
import { readCompletion, wholeOf } from '../providers/rules/completion.ts'
import { readRefusal } from '../refusals/rules/refusal.ts'

/** Undefined for another reason, and where the provider marked the refusal and its words say nothing. */
export function reasonWords(step: { outcome_reason: string | null; output?: unknown }): string | undefined {
  const { output, outcome_reason: reason } = step
  const check = CHECKS.find(name => name === reason)
  if (check === undefined && reason !== 'refusal' && reason !== 'suspected_refusal') return undefined
  const text = typeof output === 'string' ? output : readCompletion(wholeOf(output))?.text
  return (text && (check === undefined ? readRefusal(text).words : checkWords(text, check))) || undefined
}
