// What the double of the providers charges, in whole thousandths of a micro-dollar, so that its bills have no rounding errors.
// Guarantee: nothing of Assay is used here, so that a price or a sum that Assay has wrong shows.

export interface Tokens {
  input: number
  cached: number
  output: number
  /** Thinking: beside the output where the tariff says so, else among it. */
  thinking: number
}

interface Tariff {
  model: string
  /** Thousandths of a micro-dollar a token, as the provider's page has dollars for a billion tokens. */
  input: number
  cached: number
  output: number
  /** How an answer tells of its cost, beside its tokens. */
  reports?: 'dollars' | 'ticks'
  /** Its thinking is not in the output that it counts. */
  thinksBeside?: true
}

/** The first three are priced by the list of prices, the others only by what their answers say. */
export const TARIFFS: readonly Tariff[] = [
  { model: 'gpt-5-mini', input: 250, cached: 25, output: 2000 },
  { model: 'gpt-4.1-nano', input: 100, cached: 25, output: 400 },
  { model: 'grok-4', input: 3000, cached: 750, output: 15_000, thinksBeside: true },
  { model: 'lab/new-model', input: 137, cached: 41, output: 1_913, reports: 'dollars' },
  { model: 'grok-99', input: 3100, cached: 777, output: 14_900, reports: 'ticks', thinksBeside: true },
]

const MILLI = 1000
const TICKS_PER_MILLI = 10

export interface Charge {
  /** Micro-dollars, rounded up for each call. */
  micro: number
  /** The usage as an answer has it. */
  usage: object
}

export function chargeOf(model: string, { input, cached, output, thinking }: Tokens): Charge {
  const tariff = TARIFFS.find(one => one.model === model)
  if (tariff === undefined) throw new Error(`the double has no tariff of ${model}`)
  const said = tariff.thinksBeside ? output + thinking : output
  const milli = (input - cached) * tariff.input + cached * tariff.cached + said * tariff.output
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + said,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thinking },
    ...(tariff.reports === 'dollars' && { cost: milli / MILLI / 1e6, is_byok: false }),
    ...(tariff.reports === 'ticks' && { cost_in_usd_ticks: milli * TICKS_PER_MILLI }),
  }
  return { micro: Math.ceil(milli / MILLI), usage }
}
