// An item in the hands of a consumer, from claim to settle.

import type { ClaimedItem } from '../../claims/verbs/claim.ts'
import type { StepRow } from '../../grading/rules/step-row.ts'
import type { ItemProgress, Verdict } from '../../grading/rules/verdict.ts'

/** The lease an item is held under, shared by all items of its claim. */
export interface Lease {
  claim_id: number
  /** When it was taken, by the consumer's clock. */
  taken_ms: number
  /** Items whose end, or return, is not yet committed. */
  open: number
  /** A flush under way ends the claim: that its row is gone does not mean that it was lost. */
  closing: boolean
  /** Fires when the items are nobody's any more, or somebody else's. */
  abort: AbortController
}

/** A step as its span says it: without what went in and came out. */
export type TracedStep = Omit<StepRow, 'input' | 'output'>

export interface InFlightItem extends ItemProgress {
  item: ClaimedItem
  lease: Lease
  /** Set once: by the agent's final line, by a fence, or by the end of the request. */
  done: boolean
  verdict: Verdict | null
  /** In a flush under way; what comes meanwhile waits for it. */
  writing: boolean
  /** Steps not yet handed to a flush. */
  pending: StepRow[]
  steps_written: number
  /** Steps that ran, and were not taken over from the original. */
  steps_run: number
  unpriced: boolean
  /** While somebody collects: when the attempt was over, and its steps that were written. */
  ended_ms: number
  traced: TracedStep[] | null
}

export function beginItem(item: ClaimedItem, lease: Lease): InFlightItem {
  return {
    seq: item.seq,
    attempt: item.attempt,
    item,
    lease,
    done: false,
    verdict: null,
    writing: false,
    pending: [],
    graded: [...item.graded],
    step_count: item.step_count,
    steps_written: item.step_count,
    steps_run: item.steps_run,
    cost_micro: item.cost_micro,
    unpriced: item.unpriced,
    ended_ms: 0,
    traced: null,
  }
}

/** Leases that have no other items left than these. An item counts until the flush that ends it is committed. */
export function endingWith(inFlightItems: readonly InFlightItem[]): Lease[] {
  const among = new Map<Lease, number>()
  for (const { lease } of inFlightItems) among.set(lease, (among.get(lease) ?? 0) + 1)
  return [...among].filter(([lease, n]) => isOver(lease, n)).map(([lease]) => lease)
}

/**
 * Whether nothing but `n` items is left of a claim. Never of one that was given up: what could not be written of it
 * may still be running, and is found only by the claim's row.
 */
export const isOver = (lease: Lease, n = 0) => lease.open === n && !lease.abort.signal.aborted

/** Items of leases that were lost left the consumer's hands when they were. */
export const stillHeld = (inFlightItems: readonly InFlightItem[]) =>
  inFlightItems.filter(({ lease }) => !lease.abort.signal.aborted).length

/** What could not be written is left to the end of its lease, which must therefore not be prolonged. */
export function abandon(inFlightItems: readonly InFlightItem[]): number {
  for (const { lease } of inFlightItems) lease.abort.abort()
  return 0
}
