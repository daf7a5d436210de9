// Executes a claim: fences it, sends its items to the agent, reads the answers, and sees to it that every item is
// ended or given back, whatever the agent, its process or the network does.

import type { Context } from '../context.ts'
import { fault } from '../domain/fault.ts'
import { LIMITS } from '../domain/limits.ts'
import { ndjsonLines, oneLine } from '../domain/ndjson.ts'
import {
  ANSWER_URL_HEADER,
  type ItemLine,
  NDJSON,
  type OfferedStep,
  PROTOCOL_VERSION,
} from '../domain/protocol.ts'
import { type OfferedRecord, ProtocolError } from '../domain/step-row.ts'
import { budgetVerdict, itemBudgetMicro } from '../domain/verdict.ts'
import { findUnanswered } from '../items/queries/answers.ts'
import { answerAddress } from '../items/verbs/answer-address.ts'
import { signatureOf } from './agent-keys.ts'
import { AgentProcessDied, type AgentResponse } from './agent-port.ts'
import { Answer, backoffMs } from './answer.ts'
import type { Claim } from './claim.ts'
import type { Flight } from './flight.ts'
import { traceparentOf } from './run-trace.ts'
import type { Settler } from './settler.ts'

/** The clock of the consumer that executes. */
export interface Timing {
  /** Milliseconds until items should stop at a step boundary. */
  yieldMs(): number
  /** Fires when the consumer's time is over: what is unfinished is given back. */
  handOver: AbortSignal
  /** What a step may have of the time of a consumer that has just begun; null where it is asked to stop. */
  wholeMs(): number | null
}

/** Sends every item of a claim; resolves when each is settled or given back. Never rejects. */
export async function execute(
  ctx: Context,
  claim: Claim,
  flights: readonly Flight[],
  settler: Settler,
  timing: Timing,
): Promise<void> {
  const fit = fence(ctx, claim, flights, settler, await unansweredOf(ctx, claim))
  await fault('invoke.before_request')
  await Promise.all(requestsOf(claim, fit).map(group => send(ctx, claim, group, settler, timing)))
}

/** Items that would be paid for again and again by an agent that is not heard of when it answers later. */
async function unansweredOf(ctx: Context, { run_id, items }: Claim): Promise<ReadonlySet<number>> {
  const seqs = items.flatMap(item =>
    item.transport_failures >= LIMITS.unanswered_attempts ? [item.seq] : [],
  )
  if (seqs.length === 0) return new Set()
  // Where PostgreSQL is away for a moment they are offered once more.
  return new Set(await findUnanswered(ctx.sql, run_id, seqs).catch(() => []))
}

/** Ends the items that must not be dispatched: tried too often, or their money is gone. */
function fence(
  ctx: Context,
  claim: Claim,
  flights: readonly Flight[],
  settler: Settler,
  unanswered: ReadonlySet<number>,
): Flight[] {
  const { declaration } = claim.target
  const answer = new Answer(claim, settler, flights, ctx.now)
  for (const flight of flights) {
    const budget = itemBudgetMicro(declaration, flight)
    if (unanswered.has(flight.seq))
      answer.fail(
        flight,
        'answer_never_came',
        `The agent said that it would answer later and was not heard of for ${LIMITS.lease_ms / 1000} s, ${LIMITS.unanswered_attempts} times. Can it reach ${ctx.config.base_url}?`,
        'transport_error',
      )
    else if (flight.item.transport_failures >= LIMITS.transport_attempts)
      answer.fail(
        flight,
        'lease_lost',
        `The item was offered ${flight.item.transport_failures} times and no attempt came to an end.`,
        'transport_error',
      )
    else if (flight.attempt > LIMITS.attempts_per_item)
      answer.fail(
        flight,
        'too_many_attempts',
        `The item was attempted ${LIMITS.attempts_per_item} times; an agent that yields must get on between.`,
        'limit_exceeded',
      )
    else if (budget !== null && budget > 0 && flight.cost_micro >= budget)
      answer.end(flight, budgetVerdict(declaration.on_budget, budget))
  }
  return answer.unfinished()
}

