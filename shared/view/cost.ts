// Words the cost of a step where a provider billed it itself, for the pages and the command line.

import { money } from '../prices/rules/amounts.ts'
import type { Schemas } from '../sdk/client.ts'

/** @example billedWords(step) // "the provider's bill, $0.0105 by its price" */
export function billedWords({ listed_cost_usd }: Pick<Schemas['Step'], 'listed_cost_usd'>): string {
  const listed = listed_cost_usd === null ? '' : `, ${money(listed_cost_usd)} by its price`
  return `the provider's bill${listed}`
}
