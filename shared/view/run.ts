// A run told in one sentence. Guarantee: whether it ran and whether it worked are two answers, and every item is in
// both of them.

import { count, counted, money } from '../domain/amounts.ts'

/** What the sentence is made of, by the names of the API. */
export interface RunCounts {
  total_items: number
  completed: number
  degraded_count: number
  failed: number
  budget_exceeded_count: number
  cancelled: number
  paused: number
  undecided_count: number
}

type Style = 'green' | 'yellow' | 'red' | 'cyan'
type Paint = (style: Style, text: string) => string

/** @example 'ran: all · worked: 4,857 ok, 143 degraded · 143 to decide' */
export function ranAndWorked(run: RunCounts, paint: Paint = (_, text) => text): string {
  const toDecide = run.undecided_count + run.paused
  return [
    `ran: ${ran(run, paint)}`,
    `worked: ${worked(run, paint)}`,
    ...(toDecide > 0 ? [`${count(toDecide)} to decide`] : []),
  ].join(' · ')
}

/** What cancelling now put an end to. Of a model call under way nobody knows what it costs. */
export const abortedInFlight = ({ items, cost_usd }: { items: number; cost_usd: number }): string =>
  items === 0
    ? 'nothing was in flight.'
    : `${counted(items, 'item')} in flight ${items === 1 ? 'was' : 'were'} aborted; the steps recorded until then had cost ${money(cost_usd)}.`

/** An item that a budget ended did not run, or not to its end. */
function ran(run: RunCounts, paint: Paint): string {
  const ended = run.completed + run.failed - run.budget_exceeded_count
  return listed([
    ended === run.total_items ? 'all' : `${count(ended)} of ${count(run.total_items)}`,
    run.budget_exceeded_count > 0 && paint('red', `${count(run.budget_exceeded_count)} over budget`),
    run.cancelled > 0 && `${count(run.cancelled)} cancelled`,
    run.paused > 0 && paint('cyan', `${count(run.paused)} held`),
  ])
}

function worked(run: RunCounts, paint: Paint): string {
  const failed = run.failed - run.budget_exceeded_count
  if (run.completed + failed === 0) return 'nothing yet'
  return listed([
    paint('green', `${count(run.completed - run.degraded_count)} ok`),
    run.degraded_count > 0 && paint('yellow', `${count(run.degraded_count)} degraded`),
    failed > 0 && paint('red', `${count(failed)} failed`),
  ])
}

const listed = (parts: (false | string)[]) => parts.filter(Boolean).join(', ')
