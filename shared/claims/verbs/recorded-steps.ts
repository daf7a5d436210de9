// What items recorded before they are attempted again. Guarantee: a step that worked, of an earlier attempt or of the
// original that an item replays, comes with the claim, so that it need not run again.

import type { Context } from '../../context.ts'
import type { GradedStep } from '../../grading/rules/grading.ts'
import type { OfferedRecord } from '../../grading/rules/step-row.ts'
import { rawJson } from '../../json/raw-json.ts'
import { runKeyOf } from '../../kernel/ids.ts'
import type { RecordedStep } from '../../protocol/rules/protocol.ts'
import type { ClaimedItem as TakenItem } from '../queries/claim.ts'
import { findOfferedSteps, findOriginalEnds, type OriginalEnd } from '../queries/recorded.ts'
import * as facts from '../queries/run-facts.ts'

export interface ClaimedItem extends TakenItem {
  recorded: RecordedStep[]
  /** Steps of its original that answer calls with the same input. */
  offered: OfferedRecord[]
  /** Outcomes of the recorded steps, on which the verdict depends too. */
  graded: GradedStep[]
  /** Steps that ran in this item, without those reused from its original. */
  steps_run: number
  /** How the item it replays ended; null when it replays none. */
  original: OriginalEnd | null
  /** Duration of its longest recorded step, if it was claimed to be worked on. */
  longest_step_ms?: number
}

/** Adds the steps that need not run again, from earlier attempts of the items or from their originals. */
export async function withRecordedSteps(
  ctx: Context,
  run: facts.ReadRun,
  items: readonly TakenItem[],
): Promise<ClaimedItem[]> {
  const traced = items.filter(item => item.step_count > 0).map(item => item.seq)
  const rows = traced.length > 0 ? await facts.findRecordedSteps(ctx.sql, runKeyOf(run), traced) : []
  const stepsOf = Map.groupBy(rows, row => row.seq)
  const claimed = await withSteps(ctx, run, items, rows)
  return claimed.map(item => {
    const steps = stepsOf.get(item.seq)
    return steps === undefined
      ? item
      : { ...item, longest_step_ms: Math.max(...steps.map(step => step.duration_ms)) }
  })
}

export async function withSteps(
  { sql }: Context,
  run: Pick<facts.ReadRun, 'project_id' | 'id' | 'is_replay'>,
  items: readonly TakenItem[],
  rows: readonly Omit<facts.RecordedRow, 'duration_ms'>[],
): Promise<ClaimedItem[]> {
  const stepsOf = Map.groupBy(rows, row => row.seq)
  const seqs = items.map(item => item.seq)
  const key = runKeyOf(run)
  const originals = run.is_replay ? await findOriginalEnds(sql, key, seqs) : []
  const originalOf = new Map(originals.map(one => [one.seq, one]))
  const offering = originals.filter(one => one.has_offers).map(one => one.seq)
  const offers = offering.length > 0 ? await findOfferedSteps(sql, key, offering) : []
  const offeredTo = Map.groupBy(offers, row => row.seq)
  return items.map(item => {
    const steps = stepsOf.get(item.seq) ?? []
    return {
      ...item,
      // As text: a number keeps the digits that another language may have written.
      recorded: steps.map(({ key, output }) => ({
        key,
        ...(output !== null && { output: rawJson(output) }),
      })),
      offered: offeredTo.get(item.seq)?.map(({ seq: _, ...record }) => record) ?? [],
      graded: steps.map(({ kind, key, outcome, outcome_reason }) => ({
        kind,
        key,
        outcome,
        reason: outcome_reason,
      })),
      steps_run: item.step_count - steps.filter(step => step.reused).length,
      original: originalOf.get(item.seq) ?? null,
    }
  })
}
