// Turns an agent's lines about an item into counted and priced steps and, in the end, a verdict. Guarantee: pure, so
// that the consumer and a test of an agent cannot come to different verdicts.

import type { ItemStatus, Outcome } from '../../items/vocabulary.ts'
import { problemOf } from '../../json/json.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { dollars } from '../../prices/rules/amounts.ts'
import type { PriceBook } from '../../prices/rules/price-book.ts'
import { sayUnpriced } from '../../prices/rules/prices.ts'
import { microOf } from '../../prices/rules/pricing.ts'
import {
  type AgentDeclaration,
  type AgentLine,
  ANSWER_REFUSED,
  HOLD_KEY,
  type ItemError,
} from '../../protocol/rules/protocol.ts'
import { CHECK_LIMIT, type SchemaAnswer } from '../../schemas/vocabulary.ts'
import type { OutcomeReason } from '../vocabulary.ts'
import {
  type DeployedDeclaration,
  explained,
  type GradeChoices,
  type GradedStep,
  gradeItem,
  lastCallFault,
} from './grading.ts'
import { type OfferedRecord, type ReadStep, reusedRow, type StepRow, stepRow } from './step-row.ts'

/** How an attempt ended, for good or for now (`paused`). */
export interface Verdict {
  status: Extract<ItemStatus, 'completed' | 'failed' | 'paused' | 'budget_exceeded'>
  outcome: Outcome | null
  outcome_reason: OutcomeReason | null
  degraded_reason: string | null
  error_code: string | null
  error_message: string | null
  output: string | null
}

/** What is known of an item while an agent works on it; `countStep` adds to it. */
export interface ItemProgress {
  seq: number
  attempt: number
  graded: GradedStep[]
  /** Steps seen, including those of earlier attempts; the next step's number is one more. */
  step_count: number
  cost_micro: number
  item: { agent_failures: number; extra_budget_micro?: number | null; offered?: readonly OfferedRecord[] }
}

const NOTHING: Omit<Verdict, 'status'> = {
  outcome: null,
  outcome_reason: null,
  degraded_reason: null,
  error_code: null,
  error_message: null,
  output: null,
}

/** What the item may spend: the declared budget and what resuming granted, in micro-dollars; null is no bound. */
export function itemBudgetMicro(
  { item_budget_cents }: AgentDeclaration,
  { item }: Pick<ItemProgress, 'item'>,
): number | null {
  return item_budget_cents === undefined ? null : microOf(item_budget_cents) + (item.extra_budget_micro ?? 0)
}

export interface CountedStep {
  /** Absent when the step is one too many. */
  row?: StepRow
  /**
   * The step records a hold. A later attempt that finds the step lets the item pass, so the step is written together
   * with the verdict that holds the item, and never without it. It is not counted yet.
   */
  holds: boolean
  /** Present when the step ends the item. */
  verdict?: Verdict
}

/** @throws ProtocolError when the step is not one of the protocol's. */
export function countStep(
  progress: ItemProgress,
  step: ReadStep,
  declaration: DeployedDeclaration,
  prices: PriceBook,
  /** A call of unknown cost pauses the item; resuming the item allows such calls for the whole run. */
  holdsUnpriced = false,
): CountedStep {
  const maxSteps = declaration.max_steps ?? LIMITS.agent_steps.default
  if (progress.step_count >= maxSteps) {
    const message = `The item took more than ${maxSteps} steps.`
    return { holds: false, verdict: failedVerdict('step_limit_exceeded', message, 'limit_exceeded') }
  }
  const { seq, attempt } = progress
  const place = { seq, attempt, step_no: progress.step_count + 1 }
  const row = step.report.reused
    ? reusedRow(step.report, place, progress.item.offered ?? [])
    : stepRow(step, place, prices, declaration)
  if (HOLD_KEY.test(row.key)) return { row, holds: true }
  progress.step_count++
  progress.graded.push({ kind: row.kind, key: row.key, outcome: row.outcome, reason: row.outcome_reason })
  progress.cost_micro += row.cost_micro
  const budget = itemBudgetMicro(declaration, progress)
  const spent = budget !== null && row.cost_micro > 0 && progress.cost_micro >= budget
  if (spent) return { row, holds: false, verdict: budgetVerdict(declaration.on_budget, budget) }
  if (holdsUnpriced && row.unpriced) return { row, holds: false, verdict: unpricedVerdict(row) }
  return { row, holds: false }
}

