// The closed lists of words of grading: why an answer did not work, and what it is checked for.

/** Languages of answers that grading can distinguish. */
export const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'nl',
  'pl',
  'pt',
  'tr',
  'ru',
  'zh',
  'ja',
  'ko',
  'ar',
] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * What an answer is checked for if its agent declares it; the name of a check is the reason it gives. Of several that
 * find something, the first in this order counts.
 */
export const CHECKS = [
  'template_leak',
  'repeats',
  'cut_json',
  'fenced_json',
  'asks_back',
  'cannot_look_up',
  'placeholders',
  'echoes_prompt',
  'wrong_language',
] as const
export type CheckName = (typeof CHECKS)[number]

/** What a whole run is checked for when it has ended; reported on the run, never the reason of an item. */
export const RUN_CHECKS = ['one_answer', 'length_jump', 'cost_jump'] as const
export type RunCheckName = (typeof RUN_CHECKS)[number]

/** `wrong_language` is left out: declaring a language already says that answers in another one are wrong. */
export const ANSWER_CHECKS = CHECKS.filter(name => name !== 'wrong_language')
export type AnswerCheck = (typeof ANSWER_CHECKS)[number]

export const DECLARED_CHECKS = [...ANSWER_CHECKS, ...RUN_CHECKS]
export type DeclaredCheck = (typeof DECLARED_CHECKS)[number]

/** Begins the words of an output off its schema; the path of what is wrong in it follows. */
export const OFF_SCHEMA = 'The output does not match its schema: '

/**
 * Why a step or an item is not `ok`. `agent_degraded` comes with the agent's own words; a step with `suspected_refusal`
 * is `ok`.
 */
export const OUTCOME_REASONS = [
  'refusal',
  'suspected_refusal',
  ...CHECKS,
  'empty_output',
  'truncated',
  'interrupted',
  'content_filter',
  'schema_mismatch',
  'agent_degraded',
  'step_error',
  'agent_error',
  'provider_error',
  'transport_error',
  'limit_exceeded',
  'budget_exceeded',
  'unpriced_model',
] as const
export type OutcomeReason = (typeof OUTCOME_REASONS)[number]

/** Which refusals by wording degrade an answer: sure ones, suspected ones too, or none. */
export const REFUSAL_CHOICES = ['sure', 'balanced', 'off'] as const
export type RefusalChoice = (typeof REFUSAL_CHOICES)[number]
