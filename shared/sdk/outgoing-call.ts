// A call of an item that is about to be made, and what keeps it from that. Guarantee: a model call to an upstream that is known
// to be closed is not made, and others are made in their turn, as fast as its limits allow.

import { reportedLimits } from '../pacing/rules/reported-limits.ts'
import type { UpstreamReport } from '../protocol/rules/protocol.ts'
import { type CallAddress, modelOf } from './call-parts.ts'
import type { CallScope, Refusal } from './call-scope.ts'
import { Interrupt } from './errors.ts'
import type { Place } from './upstreams.ts'

/** A call that is under way. */
export interface Call {
  scope: CallScope
  address: CallAddress
  body: unknown
  began_ms: number
}

export const placeOf = ({ scope: { of }, address: { host, key, url }, body }: Call): Place => ({
  host,
  key,
  model: of.is_model_call || of.upstreams.isTroubled(Date.now()) ? modelOf(url, body) : '',
})

export const reportOf = ({ host, key, model }: Place): UpstreamReport => ({
  host,
  ...(key !== '' && { key }),
  ...(model !== '' && { model }),
})

/** What is answered without a call: a model call to a closed upstream, and a client that tries again by itself. */
export function refusedBefore(call: Call): Response | undefined {
  const { scope } = call
  const { is_model_call, probes, upstreams, waits } = scope.of
  const { refusal } = scope
  if (refusal?.report.host === call.address.host) {
    noteRetry(call, refusal)
    if (scope.waitsNow) throw new Interrupt(refusal.words)
  }
  if (!is_model_call || probes) return undefined
  const place = placeOf(call)
  const closed = upstreams.closed(place, Date.now())
  if (closed === undefined) return undefined
  if (!waits) return refusalOf(closed.words)
  const report = { ...reportOf(place), fault: closed.fault, called: false }
  scope.refuse({ report, status: null, words: closed.words, retry_after_ms: null }, 0)
  throw new Interrupt(closed.words)
}

/** The same call again, within one step: its client does that. Another model is the agent's own choice. */
function noteRetry(call: Call, { report: { called, model = '' } }: Refusal): void {
  const { is_model_call, upstreams } = call.scope.of
  const place = placeOf(call)
  if (is_model_call && called !== false && place.model === model) upstreams.gateOf(place).clientRetries = true
}

/** A model call waits for its turn, one that tries a closed upstream too: as many begin as its limits allow. */
export async function refusedAtGate(
  call: Call,
  own: AbortSignal | null | undefined,
): Promise<Response | undefined> {
  const { scope } = call
  const { is_model_call, most_held_ms, probes, upstreams, waits } = scope.of
  if (!is_model_call) return undefined
  const place = placeOf(call)
  const gate = upstreams.gateOf(place)
  const turn = gate.enter(() => scope.isOver || own?.aborted === true, most_held_ms)
  if (turn === undefined) return undefined
  const leave = scope.enter()
  const may = await turn.finally(leave)
  const now_ms = Date.now()
  scope.held_ms += now_ms - call.began_ms
  call.began_ms = now_ms
  if (may) {
    // Meanwhile it may have closed.
    if (!probes && upstreams.closed(place, now_ms) !== undefined) gate.giveBack()
    return refusedBefore(call)
  }
  if (!waits) return refusalOf(NO_ROOM)
  const report = { ...reportOf(place), fault: 'rate' as const, called: false }
  scope.refuse({ report, status: null, words: NO_ROOM, retry_after_ms: null }, 0)
  throw new Interrupt(NO_ROOM)
}

const NO_ROOM = 'The limits left no room for the call yet.'

/** What an answer says of limits, and from time to time the consumer too. */
export function reportToGate(call: Call, header: (name: string) => string | null): void {
  const { scope, began_ms } = call
  const now_ms = Date.now()
  const place = placeOf(call)
  const gate = scope.of.upstreams.gateOf(place)
  const limits = reportedLimits(header, now_ms)
  gate.served(limits, began_ms)
  if (scope.seen !== undefined) return // a later step reports it
  const report = gate.toReport()
  if (report) scope.seen = { ...reportOf(place), ago_ms: now_ms - began_ms, ...report, limits }
}

/** A refusal for an agent that does not wait, in a form that clients do not try again. */
const refusalOf = (words: string): Response =>
  Response.json(
    { error: { message: words, type: 'upstream_closed', code: 'upstream_closed' } },
    { status: 503, headers: { 'x-should-retry': 'false' } },
  )
