// Copies items that did not work, or were cancelled, into a new run, with the steps that need not run again. Guarantee:
// under the locks of the originals' runs, an item is copied only while no replay of it is under way or has worked. Its
// copy, the decision on the original and all counters are one statement.

import type { Sql } from '../../context.ts'
import { projectOf, recordId, rowsOfKeys } from '../../items/queries/item-keys.ts'
import { countMoves, isUndecided } from '../../items/queries/transitions.ts'
import { authorName } from '../../items/rules/started-by.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import type { AgentKey, ItemKey, RunKey } from '../../kernel/ids.ts'
import { numbers } from '../../kernel/packed-columns.ts'
import { HOLD_KEY } from '../../protocol/rules/protocol.ts'
import { canBeReplayed } from '../../triage/queries/triage.ts'
import { countJudged, isVerdict } from '../../triage/queries/verdicts.ts'

export interface NewReplayRun {
  id: string
  project_id: string
  agent_id: string
  deployment_id: string | null
  name: string | null
  replay_of: string | null
  recovery_id: string | null
  /** Who ordered the replay. */
  started_by: StartedBy | null
  timeout_seconds: number | null
  patience_seconds: number | null
  budget_micro: number | null
}

/** Inserts a run that takes copies until it is opened. It gets the tags of the run that it replays. */
export async function insertReplayRun(sql: Sql, run: NewReplayRun): Promise<void> {
  const started_by = run.started_by && sql.json({ ...run.started_by })
  await sql`insert into runs ${sql({ ...run, started_by, materializing: true })}`
  const { project_id, id, replay_of } = run
  if (replay_of !== null)
    await sql`
      update runs r set tags = o.tags from runs o
      where r.project_id = ${project_id} and r.id = ${id} and o.project_id = ${project_id} and o.id = ${replay_of}`
}

/** Opens the run for dispatch. If the run that it replays may call models without a price, so may this one. */
export async function openReplayRun(sql: Sql, { project_id, run_id }: RunKey): Promise<void> {
  await sql`
    update runs r set materializing = false, touched_at = now(), allow_unpriced = coalesce((
      select o.allow_unpriced from runs o where o.project_id = ${project_id} and o.id = r.replay_of), false)
    where project_id = ${project_id} and id = ${run_id} and materializing and stop_reason is null`
}

/** Locks runs of a project in the order of their ids, so that two callers that lock several do not deadlock. */
export async function lockRuns(sql: Sql, keys: readonly RunKey[]): Promise<void> {
  await sql`
    select 1 from runs where project_id = ${projectOf(keys)} and id = any(${[...new Set(keys.map(key => key.run_id))]}::uuid[])
    order by id for no key update`
}

/** A step of the `n`th key. */
interface Place {
  n: number
  step_no: number
}

export interface Copy extends RunKey {
  keys: readonly ItemKey[]
  /** Copy only items without a decision, as a cohort does. */
  in_feed: boolean
  /** Replaces the original's input; null keeps it. */
  input: string | null
  /** Who ordered it. */
  by: StartedBy | null
  /** Steps that are reused. */
  reused: readonly Place[]
  /** Steps that are reused for calls with the same input. */
  offered: readonly Place[]
}

/** The copied items: by their place among the keys, how many steps each took over, those that held it left out. */
export type Copied = { n: number; steps: number }[]

/** Appends copies to a run that is not open yet. Copied steps cost nothing. */
export async function copyItems(sql: Sql, copy: Copy): Promise<Copied> {
  const { project_id, run_id, keys } = copy
  return sql<Copied>`
    with chosen as materialized (
      select k.n, i.run_id, i.seq, i.item_id, i.partition_key, coalesce(${copy.input}::text, i.input) as input,
        run.total_items + row_number() over (order by k.n)::int as new_seq,
        coalesce(${sql.unsafe(isUndecided())}, false) as was_undecided, coalesce(t.judged, false) as was_judged, ${wasLeft(sql)} as was_left
      from runs run,
        ${rowsOfKeys(sql, keys)}
        join items i on i.project_id = ${project_id} and i.run_id = k.run_id and i.seq = k.seq
        left join triage t on t.project_id = i.project_id and t.run_id = i.run_id and t.seq = i.seq
      where run.project_id = i.project_id and run.project_id = ${project_id} and run.id = ${run_id} and (coalesce(t.corrected, i.outcome) in ('degraded', 'failed') or i.status = 'cancelled')
        and (not ${copy.in_feed} or t.disposition is null)
        and ${canBeReplayed(sql, 'i')}
    ), reused as materialized (
      select c.n, c.new_seq, row_number() over (partition by c.new_seq order by s.step_no)::int as new_no, s.kind,
        s.outcome, s.started_at, s.duration_ms, s.key, s.name, s.model, s.outcome_reason, s.input, s.output
      from ${placesOf(sql, copy.reused)} join chosen c using (n)
        join steps s on s.project_id = ${project_id} and s.run_id = c.run_id and s.seq = c.seq and s.step_no = place.step_no
    ), placed as (
      insert into items (project_id, run_id, seq, line, status, step_count, replayed_from, item_id, partition_key, input)
      select ${project_id}, ${run_id}, c.new_seq, c.new_seq, 'queued', coalesce(s.steps, 0), ${recordId(sql, 'c')}, c.item_id,
        c.partition_key, c.input
      from chosen c left join (
        select n, count(*)::int as steps from ${placesOf(sql, copy.reused)} group by n) s using (n)
    ), traced as (
      insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, reused, started_at, duration_ms, key,
        name, model, outcome_reason, input, output)
      select ${project_id}, ${run_id}, new_seq, new_no, 0, kind, outcome, true, started_at, duration_ms, key, name, model,
        outcome_reason, input, output
      from reused
    ), linked as (
      insert into replays (project_id, from_run_id, from_seq, run_id, seq, offered_steps)
      select ${project_id}, c.run_id, c.seq, ${run_id}, c.new_seq, o.step_nos
      from chosen c left join (
        select n, array_agg(step_no) as step_nos from ${placesOf(sql, copy.offered)} group by n) o using (n)
    ), replayed as (
      -- A replay of one item counts as a judgement of its verdict; a replay of a cohort does not.
      update triage t set disposition = 'replayed', decided_at = now(), decided_by = ${copy.by && authorName(copy.by)},
        judged = t.judged or (not ${copy.in_feed} and ${isVerdict(sql)})
      from chosen c where t.project_id = ${project_id} and t.run_id = c.run_id and t.seq = c.seq
      returning t.project_id, t.agent_id, t.reason, t.disposition, t.judged, c.was_judged
    ), decided as (select * from replayed where not was_judged), ${countJudged(sql)}, counted as (
      update runs r set ${sql.unsafe(countMoves({ decide: 'c.decided' }))}, cancelled_replayed = r.cancelled_replayed + c.was_left
      from (${ofOriginals(sql)}) c
      where r.project_id = ${project_id} and r.id = c.run_id
    ), n as (select count(*)::int as n from chosen),
    grown as (
      update runs set total_items = total_items + n, touched_at = now() from n
      where project_id = ${project_id} and id = ${run_id}
    )
    select c.n::int, (select count(*)::int from reused where reused.n = c.n and key !~ ${HOLD_KEY.source}) as steps from chosen c order by n`
}

