// Forecasts what a recovery would do. Guarantee: changes nothing; counts and costs are of the whole cohort. For a large
// cohort, the steps of its first items stand for all, and the forecast says how many items were read.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import {
  findCohortCost,
  findCohortItems,
  findCostsOfItems,
  findHeldItems,
  findReasons,
} from '../queries/cohort.ts'
import { madeOfHeld, nameMakers } from '../queries/makers.ts'
import { findReplayRuns } from '../queries/replayed-in.ts'
import { type Forecast, Forecaster } from '../rules/forecast.ts'
import { addMade, type MadeSteps, type NamedSteps } from '../rules/makers.ts'
import { type Planned, sayPlan, sayReplayRuns } from '../rules/recovery.ts'
import type { ReuseOrder } from '../rules/reuse.ts'
import type { RecoveryFilter } from '../tables/recovery.ts'
import type { DeploymentChoice } from '../vocabulary.ts'
import { madeOf, reuseOfItems, withinSteps } from './copy.ts'

export interface CostedForecast extends Forecast {
  /** What the items of the cohort have cost. */
  cost_micro: number
  unpriced_items: number
}

interface Asked extends ReuseOrder {
  project_id: string
  filter: RecoveryFilter
  deployment: DeploymentChoice
}

export async function forecast(
  { sql }: Context,
  eligible: number,
  { project_id, filter, deployment, ...order }: Asked,
): Promise<{ forecast: CostedForecast; makers: NamedSteps[] }> {
  const { cost_micro, unpriced } = await findCohortCost(sql, project_id, filter)
  const keys = await findCohortItems(sql, project_id, filter, LIMITS.recovery_plan_items)
  const runIds = [...new Set(keys.map(key => key.run_id))].slice(0, LIMITS.recovery_runs)
  const ofRuns = await findCostsOfItems(sql, project_id, runIds, LIMITS.recovery_chunk_items)
  const dearest = ofRuns.size === 0 ? null : Math.max(...ofRuns.values())
  const forecaster = new Forecaster()
  let made: MadeSteps[] = []
  let next = 0
  while (next < keys.length) {
    const chunk = await withinSteps(sql, keys.slice(next, next + LIMITS.recovery_chunk_items))
    const items = await reuseOfItems(sql, chunk, order)
    for (const { key, item, reuse } of items) forecaster.add(item, reuse, ofRuns.get(key.run_id) ?? dearest)
    made = addMade(made, items.flatMap(madeOf))
    next += chunk.length
  }
  const read = forecaster.forecast()
  const share = read.items === 0 ? 0 : eligible / read.items
  const max_cost_micro = Math.ceil(read.max_cost_micro * share)
  return {
    forecast: { ...read, max_cost_micro, cost_micro, unpriced_items: unpriced },
    makers: await nameMakers(sql, made, { project_id, deployment, run_ids: [] }),
  }
}

/** What made the steps that held items go on after; of a large cohort, of its first items. */
export async function makersOfHeld(
  { sql }: Context,
  { project_id, filter }: Pick<Asked, 'project_id' | 'filter'>,
): Promise<NamedSteps[]> {
  const keys = await findHeldItems(sql, project_id, filter, LIMITS.recovery_plan_items)
  let made: MadeSteps[] = []
  for (let next = 0; next < keys.length; ) {
    const chunk = await withinSteps(sql, keys.slice(next, next + LIMITS.recovery_chunk_items))
    made = addMade(made, await madeOfHeld(sql, chunk))
    next += chunk.length
  }
  return nameMakers(sql, made, { project_id, deployment: 'original', run_ids: [] })
}

/** @throws ApiError `invalid_request`, with the reasons of items that pass the rest of the filter, if there are any */
export async function refuseUnknownReason(
  { sql }: Context,
  { project_id, filter }: Pick<Asked, 'project_id' | 'filter'>,
): Promise<void> {
  const there = await findReasons(sql, project_id, filter, LIMITS.reasons_named)
  if (there.length === 0) return
  const names = there.map(({ reason, count }) => `${reason} (${count})`).join(', ')
  throw new ApiError(
    'invalid_request',
    `No item here has the reason ${JSON.stringify(filter.reason)}.`,
    `There are: ${names}.`,
  )
}

type Ineligible = Planned['ineligible']

/** The newest runs that replay items which pass the filter. */
export async function replayRunsOf(
  { sql }: Context,
  { project_id, filter }: Pick<Asked, 'project_id' | 'filter'>,
  ineligible: Ineligible,
): Promise<string[]> {
  return ineligible.some(({ reason }) => reason === 'replayed') ? findReplayRuns(sql, project_id, filter) : []
}

/** Says why there is nothing to act on, as a dry run does, and which runs do it already. */
export async function nothingToRecover(
  ctx: Context,
  order: Pick<Asked, 'project_id' | 'filter'> & Pick<Planned, 'action'>,
  ineligible: Ineligible,
): Promise<ApiError> {
  const { action, filter } = order
  if (ineligible.length > 0) {
    const plan = sayPlan({ action, eligible: 0, ineligible })
    const runs = sayReplayRuns(await replayRunsOf(ctx, order, ineligible))
    return new ApiError('nothing_to_recover', sentence(plan), runs && sentence(runs))
  }
  if (filter.status !== undefined)
    return new ApiError(
      'nothing_to_recover',
      `No ${filter.status === 'cancelled' ? 'cancelled item' : 'item that did not end well'} passes the filter, or its run has not ended yet.`,
    )
  const which = action === 'resume' ? 'held item' : 'item that waits for a decision'
  return new ApiError('nothing_to_recover', `No ${which} passes the filter.`)
}

const sentence = (words: string) => `${words[0]!.toUpperCase()}${words.slice(1)}.`