/** How a claim is cut into requests. */
function requestsOf(claim: Claim, flights: readonly Flight[]): Flight[][] {
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

async function send(
  ctx: Context,
  claim: Claim,
  flights: Flight[],
  settler: Settler,
  timing: Timing,
): Promise<void> {
  const alone = flights[0]!.item.alone
  const timeoutMs = Math.max(...flights.map(flight => timeLeft(claim, flight)))
  const address = await addressOf(ctx, claim, flights)
  const later = address === undefined ? undefined : { within_ms: timeoutMs + LIMITS.agent_timeout_grace_ms }
  const answer = new Answer(claim, settler, flights, ctx.now, later)
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs + LIMITS.agent_timeout_grace_ms)
  const lease = flights[0]!.lease.abort.signal
  const signal = AbortSignal.any([timeout.signal, lease, timing.handOver])
  try {
    const target = alone ? { ...claim.target, alone } : claim.target
    const plain = claim.target.protocol === 'json'
    const body = plain ? flights[0]!.item.input : flights.map(f => itemLine(ctx, claim, f, timing)).join('')
    const headers = {
      ...(plain ? plainHeaders(ctx, claim, flights[0]!, timing) : headersOf(claim)),
      ...(address !== undefined && { [ANSWER_URL_HEADER]: address }),
      ...(await signatureOf(ctx, claim.target, body)),
    }
    const response = await ctx.invokeAgent(target, { headers, body, signal })
    await (plain ? readPlain(answer, response) : readLines(answer, response, timeout))
    giveUp(answer, new Error('the answer ended before the item did'), alone)
  } catch (error) {
    if (lease.aborted) return // somebody else holds the items now
    if (timing.handOver.aborted) {
      cutOff(answer, flights, timing.wholeMs())
    } else if (timeout.signal.aborted) timeOut(answer, claim)
    else giveUp(answer, error, alone)
  } finally {
    clearTimeout(timer)
  }
}

const timeLeft = (claim: Claim, flight: Flight) => Math.max(0, claim.timeout_ms - flight.item.ran_ms)

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

/** Where an agent may answer a request later. A bundle reaches nothing but what its declaration names. */
async function addressOf(
  ctx: Context,
  claim: Claim,
  flights: readonly Flight[],
): Promise<string | undefined> {
  if (claim.target.kind === 'bundle') return undefined
  const [first_seq, last_seq] = [flights[0]!.seq, flights.at(-1)!.seq]
  const { id: claim_id, run_id } = claim
  return answerAddress(ctx, { run_id, claim_id, first_seq, last_seq, started_ms: ctx.now() })
}

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

async function readLines(answer: Answer, response: AgentResponse, timeout: AbortController): Promise<void> {
  await checkStatus(answer, response)
  if (answer.open === 0) return
  const isLater = response.status === ACCEPTED
  if (!response.contentType.startsWith(NDJSON)) {
    if (isLater) {
      answer.later()
      return passOver(response)
    }
    throw new ProtocolError(
      `the answer's content-type is ${response.contentType || 'missing'}, not ${NDJSON}`,
    )
  }
  let isSilent = true
  let linger: ReturnType<typeof setTimeout> | undefined
  try {
    for await (const { lines } of ndjsonLines(response.body, LIMITS.agent_line_bytes)) {
      if (lines.length > 0) isSilent = false
      for (const line of lines) answer.line(line)
      if (answer.cutShort && answer.open === 0) return timeout.abort()
      // A well-behaved agent ends here, and the connection can be used again; another is cut off.
      if (answer.open === 0) linger ??= setTimeout(() => timeout.abort(), LIMITS.agent_linger_ms)
    }
  } finally {
    clearTimeout(linger)
  }
  // With lines in it, a 202 is an open answer like any other.
  if (isLater && isSilent) answer.later()
}

