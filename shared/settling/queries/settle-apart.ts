// Settles a flush on a cluster, in several statements. Guarantee: they are one transaction, each runs only on the
// project's node, and together they write the same rows as the one statement for one machine (`settle.ts`).
//
// Citus sends rows that an INSERT reads from a CTE of its statement to all nodes: with one of them down, no project
// would settle an item that failed or has steps.

import { deleteClaims } from '../../claims/queries/leases.ts'
import { markUnchanged } from '../../claims/queries/recorded.ts'
import type { Sql } from '../../context.ts'
import { clearDueOf } from '../../items/queries/transitions.ts'
import { chargeBudgets, fileSpent } from '../../prices/queries/budgets.ts'
import { insertSteps } from './insert-steps.ts'
import { insertTriage, keepCauses, notOkRows } from './not-ok.ts'
import { type Flushed, lockClaims } from './settle-ended.ts'
import {
  countRun,
  entryRows,
  type Flush,
  isNotOk,
  NONE,
  settleItems,
  sumsOf,
  useProject,
} from './settle-parts.ts'

/** A settled item, as the settling statement returns it; the later statements get it as a parameter. */
type Settled = Record<string, unknown> & { seq: number; ends: boolean }

const COLUMNS = `seq int, status item_status, outcome outcome, outcome_reason text, degraded_reason text, error_code text,
  partition_key text, prompt text, cause_id text, item_cost_micro bigint, ends boolean, cost_micro bigint,
  input_tokens bigint, output_tokens bigint, newly_unpriced boolean, model_calls int, unread_calls int, suspected_calls int`

const told = (sql: Sql, settled: readonly Settled[]) =>
  sql`(select * from jsonb_to_recordset(${sql.json(settled as never)}) as t(${sql.unsafe(COLUMNS)}))`

export async function settleApart(sql: Sql, flush: Flush, node: string): Promise<Flushed[]> {
  const settle = async (tx: unknown) => {
    const settled = await settleRows(tx as Sql, flush)
    const unchanged = await writeBeside(tx as Sql, flush, settled)
    return count(tx as Sql, flush, node, { settled, unchanged })
  }
  return 'begin' in sql ? ((await sql.begin(settle)) as Flushed[]) : settle(sql)
}

function settleRows(sql: Sql, flush: Flush) {
  const notOk = flush.entries.filter(isNotOk)
  return sql<Settled[]>`
    with entry as materialized (${entryRows(sql, flush.entries)}),
    not_ok as materialized (${notOk.length > 0 ? notOkRows(sql, notOk) : NONE(sql)}),
    ${lockClaims(sql, flush.project_id, flush.claims)}, settled as (${settleItems(sql, flush)})
    select * from settled`
}

/** Writes steps and triage rows; returns how many items were replayed unchanged. */
async function writeBeside(sql: Sql, flush: Flush, settled: readonly Settled[]): Promise<number> {
  const seqs = new Set(settled.map(({ seq }) => seq))
  const steps = flush.steps.filter(({ seq }) => seqs.has(seq))
  if (steps.length > 0) await insertSteps(sql, flush, steps, flush.project_id)
  const notOk = flush.entries.filter(entry => isNotOk(entry) && seqs.has(entry.seq))
  if (notOk.length > 0) {
    // The triggers of triage change the project's usage, whose lock comes after the run's: a claim holds the run's and
    // waits for it. On one machine they fire at the end of the whole statement.
    await sql`select from runs where project_id = ${flush.project_id} and id = ${flush.run_id} for no key update`
    await insertTriage(sql, flush, notOk, told(sql, settled))
  }
  const alike = flush.entries.filter(({ unchanged }) => unchanged).map(({ seq }) => seq)
  if (alike.length === 0) return 0
  const [row] = await sql<{ n: number }[]>`
    with settled as ${told(sql, settled)}, ${markUnchanged(sql, flush, alike)} select count(*)::int as n from alike`
  return row!.n
}

interface Counted extends Flushed {
  agent_id: string
  spent: number
  spend_day: string | null
}

async function count(
  sql: Sql,
  flush: Flush,
  node: string,
  { settled, unchanged }: { settled: readonly Settled[]; unchanged: number },
): Promise<Flushed[]> {
  const { project_id, claims } = flush
  const notOk = flush.entries.filter(isNotOk)
  const [counted] = await sql<Counted[]>`
    with settled as materialized ${told(sql, settled)}, n as (${sumsOf(sql, sql`${unchanged}::int`)}),
    closed as (${deleteClaims(sql, project_id, claims.closed)}), counted as (${countRun(sql, flush, notOk)}), used as (${useProject(sql, node)}),
    ${chargeBudgets(sql, node)}, ${clearDueOf(sql, node)}
    select ${settled.length}::int as recorded, degraded + failed + budget_exceeded as not_ok,
      finished_at is not null as finished, stop_reason, agent_id, spent, (select spend_day::text from used) as spend_day
    from counted`
  if (counted === undefined) return []
  const { agent_id, spent, spend_day, ...flushed } = counted
  if (spend_day !== null && spent > 0) await fileSpent(sql, { project_id, agent_id }, spend_day, spent)
  const of = sql`select ${project_id}::uuid as project_id, ${agent_id}::uuid as agent_id`
  if (notOk.length > 0) await keepCauses(sql, notOk, of)
  return [flushed]
}
