// What a flush writes: an entry for each item, and its steps.

import type { Refill } from '../../claims/queries/claim.ts'
import type { StepRow } from '../../grading/rules/step-row.ts'
import type { FlushClaims } from './flush-claims.ts'
import type { NotOk } from './not-ok.ts'

/** What a flush says about one item: what its new steps add, and its verdict once there is one. */
export interface Entry extends NotOk {
  steps_before: number
  steps_after: number
  cost_micro: number
  input_tokens: number
  output_tokens: number
  /** The item has its first unpriced step in this flush. */
  newly_unpriced: boolean
  /** Answers of models to be graded, and how many of them could not be read. */
  model_calls: number
  unread_calls: number
  /** Answers graded ok that may be refusals. */
  suspected_calls: number
  /** The version of the code that ended the item; null if its answer named none, or if it does not end for good. */
  code_version: number | null
  /** The item is a replay that ran nothing again and ended like its original. */
  unchanged: boolean
}

/** Failures in a row at the end of a flush, and whether any item completed before them. */
export interface Streak {
  failure_streak: number
  streak_broken: boolean
  max_consecutive_failures: number
}

export interface Flush extends Streak {
  run_id: string
  project_id: string
  agent_id: string
  entries: readonly Entry[]
  steps: readonly StepRow[]
  claims: FlushClaims
  /** The model of an unpriced call; empty if no price would give its cost, null if all calls were priced. */
  unpriced_model: string | null
  /** The claim to make in the same statement, if any. */
  refill?: Refill | null
}

/** Items that are not ok are few, so their further values are sent separately. */
export const isNotOk = ({ verdict }: Entry) =>
  verdict !== null && (verdict.status !== 'completed' || verdict.outcome !== 'ok')
