// Builds the requests that the items of a claim are sent in. Guarantee: an item's input is sent as it was stored, and
// no request has more items than an agent expects.

import { signatureOf } from '../../accounts/verbs/agent-keys.ts'
import type { AgentRequest } from '../../agents/rules/invoke-agent.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import type { OfferedRecord } from '../../grading/rules/step-row.ts'
import { itemBudgetMicro } from '../../grading/rules/verdict.ts'
import { oneLine } from '../../json/ndjson.ts'
import { rawJson, toJson } from '../../json/raw-json.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { SENT_BY_US } from '../../kernel/outside.ts'
import {
  ANSWER_URL_HEADER,
  BOUND_UPSTREAMS_HEADER,
  type BoundUpstream,
  type ClosedUpstream,
  type ItemLine,
  NDJSON,
  type OfferedStep,
  PROTOCOL_VERSION,
  UPSTREAM_KEY_HEADER,
  UPSTREAMS_HEADER,
} from '../../protocol/rules/protocol.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'
import { traceparentOf } from '../../settling/verbs/run-trace.ts'
import { callBounds } from '../../upstreams/rules/call-bounds.ts'
import { CLOSED_STATES } from '../../upstreams/rules/states.ts'
import type { UpstreamName } from '../../upstreams/rules/upstream.ts'
import type { Stops } from './stops.ts'
import type { Timing } from './timing.ts'

/** Splits the items of a claim into requests. */
export function requestsOf(claim: Claim, inFlightItems: readonly InFlightItem[]): InFlightItem[][] {
  const { target } = claim
  // An item under a budget travels alone, so that closing its request at the fence stops no other item.
  const each = target.protocol === 'json' || target.declaration.item_budget_cents !== undefined
  const most = each ? 1 : LIMITS.request_items
  const groups: InFlightItem[][] = []
  // In the order of seqs, so that a request has all items of its claim between its first and its last.
  for (const inFlight of inFlightItems.toSorted((a, b) => a.seq - b.seq)) {
    const last = groups.at(-1)
    const { together } = inFlight.item
    if (last && last[0]!.item.together === together && last.length < Math.min(most, together ?? most))
      last.push(inFlight)
    else groups.push([inFlight])
  }
  return groups
}

/** Milliseconds left of an item's time, which earlier attempts have used too. */
export const timeLeft = (claim: Claim, inFlight: InFlightItem) =>
  Math.max(0, claim.timeout_ms - inFlight.item.ran_ms)

/** The signed request for these items, with the address at which their agent may answer later, if it may. */
export async function requestOf(
  ctx: Context,
  claim: Claim,
  inFlightItems: readonly InFlightItem[],
  { timing, stops, address }: { timing: Timing; stops: Stops; address: string | undefined },
): Promise<Omit<AgentRequest, 'signal'>> {
  const plain = claim.target.protocol === 'json'
  const body = plain
    ? inFlightItems[0]!.item.input
    : inFlightItems.map(f => itemLine(ctx, claim, f, timing)).join('')
  const headers = {
    'assay-hop': SENT_BY_US['assay-hop'],
    ...(plain ? plainHeaders(ctx, claim, inFlightItems[0]!, timing) : headersOf(claim)),
    ...(address !== undefined && { [ANSWER_URL_HEADER]: address }),
    ...(!plain && upstreamHeaders(claim, timing, stops)),
    ...(await signatureOf(ctx, claim.target, body)),
  }
  return { headers, body }
}

