// Words the messages about a model without a price: why that matters, and the command that sets one.

import { shellWord } from '../../kernel/shell-word.ts'

export const setPriceCommand = (model: string): string =>
  `assay prices set ${shellWord(model)} --input USD --output USD`

/**
 * Says why the cost of a model call cannot be charged to its budget, and what to do. The model is null if its tokens
 * are missing, and `has_price` is true if the price does not say what the call cost.
 */
export function sayUnpriced(step_key: string, model: string | null, has_price: boolean): string {
  if (model === null)
    return `The model call ${step_key} reported no tokens, so the budget cannot be held. Let the agent report its usage, or resume the item to let its run continue without a price.`
  if (has_price)
    return `What the model call ${step_key} cost is not known, so the budget cannot be held: model ${model} has a price, but none for what the call counts or for its service tier, or a count in it is missing or not valid. Resume the item to let its run continue without a price.`
  return `Model ${model} (step ${step_key}) has no price, so the budget cannot be held. Set it with ${setPriceCommand(model)}, dollars per million tokens, and the item continues by itself; or resume it to let its run continue without a price.`
}
