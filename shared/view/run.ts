// Describes a run in one sentence. Guarantee: whether it ran and whether it worked are separate statements, and every
// item counts in both.

import { isHeld, isPaused } from '../items/rules/lifecycle.ts'
import { type Paint, ran, worked } from '../items/rules/run-words.ts'
import { LIMITS } from '../kernel/limits.ts'
import { count, counted, money } from '../prices/rules/amounts.ts'
import { STATE_WORDS } from '../upstreams/rules/upstream-words.ts'
import type { UpstreamState } from '../upstreams/vocabulary.ts'
import { perRanItem, type RanCounts } from './worked-share.ts'

/** The counts that the sentence needs, by their API names. */
export interface RunCounts {
  total_items: number
  completed: number
  degraded_count: number
  failed: number
  budget_exceeded_count: number
  cancelled: number
  paused: number
  waits_for_money: boolean
  undecided_count: number
  recovered_count: number
  replay_count: number
  unchanged_count: number
  model_call_count: number
  unread_call_count: number
  suspected_call_count: number
}

/** A run's name in a list; a replay is marked as one. @example 'replay of nightly' */
export function runName(run: { name: string | null; agent_slug: string; replay_of: string | null }): string {
  const own = run.name ?? run.agent_slug
  return run.replay_of === null ? own : `replay of ${own}`
}

/** Items that wait for a person: where some paused ones go on by themselves, the run does not say how many do not. */
export const itemsToDecide = (run: Pick<RunCounts, 'undecided_count' | 'paused' | 'waits_for_money'>) =>
  run.undecided_count + (run.waits_for_money ? 0 : run.paused)

/** What an open run waits for when nothing of it moves; undefined while something does. */
const waitsFor = (run: Parameters<typeof isHeld>[0]): 'you' | 'money' | undefined =>
  isHeld(run) ? 'you' : isPaused(run) ? 'money' : undefined

/** A run as far as its standing goes; `waits_for` is the upstream that it waits for. */
export type StandingRun = Parameters<typeof isHeld>[0] & { waits_for?: { state: UpstreamState } | null }

/** A run's status, or what it waits for. @example 'waits for you' @example 'waits, out of credit' */
export function runStanding(run: StandingRun): string {
  const waits = waitsFor(run)
  if (waits !== undefined) return `waits for ${waits}`
  return run.waits_for ? `waits, ${STATE_WORDS[run.waits_for.state]}` : run.status
}

/** @example 'ran: all · worked: 4,857 ok, 143 degraded · 143 to decide' */
export function ranAndWorked(run: RunCounts, paint?: Paint): string {
  const tally = {
    ...run,
    ok: run.completed - run.degraded_count,
    degraded: run.degraded_count,
    failed: run.failed - run.budget_exceeded_count,
    budget_exceeded: run.budget_exceeded_count,
  }
  const toDecide = itemsToDecide(run)
  return [
    `ran: ${ran(tally, paint)}`,
    `worked: ${worked(tally, paint)}`,
    // Older servers do not count them.
    ...(run.recovered_count > 0 || run.replay_count > 0 ? [sayRecovered(run)] : []),
    ...(run.unread_call_count > 0 ? [sayGraded(run)] : []),
    ...(run.suspected_call_count > 0 ? [saySuspected(run)] : []),
    ...(run.unchanged_count > 0 ? [sayUnchanged(run.unchanged_count)] : []),
    ...(toDecide > 0 ? [`${count(toDecide)} to decide`] : []),
  ].join(' · ')
}

/**
 * What replays made of a run since it ended.
 *
 * @example 'recovered since: 4,220 of 4,227, so 7 not ok now'
 * @example 'replayed since: none of 3 replays worked, so 3 not ok still'
 */
export function sayRecovered(run: RunCounts): string {
  const { total_items, completed, degraded_count, recovered_count, replay_count } = run
  const notOk = total_items - (completed - degraded_count)
  if (recovered_count === 0)
    return `replayed since: none of ${counted(replay_count, 'replay')} worked, so ${count(notOk)} not ok still`
  const left = notOk - recovered_count
  return `recovered since: ${count(recovered_count)} of ${count(notOk)}, so ${left === 0 ? 'all ok now' : `${count(left)} not ok now`}`
}

/** For a run in its pilot. @example 'In its pilot: 5 of 600 items go first, the others when one of these was ok.' */
export const sayPilot = (pilot_items: number, total_items: number): string =>
  `In its pilot: ${count(pilot_items)} of ${counted(total_items, 'item')} go first, the others when one of these was ok.`

/** For model calls of which some could not be read. @example 'graded 4,100 of 5,000 calls' */
export const sayGraded = (of: Pick<RunCounts, 'model_call_count' | 'unread_call_count'>): string =>
  `graded ${count(of.model_call_count - of.unread_call_count)} of ${counted(of.model_call_count, 'call')}`

/** Explains why counted calls are not named: in a long run they come after the items that are read. */
export const sayNoneNamed = ({ total_items }: Pick<RunCounts, 'total_items'>): string | undefined =>
  total_items > LIMITS.failures_looked_through
    ? `none is among the first ${counted(LIMITS.failures_looked_through, 'item')}, where they are looked for`
    : undefined

/** For answers that are ok and may not be. @example '12 calls suspected' */
export const saySuspected = (of: Pick<RunCounts, 'suspected_call_count'>): string =>
  `${counted(of.suspected_call_count, 'call')} suspected`

/**
 * For a run of which requests or processes ended early. What it may have cost is the run's average for each time: less
 * where calls were recorded before, which are not made again.
 *
 * @example '59 items were sent again, 118 times in all, since others of their requests ended them; model calls that were under way may have been paid for, about $0.12 at most'
 */
export function sayResent(run: ResentCounts): string {
  const { resent_item_count: items, resend_count: times, cost_usd } = run
  const paid = times * (perRanItem(cost_usd, run) ?? 0)
  const cost = paid > 0 ? `, about ${money(paid)} at most` : ''
  return `${counted(items, 'item')} ${items === 1 ? 'was' : 'were'} sent again, ${counted(times, 'time')} in all, since others of their requests ended them; model calls that were under way may have been paid for${cost}`
}

type ResentCounts = RanCounts & {
  resent_item_count: number
  resend_count: number
  cost_usd: number
}

/** For replays that reused everything and ended like their originals. */
export const sayUnchanged = (items?: number): string =>
  `${items === undefined ? '' : `${count(items)} `}unchanged: nothing was asked again`

/** What an immediate cancel ended. The cost of a model call in progress is unknown. */
export const abortedInFlight = ({ items, cost_usd }: { items: number; cost_usd: number }): string =>
  items === 0
    ? 'nothing was in flight.'
    : `${counted(items, 'item')} in flight ${items === 1 ? 'was' : 'were'} aborted; the steps recorded until then had cost ${money(cost_usd)}.`
