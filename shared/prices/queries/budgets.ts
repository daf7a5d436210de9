// Reads and writes budgets by day and month: which of them bound a run, whether it waits for one, and what was spent.
// Guarantee: a budget's row is changed after its project's usage row, under that row's lock, so `spent_micro` is the
// sum of its days in `spending` at every commit.

import { sql as raw, type SQL } from 'drizzle-orm'
import { projects, projectUsage } from '../../accounts/tables/projects.ts'
import type { Database, Sql } from '../../context.ts'
import type { BudgetPeriod } from '../rules/budgets.ts'
import type { SpendDay } from '../rules/spend-days.ts'
import { budgets } from '../tables/budgets.ts'
import type { BudgetsRow } from '../wire/budgets.ts'

/** Condition: runs of the agent `a` of a project, whose deployment is `d`, have a budget however they are started. */
export const underBudget = (sql: Sql, project_id: string) => sql`(
  coalesce(d.declaration ? 'item_budget_cents', false) or exists (
    select 1 from budgets g where g.project_id = ${project_id} and (g.agent_id is null or g.agent_id = a.id)))`

/** Condition: `b` is a budget of the run `r`, of its project or of its agent. */
const ofRun = (project: string) =>
  `b.project_id = ${project} and (b.agent_id is null or b.agent_id = r.agent_id)`
const OF_RUN = ofRun('r.project_id')

/** Items in flight that spend from a budget `b` of the run `r`, where `u` is its project's usage. */
const inFlight = (project: string) => `case when b.agent_id is null then u.running else (
  select coalesce(sum(o.running), 0)::int from runs o
  where o.project_id = ${project} and o.agent_id = r.agent_id and o.finished_at is null) end`

/** The budgets of the run `r` with what is in flight, as JSON; `u` is its project's usage, `a` its agent. */
export const runBudgets = (project: string) => `(
  select coalesce(jsonb_agg(jsonb_build_object('period', b.period,
    'agent_slug', case when b.agent_id is null then null else a.slug end, 'limit_micro', b.limit_micro,
    'spent_micro', b.spent_micro, 'running', ${inFlight(project)}) order by b.spent_micro >= b.limit_micro desc, b.period),
    '[]')
  from budgets b where ${ofRun(project)})`

/** The room that the tightest budget leaves; `room` computes it from a bound, its spending and its items in flight. */
export const tightestBudget = (
  project: string,
  room: (bound: string, spent: string, running: string) => string,
): string =>
  `(select min(${room('b.limit_micro', 'b.spent_micro', inFlight(project))}) from budgets b where ${ofRun(project)})`

/**
 * Condition: credit, a period's budget or a missing price keeps items of `r` from being dispatched, not the run's own
 * budget; `u` is its project's usage, `p` its project.
 */
export const WAITS_FOR_MONEY = `(coalesce(u.spent_micro >= p.credit_micro, false) or r.waits_for_price
  or exists (select 1 from budgets b where ${OF_RUN} and b.spent_micro >= b.limit_micro))`

/**
 * Adds what a statement has spent to its day and its budgets, if the project counts its days: `used` names the
 * project's usage row that the statement has just changed, and `counted` its run. Reading through `used` locks the rows
 * of budgets after that of the usage.
 */
export const fileSpending = (sql: Sql, project_id: string) => sql`
  filed as (
    insert into spending as s (project_id, agent_id, day, spent_micro)
    select c.project_id, c.agent_id, u.spend_day, c.spent from used u, counted c
    where u.spend_day is not null and c.spent > 0
    on conflict (project_id, day, agent_id) do update set spent_micro = s.spent_micro + excluded.spent_micro
  ), charged as (
    update budgets b set spent_micro = b.spent_micro + c.spent from used u, counted c
    where u.spend_day is not null and c.spent > 0 and b.project_id = ${project_id} and b.project_id = u.project_id
      and (b.agent_id is null or b.agent_id = c.agent_id)
  )`

/** Columns about the budgets of a project: its own if `agent_id` is null, else those of the agent. */
export const budgetColumns = (agent_id: SQL, project: SQL = raw`${projectUsage.project_id}`) => ({
  budgets: raw<BudgetsRow['budgets']>`(
    select coalesce(jsonb_agg(jsonb_build_object('period', b.period, 'limit_micro', b.limit_micro,
      'spent_micro', b.spent_micro) order by b.period), '[]')
    from budgets b where b.project_id = ${project} and b.agent_id is not distinct from ${agent_id})`,
  spend_day: projectUsage.spend_day,
  timezone: raw<string | null>`${projects.settings}->>'timezone'`,
})

