// What of a run did not end well and can be run again, as commands and pages say it.

import { count } from '../prices/rules/amounts.ts'
import { recoverCommand, sayLeftOver } from '../recovery/rules/left-over.ts'
import type { Schemas } from '../sdk/client.ts'
import { runName } from './run.ts'

type Run = Pick<Schemas['Run'], 'id' | 'left_over_count' | 'undecided_count'>
type Named = Run & Parameters<typeof runName>[0]

/** The command that runs all of it again, and what it runs; undefined if nothing is left. Older servers report no count. */
export function recoveryOf(run: Run): { command: string; said: string; items: number } | undefined {
  const items = run.left_over_count ?? run.undecided_count
  const command = recoverCommand({ run_id: run.id, in_triage: run.undecided_count, items })
  return command === null ? undefined : { command, said: sayLeftOver(items), items }
}

/** Whether items of a run are left that are in no triage, because it was stopped before it got to them. */
export const isStoppedShort = (run: Run): boolean => (run.left_over_count ?? 0) > run.undecided_count

/** @example sayStoppedShort(run) // 'nightly was stopped: 4,227 items did not end well, 4,099 of them in no triage' */
export function sayStoppedShort(run: Named): string {
  const { left_over_count: items, undecided_count } = run
  return `${runName(run)} was stopped: ${sayLeftOver(items)}, ${count(items - undecided_count)} of them in no triage`
}
