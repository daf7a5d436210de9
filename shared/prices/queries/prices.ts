// Reads and writes a project's own prices, and the runs that wait for one.

import { and, asc, desc, eq } from 'drizzle-orm'
import type { Fragment } from 'postgres'
import type { unpricedModel } from '../../alerts/rules/alerts.ts'
import type { Database, Sql } from '../../context.ts'
import { findInEach } from '../../kernel/each-project.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { lockedIds } from '../../kernel/locked-ids.ts'
import type { DatedPrice } from '../rules/price-book.ts'
import { prices } from '../tables/prices.ts'
import { underBudget } from './budgets.ts'

export type PriceRow = typeof prices.$inferSelect

/** By model, and within a model the price that begins last comes first. */
export function listPrices(db: Database, project_id: string, limit: number): Promise<PriceRow[]> {
  return db
    .select()
    .from(prices)
    .where(eq(prices.project_id, project_id))
    .orderBy(asc(prices.model), desc(prices.effective_from))
    .limit(limit)
}

/** Stores a price; it replaces a price of the same model that begins at the same moment. */
export async function putPrice(db: Database, price: typeof prices.$inferInsert): Promise<PriceRow> {
  const { input_per_mtok, output_per_mtok, cached_input_per_mtok = null, by_owner = false } = price
  const [row] = await db
    .insert(prices)
    .values(price)
    .onConflictDoUpdate({
      target: [prices.project_id, prices.model, prices.effective_from],
      set: { input_per_mtok, output_per_mtok, cached_input_per_mtok, by_owner },
    })
    .returning()
  return row!
}

export async function deletePrice(
  db: Database,
  project_id: string,
  id: string,
): Promise<PriceRow | undefined> {
  const [row] = await db
    .delete(prices)
    .where(and(eq(prices.project_id, project_id), eq(prices.id, id)))
    .returning()
  return row
}

/** The prices of a project, as JSON; null where it has none. */
export const pricesOf = (sql: Sql, project: Fragment) => sql`(
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('model', m.model,
    'effective_ms', extract(epoch from m.effective_from) * 1000, 'input_per_mtok', m.input_per_mtok,
    'output_per_mtok', m.output_per_mtok, 'cached_input_per_mtok', m.cached_input_per_mtok, 'by_owner', nullif(m.by_owner, false))))
  from prices m where m.project_id = ${project})`

interface UnpricedRuns {
  project_id: string
  models: string[]
  prices: DatedPrice[] | null
}

/** Projects with runs that wait for the price of a model, in random order: some may wait for ever. */
export function findWaitingForPrice(sql: Sql, limit: number) {
  const look = sql`
    select project_id from runs where waits_for_price and unpriced_model <> '' group by 1 order by random()`
  return findInEach(
    sql,
    look,
    limit,
    project_id => sql<UnpricedRuns[]>`
    select p.id as project_id, waiting.models, ${pricesOf(sql, sql`${project_id}`)} as prices
    from projects p, (
      select array_agg(distinct unpriced_model) as models from (
        -- The limit counts models, not runs, so ten thousand runs that wait for one price count once.
        select distinct unpriced_model from runs
        where project_id = ${project_id} and waits_for_price and unpriced_model <> '' limit ${limit}) looked_at) waiting
    where p.id = ${project_id} and waiting.models is not null`,
  )
}

/** Lets runs that wait for the price of these models continue; returns how many. */
export async function endWaitForPrice(sql: Sql, project_id: string, models: readonly string[]) {
  const waits = sql`project_id = ${project_id} and waits_for_price and unpriced_model = any(${[...models]}::text[])`
  const result = await sql`
    update runs set waits_for_price = false, unpriced_model = null
    where id = any(${lockedIds(sql, 'runs', waits)}) and ${waits}`
  return result.count
}

/**
 * Open runs under a budget that called a model without a price, unless they have an alert already. In random order:
 * runs whose alert is open under another run's name stay on the list, and would hide other projects from every query.
 */
export function findUnheldBudgets(sql: Sql, limit: number) {
  const look = sql`
    select project_id from runs where finished_at is null and unpriced_model is not null group by 1 order by random()`
  return findInEach(
    sql,
    look,
    limit,
    (project_id, limit) => sql<Parameters<typeof unpricedModel>[0][]>`
    select r.project_id, r.agent_id, a.slug as agent_slug, r.id as run_id, nullif(r.unpriced_model, '') as model,
      r.allow_unpriced as allowed, now() as since
    from runs r join agents a on a.project_id = r.project_id and a.id = r.agent_id
      left join deployments d on d.project_id = r.project_id and d.id = coalesce(r.deployment_id, a.current_deployment_id)
    where r.project_id = ${project_id} and r.finished_at is null and r.unpriced_model is not null
      and (r.waits_for_price or r.budget_micro is not null or d.declaration ? 'item_budget_cents'
        or exists (select 1 from budgets b
          where b.project_id = r.project_id and (b.agent_id is null or b.agent_id = r.agent_id)))
      and not exists (select 1 from alerts a where a.project_id = r.project_id and a.run_id = r.id)
    order by random() limit ${limit}`,
  )
}

/** Whether the agent's runs have a budget that is not the run's own. */
export async function isUnderBudget(sql: Sql, { project_id, agent_id }: AgentKey): Promise<boolean> {
  const [row] = await sql<{ under_budget: boolean }[]>`
    select ${underBudget(sql, project_id)} as under_budget from agents a
      left join deployments d on d.project_id = a.project_id and d.id = a.current_deployment_id
    where a.project_id = ${project_id} and a.id = ${agent_id}`
  return row?.under_budget ?? false
}

/** The models without a price that an agent's latest runs called, the latest first. */
export function findUnpricedRuns(sql: Sql, { project_id, agent_id }: AgentKey, runs: number) {
  return sql<{ run_id: string; model: string }[]>`
    select id as run_id, unpriced_model as model
    from (select * from runs where project_id = ${project_id} and agent_id = ${agent_id} order by id desc limit ${runs}) r
    where unpriced_model <> '' order by id desc`
}

/** The prices of an agent's project, and the models that its current version declares. */
export async function findAgentPrices(sql: Sql, { project_id, agent_id }: AgentKey) {
  const [row] = await sql<{ models: string[] | null; prices: DatedPrice[] | null }[]>`
    select d.declaration->'models' as models, ${pricesOf(sql, sql`${project_id}`)} as prices
    from agents a left join deployments d on d.project_id = a.project_id and d.id = a.current_deployment_id
    where a.project_id = ${project_id} and a.id = ${agent_id}`
  return row
}
