// Grades whether a step and an item worked, from what was recorded.
// Guarantee: pure and without a model; a step of any shape gets a grade, and doubt counts as ok.

import type { Outcome, StepKind } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type AgentDeclaration, ANSWER_REFUSED, type StepReport } from '../../protocol/rules/protocol.ts'
import { fields, filled, Gathered } from '../../providers/rules/answer.ts'
import { microOfDollars } from '../../providers/rules/bills.ts'
import {
  type Completion,
  type CompletionUsage,
  isRead,
  type Reading,
  readCall,
  readCompletion,
  reportedUsage,
} from '../../providers/rules/completion.ts'
import { readRefusal } from '../../refusals/rules/refusal.ts'
import { CHECKS, type CheckName, type DeclaredCheck, OFF_SCHEMA, type OutcomeReason } from '../vocabulary.ts'
import { type Asked, checkSays, failedCheck } from './checks.ts'
import { isBlank, saysNothing } from './silence.ts'

export interface Grade {
  outcome: Outcome
  reason: OutcomeReason | null
}

const OK: Grade = { outcome: 'ok', reason: null }

interface CompletionRule {
  readonly name: string
  readonly reason: OutcomeReason
  readonly when: (completion: Completion) => boolean
}

/** What an agent declares about how its answers are graded; `sure` and no checks if it declares nothing. */
export interface GradeChoices extends Pick<AgentDeclaration, 'refusals' | 'checks' | 'language'> {
  /** The checks when the agent declares none: the defaults at the time of its deployment. */
  default_checks?: readonly DeclaredCheck[] | null
}

/** A declaration as its deployment keeps it. */
export type DeployedDeclaration = AgentDeclaration & GradeChoices

const SUSPECTED: Grade = { outcome: 'ok', reason: 'suspected_refusal' }

/** What is wrong with a model's answer; the first rule that applies names it. */
const COMPLETION_RULES: readonly CompletionRule[] = [
  { name: 'refusal marked by the provider', reason: 'refusal', when: c => c.finish === 'refusal' },
  { name: 'stopped by a filter', reason: 'content_filter', when: c => c.finish === 'content_filter' },
  { name: 'cut at a token limit', reason: 'truncated', when: c => c.finish === 'length' },
  { name: 'not brought to its end', reason: 'interrupted', when: c => c.finish === 'interrupted' },
  {
    name: 'nothing said and nothing called',
    reason: 'empty_output',
    when: c => !c.has_tool_calls && !c.has_data && saysNothing(c.text),
  },
]

function gradeCompletion(completion: Completion, declared: GradeChoices, input?: unknown): Grade {
  if (completion.ungraded) return OK
  const reason = COMPLETION_RULES.find(rule => rule.when(completion))?.reason
  if (reason !== undefined) return { outcome: 'degraded', reason }
  if (completion.has_tool_calls) return gradeCalls(completion, declared)
  return completion.has_data
    ? OK
    : gradeWording(completion.text, declared, { input, is_beginning: completion.is_beginning })
}

/** Of an answer that calls tools, only the arguments are checked. */
function gradeCalls(
  { has_cut_call, is_beginning }: Completion,
  { checks, default_checks }: GradeChoices,
): Grade {
  const isCut = has_cut_call && !is_beginning && (checks ?? default_checks)?.includes('cut_json')
  return isCut ? { outcome: 'degraded', reason: 'cut_json' } : OK
}

/** Grades a text by its wording alone: declared checks first, then refusals, then default checks and the language. */
function gradeWording(text: string, declared: GradeChoices, answer: Asked = {}): Grade {
  const { refusals = 'sure', checks, default_checks, language } = declared
  const asked = { ...answer, language }
  const named = checks && failedCheck(text, checks, asked)
  if (named !== undefined) return { outcome: 'degraded', reason: named }
  const level = refusals === 'off' ? 'none' : readRefusal(text).level
  if (level === 'sure' || (level === 'suspected' && refusals === 'balanced'))
    return { outcome: 'degraded', reason: 'refusal' }
  const late =
    (checks === undefined && default_checks ? failedCheck(text, default_checks, asked) : undefined) ??
    (language && failedCheck(text, ['wrong_language'], asked))
  if (late !== undefined) return { outcome: 'degraded', reason: late }
  return level === 'none' ? OK : SUSPECTED
}

