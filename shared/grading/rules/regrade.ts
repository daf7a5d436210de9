// Grades recorded answers by today's rules. Guarantee: the rules are those that grade a run, no record changes, and
// what is kept of a comparison does not grow with what was compared.

import type { Outcome } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { fields } from '../../providers/rules/answer.ts'
import { isRead, readCall } from '../../providers/rules/completion.ts'
import {
  ANSWER_CHECKS,
  type AnswerCheck,
  DECLARED_CHECKS,
  type DeclaredCheck,
  type Language,
  type OutcomeReason,
  type RefusalChoice,
} from '../vocabulary.ts'
import { DEFAULT_CHECKS } from './checks.ts'
import { type GradeChoices, type GradedStep, gradeItem, gradeStep } from './grading.ts'

/** The rules that answers are graded by. */
export interface GradeRules {
  refusals: RefusalChoice
  checks: AnswerCheck[]
  /** The declared language; answers in another one are wrong. */
  language: Language | null
}

/** The rules in the request, else those of a deployment, else those of a new deployment that declares nothing. */
export function rulesOf(
  deployed: { declaration: GradeChoices; checks: readonly string[] } | undefined,
  asked: { refusals?: RefusalChoice | undefined; checks?: readonly AnswerCheck[] | undefined },
): { rules: GradeRules; declared: GradeChoices } {
  const refusals = asked.refusals ?? deployed?.declaration.refusals ?? 'sure'
  const own = asked.checks ?? deployed?.declaration.checks
  const defaults = deployed ? DECLARED_CHECKS.filter(name => deployed.checks.includes(name)) : DEFAULT_CHECKS
  const language = deployed?.declaration.language
  return {
    rules: {
      refusals,
      checks: ANSWER_CHECKS.filter(name => (own ?? defaults).includes(name)),
      language: language ?? null,
    },
    declared: {
      refusals,
      ...(own === undefined ? { default_checks: defaults } : { checks: [...own] }),
      ...(language !== undefined && { language }),
    },
  }
}

/** Checks that look at what was asked: `template_leak` only for the tools that were offered. */
const NEED_INPUT = ['echoes_prompt', 'template_leak'] as const

const isChecked = ({ checks, default_checks }: GradeChoices, name: DeclaredCheck) =>
  (checks ?? default_checks)?.includes(name) ?? false

/** Whether any rule reads what was asked. */
export const readsInputs = (declared: GradeChoices): boolean =>
  NEED_INPUT.some(name => isChecked(declared, name))

/** A verdict in one word: its reason, `unread` for a call whose answer was not read, else its outcome. */
export type VerdictWord = string

interface Worded {
  outcome: Outcome | null
  outcome_reason: string | null
  unread?: string | null
}

export const wordOf = ({ outcome, outcome_reason, unread }: Worded): VerdictWord =>
  outcome_reason ?? (unread == null ? (outcome ?? 'ok') : 'unread')

/** A model call as it was recorded. */
export interface RecordedCall {
  key: string
  outcome: Outcome
  outcome_reason: OutcomeReason | null
  unread: string | null
  /** The agent reported the answer that the call was graded by. */
  reported: boolean
  /** An offered step of the original was reused, so there is no answer of its own to grade. */
  reused: boolean
  error_code: string | null
  /** Both as JSON; the input is null when no rule needs it. */
  input: string | null
  output: string | null
}

/** An item that returned. */
export interface RecordedItem {
  item_id: string
  record_id: string
  outcome: Outcome
  outcome_reason: OutcomeReason | null
  /** As JSON. */
  output: string | null
  /** In the order they ran; only the last if they are very many or very long. */
  calls: readonly RecordedCall[]
}

export interface Regraded {
  was: VerdictWord
  now: VerdictWord
}

interface RegradedCall extends Regraded {
  step: GradedStep
  /** The call can't be graded again: its agent reported the answer, or the answer or the input was too long to keep. */
  is_left: boolean
}

/** Grades a single answer that belongs to no item. */
export function gradeAnswer(output: unknown, declared: GradeChoices, input?: unknown) {
  const step = { key: '', kind: 'llm_call', name: '', input, output, started_at: '', duration_ms: 0 } as const
  const reading = readCall(step)
  const { outcome, reason } = gradeStep(step, declared, reading)
  const unread = isRead(reading) ? (reading.fault ?? null) : (reading?.unread ?? null)
  return { outcome, reason, unread, word: wordOf({ outcome, outcome_reason: reason, unread }) }
}

