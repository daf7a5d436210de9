// Says what of a run did not end well and is left to be run again, and which one command does that. Guarantee: digests,
// alerts, commands and pages all take the command and the number from here.

import type { StopReason } from '../../items/vocabulary.ts'
import { counted } from '../../prices/rules/amounts.ts'

/** The counts that decide it, as the row of a run has them. */
export interface UnwellRun {
  stop_reason: StopReason | null
  undecided: number
  cancelled: number
  /** Of the cancelled items, those that have been replayed. */
  cancelled_replayed: number
  paused: number
}

/**
 * How many items of a run can be run again and wait for that: those that wait in triage and, if the run was stopped,
 * those that it did not get to and those that are held, which nobody can resume any more. What a person dismissed in a
 * run that went on is left out.
 */
export const leftOver = (run: UnwellRun): number =>
  run.undecided + (run.stop_reason === null ? 0 : ofStopped(run))

const ofStopped = ({ stop_reason, cancelled, cancelled_replayed, paused }: UnwellRun) =>
  paused + (stop_reason === 'budget_exceeded' ? 0 : Math.max(0, cancelled - cancelled_replayed))

export interface LeftOver {
  run_id: string
  /** Items that wait in triage. */
  in_triage: number
  /** All that are left. */
  items: number
}

/** @example sayLeftOver(4227) // '4,227 items did not end well' */
export const sayLeftOver = (items: number): string => `${counted(items, 'item')} did not end well`

/** The command that shows what running all of it again comes to; null if nothing is left. */
export const recoverCommand = ({ run_id, in_triage, items }: LeftOver): string | null =>
  items === 0 ? null : `assay recover --run ${run_id}${items > in_triage ? ' --all' : ''} --dry-run`
