// States are data: SQL guards, tests and the diagram in the docs read these tables.
// Guarantee: an item's status moves only along ITEM_TRANSITIONS; a run's status follows from its counts.

import type { ItemStatus, Outcome, RunStatus, StopReason } from './vocabulary.ts'

interface ItemTransition {
  readonly event: string
  readonly from: readonly ItemStatus[]
  readonly to: ItemStatus
}

export const ITEM_TRANSITIONS = [
  { event: 'claim', from: ['queued'], to: 'running' },
  { event: 'complete', from: ['running'], to: 'completed' },
  { event: 'fail', from: ['running'], to: 'failed' },
  /** The item's own budget, or what was left undispatched when the run's was spent. */
  { event: 'exhaust', from: ['running', 'queued'], to: 'budget_exceeded' },
  /** The agent asks for a person. */
  { event: 'hold', from: ['running'], to: 'paused' },
  /** The project's credit is spent, or the item stands at its fence. */
  { event: 'pause', from: ['queued', 'running'], to: 'paused' },
  /** Transport fault, retry, lost lease, hand-over to the next invocation. */
  { event: 'requeue', from: ['running'], to: 'queued' },
  { event: 'cancel', from: ['queued', 'paused'], to: 'cancelled' },
  { event: 'resume', from: ['paused'], to: 'queued' },
] as const satisfies readonly ItemTransition[]

export type ItemEvent = (typeof ITEM_TRANSITIONS)[number]['event']
type TransitionOf<E extends ItemEvent> = Extract<(typeof ITEM_TRANSITIONS)[number], { event: E }>

/** The statuses an item must be in for an event to happen to it. */
export function fromOf<E extends ItemEvent>(event: E): TransitionOf<E>['from'] {
  return transitionOf(event).from as TransitionOf<E>['from']
}

/** The status an event leads to. */
export function toOf<E extends ItemEvent>(event: E): TransitionOf<E>['to'] {
  return transitionOf(event).to as TransitionOf<E>['to']
}

function transitionOf(event: ItemEvent): ItemTransition {
  return ITEM_TRANSITIONS.find(transition => transition.event === event)!
}

/** What a run's status is made of. `failed` and `budget_exceeded` count different items. */
export interface RunCounts {
  materializing?: boolean
  /** Some item was dispatched, whatever became of it. */
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

/** Nothing is queued, running or paused any more. */
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
    name: 'work has begun',
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

/** Whether all that is left of a run waits for a person; its status says that it runs. */
export const isHeld = (run: { status: string; paused: number; queued: number; running: number }): boolean =>
  run.status !== 'materializing' && run.paused > 0 && run.queued === 0 && run.running === 0