/** What the agent has to know so that it calls nobody in vain, and keeps the limits that people set. */
function upstreamHeaders({ target, project_id }: Claim, timing: Timing, { key, keysOf }: Stops) {
  const upstreams = timing.upstreams()
  const closed = upstreams
    .closedFor(target, project_id)
    .toSorted((a, b) => b.since_ms - a.since_ms)
    .map(
      ({ state, words, ...place }): ClosedUpstream => ({
        ...named(place),
        fault: CLOSED_STATES[state].faults[0]!,
        words: asciiText(words).slice(0, LIMITS.upstreams_header_words),
      }),
    )
  const bounds = callBounds(upstreams.pacer.setFor(project_id), target.declaration.limits ?? [])
  const declared = bounds.flatMap(({ host, label, requests }): BoundUpstream[] => {
    const keys = label === '' ? [''] : keysOf(label)
    return keys.map(key => ({ ...named({ host, key, model: '' }), requests }))
  })
  return {
    [UPSTREAM_KEY_HEADER]: key,
    ...listHeader(UPSTREAMS_HEADER, closed, LIMITS.upstreams_header_bytes),
    ...listHeader(BOUND_UPSTREAMS_HEADER, declared, LIMITS.bound_upstreams_header_bytes),
  }
}

const named = ({ host, key, model }: Pick<UpstreamName, 'host' | 'key' | 'model'>) => ({
  host,
  ...(key !== '' && { key }),
  ...(model !== '' && { model: asciiText(model) }),
})

/** As many of a list as the header may hold; no header for none. */
function listHeader(name: string, list: readonly object[], bytes: number): Record<string, string> {
  let text = ''
  for (const one of list) {
    const longer = `${text === '' ? '' : `${text},`}${JSON.stringify(one)}`
    if (longer.length > bytes) break
    text = longer
  }
  return text === '' ? {} : { [name]: `[${text}]` }
}

/** A header has no other characters. */
const asciiText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

function headersOf(claim: Claim): Record<string, string> {
  return {
    'content-type': NDJSON,
    accept: NDJSON,
    'assay-protocol': PROTOCOL_VERSION,
    'assay-run': claim.run_id,
  }
}

function plainHeaders(
  ctx: Context,
  claim: Claim,
  inFlight: InFlightItem,
  timing: Timing,
): Record<string, string> {
  const { item, attempt } = inFlight
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'assay-run': claim.run_id,
    'assay-item-id': encodeURIComponent(item.item_id),
    'assay-seq': String(inFlight.seq),
    'assay-attempt': String(attempt),
    'assay-yield-ms': String(yieldMs(claim, timing)),
    ...callerOf(ctx, claim, inFlight),
  }
}

/** Milliseconds left of the consumer's time, as far as the item may use them. */
const yieldMs = (claim: Claim, timing: Timing) => Math.round(Math.min(timing.yieldMs(), claim.timeout_ms))

/** The parent of the agent's own spans; nothing if spans are not exported. */
function callerOf({ telemetry }: Context, claim: Claim, inFlight: InFlightItem) {
  return telemetry?.tracing ? { traceparent: traceparentOf(telemetry, claim.run_id, inFlight) } : undefined
}

/** One line of the request; the input's text is sent as it was stored. */
function itemLine(ctx: Context, claim: Claim, inFlight: InFlightItem, timing: Timing): string {
  const { item } = inFlight
  const budget = itemBudgetMicro(claim.target.declaration, inFlight)
  const head: Omit<ItemLine, 'input'> = {
    seq: inFlight.seq,
    attempt: inFlight.attempt,
    item_id: item.item_id,
    partition_key: item.partition_key,
    timeout_ms: timeLeft(claim, inFlight),
    yield_ms: yieldMs(claim, timing),
    budget_micro: budget === null ? null : budget - inFlight.cost_micro,
    recorded: item.recorded,
    ...(item.offered.length > 0 && { recorded_for_input: item.offered.map(offerOf) }),
    ...(timing.upstreams().byId(item.upstream_id) && { probe: true as const }),
    ...callerOf(ctx, claim, inFlight),
  }
  return `${oneLine(`${toJson(head).slice(0, -1)},"input":${item.input}}`)}\n`
}

const offerOf = ({ key, input, output }: OfferedRecord): OfferedStep => ({
  key,
  input: rawJson(input),
  ...(output !== null && { output: rawJson(output) }),
})
