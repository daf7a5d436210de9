// Reads the facts that decide whether items of a run may begin, and their recorded steps; reaps expired claims.
// Guarantee: all facts about a run are of one moment; a claim computes the decisive ones again under its lock.

import { isHeld } from '../../accounts/queries/installation.ts'
import type { ProjectSettings } from '../../accounts/tables/projects.ts'
import type { AgentProtocol, DeploymentKind } from '../../agents/vocabulary.ts'
import type { Sql } from '../../context.ts'
import type { DeployedDeclaration } from '../../grading/rules/grading.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { become, countMoves, endedItemsOf, guard, useMoves } from '../../items/queries/transitions.ts'
import type { Outcome, StepKind, StopReason } from '../../items/vocabulary.ts'
import { findProjects } from '../../kernel/each-project.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { hasSeq } from '../../kernel/packed-columns.ts'
import { runBudgets } from '../../prices/queries/budgets.ts'
import { pricesOf } from '../../prices/queries/prices.ts'
import type { PeriodBudget } from '../../prices/rules/budgets.ts'
import type { DatedPrice } from '../../prices/rules/price-book.ts'
import type { Late } from '../rules/consumer-time.ts'
import { runsWithCaps } from './admission.ts'
import { cutIsDue, keptPlaces, outlasts, unlessCut } from './open-runs.ts'
import { OFFERED_ITEMS, pilotLeft } from './pilots.ts'

/** Everything that decides how many items of a run may start, at one moment. */
export interface ReadRun {
  id: string
  project_id: string
  /** Null if the project was deleted. */
  account_id: string | null
  agent_id: string
  stop_reason: StopReason | null
  budget_micro: number | null
  cost_micro: number
  concurrency: number | null
  timeout_seconds: number | null
  next_seq: number
  total_items: number
  /** How many items are offered: all, or fewer in a pilot. */
  offered_items: number
  pilot_left: number | null
  /** Size of all inputs together; 0 if they were copied from other runs. */
  input_bytes: number
  running: number
  ended: number
  queued: number
  due: number
  is_suspended: boolean
  is_held: boolean
  project_running: number
  /** Places of the project, and of the run, that a late consumer leaves to fresh ones. */
  kept_places: number
  kept_of_run: number
  /** All of its items wait for a fresh consumer, so a late one takes none. */
  waits_for_fresh: boolean
  /** Milliseconds since the run was submitted, last claimed from or last polled in vain. */
  waited_ms: number
  /** Its items have originals. */
  is_replay: boolean
  spent_micro: number
  credit_micro: number | null
  settings: ProjectSettings
  waits_for_price: boolean
  unpriced_model: string | null
  allow_unpriced: boolean
  /** Why its items are not tried any more; null if they are. */
  unavailable: string | null
  budgets: (PeriodBudget & { running: number })[]
  prices: DatedPrice[] | null
  /** The day that spending is filed under; null if the project has no budget by day or month. */
  spend_day: string | null
  deployment: RunDeployment | null
}

export interface RunDeployment {
  id: string
  kind: DeploymentKind
  protocol: AgentProtocol
  url: string | null
  bundle_hash: string | null
  declaration: DeployedDeclaration
  env_sealed: string | null
}

/** The deployment `d` as a `RunDeployment`. */
export const RUN_DEPLOYMENT = `jsonb_build_object('id', d.id, 'kind', d.kind, 'protocol', d.protocol,
  'url', d.url, 'bundle_hash', d.bundle_hash,
  'declaration', d.declaration || jsonb_build_object('default_checks', d.default_checks), 'env_sealed', d.env_sealed)`

