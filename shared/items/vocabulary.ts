// The closed lists of words for items and runs, shared by columns, JSON bodies, the SDK and the command line.

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

/**
 * Whether a run still has work: a stopped run is open until its items in flight have ended. A held run is open and has
 * only paused items left, all of which wait for a person: none goes on by itself when there is money.
 */
export const RUN_STATES = ['open', 'ended', 'held'] as const
export type RunState = (typeof RUN_STATES)[number]

/** Why a run stopped dispatching before all its items were dispatched. */
export const STOP_REASONS = ['cancelled', 'budget_exceeded', 'consecutive_failures', 'pilot_failed'] as const
export type StopReason = (typeof STOP_REASONS)[number]

/** Who or what starts runs. */
export const STARTERS = ['member', 'key', 'schedule', 'trigger'] as const

/** Who or what started a run or a recovery, by the name of then; it may be gone since. */
export interface StartedBy {
  kind: (typeof STARTERS)[number]
  id: string | null
  name: string
}

export const STEP_KINDS = ['llm_call', 'tool_call', 'tool_result', 'step'] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** Codes that an item that raised can have in `error_code`. An agent may add its own; these are Assay's. */
export const ITEM_ERROR_CODES = [
  'agent_error',
  'tool_call_error',
  'llm_call_error',
  'answer_refused',
  'invalid_input',
  'schema_check_limit',
  'step_timeout',
  'step_limit_exceeded',
  'output_too_large',
  'budget_exceeded',
  'agent_crashed',
  'agent_unresponsive',
  'agent_unreachable',
  'invalid_output',
  'protocol_error',
  'lease_lost',
  'too_many_attempts',
  'step_outlasts_consumer',
  'answer_never_came',
  'upstream_unavailable',
] as const
export type ItemErrorCode = (typeof ITEM_ERROR_CODES)[number]
