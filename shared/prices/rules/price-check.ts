// Checks the price of a model that was called: whether there is one, whose it is, and whether it may be out of date.
// Guarantee: returns what holds at a moment and changes nothing.

import type { DatedPrice } from './price-book.ts'
import { byFoldedName, countedAt, LIST_PRICES, ownPriceOf, priceList } from './price-book.ts'
import { priceAt } from './price-data.ts'
import { pricesAsOf } from './price-day.ts'

export const PRICE_STATES = ['current', 'older_than_list', 'none'] as const

/** The recorded calls of a model and their cost. */
export interface UsedModel {
  model: string
  calls: number
  unpriced_calls: number
  cost_micro: number
}

export interface PriceState {
  state: (typeof PRICE_STATES)[number]
  /** Null when there is no price. */
  source: 'own' | 'list' | null
  /** Provider and model as the list names them; null when the list does not have the model. */
  listed_as: string | null
  effective_ms: number | null
  /** The most similar names in the list, if the model has no price. */
  nearest: string[]
}

const NEAREST = 3

/**
 * A project's own price is `older_than_list` when it began before the list was published and differs from it: the
 * provider may have changed its price since.
 */
export function priceState(model: string, prices: readonly DatedPrice[] | null, ms: number): PriceState {
  const counts = countedAt(prices ?? [], ms)
  const own = ownPriceOf(model, byFoldedName(Object.fromEntries(counts.map(price => [price.model, price]))))
  const found = priceList().find(model)
  const listed_as = found === undefined ? null : `${found.provider} ${found.model}`
  if (own === undefined) {
    // The model of the examples has a price, but is not in the list.
    const isPriced = found !== undefined || LIST_PRICES.priceOf(model, ms) !== undefined
    const nearest = isPriced ? [] : priceList().nearest(model, NEAREST)
    return isPriced
      ? { state: 'current', source: 'list', listed_as, effective_ms: null, nearest }
      : { state: 'none', source: null, listed_as, effective_ms: null, nearest }
  }
  const theirs = found && priceAt(found, ms)
  const differs =
    theirs !== undefined &&
    (theirs.input_per_mtok !== own.input_per_mtok || (theirs.output_per_mtok ?? 0) !== own.output_per_mtok)
  const isOlder = differs && own.effective_ms < Date.parse(pricesAsOf())
  const state = isOlder ? 'older_than_list' : 'current'
  return { state, source: 'own', listed_as, effective_ms: own.effective_ms, nearest: [] }
}
