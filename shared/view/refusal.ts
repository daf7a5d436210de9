// By which words an answer is, or may be, a refusal: said where a step is shown, by today's rules.

import { readCompletion, wholeOf } from '../domain/completion.ts'
import { readRefusal } from '../items/rules/refusal.ts'

/** Undefined for another reason, and where the provider marked the refusal and its words say nothing. */
export function refusalWords(step: { outcome_reason: string | null; output?: unknown }): string | undefined {
  if (step.outcome_reason !== 'refusal' && step.outcome_reason !== 'suspected_refusal') return undefined
  const { output } = step
  const text = typeof output === 'string' ? output : readCompletion(wholeOf(output))?.text
  return (text && readRefusal(text).words) || undefined
}
