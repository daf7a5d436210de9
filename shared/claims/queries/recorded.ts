// Reads what replayed items recorded, and marks replays that ran nothing again. Guarantee: each query is for many items
// at once; an item that has ended records nothing more, so reading it needs no lock.

import type { Sql } from '../../context.ts'
import { projectOf, rowsOfKeys } from '../../items/queries/item-keys.ts'
import type { Outcome, StepKind } from '../../items/vocabulary.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { hasSeq } from '../../kernel/packed-columns.ts'
import { HOLD_KEY } from '../../protocol/rules/protocol.ts'
import { type Maker, UNNAMED } from '../../recovery/rules/makers.ts'
import type { EndedItem, StepHead } from '../../recovery/rules/reuse.ts'

export interface EndedItemRow extends EndedItem, ItemKey, Maker {
  step_count: number
}

/** How items ended, in the order of their keys. */
export async function findEndedItems(sql: Sql, keys: readonly ItemKey[]) {
  return sql<EndedItemRow[]>`
    select i.project_id, i.run_id, i.seq, i.status, i.outcome_reason, i.error_code, i.step_count,
      coalesce(i.code_version, ${codeBeforeNames(sql, keys)}) as code_version, r.agent_id, r.deployment_id
    from ${rowsOfKeys(sql, keys)}
      cross join lateral (
        select * from items where project_id = ${projectOf(keys)} and run_id = k.run_id and seq = k.seq offset 0) i
      join runs r on r.project_id = ${projectOf(keys)} and r.id = k.run_id
    order by k.n`
}

/** UNNAMED if item `i` of run `r` had ended before any answer of its agent named its code. */
const codeBeforeNames = (sql: Sql, keys: readonly ItemKey[]) => sql`
  case when not exists (select 1 from code_versions v where v.project_id = ${projectOf(keys)} and v.agent_id = r.agent_id
    and v.created_at <= coalesce(i.completed_at, i.started_at)) then ${UNNAMED}::int end`

export interface StepHeadRow extends StepHead {
  /** Its item took it over from the one that it replays. */
  reused: boolean
  /** The place of its item among the keys, from 1. */
  n: number
  name: string
  cost_micro: number
}

/** The steps of items without their payloads, in the order they ended. */
export async function findStepHeads(sql: Sql, keys: readonly ItemKey[]) {
  return sql<StepHeadRow[]>`
    select k.n::int, s.step_no, s.key, s.kind, s.name, s.outcome, s.cost_micro, s.duration_ms, s.reused,
      floor(extract(epoch from s.started_at) * 1000)::float8 as started_ms,
      ${isWhole(sql, 'output')} as has_output, s.input is not null and ${isWhole(sql, 'input')} as has_input
    from ${rowsOfKeys(sql, keys)}
      cross join lateral (
        select * from steps where project_id = ${projectOf(keys)} and run_id = k.run_id and seq = k.seq offset 0) s
    order by k.n, s.step_no`
}

/** The steps that held items go on after: those that succeeded, without the holds. */
export const findKeptSteps = (sql: Sql, keys: readonly ItemKey[]) => sql<
  Pick<StepHeadRow, 'n' | 'key' | 'reused'>[]
>`
  select k.n::int, s.key, s.reused
  from ${rowsOfKeys(sql, keys)}
    join steps s on s.project_id = ${projectOf(keys)} and s.run_id = k.run_id and s.seq = k.seq
  where s.error_code is null and s.key !~ ${HOLD_KEY.source}`

export interface FirstMaker extends Maker {
  /** The place of its item among the keys, from 1. */
  n: number
  key: string
}

/** What made the steps that items took over: by their keys, the nearest item that they descend from and that ran them. */
export const findFirstMakers = (sql: Sql, keys: readonly ItemKey[]) => sql<FirstMaker[]>`
  with recursive up as (
    select k.n, p.from_run_id as run_id, p.from_seq as seq, 1 as depth
    from ${rowsOfKeys(sql, keys)} join replays p on p.project_id = ${projectOf(keys)} and p.run_id = k.run_id and p.seq = k.seq
    union all
    select up.n, p.from_run_id, p.from_seq, up.depth + 1
    from up join replays p on p.project_id = ${projectOf(keys)} and p.run_id = up.run_id and p.seq = up.seq
    where up.depth < ${LIMITS.lineage_items}
  )
  select distinct on (up.n, s.key) up.n::int, s.key, r.agent_id, r.deployment_id,
    coalesce(i.code_version, ${codeBeforeNames(sql, keys)}) as code_version
  from up
    join items i on i.project_id = ${projectOf(keys)} and i.run_id = up.run_id and i.seq = up.seq
    join runs r on r.project_id = ${projectOf(keys)} and r.id = up.run_id
    join steps s on s.project_id = ${projectOf(keys)} and s.run_id = up.run_id and s.seq = up.seq
  where not s.reused and s.outcome = 'ok'
  order by up.n, s.key, up.depth`

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
