// The requests that the items of a claim are sent in. Guarantee: an item's input is passed on as it was stored, and no
// request is longer than an agent expects.

import { signatureOf } from '../../accounts/verbs/agent-keys.ts'
import type { AgentRequest } from '../../agents/rules/invoke-agent.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { oneLine } from '../../kernel/ndjson.ts'
import {
  ANSWER_URL_HEADER,
  type ItemLine,
  NDJSON,
  type OfferedStep,
  PROTOCOL_VERSION,
} from '../rules/protocol.ts'
import type { OfferedRecord } from '../rules/step-row.ts'
import { itemBudgetMicro } from '../rules/verdict.ts'
import type { Claim } from './claim.ts'
import type { Flight } from './in-flight-item.ts'
import { traceparentOf } from './run-trace.ts'
import type { Timing } from './timing.ts'

/** How a claim is cut into requests. */
export function requestsOf(claim: Claim, flights: readonly Flight[]): Flight[][] {
  const { target } = claim
  // An item under a budget travels alone, so that closing its request at the fence stops nobody else.
  const each = target.protocol === 'json' || target.declaration.item_budget_cents !== undefined
  const size = each ? 1 : LIMITS.request_items
  const groups: Flight[][] = []
  // In the order of the items, so that a request has all that its claim has between its first and its last.
  for (const flight of flights.toSorted((a, b) => a.seq - b.seq)) {
    const last = groups.at(-1)
    if (last === undefined || last.length >= size || flight.item.alone || last[0]!.item.alone)
      groups.push([flight])
    else last.push(flight)
  }
  return groups
}

/** What is left of an item's time, which earlier attempts have used too. */
export const timeLeft = (claim: Claim, flight: Flight) => Math.max(0, claim.timeout_ms - flight.item.ran_ms)

/** What is sent for these items, signed; with the address at which their agent may answer later, where it may. */
export async function requestOf(
  ctx: Context,
  claim: Claim,
  flights: readonly Flight[],
  timing: Timing,
  address: string | undefined,
): Promise<Omit<AgentRequest, 'signal'>> {
  const plain = claim.target.protocol === 'json'
  const body = plain ? flights[0]!.item.input : flights.map(f => itemLine(ctx, claim, f, timing)).join('')
  const headers = {
    ...(plain ? plainHeaders(ctx, claim, flights[0]!, timing) : headersOf(claim)),
    ...(address !== undefined && { [ANSWER_URL_HEADER]: address }),
    ...(await signatureOf(ctx, claim.target, body)),
  }
  return { headers, body }
}

function headersOf(claim: Claim): Record<string, string> {
  return {
    'content-type': NDJSON,
    accept: NDJSON,
    'assay-protocol': PROTOCOL_VERSION,
    'assay-run': claim.run_id,
  }
}

function plainHeaders(ctx: Context, claim: Claim, flight: Flight, timing: Timing): Record<string, string> {
  const { item, attempt } = flight
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'assay-run': claim.run_id,
    'assay-item-id': encodeURIComponent(item.item_id),
    'assay-seq': String(flight.seq),
    'assay-attempt': String(attempt),
    'assay-yield-ms': String(yieldMs(claim, timing)),
    ...callerOf(ctx, claim, flight),
  }
}

/** What is left of the consumer's time, as far as the item may use it. */
const yieldMs = (claim: Claim, timing: Timing) => Math.round(Math.min(timing.yieldMs(), claim.timeout_ms))

/** Where an agent's own spans belong; nothing where spans are not exported. */
function callerOf({ telemetry }: Context, claim: Claim, flight: Flight) {
  return telemetry?.tracing ? { traceparent: traceparentOf(telemetry, claim.run_id, flight) } : undefined
}

/** One line of the request; the input's text is passed on as it was stored. */
function itemLine(ctx: Context, claim: Claim, flight: Flight, timing: Timing): string {
  const { item } = flight
  const budget = itemBudgetMicro(claim.target.declaration, flight)
  const head: Omit<ItemLine, 'input'> = {
    seq: flight.seq,
    attempt: flight.attempt,
    item_id: item.item_id,
    partition_key: item.partition_key,
    timeout_ms: timeLeft(claim, flight),
    yield_ms: yieldMs(claim, timing),
    budget_micro: budget === null ? null : budget - flight.cost_micro,
    recorded: item.recorded,
    ...(item.offered.length > 0 && { recorded_for_input: item.offered.map(offerOf) }),
    ...callerOf(ctx, claim, flight),
  }
  return `${JSON.stringify(head).slice(0, -1)},"input":${oneLine(item.input)}}\n`
}

const offerOf = ({ key, input, output }: OfferedRecord): OfferedStep => ({
  key,
  input: JSON.parse(input),
  output: output === null ? null : JSON.parse(output),
})
