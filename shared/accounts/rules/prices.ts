// A project's own prices, each from a date on. Guarantee: at any moment a model has one price, the latest that has begun;
// what was recorded before keeps the cost it was recorded with.

import { type Price, priceOf } from '../../domain/pricing.ts'

export interface DatedPrice extends Price {
  model: string
  effective_ms: number
}

/** The prices that hold at a moment, by model; undefined where the project has none of its own. */
export function pricesAt(
  prices: readonly DatedPrice[] | null,
  ms: number,
): Record<string, Price> | undefined {
  if (prices === null) return undefined
  const begun = prices
    .filter(price => price.effective_ms <= ms)
    .sort((a, b) => a.effective_ms - b.effective_ms)
  return Object.fromEntries(begun.map(({ model, effective_ms: _, ...price }) => [model, price]))
}

/** Whether a call of the model can be told in money at a moment. */
export const isPriced = (model: string, prices: readonly DatedPrice[] | null, ms: number): boolean =>
  priceOf(model, pricesAt(prices, ms)) !== undefined

/** A model's name as one word of a command line. */
const shellWord = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

export const setPriceCommand = (model: string): string =>
  `assay prices set ${shellWord(model)} --input USD --output USD`

/** Why a model call under a budget cannot be paid from it, and what to do; null where its tokens are missing. */
export function sayUnpriced(step_key: string, model: string | null): string {
  if (model === null)
    return `The model call ${step_key} does not tell its tokens, so the budget cannot be held. Have the agent report its usage; resume the item to let its run go on without.`
  return `Model ${model} (step ${step_key}) has no price, so the budget cannot be held. Set it with ${setPriceCommand(model)}, dollars per million tokens, and the item goes on by itself; or resume it to let its run go on without.`
}