/** The grade of one step. Only a model call can be degraded: the outputs of other steps have no known shape. */
export function gradeStep(
  step: StepReport,
  declared: GradeChoices = {},
  reading: Reading | undefined = readCall(step),
): Grade {
  if (step.error !== undefined) return gradeFailed(step, step.error.code, declared, reading)
  return isRead(reading) ? gradeCompletion(reading, declared, step.input) : OK
}

/** A model call may fail after its answer has come: then that answer was at fault, or whoever read it. */
function gradeFailed(step: StepReport, code: string, declared: GradeChoices, reading?: Reading): Grade {
  if (step.kind !== 'llm_call' || code === 'step_error') return { outcome: 'failed', reason: 'step_error' }
  if (!isRead(reading)) return { outcome: 'failed', reason: 'provider_error' }
  const grade = gradeCompletion(reading, declared, step.input)
  if (grade.outcome !== 'ok') return grade
  if (code === ANSWER_REFUSED) return { outcome: 'degraded', reason: 'agent_degraded' }
  return { outcome: 'failed', reason: reading.finish === 'other' ? 'provider_error' : 'step_error' }
}

function gradeAnswer(output: unknown, declared: GradeChoices): Grade {
  if (typeof output === 'string') return gradeText(output, declared)
  const completion = readCompletion(output)
  return completion === undefined ? OK : gradeCompletion(completion, declared)
}

const gradeText = (text: string, declared: GradeChoices): Grade =>
  saysNothing(text) ? { outcome: 'degraded', reason: 'empty_output' } : gradeWording(text, declared)

export interface GradedStep extends Grade {
  kind: StepKind
  key: string
}

export interface ReturnedItem {
  /** The parsed output; undefined when it was too large to parse. */
  output: unknown
  /** The output's JSON text. */
  output_text: string
  /** The agent's own words when it marked its result degraded. */
  degraded?: string
  /** Where the output differs from the declared schema. */
  schema_error?: string
  /** In the order they ran. */
  steps: readonly GradedStep[]
  /** What its agent declares about how its answers are graded. */
  declared?: GradeChoices
}

export interface ItemGrade extends Grade {
  degraded_reason: string | null
}

interface Fault {
  reason: OutcomeReason
  words: string
}

interface ItemRule {
  readonly name: string
  readonly fault: (item: ReturnedItem) => Fault | undefined
}

/**
 * What is wrong with an item that returned; the first rule that finds something decides. Steps before the last
 * model call do not count: the agent has recovered from what went wrong there.
 */
export const ITEM_RULES: readonly ItemRule[] = [
  {
    name: 'the agent marked it degraded',
    fault: item => (item.degraded === undefined ? undefined : agentsWords(item.degraded)),
  },
  {
    name: 'the output does not match the declared schema',
    fault: item =>
      item.schema_error === undefined
        ? undefined
        : {
            reason: 'schema_mismatch',
            words: explained(`${OFF_SCHEMA}${item.schema_error}`, item.steps),
          },
  },
  {
    name: 'the output is empty',
    fault: item => (isEmpty(item) ? { reason: 'empty_output', words: 'The output is empty.' } : undefined),
  },
  {
    name: 'the output is a refusal in words, or a model’s answer with a fault',
    fault: ({ output, declared = {} }) => {
      const { outcome, reason } = gradeAnswer(output, declared)
      return outcome === 'ok' ? undefined : worded('The output', reason)
    },
  },
  { name: 'the last model call did not work', fault: item => lastCallFault(item.steps) },
]

/** The grade of an item that returned: ok or degraded. An item that raised is failed, and needs no grading. */
export function gradeItem(item: ReturnedItem): ItemGrade {
  for (const rule of ITEM_RULES) {
    const fault = rule.fault(item)
    if (fault !== undefined) {
      return { outcome: 'degraded', reason: fault.reason, degraded_reason: fault.words }
    }
  }
  return { outcome: 'ok', reason: null, degraded_reason: null }
}

function agentsWords(words: string): Fault {
  return {
    reason: 'agent_degraded',
    words: isBlank(words) ? 'The agent marked its result degraded and gave no reason.' : words,
  }
}

