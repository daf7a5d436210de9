// Sets a project's own prices, and lets runs that waited for one continue. Guarantee: no recorded cost changes: a price
// counts for items that are claimed after it takes effect.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as store from '../queries/prices.ts'
import { dollars } from '../rules/amounts.ts'
import { foldedName, isPriced, ownersPriceOf, sayNearest } from '../rules/price-book.ts'
import { setPriceCommand } from '../rules/prices.ts'
import { microOf } from '../rules/pricing.ts'

export interface NewPrice {
  model: string
  input_per_mtok: number
  output_per_mtok: number
  cached_input_per_mtok?: number | undefined
  /** From now on when absent. */
  effective_from?: Date | undefined
  /** An owner sets it. */
  by_owner?: boolean
}

/** @throws ApiError `too_many_prices`; `forbidden` where an owner has priced the model */
export async function setPrice(ctx: Context, project_id: string, price: NewPrice): Promise<store.PriceRow> {
  const { cached_input_per_mtok = null, effective_from = new Date(ctx.now()), ...rest } = price
  const known = await store.listPrices(ctx.db, project_id, LIMITS.prices_per_project)
  if (!price.by_owner) refuseOwners(price.model, known)
  const same = known.find(
    row =>
      foldedName(row.model) === foldedName(price.model) &&
      row.effective_from.getTime() === effective_from.getTime(),
  )
  if (known.length >= LIMITS.prices_per_project && same === undefined)
    throw new ApiError(
      'too_many_prices',
      `The project has ${known.length} prices, as many as it may have.`,
      'Remove some that have ended or that no agent uses.',
    )
  const model = same?.model ?? price.model // another spelling takes its place
  const row = { id: ctx.newId(), project_id, ...rest, model, cached_input_per_mtok, effective_from }
  return store.putPrice(ctx.db, row)
}

/** @throws ApiError `forbidden` if an owner priced the model, under any of its names */
function refuseOwners(model: string, prices: readonly store.PriceRow[]): void {
  const theirs = ownersPriceOf(model, prices)
  if (theirs === undefined) return
  throw new ApiError(
    'forbidden',
    `An owner of the account has set the price of ${theirs.model}: only an owner who is signed in changes or removes it.`,
    'Sign in as an owner: assay login, or POST /v1/sessions. Or ask one to change or remove the price.',
  )
}

/**
 * Removes a price as whoever `may` says; it throws where the caller may not price the model. Then nothing is removed.
 * @throws ApiError `not_found`; `forbidden` for an owner's price
 */
export async function removePrice(
  ctx: Context,
  project_id: string,
  id: string,
  { by_owner, may }: { by_owner: boolean; may(model: string): void },
): Promise<store.PriceRow> {
  const gone = await store.deletePrice(ctx.db, project_id, id)
  if (gone === undefined) throw new ApiError('not_found', 'There is no such price in this account.')
  may(gone.model)
  if (!by_owner) refuseOwners(gone.model, [gone])
  return gone
}

/** The chore: lets runs continue that waited for a price which holds by now; returns how many. */
export async function endWaitsForPrices(ctx: Context): Promise<number> {
  let runs = 0
  for (const { project_id, models, prices } of await store.findWaitingForPrice(
    ctx.sql,
    LIMITS.unpriced_runs_per_sweep,
  )) {
    const priced = models.filter(model => isPriced(model, prices, ctx.now()))
    if (priced.length > 0) runs += await store.endWaitForPrice(ctx.sql, project_id, priced)
  }
  return runs
}

/** Models without a price that the agent's latest runs called, the latest first, and those that it declares. */
export async function unpricedModels(
  ctx: Context,
  agent: AgentKey,
  declared?: readonly string[],
): Promise<string[]> {
  return [...new Set((await stillUnpriced(ctx, agent, declared)).map(({ model }) => model))]
}

/** `run_id` is null for a model that the agent declares. */
interface Unpriced {
  model: string
  run_id: string | null
}

/** `declared` defaults to the models that the current version declares. */
async function stillUnpriced(
  ctx: Context,
  agent: AgentKey,
  declared?: readonly string[],
): Promise<Unpriced[]> {
  const [runs, current] = await Promise.all([
    store.findUnpricedRuns(ctx.sql, agent, LIMITS.unpriced_runs_looked_at),
    store.findAgentPrices(ctx.sql, agent),
  ])
  const models = (declared ?? current?.models ?? []).map(model => ({ model, run_id: null }))
  const prices = current?.prices ?? null
  return [...runs, ...models].filter(({ model }) => !isPriced(model, prices, ctx.now()))
}

/**
 * Refuses a submission under a budget that cannot be held: one of the agent's latest runs called a model that still has
 * no price, or the agent declares one.
 *
 * @throws ApiError `unpriced_model`
 */
export async function refuseUnpriced(ctx: Context, agent: AgentKey, budget_micro: number | null) {
  const [found] = await stillUnpriced(ctx, agent)
  if (found === undefined) return
  const { model, run_id } = found
  const budget = budget_micro === null ? 'its budget' : `the budget of ${dollars(budget_micro)}`
  const known = run_id === null ? `declares model ${model}` : `called model ${model} in run ${run_id}`
  throw new ApiError(
    'unpriced_model',
    `The agent ${known}, and no price of it is known: ${budget} cannot be held.`,
    `${sayNearest(model)}Set the price with ${setPriceCommand(model)} (dollars per million tokens), or allow calls without a price: allow_unpriced, on the command line --allow-unpriced.`,
  )
}

/** What a schedule or a trigger starts its runs with. */
interface Start {
  budget_cents?: number | null | undefined
  allow_unpriced?: boolean | undefined
}

/** Refuses a schedule or a trigger if a submission would be refused. @throws ApiError `unpriced_model` */
export async function refuseUnpricedStart(ctx: Context, agent: AgentKey, start: Start): Promise<void> {
  const { budget_cents = null, allow_unpriced = false } = start
  if (allow_unpriced) return
  if (budget_cents !== null) await refuseUnpriced(ctx, agent, microOf(budget_cents))
  else if (await store.isUnderBudget(ctx.sql, agent)) await refuseUnpriced(ctx, agent, null)
}
