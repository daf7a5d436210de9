// Reads the bill that a provider puts into its answer. Guarantee: an amount that is no sum of dollars is no bill.

import { type Fields, fields } from './answer.ts'

/** xAI counts its bill in ticks: https://docs.x.ai/developers/cost-tracking. */
const TICKS_PER_MICRO = 10_000

/** Of a provider's usage, or of what a client keeps of its provider; in micro-dollars, rounded up as costs are. */
export function billOf(reported: Fields | undefined): number | undefined {
  if (reported === undefined) return undefined
  const ticks = amountOf(reported.cost_in_usd_ticks ?? reported.costInUsdTicks)
  if (ticks !== undefined) return whole(ticks / TICKS_PER_MICRO)
  return microOfDollars(dollarsOf(reported))
}

/** Of dollars; undefined if they are no sum. */
export function microOfDollars(dollars: unknown): number | undefined {
  const amount = amountOf(dollars)
  return amount === undefined ? undefined : whole(amount * 1e6)
}

/** Of a provider's own answer, or of the events of its stream. */
export function billIn(answer: unknown): number | undefined {
  const bodies = Array.isArray(answer) ? answer.toReversed() : [answer]
  for (const body of bodies.map(fields)) {
    const bill =
      billOf(fields(body?.usage)) ?? billOf(fields(fields(body?.response)?.usage)) ?? billOfGateway(body)
    if (bill !== undefined) return bill
  }
  return undefined
}

/** LiteLLM writes it beside the answer, Vercel's AI Gateway into what it says of the provider. */
function billOfGateway(body: Fields | undefined): number | undefined {
  const hidden = microOfDollars(fields(body?._hidden_params)?.response_cost)
  if (hidden !== undefined) return hidden
  const choice = fields(Array.isArray(body?.choices) ? body.choices[0] : undefined)
  const said = [body, choice, fields(choice?.message), fields(choice?.delta)]
  const bills = said.map(one =>
    billOf(fields(fields(one?.provider_metadata ?? one?.providerMetadata)?.gateway)),
  )
  return bills.find(bill => bill !== undefined)
}

/** Of the headers that a client keeps. */
export function billInHeaders(headers: unknown): number | undefined {
  const given = fields(headers)
  const named = BILL_HEADERS.map(name => given?.[name]).find(text => text != null)
  return microOfDollars(named)
}

/** Whether a text of an answer may have a bill in it. */
export const mayBill = (text: string): boolean =>
  /"(?:estimated_|response_)?cost(?:_in_usd_ticks)?" *:/.test(text)

/** Headers in which gateways say what a call costs, in dollars. */
export const BILL_HEADERS = ['x-litellm-response-cost']

function dollarsOf(reported: Fields): number | undefined {
  const { cost } = reported
  const itemized = fields(cost)
  // Perplexity lists what its sum is of.
  if (itemized !== undefined) return amountOf(itemized.total_cost ?? itemized.totalCost)
  // With a key of the user's own a gateway charges nothing, and says what the provider charges the user.
  const market = amountOf(reported.market_cost ?? reported.marketCost) ?? 0
  if (amountOf(cost) === 0 && market > 0) return undefined
  // DeepInfra names its bill an estimate.
  const charged = amountOf(cost ?? reported.estimated_cost ?? reported.estimatedCost)
  return charged === undefined ? undefined : withUpstream(charged, reported)
}

/**
 * With a key of the user's own, OpenRouter charges its fee, and the provider behind it charges the user. Clients that
 * leave out whose key it was show it by a fee that is a part of what the provider charges.
 */
function withUpstream(charged: number, reported: Fields): number | undefined {
  const details = fields(reported.cost_details ?? reported.costDetails)
  const upstream = amountOf(details?.upstream_inference_cost ?? details?.upstreamInferenceCost)
  const isOwnKey = reported.is_byok ?? reported.isByok ?? (upstream !== undefined && charged < upstream / 2)
  if (isOwnKey !== true) return charged
  return upstream === undefined ? undefined : charged + upstream
}

/** A gateway writes its amounts as texts, so that they keep their digits. */
function amountOf(value: unknown): number | undefined {
  const amount =
    typeof value === 'string' && /^\d+(?:\.\d+)?(?:e-?\d+)?$/i.test(value) ? Number(value) : value
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined
}

function whole(micro: number): number {
  // As in `costMicro`: the error of a product of doubles must not add a micro-dollar.
  const rounded = Math.ceil(micro * (1 - 2e-15))
  return Math.min(rounded, Number.MAX_SAFE_INTEGER)
}