function regradeCall(call: RecordedCall, declared: GradeChoices): RegradedCall {
  const { key, outcome, outcome_reason } = call
  const was = wordOf(call)
  const kept = { kind: 'llm_call' as const, key, outcome, reason: outcome_reason }
  if (call.reused || call.error_code !== null) return { was, now: was, step: kept, is_left: false }
  const left = { was, now: was, step: kept, is_left: true }
  const input = parsed(call.input)
  if (call.reported || (isChecked(declared, 'echoes_prompt') && fields(input)?.cut === true)) return left
  const graded = gradeAnswer(parsed(call.output), declared, input)
  if (call.unread === null && graded.unread !== null) return left
  const { outcome: now, reason } = graded
  return { was, now: graded.word, step: { ...kept, outcome: now, reason }, is_left: false }
}

const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text))

/** Reasons that are found before any answer is graded, so they stay. */
const SAID_FIRST = new Set<string | null>(['agent_degraded', 'schema_mismatch'])

function regradeItem(item: RecordedItem, steps: readonly GradedStep[], declared: GradeChoices): Regraded {
  const was = wordOf(item)
  if (SAID_FIRST.has(item.outcome_reason)) return { was, now: was }
  const output_text = item.output ?? 'null'
  const grade = gradeItem({ output: JSON.parse(output_text), output_text, declared, steps })
  return { was, now: wordOf({ outcome: grade.outcome, outcome_reason: grade.reason }) }
}

export type RegradedThing = 'item' | 'call'

export interface RegradeExample {
  item_id: string | null
  record_id: string | null
  /** The key of the step, for a call. */
  step: string | null
}

export interface RegradeChange extends Regraded {
  of: RegradedThing
  count: number
  /** The first items or calls with this change. */
  examples: RegradeExample[]
}

export interface RegradeCount {
  verdict: VerdictWord
  items_was: number
  items_now: number
  calls_was: number
  calls_now: number
}

export interface Regrade {
  items: number
  calls: number
  /** Calls that stay as they were recorded, since their answer can't be read again. */
  calls_left: number
  verdicts: RegradeCount[]
  changes: RegradeChange[]
}

/** Counts verdicts as recorded and as graded now; the tallies of parts of a run add up to the whole. */
export class RegradeTally {
  #items = 0
  #calls = 0
  #left = 0
  readonly #verdicts = new Map<VerdictWord, RegradeCount>()
  readonly #changes = new Map<string, RegradeChange>()

  item(item: RecordedItem, declared: GradeChoices): void {
    const { item_id, record_id } = item
    const calls = item.calls.map(call => regradeCall(call, declared))
    for (const { was, now, step, is_left } of calls) {
      if (is_left) this.#left++
      this.call({ was, now }, { item_id, record_id, step: step.key })
    }
    const steps = calls.map(call => call.step)
    const regraded = regradeItem(item, steps, declared)
    this.#items++
    this.#count('items', regraded)
    this.#change('item', regraded, 1, [{ item_id, record_id, step: null }])
  }

  /** `was` is null when no verdict was recorded. */
  call({ was, now }: { was: VerdictWord | null; now: VerdictWord }, example: RegradeExample): void {
    this.#calls++
    if (was === null) return void this.#verdictOf(now).calls_now++
    this.#count('calls', { was, now })
    this.#change('call', { was, now }, 1, [example])
  }

  add(part: Regrade): void {
    this.#items += part.items
    this.#calls += part.calls
    this.#left += part.calls_left
    for (const { verdict, ...counts } of part.verdicts) {
      const into = this.#verdictOf(verdict)
      for (const name of COUNTS) into[name] += counts[name]
    }
    for (const change of part.changes) this.#change(change.of, change, change.count, change.examples)
  }

  result(): Regrade {
    return {
      items: this.#items,
      calls: this.#calls,
      calls_left: this.#left,
      verdicts: [...this.#verdicts.values()].sort(
        (a, b) => b.items_was + b.calls_was - a.items_was - a.calls_was,
      ),
      changes: [...this.#changes.values()].sort((a, b) => b.count - a.count),
    }
  }

  #count(of: 'items' | 'calls', { was, now }: Regraded): void {
    this.#verdictOf(was)[`${of}_was`]++
    this.#verdictOf(now)[`${of}_now`]++
  }

  #verdictOf(verdict: VerdictWord): RegradeCount {
    const found = this.#verdicts.get(verdict) ?? {
      verdict,
      items_was: 0,
      items_now: 0,
      calls_was: 0,
      calls_now: 0,
    }
    this.#verdicts.set(verdict, found)
    return found
  }

  #change(of: RegradedThing, { was, now }: Regraded, count: number, examples: readonly RegradeExample[]) {
    if (was === now) return
    const key = `${of} ${was} ${now}`
    const found = this.#changes.get(key) ?? { of, was, now, count: 0, examples: [] }
    found.count += count
    found.examples.push(...examples.slice(0, LIMITS.regrade_examples - found.examples.length))
    this.#changes.set(key, found)
  }
}

const COUNTS = ['items_was', 'items_now', 'calls_was', 'calls_now'] as const
