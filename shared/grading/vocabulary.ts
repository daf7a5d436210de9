// The closed lists of words of grading: why an answer has not worked, and what it is looked at for.

/** Languages that answers are told apart by. */
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
 * What an answer is looked at for where its agent declares it; each is the reason it gives. Of several that find
 * something the first in this order is told.
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

/** What a run is looked at for as a whole when it has ended; told on the run, no reason of an item. */
export const RUN_CHECKS = ['one_answer', 'length_jump', 'cost_jump'] as const
export type RunCheckName = (typeof RUN_CHECKS)[number]

/** That a language is declared says of itself that answers in another one are wrong. */
export const ANSWER_CHECKS = CHECKS.filter(name => name !== 'wrong_language')
export type AnswerCheck = (typeof ANSWER_CHECKS)[number]

export const DECLARED_CHECKS = [...ANSWER_CHECKS, ...RUN_CHECKS]
export type DeclaredCheck = (typeof DECLARED_CHECKS)[number]

/**
 * Why a step or an item is not `ok`. `agent_degraded` carries the agent's own words beside it; a step with
 * `suspected_refusal` is `ok`.
 */
export const OUTCOME_REASONS = [
  'refusal',
  'suspected_refusal',
  ...CHECKS,
  'empty_output',
  'truncated',
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

/** Which refusals by wording degrade: those that are sure, suspected ones too, or none. */
export const REFUSAL_CHOICES = ['sure', 'balanced', 'off'] as const
export type RefusalChoice = (typeof REFUSAL_CHOICES)[number]
