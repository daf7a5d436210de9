// The closed lists of words of items, which columns, JSON bodies, the SDK and the command line share.

/** Whether an item ran. */
export const ITEM_STATUSES = [
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'budget_exceeded',
] as const
export type ItemStatus = (typeof ITEM_STATUSES)[number]

/** Whether an item, a step or a run worked; ordered from best to worst. */
export const OUTCOMES = ['ok', 'degraded', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const RUN_STATUSES = [
  'materializing',
  'queued',
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
  'budget_exceeded',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Whether anything of a run is still to come: one that was stopped is open until its items at work are over. */
export const RUN_STATES = ['open', 'ended'] as const
export type RunState = (typeof RUN_STATES)[number]

/** Why a run stopped dispatching before all its items were dispatched. */
export const STOP_REASONS = ['cancelled', 'budget_exceeded', 'consecutive_failures', 'pilot_failed'] as const
export type StopReason = (typeof STOP_REASONS)[number]

export const STEP_KINDS = ['llm_call', 'tool_call', 'tool_result', 'step'] as const
export type StepKind = (typeof STEP_KINDS)[number]

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

/** Codes an item that raised can carry in `error_code`. An agent may add its own; these are Assay's. */
export const ITEM_ERROR_CODES = [
  'agent_error',
  'tool_call_error',
  'llm_call_error',
  'invalid_input',
  'step_timeout',
  'step_limit_exceeded',
  'output_too_large',
  'budget_exceeded',
  'agent_crashed',
  'agent_unresponsive',
  'agent_unreachable',
  'protocol_error',
  'lease_lost',
  'too_many_attempts',
  'step_outlasts_consumer',
  'answer_never_came',
] as const
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number]
