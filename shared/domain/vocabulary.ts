// The closed lists of words that columns, JSON bodies, the SDK and the command line share.

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

/** Why a run stopped dispatching before its pile was empty. */
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

/** What an answer is looked at for where its agent declares it; each is the reason it gives. */
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

/** Of items that wait because of what was recorded: they did not work, or are held. */
export const RECORDED_LANES = ['dlq', 'quarantine'] as const
/** `review`: the item worked as recorded, and somebody says or asks whether it did. The order is that of the column's type. */
export const TRIAGE_LANES = [...RECORDED_LANES, 'review'] as const
export type TriageLane = (typeof TRIAGE_LANES)[number]

/** What was decided. `wrong`: what the row says is not so; `confirmed`: what it asks is. */
export const DISPOSITIONS = [
  'acknowledged',
  'dismissed',
  'replayed',
  'resumed',
  'wrong',
  'confirmed',
] as const
export type Disposition = (typeof DISPOSITIONS)[number]

/**
 * What of an item somebody calls wrong: what was recorded of it, that it is what triage asks, or that somebody called an
 * ok item wrong.
 */
export const WRONG_OF = ['verdict', 'question', 'correction'] as const
export type WrongOf = (typeof WRONG_OF)[number]

/** What may be done with items that wait for a decision, one or a whole cohort. `wrong`: their verdict is called wrong. */
export const TRIAGE_ACTIONS = ['replay', 'resume', 'acknowledge', 'dismiss', 'wrong'] as const
export type TriageAction = (typeof TRIAGE_ACTIONS)[number]

/** What a row accepts. `confirm`: what it asks is so. */
export const ROW_ACTIONS = [...TRIAGE_ACTIONS, 'confirm'] as const
export type RowAction = (typeof ROW_ACTIONS)[number]

/** The same, and what may be done with one that was decided about. */
export const ITEM_ACTIONS = [...ROW_ACTIONS, 'reopen'] as const
export type ItemAction = (typeof ITEM_ACTIONS)[number]

/** Which code replays an item: the agent's of now, or what the item ran with. */
export const DEPLOYMENT_CHOICES = ['current', 'original'] as const
export type DeploymentChoice = (typeof DEPLOYMENT_CHOICES)[number]

/**
 * Which recorded steps a replay takes over. `auto`: those before the answer that was at fault, or all that succeeded
 * where none was.
 */
export const REUSE_CHOICES = ['auto', 'all', 'none'] as const
export type ReuseChoice = (typeof REUSE_CHOICES)[number]

/** Why an item that passes the filter of a cohort is not acted on with it. */
export const EXCLUSIONS = [
  'held',
  'not_held',
  'acknowledged',
  'dismissed',
  'replayed',
  'resumed',
  'purged',
  'run_ended',
  'wrong',
  'not_judged',
] as const
export type Exclusion = (typeof EXCLUSIONS)[number]

/** How far a recovery is. `stopped`: its pilot did no better than before. */
export const RECOVERY_STATUSES = [
  'creating',
  'pilot',
  'running',
  'completed',
  'stopped',
  'aborting',
  'aborted',
] as const
export type RecoveryStatus = (typeof RECOVERY_STATUSES)[number]

/** What retention removes of a run. */
export const PURGE_KINDS = ['steps', 'payloads', 'records'] as const
export type PurgeKind = (typeof PURGE_KINDS)[number]

export const DEPLOYMENT_KINDS = ['bundle', 'url'] as const
export type DeploymentKind = (typeof DEPLOYMENT_KINDS)[number]

/** What a deployment speaks: Assay's NDJSON protocol, or plain JSON in and JSON out, one item a request. */
export const AGENT_PROTOCOLS = ['ndjson', 'json'] as const
export type AgentProtocol = (typeof AGENT_PROTOCOLS)[number]

export const ACCOUNT_STATUSES = ['active', 'suspended'] as const
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number]

/** What a member may do; each role may do what those after it may. A project key is an operator of its project. */
export const MEMBER_ROLES = ['owner', 'operator', 'viewer'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

/** What a project's key may do: all that changes something in its project, or read alone. */
export const KEY_ROLES = ['operator', 'viewer'] as const satisfies readonly MemberRole[]
export type KeyRole = (typeof KEY_ROLES)[number]

/** Why a schedule does not fire: a person said so, or it cannot. */
export const DISABLED_REASONS = ['operator', 'invalid_cron', 'invalid_timezone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** What became of a moment that a schedule named. */
export const OCCURRENCE_OUTCOMES = ['fired', 'skipped', 'error', 'missed'] as const
export type OccurrenceOutcome = (typeof OCCURRENCE_OUTCOMES)[number]

/** Why a moment became what it did. */
export const OCCURRENCE_REASONS = [
  'invalid_cron',
  'invalid_timezone',
  'agent_not_found',
  'no_deployed_version',
  'plan_limit',
  'agent_lookup_failed',
  'account_lookup_failed',
  'dispatch_failed',
  'source_failed',
  'source_empty',
  'overdue',
  'run_never_started',
  'manual',
] as const
export type OccurrenceReason = (typeof OCCURRENCE_REASONS)[number]

/** How a source writes its rows. */
export const SOURCE_FORMATS = ['ndjson', 'csv', 'json'] as const
export type SourceFormat = (typeof SOURCE_FORMATS)[number]

/** How an inbound fire proves who sent it: the trigger's secret as a bearer, or a sender's own signature. */
export const SIGNATURE_SCHEMES = [
  'bearer',
  'standard_webhooks',
  'github',
  'stripe',
  'slack',
  'shopify',
] as const
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number]

/** What a trigger may be called, and the sender's variable that holds its secret. */
export const TRIGGER_NAME = /^[a-zA-Z0-9_-]{1,64}$/
export const SECRET_ENV = /^[A-Z][A-Z0-9_]*$/

/**
 * What a deploy does to a schedule or a trigger. `rotated`: a trigger under a new name, URL and secret; `kept`: one
 * that the promoted version does not declare.
 */
export const PLAN_ACTIONS = ['created', 'changed', 'rotated', 'deleted', 'kept', 'unchanged'] as const
export type PlanAction = (typeof PLAN_ACTIONS)[number]

/** What a deploy warns of: what this installation does not give the agent. */
export const DEPLOY_WARNINGS = ['step_outlasts_consumer'] as const
export type DeployWarning = (typeof DEPLOY_WARNINGS)[number]