export interface BudgetChange {
  project_id: string
  agent_id: string | null
  period: BudgetPeriod
  /** Null removes the budget. */
  limit_micro: number | null
}

/** Sets or removes a budget. The caller holds the lock of the usage row. */
export async function putBudget(db: Database, change: BudgetChange): Promise<void> {
  const { project_id, agent_id, period, limit_micro } = change
  if (limit_micro === null)
    await db.execute(raw`
      delete from budgets
      where project_id = ${project_id} and period = ${period} and agent_id is not distinct from ${agent_id}::uuid`)
  else
    await db
      .insert(budgets)
      .values({ project_id, agent_id, period, limit_micro })
      .onConflictDoUpdate({
        target: [budgets.project_id, budgets.agent_id, budgets.period],
        set: { limit_micro, updated_at: raw`excluded.updated_at` },
      })
}

/** Begins a project's day, or stops counting if it has no budget; the caller holds the lock of the usage row. */
export async function setSpendDay(db: Database, project_id: string, { day, ends_at }: SpendDay) {
  const counts = raw`exists (select 1 from budgets b where b.project_id = u.project_id)`
  await db.execute(raw`
    update project_usage u set spend_day = case when ${counts} then ${day}::date end,
      spend_day_ends_at = case when ${counts} then ${ends_at.toISOString()}::timestamptz end
    where project_id = ${project_id}`)
  await db.execute(raw`
    update budgets own set spent_micro = summed.micro from (
      select b.agent_id, b.period, ${raw.raw(SPENT_IN_PERIOD)} as micro
      from budgets b join project_usage u on u.project_id = b.project_id where b.project_id = ${project_id}) summed
    where own.project_id = ${project_id} and own.agent_id is not distinct from summed.agent_id and own.period = summed.period`)
}

/** The sum, for the budget `b`, of the days in the period that contains the day of `u`. */
const SPENT_IN_PERIOD = `coalesce((
  select sum(s.spent_micro)::bigint from spending s
  where s.project_id = b.project_id and (b.agent_id is null or s.agent_id = b.agent_id)
    and s.day between date_trunc(b.period::text, u.spend_day)::date and u.spend_day), 0)`

/**
 * Waits for flushes under way, before the usage row is locked: their snapshots lack a new budget, so they would not
 * charge it. A flush holds the table from its beginning on.
 */
export async function lockBudgets(db: Database): Promise<void> {
  await db.execute(raw`lock table budgets in share row exclusive mode`)
}

/** Locks a project's usage row; returns the time and the zone of its days, or undefined if the project is gone. */
export async function lockUsage(db: Database, project_id: string) {
  const [row] = await db.execute<{ timezone: string | null; now_ms: number }>(raw`
    select p.settings->>'timezone' as timezone, floor(extract(epoch from now()) * 1000)::float8 as now_ms
    from project_usage u join projects p on p.id = u.project_id
    where u.project_id = ${project_id} for no key update of u`)
  return row
}

/** Projects whose day is over. */
export function findEndedDays(sql: Sql, limit: number) {
  return sql<{ project_id: string }[]>`
    select project_id from project_usage where spend_day_ends_at <= now() order by spend_day_ends_at limit ${limit}`
}

/** Deletes days that no budget reads any more. */
export async function deleteOldSpending(db: Database, project_id: string, day: string, days: number) {
  await db.execute(raw`
    delete from spending where project_id = ${project_id} and day < ${day}::date - ${days}::int`)
}

export interface BudgetRecount {
  period: BudgetPeriod
  agent_slug: string | null
  spent_micro: number
  recount_micro: number
}

/** The budgets that bound a run, each with its days summed again. */
export function recountBudgets(sql: Sql, run_id: string) {
  return sql<BudgetRecount[]>`
    select b.period, case when b.agent_id is null then null else a.slug end as agent_slug, b.spent_micro,
      ${sql.unsafe(SPENT_IN_PERIOD)} as recount_micro
    from runs r join agents a on a.project_id = r.project_id and a.id = r.agent_id
      join project_usage u on u.project_id = r.project_id
      join budgets b on ${sql.unsafe(OF_RUN)}
    where r.id = ${run_id} order by b.agent_id nulls first, b.period`
}
