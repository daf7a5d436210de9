// Reads what replayed items recorded, and marks replays that ran nothing again. Guarantee: each query is for many items
// at once; an item that has ended records nothing more, so reading it needs no lock.

import type { Sql } from '../../context.ts'
import { projectOf, rowsOfKeys } from '../../items/queries/item-keys.ts'
import type { Outcome, StepKind } from '../../items/vocabulary.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'
import { hasSeq } from '../../kernel/packed-columns.ts'
import type { Maker } from '../../recovery/rules/makers.ts'
import type { EndedItem, StepHead } from '../../recovery/rules/reuse.ts'

export interface EndedItemRow extends EndedItem, ItemKey, Maker {
  step_count: number
}

/** How items ended, in the order of their keys. */
export async function findEndedItems(sql: Sql, keys: readonly ItemKey[]) {
  return sql<EndedItemRow[]>`
    select i.project_id, i.run_id, i.seq, i.status, i.outcome_reason, i.error_code, i.step_count, i.code_version,
      r.agent_id, r.deployment_id
    from ${rowsOfKeys(sql, keys)}
      cross join lateral (
        select * from items where project_id = ${projectOf(keys)} and run_id = k.run_id and seq = k.seq offset 0) i
      join runs r on r.project_id = ${projectOf(keys)} and r.id = k.run_id
    order by k.n`
}

export interface StepHeadRow extends StepHead {
  /** The place of its item among the keys, from 1. */
  n: number
  name: string
  cost_micro: number
}

/** The steps of items without their payloads, in the order they ended. */
export async function findStepHeads(sql: Sql, keys: readonly ItemKey[]) {
  return sql<StepHeadRow[]>`
    select k.n::int, s.step_no, s.key, s.kind, s.name, s.outcome, s.cost_micro, s.duration_ms,
      floor(extract(epoch from s.started_at) * 1000)::float8 as started_ms,
      ${isWhole(sql, 'output')} as has_output, s.input is not null and ${isWhole(sql, 'input')} as has_input
    from ${rowsOfKeys(sql, keys)}
      cross join lateral (
        select * from steps where project_id = ${projectOf(keys)} and run_id = k.run_id and seq = k.seq offset 0) s
    order by k.n, s.step_no`
}

/** Whether a payload is stored, and not a mark in place of one that was too long. */
const isWhole = (sql: Sql, column: 'input' | 'output') =>
  sql`coalesce(left(${sql.unsafe(`s.${column}`)}, 12) <> '{"cut":true,', true)`

/** How the original of a replayed item ended. */
export interface OriginalEnd {
  seq: number
  status: string
  outcome: Outcome | null
  outcome_reason: string | null
  error_code: string | null
  has_offers: boolean
}

export async function findOriginalEnds(sql: Sql, run: RunKey, seqs: readonly number[]) {
  return sql<OriginalEnd[]>`
    select p.seq, o.status, o.outcome, o.outcome_reason, o.error_code, p.offered_steps is not null as has_offers
    from replays p
      join items o on o.project_id = p.project_id and o.run_id = p.from_run_id and o.seq = p.from_seq
    where p.project_id = ${run.project_id} and p.run_id = ${run.run_id} and ${hasSeq(sql, 'p', seqs)}`
}

export interface OfferedRow {
  seq: number
  key: string
  kind: StepKind
  name: string
  model: string | null
  input: string
  output: string | null
}

/** The originals' steps that answer calls with the same input. Steps that retention removed are not offered. */
export async function findOfferedSteps(sql: Sql, run: RunKey, seqs: readonly number[]) {
  return sql<OfferedRow[]>`
    select p.seq, s.key, s.kind, s.name, s.model, s.input, s.output
    from replays p
      join steps s on s.project_id = p.project_id and s.run_id = p.from_run_id and s.seq = p.from_seq
        and s.step_no = any(p.offered_steps)
    where p.project_id = ${run.project_id} and p.run_id = ${run.run_id} and ${hasSeq(sql, 'p', seqs)}
      and p.offered_steps is not null
    order by p.seq, s.step_no`
}

/** Marks items of a flush's `settled` of which nothing ran again. */
export const markUnchanged = (sql: Sql, run: RunKey, seqs: readonly number[]) => sql`
  unchanged as (
    update replays p set unchanged = true from settled s
    where p.project_id = ${run.project_id} and p.run_id = ${run.run_id}
      and ${hasSeq(sql, 'p', seqs)} and p.seq = s.seq and s.ends
    returning 1
  )`
