// Records what became of items: steps, verdicts, triage rows and all counters, for a whole flush of a run in one
// statement. Each row is guarded by its attempt and by the steps recorded before it, so the statement may be sent
// again after a lost connection, and a late result of a lost attempt changes nothing.

import { type ClaimedItem, claimed, type TakenRow } from '../../claims/queries/claim.ts'
import { deleteClaims } from '../../claims/queries/leases.ts'
import { markUnchanged } from '../../claims/queries/recorded.ts'
import { nodeOf } from '../../cluster/queries/distributed.ts'
import type { Sql } from '../../context.ts'
import type { Verdict } from '../../grading/rules/verdict.ts'
import { clearDueOf } from '../../items/queries/transitions.ts'
import { fileSpending } from '../../prices/queries/budgets.ts'
import { insertSteps } from './insert-steps.ts'
import { insertTriage, keepCauses, notOkRows } from './not-ok.ts'
import { settleApart } from './settle-apart.ts'
import {
  type Ended,
  type Flushed,
  type FlushedRow,
  flushed,
  lockClaims,
  settleEnded,
} from './settle-ended.ts'
import {
  countRun,
  type Entry,
  entryRows,
  type Flush,
  isNotOk,
  NONE,
  settleItems,
  sumsOf,
  useProject,
} from './settle-parts.ts'

/** The verdict of an item that worked, without its output. */
export const OK: Verdict = {
  status: 'completed',
  outcome: 'ok',
  outcome_reason: null,
  degraded_reason: null,
  error_code: null,
  error_message: null,
  output: null,
}

/** Writes one flush; returns what the run looks like after it, and the items that were taken. */
export async function settle(sql: Sql, given: Flush): Promise<Flushed & { taken: ClaimedItem[] }> {
  const node = await nodeOf(sql, given.project_id)
  // A cluster calls no function that writes from a statement of several parts.
  const flush = node === null ? given : { ...given, refill: null }
  const ended = endedOf(flush)
  const isSimple = ended !== null && ended.not_ok.length === 0
  const rows: readonly FlushedRow[] = await (node !== null && !isSimple
    ? settleApart(sql, flush, node)
    : ended === null
      ? settleAny(sql, flush)
      : settleEnded(sql, ended, node))
  const { recorded, not_ok, finished, stop_reason } = rows[0] ?? NOTHING
  return { recorded, not_ok, finished, stop_reason, taken: claimed(rows.filter(isTaken)) }
}

const NOTHING: Flushed = { recorded: 0, not_ok: 0, finished: true, stop_reason: null }
const isTaken = (row: FlushedRow): row is Flushed & TakenRow => typeof row.claim_id === 'number'

/** The short form of a flush whose items all ended without steps; null for any other flush. */
export function endedOf({ entries, steps, unpriced_model, ...flush }: Flush): Ended | null {
  const { attempt, steps_before } = entries[0]!
  const isAlike = (e: Entry) =>
    e.verdict !== null &&
    e.verdict.status !== 'paused' &&
    e.attempt === attempt &&
    e.steps_before === steps_before &&
    e.steps_after === steps_before &&
    !e.unchanged &&
    !e.newly_unpriced &&
    e.cost_micro + e.input_tokens + e.output_tokens === 0 &&
    e.model_calls + e.unread_calls + e.suspected_calls === 0
  if (steps.length > 0 || unpriced_model !== null || !entries.every(isAlike)) return null
  const items = entries.map(({ seq, verdict }) => ({ seq, output: verdict!.output }))
  return { ...flush, attempt, steps_before, items, not_ok: entries.filter(isNotOk) }
}

/** Settles items of any kind. Each part of the statement is a function of settle-parts.ts, in the order of the parts. */
export function settleAny(sql: Sql, flush: Flush) {
  const { project_id, entries, steps } = flush
  const notOk = entries.filter(isNotOk)
  const alike = entries.filter(e => e.unchanged).map(e => e.seq)
  const none = sql``
  return sql<FlushedRow[]>`
    with entry as materialized (${entryRows(sql, entries)}),
    not_ok as materialized (${notOk.length > 0 ? notOkRows(sql, notOk) : NONE(sql)}),
    ${lockClaims(sql, project_id, flush.claims)}, settled as (${settleItems(sql, flush)}),
    ${steps.length > 0 ? sql`traced as (${insertSteps(sql, flush, steps)} returning 1),` : none}
    ${alike.length > 0 ? sql`${markUnchanged(sql, flush, alike)},` : none}
    ${notOk.length > 0 ? sql`sorted as (${insertTriage(sql, flush, notOk)} returning 1),` : none}
    n as (${sumsOf(sql, alike.length > 0 ? sql`(select count(*) from alike)` : sql`0`)}
      ${steps.length > 0 ? sql`and (select count(*) from traced) >= 0` : none}
      ${notOk.length > 0 ? sql`and (select count(*) from sorted) >= 0` : none}),
    closed as (${deleteClaims(sql, project_id, flush.claims.closed)}), counted as (${countRun(sql, flush, notOk)}), used as (${useProject(sql)}),
    ${fileSpending(sql, null)}, ${notOk.length > 0 ? sql`kept as (${keepCauses(sql, notOk)}),` : none}
    ${clearDueOf(sql, null)}
    ${flushed(sql, flush.refill)}`
}
