// The states of items and runs as tables, from which SQL statements, database functions, tests and the diagram in the
// docs are made. Guarantee: an item's status moves only along ITEM_TRANSITIONS, which alone defines what a transition
// does to the run's counters, the usage of its project and triage; a run's status follows from its counts.

import type { Disposition, TriageLane } from '../../triage/vocabulary.ts'
import type { ItemStatus, Outcome, RunStatus, StopReason } from '../vocabulary.ts'

interface ItemTransition {
  readonly event: string
  readonly from: ItemStatus
  readonly to: ItemStatus
  /** The verdict that the item gets. */
  readonly outcome?: Outcome
  /** The triage lane that the item enters; in the dead-letter lane it waits for a decision, and counts as undecided. */
  readonly lane?: TriageLane
  /** The disposition set on the item's triage row, if it has one. */
  readonly disposition?: Disposition
  /** When the transition happens, for the diagram. */
  readonly when: string
}

/** The status of an item when it is submitted or copied. */
export const FIRST_STATUS: ItemStatus = 'queued'

export const ITEM_TRANSITIONS = [
  { event: 'claim', from: 'queued', to: 'running', when: 'a consumer takes it' },
  { event: 'complete', from: 'running', to: 'completed', outcome: 'ok', when: 'it worked' },
  {
    event: 'degrade',
    from: 'running',
    to: 'completed',
    outcome: 'degraded',
    lane: 'dlq',
    when: 'it ran, and did not work',
  },
  { event: 'fail', from: 'running', to: 'failed', outcome: 'failed', lane: 'dlq', when: 'it did not run' },
  {
    event: 'exhaust',
    from: 'running',
    to: 'budget_exceeded',
    outcome: 'failed',
    lane: 'dlq',
    when: 'its own budget is spent',
  },
  {
    event: 'hold',
    from: 'running',
    to: 'paused',
    lane: 'quarantine',
    when: 'it waits for a person, at its fence, or for a price',
  },
  { event: 'requeue', from: 'running', to: 'queued', when: 'a retry, a lost lease, a hand-over' },
  { event: 'abort', from: 'running', to: 'cancelled', when: 'the run is cancelled, at once' },
  {
    event: 'skip',
    from: 'queued',
    to: 'budget_exceeded',
    outcome: 'failed',
    lane: 'dlq',
    when: "the run's budget is spent",
  },
  { event: 'cancel', from: 'queued', to: 'cancelled', when: 'the run is stopped' },
  { event: 'pause', from: 'queued', to: 'paused', when: 'money of the project is spent' },
  { event: 'resume', from: 'paused', to: 'queued', disposition: 'resumed', when: 'resumed, or money again' },
  {
    event: 'dismiss',
    from: 'paused',
    to: 'cancelled',
    disposition: 'dismissed',
    when: 'dismissed, or the run is cancelled',
  },
] as const satisfies readonly ItemTransition[]

export type ItemEvent = (typeof ITEM_TRANSITIONS)[number]['event']

export function transitionOf(event: ItemEvent): ItemTransition {
  return ITEM_TRANSITIONS.find(transition => transition.event === event)!
}

/** What a decision about an item in the dead-letter lane, or its withdrawal, adds to the undecided items. */
export const DECISIONS = { decide: -1, reopen: 1 } as const
export type Decision = keyof typeof DECISIONS

/** Each item of a run is in one of these counters, or queued: the total minus all counters. */
export const ITEM_COUNTERS = [
  'running',
  'ok',
  'degraded',
  'failed',
  'budget_exceeded',
  'cancelled',
  'paused',
] as const
export type ItemCounter = (typeof ITEM_COUNTERS)[number]

/** The counter that an item is in; null if it is queued. */
export function counterOf(status: ItemStatus, outcome?: Outcome | null): ItemCounter | null {
  if (status === 'queued') return null
  if (status !== 'completed') return status
  return outcome === 'ok' ? 'ok' : 'degraded'
}

/** Whether no transition leads out of a status. */
export const isFinal = (status: ItemStatus): boolean => ITEM_TRANSITIONS.every(({ from }) => from !== status)