/** Lets an answer that says nothing end, so that its connection can be used again; of a long one the rest is cut off. */
async function passOver(response: AgentResponse): Promise<void> {
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > LIMITS.agent_error_bytes) return
  }
}

async function readPlain(answer: Answer, response: AgentResponse): Promise<void> {
  await checkStatus(answer, response)
  const [flight] = answer.unfinished()
  if (!flight) return
  const output = await bodyText(response, LIMITS.agent_line_bytes)
  if (response.status === ACCEPTED && output.trim() === '') return answer.later()
  const head = `{"type":"result","seq":${flight.seq},"attempt":${flight.attempt},"output":`
  answer.line(`${head}${output.trim() || 'null'}}`)
}

/** The agent answers later; one whose answer has lines, or of a plain one a body, has answered. */
const ACCEPTED = 202

/** 4xx ends the items, 408, 429 and 5xx are transport faults. */
async function checkStatus(answer: Answer, response: AgentResponse): Promise<void> {
  const { status } = response
  if (status >= 200 && status < 300) return
  const said = await bodyText(response, LIMITS.agent_error_bytes).catch(() => '')
  const message = `The agent answered ${status}${said ? `: ${said.slice(0, 500)}` : ''}.`
  if (status < 400 || status === 408 || status === 429 || status >= 500) throw new Error(message)
  for (const flight of answer.unfinished()) answer.fail(flight, 'agent_error', message, 'agent_error')
}

async function bodyText(response: AgentResponse, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ProtocolError(`the answer is longer than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function timeOut(answer: Answer, claim: Claim): void {
  for (const flight of answer.unfinished())
    answer.fail(
      flight,
      'step_timeout',
      `The item was not finished after ${claim.timeout_ms / 1000} s.`,
      'limit_exceeded',
    )
}

/**
 * A step that outlasts a consumer is paid for once more, by one that has its time before it, and not again. Of an item
 * beside which others got on nobody knows whether it was begun: that is no cut. Where none of several got on, each
 * travels alone from then on.
 */
function cutOff(answer: Answer, flights: readonly Flight[], wholeMs: number | null): void {
  const gotOn = flights.filter(flight => flight.done || hasSteps(flight))
  for (const flight of answer.unfinished()) {
    const giveBack = (alone: boolean, cuts?: number) =>
      answer.giveBack(
        flight,
        'handed_over',
        'The consumer came to the end of its time.',
        'nobody',
        0,
        alone,
        cuts,
      )
    const earlier = hasSteps(flight) ? 0 : (flight.item.cuts ?? 0)
    if (wholeMs === null) giveBack(false)
    else if (gotOn.some(one => one !== flight)) giveBack(false, earlier)
    else if (flights.length > 1) giveBack(true, 1)
    else if (earlier === 0) giveBack(flight.item.alone, 1)
    else
      answer.fail(
        flight,
        'step_outlasts_consumer',
        `A step takes longer than a consumer has: it was cut off twice, here after ${Math.round(wholeMs / 1000)} s. Raise ASSAY_CONSUME_SECONDS, or let the agent answer later.`,
        'limit_exceeded',
      )
  }
}

const hasSteps = (flight: Flight) => flight.step_count > flight.item.step_count

/** The request is over and items are unfinished: who is to blame decides what becomes of them. */
function giveUp(answer: Answer, error: unknown, alone: boolean): void {
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof ProtocolError ? 'protocol_error' : 'agent_unreachable'
  for (const flight of answer.unfinished()) {
    if (error instanceof AgentProcessDied) {
      // With others about, nobody knows who did it; alone, the item did.
      if (alone) answer.fail(flight, error.code, message, 'agent_error')
      else answer.giveBack(flight, error.code, message, 'nobody', 0, true)
    } else if (flight.item.transport_failures + 1 >= LIMITS.transport_attempts)
      answer.fail(flight, code, message, 'transport_error')
    else answer.giveBack(flight, code, message, 'transport', backoffMs(flight.item.transport_failures), alone)
  }
}
