// Decides which recorded steps of an item its replay reuses, and which it runs again. Guarantee: pure, and the only
// place with this rule: a replay, a recovery and its dry run cannot differ.

import { CHECKS, type OutcomeReason } from '../../grading/vocabulary.ts'
import type { ItemErrorCode, ItemStatus, Outcome, StepKind } from '../../items/vocabulary.ts'
import { HOLD_KEY, REFUSED_KEY } from '../../protocol/rules/protocol.ts'
import type { ReuseChoice } from '../vocabulary.ts'

/** What the caller wants to reuse. If the item has the step `from_step`, that overrides `reuse`. */
export interface ReuseOrder {
  reuse: ReuseChoice
  from_step: string | null
}

/** How an item ended. */
export interface EndedItem {
  status: ItemStatus
  outcome_reason: string | null
  error_code: string | null
}

/** A recorded step without its payloads. */
export interface StepHead {
  step_no: number
  key: string
  kind: StepKind
  outcome: Outcome
  started_ms: number
  duration_ms: number
  /** Its output was kept whole: a step with a cut output cannot be reused. */
  has_output: boolean
  /** Its input was recorded whole, so another input can be compared with it. */
  has_input: boolean
}

/**
 * The rule by which steps are reused. `asks_again`: the answer was at fault. `goes_on`: the attempt was at fault, and
 * its successful steps hold. `from_step`, `from_start`: the caller said so.
 */
export const REUSE_RULES = ['asks_again', 'goes_on', 'from_step', 'from_start'] as const
export type ReuseRule = (typeof REUSE_RULES)[number]

/** What happens to each step key that an item recorded; a key is in one list. */
export interface Reuse<Step extends StepHead = StepHead> {
  rule: ReuseRule
  /** Reused, whatever the new attempt does. */
  reused: Step[]
  /** Reused if the new attempt calls them with the same input. */
  offered: Step[]
  /** Run again. */
  again: Step[]
}

/** Reasons that lie in an answer, not in how far the attempt got. */
const FAULTY_ANSWERS = new Set<string>([
  'refusal',
  ...CHECKS,
  'empty_output',
  'truncated',
  'interrupted',
  'content_filter',
  'schema_mismatch',
  'agent_degraded',
  'agent_error',
  'limit_exceeded',
] satisfies OutcomeReason[])

/** Error codes with such a reason that mean a timeout or a lost process instead. */
const LOST_ATTEMPTS = new Set<string>([
  'step_timeout',
  'too_many_attempts',
  'step_outlasts_consumer',
  'agent_crashed',
  'agent_unresponsive',
] satisfies ItemErrorCode[])

/**
 * Whether the item did not work because of an answer: with the same answer it would end the same way. An item that
 * completed without a reason was ok, and somebody called that wrong.
 */
export function isFaultOfAnswer({ status, outcome_reason, error_code }: EndedItem): boolean {
  if (status === 'completed' && outcome_reason === null) return true
  return FAULTY_ANSWERS.has(outcome_reason ?? '') && !LOST_ATTEMPTS.has(error_code ?? '')
}

/** `steps` in the order they ended. */
export function reuseOf<Step extends StepHead>(
  item: EndedItem,
  steps: readonly Step[],
  order: ReuseOrder,
): Reuse<Step> {
  const { rule, from } = ruleOf(item, steps, order)
  const reuse: Reuse<Step> = { rule, reused: [], offered: [], again: [] }
  const first = steps.find(step => step.step_no === from)?.key
  const last = new Map(steps.map(step => [step.key, step]))
  const good = new Map(steps.filter(step => step.outcome === 'ok').map(step => [step.key, step]))
  // Of an answer that was refused, what matters is whether a later one was accepted.
  const keyOf = ({ key, outcome }: Step) => (outcome === 'ok' ? key : (REFUSED_KEY.exec(key)?.[1] ?? key))
  const spoiled = steps.filter(step => step.outcome !== 'ok' && !isLater(good.get(keyOf(step)), step))
  for (const [key, step] of last) {
    const recorded = good.get(key)
    if (recorded === undefined && keyOf(step) !== key && last.has(keyOf(step))) continue
    if (recorded === undefined || !recorded.has_output || rule === 'from_start') reuse.again.push(step)
    else if (key === first) reuse.again.push(step)
    else if (recorded.step_no < from && !restsOn(spoiled, recorded)) reuse.reused.push(recorded)
    else if (mayBeOffered(recorded, rule)) reuse.offered.push(recorded)
    else reuse.again.push(step)
  }
  for (const list of [reuse.reused, reuse.offered, reuse.again]) list.sort((a, b) => a.step_no - b.step_no)
  return reuse
}

/** The rule, and the number of the first step that is not reused without a condition. */
function ruleOf(
  item: EndedItem,
  steps: readonly StepHead[],
  { reuse, from_step }: ReuseOrder,
): { rule: ReuseRule; from: number } {
  const named = from_step === null ? undefined : steps.find(step => step.key === from_step)
  if (named !== undefined) return { rule: 'from_step', from: named.step_no }
  if (reuse === 'none') return { rule: 'from_start', from: 0 }
  const asked = reuse === 'auto' && isFaultOfAnswer(item) ? answering(steps) : undefined
  if (asked !== undefined) return { rule: 'asks_again', from: asked.step_no }
  return { rule: 'goes_on', from: Number.POSITIVE_INFINITY }
}

/** The step that is asked again: the last model call, else the last step except holds. */
const answering = (steps: readonly StepHead[]) =>
  steps.findLast(step => step.kind === 'llm_call') ?? steps.findLast(step => !HOLD_KEY.test(step.key))

const isLater = (one: StepHead | undefined, other: StepHead) =>
  one !== undefined && one.step_no > other.step_no

/** The step began after a step that never succeeded had ended, so it may depend on that step's result. */
const restsOn = (spoiled: readonly StepHead[], step: StepHead) =>
  spoiled.some(
    one => one.step_no < step.step_no && Math.floor(one.started_ms + one.duration_ms) <= step.started_ms,
  )

/** A hold is never offered: the person released another answer. */
const mayBeOffered = (step: StepHead, rule: ReuseRule) =>
  (rule === 'asks_again' || rule === 'goes_on') && step.has_input && !HOLD_KEY.test(step.key)

interface End {
  status: string
  outcome: Outcome | null
  outcome_reason: string | null
  error_code: string | null
}

/** Whether two items ended in the same way. */
export const endedTheSame = (one: End, other: End): boolean =>
  one.status === other.status &&
  one.outcome === other.outcome &&
  one.outcome_reason === other.outcome_reason &&
  one.error_code === other.error_code