/** How much an event or decision about one item changes each counter of its run. */
export function effectOf(event: ItemEvent | Decision): Partial<Record<ItemCounter | 'undecided', number>> {
  if (event in DECISIONS) return { undecided: DECISIONS[event as Decision] }
  const { from, to, outcome, lane } = transitionOf(event as ItemEvent)
  const [left, entered] = [counterOf(from), counterOf(to, outcome)]
  return {
    ...(left !== null && { [left]: -1 }),
    ...(entered !== null && { [entered]: 1 }),
    ...(lane === 'dlq' && { undecided: 1 }),
  }
}

/** The facts that decide a run's status. `failed` and `budget_exceeded` count different items. */
export interface RunCounts {
  materializing?: boolean
  /** At least one item was dispatched. */
  started: boolean
  stop_reason: StopReason | null
  total_items: number
  running: number
  ok: number
  degraded: number
  failed: number
  budget_exceeded: number
  cancelled: number
  paused: number
  /** Items that did not work and still wait for a decision. */
  undecided: number
}

const finished = (c: RunCounts) => c.ok + c.degraded + c.failed + c.budget_exceeded + c.cancelled
const raised = (c: RunCounts) => c.failed + c.budget_exceeded

export function queuedOf(counts: RunCounts): number {
  return counts.total_items - finished(counts) - counts.running - counts.paused
}

/** Whether no item is queued, running or paused any more. */
export function isDrained(counts: RunCounts): boolean {
  return finished(counts) === counts.total_items
}

interface RunStatusRule {
  readonly name: string
  readonly status: RunStatus
  readonly when: (counts: RunCounts) => boolean
}

/** The first rule that applies gives the status; the last one always does. */
export const RUN_STATUS_RULES: readonly RunStatusRule[] = [
  { name: 'items are being inserted', status: 'materializing', when: c => c.materializing === true },
  { name: 'stopped by cancel', status: 'cancelled', when: c => c.stop_reason === 'cancelled' },
  {
    name: 'stopped at its budget',
    status: 'budget_exceeded',
    when: c => c.stop_reason === 'budget_exceeded',
  },
  {
    name: 'stopped after failures in a row, or after its first items',
    status: 'failed',
    when: c => c.stop_reason === 'consecutive_failures' || c.stop_reason === 'pilot_failed',
  },
  {
    name: 'drained, nothing failed or degraded',
    status: 'completed',
    when: c => isDrained(c) && raised(c) + c.degraded === 0,
  },
  {
    name: 'drained, every item failed',
    status: 'failed',
    when: c => isDrained(c) && raised(c) === c.total_items,
  },
  { name: 'drained, everything decided', status: 'completed', when: c => isDrained(c) && c.undecided === 0 },
  { name: 'drained, decisions open', status: 'partial', when: isDrained },
  {
    name: 'work has started',
    status: 'running',
    when: c => c.started || finished(c) > 0,
  },
  { name: 'nothing but queued items', status: 'queued', when: () => true },
]

export function runStatus(counts: RunCounts): RunStatus {
  return RUN_STATUS_RULES.find(rule => rule.when(counts))!.status
}

/** The worst verdict among the items that have one. */
export function worstOutcome(counts: RunCounts): Outcome | null {
  if (raised(counts) > 0) return 'failed'
  if (counts.degraded > 0) return 'degraded'
  return counts.ok > 0 ? 'ok' : null
}

type Standing = { status: string; paused: number; queued: number; running: number; waits_for_money: boolean }

/** Whether a run has only paused items left, so that nothing of it moves; its status does not say so. */
export const isPaused = (run: Omit<Standing, 'waits_for_money'>): boolean =>
  run.status !== 'materializing' && run.paused > 0 && run.queued === 0 && run.running === 0

/** Whether a run only waits for a person: it is paused, and nothing of it goes on by itself when there is money. */
export const isHeld = (run: Standing): boolean => isPaused(run) && !run.waits_for_money

/**
 * Whether a run can be cancelled. One that is still being submitted cannot, and one that was cancelled before can while
 * items are in flight, to abort these. One that stopped by itself can: its held items would keep it open.
 */
export const canBeCancelled = (run: {
  status: string
  running: number
  finished_at: string | null
}): boolean =>
  run.finished_at === null &&
  run.status !== 'materializing' &&
  (run.status !== 'cancelled' || run.running > 0)
