// Shows verdicts in words and colours, and maps the end of a run to the exit code.

import { OFF_SCHEMA } from '../grading/vocabulary.ts'
import type { Outcome } from '../items/vocabulary.ts'
import { reasonMeaning } from '../triage/rules/outcome-meanings.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { widthOf } from './format.ts'
import type { Style } from './output.ts'

interface Judged {
  status: string
  outcome_reason: string | null
  degraded_reason: string | null
  error_code: string | null
  error_message: string | null
}

/** Why an item is not ok, in words; empty when there is nothing to say. */
export function whyOf(item: Judged): string {
  if (item.error_code !== null) return [item.error_code, item.error_message].filter(Boolean).join(': ')
  return item.degraded_reason ?? reasonInWords(item.outcome_reason) ?? ''
}

/** Reasons that the agent explains in its own words: these distinguish the items, the token would not. */
const EXPLAINED_BY_AGENT = ['agent_degraded', 'hold']

/** Why an item did not work, for lists, which may cut the end: the token first, then the message or its meaning. */
export function tokenFirst(token: string, message: string | null | undefined): string {
  if (message && EXPLAINED_BY_AGENT.includes(token)) return message
  const words = message || reasonInWords(token)
  return words === undefined ? token : pathFirst(`${token}: ${words}`)
}

/**
 * A reason in a list without the words that its token says already: what follows them is the path of what is wrong, and only
 * the end of a text may be cut.
 *
 * @example pathFirst('schema_mismatch: The output does not match its schema: output.label: got null') // 'schema_mismatch: output.label: got null'
 */
export const pathFirst = (why: string): string =>
  why.replace(`schema_mismatch: ${OFF_SCHEMA}`, 'schema_mismatch: ')

const UP_TO_PATH = /^.*?\b(?:schema_mismatch|invalid_input): [^\s:]+:/
const LONGEST_PATH = 160

/** How wide a list's column of reasons is at least, so that no path in it is cut. */
export const leastFor = (reasons: readonly string[], least: number): number =>
  Math.max(least, ...reasons.map(why => Math.min(LONGEST_PATH, widthOf(UP_TO_PATH.exec(why)?.[0] ?? '') + 1)))

/** The same as `whyOf`, with what distinguishes the items first. */
export function whyInList({ outcome_reason, degraded_reason, ...item }: Judged): string {
  if (item.error_code !== null || outcome_reason === null)
    return whyOf({ ...item, outcome_reason, degraded_reason })
  return tokenFirst(outcome_reason, degraded_reason)
}

export function reasonInWords(reason: string | null): string | undefined {
  return reason === null ? undefined : reasonMeaning(reason)
}

export const OUTCOME_STYLES: Record<Outcome, Style> = { ok: 'green', degraded: 'yellow', failed: 'red' }

export function outcomeStyle(outcome: Outcome | null): Style {
  return outcome === null ? 'dim' : OUTCOME_STYLES[outcome]
}

export interface RunState {
  status: string
  worst_outcome_status: Outcome | null
  finished_at: string | null
  queued: number
  running: number
  paused: number
}

/** Whether the run has ended; a stopped run ends only when its items in flight have. */
export const hasEnded = (run: RunState) => run.finished_at !== null

/** The exit code of a run. A paused item counts as degraded: it did not work, at least not yet. */
export function exitOf(run: RunState): ExitCode {
  if (run.status === 'cancelled') return EXIT.cancelled
  if (run.status === 'budget_exceeded') return EXIT.budget
  if (run.status === 'failed' || run.worst_outcome_status === 'failed') return EXIT.failed
  return run.worst_outcome_status === 'degraded' || run.paused > 0 ? EXIT.degraded : EXIT.ok
}