function isEmpty(item: ReturnedItem): boolean {
  const output = item.output
  if (output === undefined) return isBlank(item.output_text)
  if (output === null) return true
  if (typeof output === 'string') return isBlank(output)
  if (Array.isArray(output)) return output.length === 0
  // `{}` spelled with spaces is as empty; a for-in loop stops at the first key of a large object.
  if (typeof output !== 'object') return false
  for (const _ in output) return false
  return true
}

/** What is wrong with the last model call, in words. */
export function lastCallFault(steps: readonly GradedStep[]): Fault | undefined {
  const last = steps.findLast(step => step.kind === 'llm_call')
  if (last === undefined || last.outcome === 'ok') return undefined
  return worded(`The last model call (${last.key})`, last.reason ?? 'provider_error')
}

/** Adds the fault of the last model call: if the model refused or said nothing, it is not the agent's fault. */
export function explained(message: string, steps: readonly GradedStep[]): string {
  const fault = lastCallFault(steps)
  if (fault === undefined) return message
  const short = message.slice(0, LIMITS.error_message_characters)
  let end = short.length
  while (end > 0 && '. \n\t\r'.includes(short[end - 1]!)) end--
  return `${short.slice(0, end)}. ${fault.words}`
}

/** What to say about a call for reasons that are no checks; an item's own reasons say nothing about a call. */
const SAYS: Partial<Record<Exclude<OutcomeReason, CheckName>, string>> = {
  refusal: 'is a refusal.',
  empty_output: 'has neither text nor tool calls.',
  truncated: 'was cut off at a token limit.',
  interrupted: 'was interrupted: its provider says that it did not end well.',
  content_filter: "was stopped by the provider's content filter.",
  provider_error: 'failed, and no later one succeeded.',
  step_error: 'was answered, and its answer could not be used.',
  agent_degraded: 'was answered, and the agent did not accept it.',
}

const isCheck = (reason: OutcomeReason): reason is CheckName =>
  (CHECKS as readonly OutcomeReason[]).includes(reason)

function worded(subject: string, reason: OutcomeReason | null): Fault | undefined {
  if (reason === null) return undefined
  return {
    reason,
    words: `${subject} ${isCheck(reason) ? checkSays(reason) : (SAYS[reason] ?? `is not ok: ${reason}.`)}`,
  }
}

export interface StepTokens extends CompletionUsage {
  model: string | undefined
  /** Which reported value is no count, in words; the tokens are then a lower bound. */
  fault?: string
}

/**
 * The tokens a step used: as reported, else as read from a model call's output. Undefined means unknown, which for
 * a model call is unpriced and not free.
 */
export function usageOf(
  step: StepReport,
  reading: Reading | undefined = readCall(step),
): StepTokens | undefined {
  const { usage: reported } = step
  const answer = isRead(reading) ? reading : undefined
  const named = reported?.model ?? answer?.model ?? modelOfInput(step.input)
  const model = typeof named === 'string' ? named : step.kind === 'llm_call' ? step.name : undefined
  const bill = step.kind === 'llm_call' ? microOfDollars(step.cost_usd) : undefined
  const billed = bill === undefined ? {} : { billed_micro: bill }
  if (reported?.input_tokens != null || reported?.output_tokens != null) {
    const gathered = new Gathered()
    const counts = reportedUsage({ ...reported }, gathered)
    const usage = gathered.usage(counts, answer && says(answer) ? 'counted' : 'nothing')!
    return { model, ...usage, ...billed, ...(gathered.fault !== undefined && { fault: gathered.fault }) }
  }
  if (answer?.usage === undefined) return bill === undefined ? undefined : { model, ...NO_TOKENS, ...billed }
  return { model, ...answer.usage, ...billed, ...(answer.fault !== undefined && { fault: answer.fault }) }
}

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 }

const says = ({ text, has_tool_calls, ungraded }: Completion) =>
  !ungraded && (text.trim() !== '' || has_tool_calls)

/** Bedrock's client names the model `modelId`. */
function modelOfInput(input: unknown): string | undefined {
  const { model, modelId } = fields(input) ?? {}
  return [model, modelId].find(filled)
}