/** Whether item `i` was cancelled and no replay of it has been made. */
const wasLeft = (sql: Sql) => sql`(i.status = 'cancelled' and coalesce((
  select false from replays p where p.project_id = i.project_id and p.from_run_id = i.run_id and p.from_seq = i.seq limit 1),
  true))`

const ofOriginals = (sql: Sql) => sql`
  select run_id, count(*) filter (where was_undecided)::int as decided, count(*) filter (where was_left)::int as was_left
  from chosen where was_undecided or was_left group by 1`

const placesOf = (sql: Sql, places: readonly Place[]) => sql`
  unnest(${numbers(places.map(p => p.n))}::text::int[], ${numbers(places.map(p => p.step_no))}::text::int[])
    as place(n, step_no)`

export async function hasStep(sql: Sql, { project_id, run_id, seq }: ItemKey, key: string): Promise<boolean> {
  const rows = await sql`
    select 1 from steps where project_id = ${project_id} and run_id = ${run_id} and seq = ${seq} and key = ${key} limit 1`
  return rows.length > 0
}

export interface OriginalRun {
  project_id: string
  agent_id: string
  deployment_id: string | null
  name: string | null
  timeout_seconds: number | null
  patience_seconds: number | null
}

/** What a replay inherits from the run of its original. */
export async function findOriginalRun(sql: Sql, runId: string): Promise<OriginalRun> {
  const [row] = await sql<OriginalRun[]>`
    select project_id, agent_id, deployment_id, name, timeout_seconds, patience_seconds from runs where id = ${runId}`
  return row!
}

export async function findCurrentDeployment(
  sql: Sql,
  { project_id, agent_id }: AgentKey,
): Promise<string | null> {
  const [row] = await sql<{ id: string | null }[]>`
    select current_deployment_id as id from agents where project_id = ${project_id} and id = ${agent_id}`
  return row?.id ?? null
}

export interface Relative extends ItemKey {
  record_id: string
  /** Distance from the item's own generation: negative for its originals, positive for replays. */
  generation: number
  replayed_from: string | null
  status: string
  outcome: string | null
}

/** An item with all originals it descends from and all replays of those, oldest first. */
export async function findLineage(sql: Sql, { project_id, run_id, seq }: ItemKey, limit: number) {
  return sql<Relative[]>`
    with recursive up as (
      select ${run_id}::uuid as run_id, ${seq}::int as seq, 0 as depth
      union all
      select p.from_run_id, p.from_seq, up.depth + 1
      from up join replays p on p.project_id = ${project_id} and p.run_id = up.run_id and p.seq = up.seq where up.depth < ${limit}
    ), down as (
      (select run_id, seq, 0 as depth, null::uuid as from_run_id, null::int as from_seq from up
        order by up.depth desc limit 1)
      union all
      select p.run_id, p.seq, down.depth + 1, p.from_run_id, p.from_seq
      from down join replays p
        on p.project_id = ${project_id} and p.from_run_id = down.run_id and p.from_seq = down.seq
      where down.depth < ${limit}
    )
    select i.project_id, d.run_id, d.seq, ${recordId(sql, 'd')} as record_id,
      d.depth - (select max(depth) from up) as generation, i.replayed_from, i.status, i.outcome
    from down d join items i on i.project_id = ${project_id} and i.run_id = d.run_id and i.seq = d.seq
    order by d.depth, d.run_id, d.seq limit ${limit}`
}