/** The verdict of an item that returned; `output` is its JSON text. */
export function resultVerdict(
  line: Extract<AgentLine, { type: 'result' }>,
  output: string,
  steps: readonly GradedStep[],
  declared: GradeChoices = {},
  /** Checks an output against the declared schema, if its agent has not: one that says what is wrong is believed. */
  check?: (output: unknown) => SchemaAnswer,
): Verdict {
  if (isLongerThan(output, LIMITS.item_output_bytes)) {
    const message = `The output is longer than ${LIMITS.item_output_bytes} bytes; store it elsewhere and return where.`
    return failedVerdict('output_too_large', message, 'limit_exceeded')
  }
  const problem = problemOf(output)
  if (problem !== undefined) return failedVerdict('invalid_output', `The output: ${problem}`, 'agent_error')
  const isChecked = line.schema_error !== undefined || line.degraded !== undefined
  const answer = isChecked ? undefined : check?.(line.output ?? null)
  if (answer && 'over' in answer) return failedVerdict(CHECK_LIMIT, answer.over, 'limit_exceeded')
  const schema_error = line.schema_error ?? answer?.problem
  const grade = gradeItem({
    output: line.output,
    output_text: output,
    ...(line.degraded === undefined ? {} : { degraded: String(line.degraded) }),
    ...(schema_error === undefined ? {} : { schema_error: String(schema_error) }),
    declared,
    steps,
  })
  return {
    ...NOTHING,
    status: 'completed',
    outcome: grade.outcome,
    outcome_reason: grade.reason,
    degraded_reason: grade.degraded_reason === null ? null : words(grade.degraded_reason),
    output,
  }
}

/** The verdict of an item that raised; `again` if a retry may help and the agent's declared retries are not used up. */
export function errorVerdict(
  error: ItemError,
  progress: ItemProgress,
  declaration: AgentDeclaration,
): Verdict | 'again' {
  const retries = Math.min(declaration.retries ?? 0, LIMITS.agent_retries)
  const mayHelp = error.retryable !== false && !FINAL_CODES.has(error.code)
  if (mayHelp && progress.item.agent_failures < retries) return 'again'
  if (error.code === 'budget_exceeded')
    return budgetVerdict(declaration.on_budget, itemBudgetMicro(declaration, progress))
  const reason = reasonOf(error.code, progress.graded)
  return failedVerdict(
    error.code,
    reason === 'agent_error' ? explained(error.message, progress.graded) : error.message,
    reason,
  )
}

/** An answer that came and could not be used says more than that its call failed. */
function reasonOf(code: string, steps: readonly GradedStep[]): OutcomeReason {
  const answered = CALL_CODES.has(code) ? lastCallFault(steps)?.reason : undefined
  return answered ?? REASON_OF_CODE.get(code) ?? 'agent_error'
}

export const holdVerdict = (reason: string): Verdict => ({
  ...NOTHING,
  status: 'paused',
  degraded_reason: words(reason),
})

export function failedVerdict(code: string, message: string, reason: OutcomeReason): Verdict {
  return {
    ...NOTHING,
    status: 'failed',
    outcome: 'failed',
    outcome_reason: reason,
    error_code: plainText(code, LIMITS.name_characters) || 'agent_error',
    error_message: words(message),
  }
}

export function budgetVerdict(onBudget: 'fail' | 'pause' | undefined, budgetMicro: number | null): Verdict {
  const error_message = `The item reached its budget of ${dollars(budgetMicro ?? 0)}.`
  if (onBudget === 'pause')
    return { ...NOTHING, status: 'paused', outcome_reason: 'budget_exceeded', error_message }
  return { ...failedVerdict('budget_exceeded', error_message, 'budget_exceeded'), status: 'budget_exceeded' }
}

const unpricedVerdict = ({ key, model, has_price }: StepRow): Verdict => ({
  ...NOTHING,
  status: 'paused',
  outcome_reason: 'unpriced_model',
  error_message: words(sayUnpriced(key, model, has_price)),
})

/** Errors that another attempt would meet again. */
const FINAL_CODES = new Set([
  'budget_exceeded',
  'invalid_input',
  'invalid_output',
  'output_too_large',
  'step_limit_exceeded',
])

const CALL_CODES = new Set(['llm_call_error', ANSWER_REFUSED])

const REASON_OF_CODE = new Map<string, OutcomeReason>([
  ['llm_call_error', 'provider_error'],
  [ANSWER_REFUSED, 'agent_degraded'],
  ['tool_call_error', 'step_error'],
  ['step_error', 'step_error'],
  ['step_timeout', 'limit_exceeded'],
  ['step_limit_exceeded', 'limit_exceeded'],
  ['output_too_large', 'limit_exceeded'],
])

const words = (text: unknown) => plainText(String(text ?? ''), LIMITS.error_message_characters)

const isLongerThan = (text: string, bytes: number) =>
  text.length > bytes || (text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes)