/** Undefined if the run has finished, is materializing or does not exist. */
export async function readRun(
  sql: Sql,
  { project_id, run_id }: RunKey,
  late?: Late,
): Promise<ReadRun | undefined> {
  const [row] = await sql<ReadRun[]>`
    select r.id, r.project_id, p.account_id, r.agent_id, r.stop_reason, r.budget_micro, r.cost_micro, r.concurrency,
      r.timeout_seconds, r.next_seq, r.total_items, ${sql.unsafe(OFFERED_ITEMS)} as offered_items, r.input_bytes,
      ${sql.unsafe(pilotLeft(endedItemsOf('r')))} as pilot_left, r.running, ${sql.unsafe(endedItemsOf('r'))} as ended,
      r.total_items - r.running - r.paused - ${sql.unsafe(endedItemsOf('r'))} as queued,
      (select count(*)::int from (
        select from due_items d where d.project_id = own.id and d.run_id = r.id and d.due_at <= now() ${unlessCut(sql, late)} limit 1000) due) as due,
      r.replay_of is not null or r.recovery_id is not null as is_replay,
      c.status is distinct from 'active' as is_suspended, ${isHeld(sql)} as is_held,
      u.running as project_running, extract(epoch from now() - r.touched_at)::float8 * 1000 as waited_ms,
      ${late === undefined ? sql`0` : keptPlaces(sql, late, 'own.id')} as kept_places,
      ${late === undefined ? sql`0` : sql.unsafe(`${cutIsDue('own.id')}::int`)} as kept_of_run,
      ${outlasts(sql, late)} as waits_for_fresh,
      u.spent_micro, p.credit_micro, p.settings, r.waits_for_price, r.unpriced_model, r.allow_unpriced, r.unavailable,
      ${sql.unsafe(runBudgets('own.id'))} as budgets, ${pricesOf(sql, sql`own.id`)} as prices,
      u.spend_day::text,
      case when d.id is null then null else ${sql.unsafe(RUN_DEPLOYMENT)} end as deployment
    from (select ${project_id}::uuid as id) own cross join ${sql.unsafe(runsWithCaps('own.id'))}
    where r.project_id = own.id and r.id = ${run_id} and r.finished_at is null and not r.materializing`
  return row
}

export interface RecordedRow {
  seq: number
  key: string
  kind: StepKind
  outcome: Outcome
  outcome_reason: OutcomeReason | null
  reused: boolean
  output: string | null
  duration_ms: number
}

/** Steps of items that succeeded in earlier attempts, in order. */
export async function findRecordedSteps(sql: Sql, { project_id, run_id }: RunKey, seqs: readonly number[]) {
  return sql<RecordedRow[]>`
    select seq, key, kind, outcome, outcome_reason, reused, output, duration_ms from steps s
    where s.project_id = ${project_id} and s.run_id = ${run_id} and ${hasSeq(sql, 's', seqs)} and error_code is null
    order by seq, step_no`
}

interface Reaped {
  run_id: string
  items: number
}

/**
 * Ends claims whose lease has expired and offers their running items again, the earliest of a project first, until these
 * claims have `items` items. Returns the affected runs.
 */
export async function reapClaims(sql: Sql, items: number): Promise<Reaped[]> {
  const look = sql`select project_id from claims where lease_until < now() group by 1 order by min(lease_until)`
  const reaped: Reaped[] = []
  for (const project_id of await findProjects(sql, look)) {
    const left = items - reaped.reduce((sum, run) => sum + run.items, 0)
    if (left <= 0) break
    reaped.push(...(await reapOf(sql, left, project_id)))
  }
  return reaped
}

/**
 * In separate statements: Citus passes no arrays and no locked rows between the parts of one. Runs are locked in the order
 * of their ids, as in all other statements.
 */
async function reapOf(outer: Sql, items: number, project_id: string): Promise<Reaped[]> {
  const reaped = await outer.begin(async tx => {
    const sql = tx as unknown as Sql
    const dead = await endDeadClaims(sql, items, project_id)
    const lost = dead.flatMap(({ seqs, attempts, ...claim }, of_claim) =>
      seqs.map((seq, i) => ({ ...claim, of_claim, seq, attempt: attempts[i] })),
    )
    if (lost.length === 0) return []
    const runs = [...new Set(dead.map(claim => claim.run_id))]
    await sql`select 1 from runs where project_id = ${project_id} and id = any(${runs}::uuid[]) order by id for no key update`
    return offerAgain(sql, project_id, lost)
  })
  return reaped as Reaped[]
}

