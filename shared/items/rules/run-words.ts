// Says in words what became of a run's items. Guarantee: whether they ran and whether they worked are two answers, and
// every item is in both of them.

import { count, percent } from '../../prices/rules/amounts.ts'

/** Counts of items, named like the columns; an item in none of them is queued or running. */
export interface RunTally {
  total_items: number
  ok: number
  degraded: number
  failed: number
  budget_exceeded: number
  cancelled: number
  paused: number
}

type Ran = Pick<RunTally, 'ok' | 'degraded' | 'failed'>

/** Items that ran: those that a budget or a cancel ended had no chance to be ok. */
export const ranItems = ({ ok, degraded, failed }: Ran): number => ok + degraded + failed

/** The score of a run, a day or an agent, everywhere; null where nothing ran. @example '86 %' */
export const okShare = (of: Ran): string | null => (ranItems(of) === 0 ? null : percent(of.ok, ranItems(of)))

type Style = 'green' | 'yellow' | 'red' | 'cyan'
export type Paint = (style: Style, text: string) => string

const plain: Paint = (_, text) => text

/** Whether items ran: one ended by a budget did not, or not to its end. @example '3,000 of 5,000 (2,000 over budget)' */
export function ran(run: RunTally, paint = plain): string {
  const ended = ranItems(run)
  const others = listed([
    run.budget_exceeded > 0 && paint('red', `${count(run.budget_exceeded)} over budget`),
    run.cancelled > 0 && `${count(run.cancelled)} cancelled`,
    run.paused > 0 && paint('cyan', `${count(run.paused)} held`),
  ])
  // After a number, a comma would read as part of it.
  const most = ended === run.total_items ? 'all' : `${count(ended)} of ${count(run.total_items)}`
  return others === '' ? most : `${most} (${others})`
}

/** @example '4,857 ok, 143 degraded' */
export function worked(run: RunTally, paint = plain): string {
  if (ranItems(run) === 0) return 'nothing yet'
  return listed([
    paint('green', `${count(run.ok)} ok`),
    run.degraded > 0 && paint('yellow', `${count(run.degraded)} degraded`),
    run.failed > 0 && paint('red', `${count(run.failed)} failed`),
  ])
}

const listed = (parts: (false | string)[]) => parts.filter(Boolean).join(', ')
