// The state of an item in a consumer, from claim to settle.

import type { ClaimedItem } from '../../claims/verbs/recorded-steps.ts'
import type { StepRow } from '../../grading/rules/step-row.ts'
import type { ItemProgress, Verdict } from '../../grading/rules/verdict.ts'

/** The lease an item is held under, shared by all items of its claim. */
export interface Lease {
  claim_id: number
  /** When it was taken, by the consumer's clock. */
  taken_ms: number
  /** Items whose end, or return, is not yet committed. */
  open: number
  /** A flush under way ends the claim, so a missing row does not mean that the lease was lost. */
  closing: boolean
  /** Fires when this consumer does not hold the items any more. */
  abort: AbortController
}

/** A step as its span shows it: without input and output. */
export type TracedStep = Omit<StepRow, 'input' | 'output'>

export interface NamedCode {
  deployment_id: string
  version: string
}

export interface InFlightItem extends ItemProgress {
  item: ClaimedItem
  lease: Lease
  /** Set once: by the agent's final line, by a fence, or by the end of the request; not where the lease is another's. */
  done: boolean
  verdict: Verdict | null
  /** In a flush under way; results that come meanwhile wait for it. */
  writing: boolean
  /** Steps not yet handed to a flush. */
  pending: StepRow[]
  steps_written: number
  /** A step worked in this attempt that had not before. */
  gotOn: boolean
  /** Steps that ran, and were not reused from the original. */
  steps_run: number
  unpriced: boolean
  /** The version of its code that the answer named, and the deployment that it answered for. */
  code: NamedCode | null
  /** If telemetry is collected: when the attempt was over, and its written steps. */
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
    gotOn: false,
    steps_run: item.steps_run,
    cost_micro: item.cost_micro,
    unpriced: item.unpriced,
    code: null,
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
 * Whether only `n` items of a claim are left. Never true for an abandoned claim: its items that could not be written
 * may still be running, and are found only by the claim's row.
 */
export const isOver = (lease: Lease, n = 0) => lease.open === n && !lease.abort.signal.aborted

/** How many of the items are still held: items of a lost lease left the consumer when it was lost. */
export const stillHeld = (inFlightItems: readonly InFlightItem[]) =>
  inFlightItems.filter(({ lease }) => !lease.abort.signal.aborted).length

/** Leaves items that could not be written to the end of their lease, which must therefore not be extended. */
export function abandon(inFlightItems: readonly InFlightItem[]): number {
  for (const { lease } of inFlightItems) lease.abort.abort()
  return 0
}