interface DeadClaim {
  run_id: string
  seqs: number[]
  attempts: number[]
  is_handed: boolean
  was_heard: boolean
}

const endDeadClaims = (sql: Sql, items: number, project_id: string) => sql<DeadClaim[]>`
    delete from claims where project_id = ${project_id} and id in (
      select id from claims where project_id = ${project_id} and lease_until < now() and id in (
        select id from (
          select id, sum(cardinality(seqs)) over (order by lease_until, id) - cardinality(seqs) as before
          from (select id, seqs, lease_until from claims where project_id = ${project_id} and lease_until < now()
            order by lease_until, id limit ${items}) expired) counted
        where before < ${items})
      for update skip locked)
    returning run_id, seqs, attempts, handed_from is not null as is_handed, heard_at is not null as was_heard`

/**
 * Items that their agent was to answer later, and did not, are sent again in halves if they were several: one of them may
 * have ended the agent. If they fall silent again, each is sent by itself.
 */
const offerAgain = (sql: Sql, project_id: string, lost: readonly object[]) => sql<Reaped[]>`
    with lost as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(lost)}::text::jsonb) as t(
        run_id uuid, of_claim int, seq int, attempt smallint, is_handed boolean, was_heard boolean)
    ), held as materialized (
      select l.*, count(*) over (partition by l.of_claim) as among
      from lost l cross join lateral (select from items i where i.project_id = ${project_id} and i.run_id = l.run_id
        and i.seq = l.seq and i.attempt = l.attempt and ${sql.unsafe(guard('requeue'))} offset 0) i
    ), known as materialized (
      select h.*, h.is_handed and h.among > 1 as is_shared,
        h.is_handed and exists (select from attempts a where a.project_id = ${project_id} and a.run_id = h.run_id
          and a.seq = h.seq and a.code = 'request_split') as was_split
      from held h
    ), freed as (
      update items i set ${sql.unsafe(become('requeue'))},
        transport_failures = i.transport_failures + (not k.is_shared)::int::smallint
      from known k
      where i.project_id = ${project_id} and i.run_id = k.run_id and i.seq = k.seq and i.attempt = k.attempt
        and ${sql.unsafe(guard('requeue'))}
      returning i.run_id, i.seq, i.attempt, i.started_at, k.is_handed, k.was_heard, k.is_shared, case
        when k.was_split or i.transport_failures >= 2 then 1
        when k.is_shared then ceil(k.among / 2.0)::smallint end as together
    ), logged as (
      insert into attempts (project_id, run_id, seq, attempt, started_at, code, message)
      select ${project_id}::uuid, run_id, seq, attempt, started_at,
        case when is_shared then 'request_split' when is_handed and not was_heard then 'answer_never_came'
          else 'lease_lost' end,
        case when not is_handed then 'The consumer that held the item stopped answering.'
          when was_heard then 'The agent, which was to answer later, stopped sending.'
          else 'The agent, which was to answer later, sent nothing.' end
          || case when is_shared then ' The item is sent again, at most ' || together || ' together.' else '' end
      from freed on conflict do nothing
    ), due as (
      insert into due_items (project_id, run_id, seq, due_at, together)
      select ${project_id}::uuid, run_id, seq, now(), together from freed on conflict do nothing
    ), per_run as (
      select run_id, count(*)::int as items from freed group by 1
    ), counted as (
      update runs r set ${sql.unsafe(countMoves({ requeue: 'p.items' }))} from per_run p
      where r.project_id = ${project_id} and r.id = p.run_id
      returning p.items
    ), used as (
      update project_usage u set ${sql.unsafe(useMoves({ requeue: 'c.items' }))}
      from (select sum(items)::int as items from counted having count(*) > 0) c where u.project_id = ${project_id}
    )
    select run_id, items from per_run`
