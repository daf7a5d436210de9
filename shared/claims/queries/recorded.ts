// Reads what replayed items recorded, and marks replays that ran nothing again. Guarantee: each query is for many items
// at once; an item that has ended records nothing more, so reading it needs no lock.

import type { Sql } from '../../context.ts'
import { projectOf, rowsOfKeys } from '../../items/queries/item-keys.ts'
import type { Outcome, StepKind } from '../../items/vocabulary.ts'
import type { ItemKey, RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { hasSeq } from '../../kernel/packed-columns.ts'
import { HOLD_KEY } from '../../protocol/rules/protocol.ts'
import { type Ender, UNNAMED } from '../../recovery/rules/makers.ts'
import type { EndedItem, StepHead } from '../../recovery/rules/reuse.ts'

export interface EndedItemRow extends EndedItem, ItemKey, Ender {
  step_count: number
}

/** How items ended, in the order of their keys. */
export async function findEndedItems(sql: Sql, keys: readonly ItemKey[]) {
  return sql<EndedItemRow[]>`
    select i.project_id, i.run_id, i.seq, i.status, i.outcome_reason, i.error_code, i.step_count,
      ${enderOf(sql, keys)}
    from ${rowsOfKeys(sql, keys)}
      cross join lateral (
        select * from items where project_id = ${projectOf(keys)} and run_id = k.run_id and seq = k.seq offset 0) i
      join runs r on r.project_id = ${projectOf(keys)} and r.id = k.run_id
    order by k.n`
}

/** By what item `i` of run `r` ended, or is held. */
const enderOf = (sql: Sql, keys: readonly ItemKey[]) => sql`
  r.agent_id, r.deployment_id, coalesce(i.code_version, ${codeBeforeNames(sql, keys)}) as code_version, i.attempt,
  case when i.attempt > 1 and i.code_version is not null then ${isAlone(sql, keys)} else true end as by_one_code`

/** UNNAMED if item `i` of run `r` had ended before any answer of its agent named its code. */
const codeBeforeNames = (sql: Sql, keys: readonly ItemKey[]) => sql`
  case when not exists (select 1 from code_versions v where v.project_id = ${projectOf(keys)} and v.agent_id = r.agent_id
    and v.created_at <= coalesce(i.completed_at, i.started_at)) then ${UNNAMED}::int end`

/** Whether the code of item `i` was known before it started, and no other code of its deployment until it ended. */
const isAlone = (sql: Sql, keys: readonly ItemKey[]) => sql`
  not exists (select 1 from code_versions v where v.project_id = ${projectOf(keys)} and v.deployment_id = r.deployment_id
    and case when v.no = i.code_version then v.created_at > i.started_at
      else i.completed_at is null or v.created_at <= i.completed_at end)`

export interface StepHeadRow extends StepHead {
  /** Its item took it over from the one that it replays. */
  reused: boolean
  /** The place of its item among the keys, from 1. */
  n: number
  attempt: number
  name: string
  cost_micro: number
}

/** The steps of items without their payloads, in the order they ended. */
export async function findStepHeads(sql: Sql, keys: readonly ItemKey[]) {
  return sql<StepHeadRow[]>`
    select k.n::int, s.step_no, s.attempt, s.key, s.kind, s.name, s.outcome, s.cost_micro, s.duration_ms, s.reused,
      floor(extract(epoch from s.started_at) * 1000)::float8 as started_ms,
      ${isWhole(sql, 'output')} as has_output, s.input is not null and ${isWhole(sql, 'input')} as has_input
    from ${rowsOfKeys(sql, keys)}
      cross join lateral (
        select * from steps where project_id = ${projectOf(keys)} and run_id = k.run_id and seq = k.seq offset 0) s
    order by k.n, s.step_no`
}

export interface StepCount {
  /** The place of their item among the keys, from 1. */
  n: number
  attempt: number
  reused: boolean
  steps: number
}

/** How many steps held items go on after: those that succeeded, without the holds. */
export const countKeptSteps = (sql: Sql, keys: readonly ItemKey[]) => sql<StepCount[]>`
  select k.n::int, s.attempt, s.reused, s.steps
  from ${rowsOfKeys(sql, keys)}
    cross join lateral (
      select attempt, reused, count(*)::int as steps from steps
      where project_id = ${projectOf(keys)} and run_id = k.run_id and seq = k.seq
        and error_code is null and key !~ ${HOLD_KEY.source}
      group by 1, 2 offset 0) s
  order by k.n`

export interface FirstMaker extends Ender {
  /** The place of its item among the keys, from 1. */
  n: number
  key: string
  /** The attempt that made the step; `attempt` is the one that ended its item. */
  made_in: number
}

/**
 * What made the steps that items took over, without the holds: by their keys, the nearest item that they descend from
 * and that ran them. Sorting brings the steps of a key together: a join would compare each with all, where PostgreSQL
 * expects few.
 */
export const findFirstMakers = (sql: Sql, keys: readonly ItemKey[]) => sql<FirstMaker[]>`
  with recursive up as (
    select k.n, k.run_id, k.seq, 0 as depth from ${rowsOfKeys(sql, keys)}
    union all
    select up.n, p.from_run_id, p.from_seq, up.depth + 1
    from up cross join lateral (
      select from_run_id, from_seq from replays
      where project_id = ${projectOf(keys)} and run_id = up.run_id and seq = up.seq offset 0) p
    where up.depth < ${LIMITS.lineage_items}
  ), made as (
    select distinct on (up.n, s.key) up.n, s.key, up.run_id, up.seq, up.depth, s.attempt as made_in,
      min(up.depth) over (partition by up.n, s.key) = 0 as taken
    from up cross join lateral (
      select step_no, attempt, key from steps
      where project_id = ${projectOf(keys)} and run_id = up.run_id and seq = up.seq
        and reused = (up.depth = 0) and outcome = 'ok' and key !~ ${HOLD_KEY.source} offset 0) s
    order by up.n, s.key, up.depth = 0, up.depth, s.step_no desc
  )
  select m.n::int, m.key, m.made_in, ${enderOf(sql, keys)}
  from made m
    cross join lateral (
      select * from items where project_id = ${projectOf(keys)} and run_id = m.run_id and seq = m.seq offset 0) i
    cross join lateral (select * from runs where project_id = ${projectOf(keys)} and id = m.run_id offset 0) r
  where m.taken and m.depth > 0`

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
