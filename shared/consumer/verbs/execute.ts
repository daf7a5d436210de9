// Executes a claim: ends items past a fence, sends the others to the agent and reads the answers. Guarantee: every item
// is ended or given back, whatever the agent, its process or the network does.

import { NotSent } from '../../agents/rules/invoke-agent.ts'
import {
  beginningOf,
  isKnownToAnswerLater,
  mayAnswerLater,
  surelyLeftMs,
} from '../../claims/rules/consumer-time.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { budgetVerdict, itemBudgetMicro } from '../../grading/rules/verdict.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'
import type { ResultWriter } from '../../settling/verbs/result-writer.ts'
import { agentPlace } from '../../upstreams/verbs/known-upstreams.ts'
import { upstreamKeyOf } from '../../upstreams/verbs/upstream-keys.ts'
import { findUnanswered } from '../queries/later-answers.ts'
import { Answer } from './agent-answer.ts'
import type { Visit } from './agent-hosts.ts'
import { requestOf, requestsOf, timeLeft } from './agent-request.ts'
import { readResponse } from './agent-response.ts'
import { answerAddress } from './answer-address.ts'
import { type DeclaredSchemas, matching, schemasOf } from './declared-schemas.ts'
import { RequestClock } from './request-clock.ts'
import { AnswerEnded, type EndedRequest, endEarly, timeOut } from './request-end.ts'
import { Stops } from './stops.ts'
import type { Timing } from './timing.ts'

/** Sends every item of a claim; resolves when each is settled or given back. Never rejects. */
export async function execute(
  ctx: Context,
  claim: Claim,
  inFlightItems: readonly InFlightItem[],
  writer: ResultWriter,
  timing: Timing,
): Promise<void> {
  const unanswered = await unansweredOf(ctx, claim)
  const made = stopsOf(ctx, claim, timing)
  const stops = made instanceof Promise ? await made : made
  const allowed = fence(ctx, claim, inFlightItems, writer, { unanswered, unavailable: stops.unavailable() })
  const declared = schemasOf(claim.target)
  const schemas = declared instanceof Promise ? await declared : declared
  const valid = schemas?.input_schema
    ? await matching(claim, allowed, schemas, new Answer(claim, writer, allowed, ctx.now))
    : allowed
  const fit = started(ctx, claim, reachable(ctx, claim, valid, writer, stops), writer, timing)
  await fault('invoke.before_request')
  const { lease } = inFlightItems[0]!
  lease.abort.signal.addEventListener('abort', () => timing.requests.cutClaim(lease))
  await Promise.all(
    requestsOf(claim, fit).map(group => send(ctx, claim, group, writer, timing, { stops, schemas })),
  )
}

/** Nothing is waited for if it is known: a request leaves in the turn in which its items were claimed. */
function stopsOf(ctx: Context, claim: Claim, timing: Timing): Stops | Promise<Stops> {
  const upstreams = timing.upstreams()
  const key = upstreamKeyOf(ctx, claim.project_id)
  const reading = upstreams.know(claim.project_id)
  const stops = (key: string) => new Stops(claim, upstreams, key, ctx.now)
  if (typeof key === 'string' && reading === undefined) return stops(key)
  return Promise.all([key, reading]).then(([key]) => stops(key))
}

/** Items whose agent was to answer later and too often sent nothing: each attempt may be paid for. */
async function unansweredOf(
  ctx: Context,
  { project_id, run_id, items }: Claim,
): Promise<ReadonlySet<number>> {
  const seqs = items.flatMap(item =>
    item.transport_failures >= LIMITS.unanswered_attempts ? [item.seq] : [],
  )
  if (seqs.length === 0) return new Set()
  // If PostgreSQL is away for a moment, these items are sent once more.
  return new Set(await findUnanswered(ctx.sql, { project_id, run_id }, seqs).catch(() => []))
}

/** Ends items that must not be sent, as they were tried too often or their money is gone; returns the others. */
function fence(
  ctx: Context,
  claim: Claim,
  inFlightItems: readonly InFlightItem[],
  writer: ResultWriter,
  { unanswered, unavailable }: { unanswered: ReadonlySet<number>; unavailable: string | null },
): InFlightItem[] {
  const { declaration } = claim.target
  const answer = new Answer(claim, writer, inFlightItems, ctx.now)
  for (const inFlight of inFlightItems) {
    const budget = itemBudgetMicro(declaration, inFlight)
    if (unavailable !== null) answer.fail(inFlight, 'upstream_unavailable', unavailable, 'transport_error')
    else if (unanswered.has(inFlight.seq))
      answer.fail(
        inFlight,
        'answer_never_came',
        `The agent said that it would answer later and sent nothing for ${LIMITS.lease_ms / 1000} s, ${LIMITS.unanswered_attempts} times. Can it reach ${ctx.config.base_url}?`,
        'transport_error',
      )
    else if (inFlight.item.transport_failures >= LIMITS.transport_attempts)
      answer.fail(
        inFlight,
        'lease_lost',
        `The item was offered ${inFlight.item.transport_failures} times and no attempt came to an end.`,
        'transport_error',
      )
    else if (inFlight.attempt - inFlight.item.stops > LIMITS.attempts_per_item)
      answer.fail(
        inFlight,
        'too_many_attempts',
        `The item was attempted ${LIMITS.attempts_per_item} times; an agent that yields must make progress in between.`,
        'limit_exceeded',
      )
    else if (budget !== null && budget > 0 && inFlight.cost_micro >= budget)
      answer.end(inFlight, budgetVerdict(declaration.on_budget, budget))
  }
  return answer.unfinished()
}

/** The items whose agent is not known to be away; the others wait for it, except those that try it. */
function reachable(
  ctx: Context,
  claim: Claim,
  inFlightItems: InFlightItem[],
  writer: ResultWriter,
  stops: Stops,
): InFlightItem[] {
  const closed = stops.closedAgent()
  if (closed === undefined) return inFlightItems
  const answer = new Answer(claim, writer, inFlightItems, ctx.now)
  for (const inFlight of inFlightItems)
    if (stops.probed(inFlight)?.id !== closed.id) {
      const { stops: times, refusals, cut_answers } = inFlight.item
      const stop = {
        next: { is: 'waiting' } as const,
        upstream: { id: closed.id, stops: times, refusals },
        cut_answers,
      }
      answer.stop(inFlight, stop, { code: 'agent_unreachable', message: closed.words })
    }
  return answer.unfinished()
}

/** The items that this consumer has time for; others wait for a fresh one, or end before they are paid for. */
function started(
  ctx: Context,
  claim: Claim,
  inFlightItems: InFlightItem[],
  writer: ResultWriter,
  timing: Timing,
): InFlightItem[] {
  const whole_ms = timing.wholeMs()
  if (whole_ms === null || isKnownToAnswerLater(claim.target, ctx.config.base_url)) return inFlightItems
  const declared_ms = (claim.target.declaration.step_seconds ?? 0) * 1000
  const left_ms = timing.leftMs()
  const answer = new Answer(claim, writer, inFlightItems, ctx.now)
  for (const inFlight of inFlightItems) {
    const { longest_step_ms: recorded_ms = 0, cuts, together } = inFlight.item
    const step_ms = Math.max(declared_ms, recorded_ms)
    const when = beginningOf({ declared_ms, recorded_ms, left_ms, whole_ms, cuts })
    if (when === 'never')
      answer.fail(
        inFlight,
        OUTLASTS,
        `${saidOf(step_ms, declared_ms)}, and a consumer has ${seconds(surelyLeftMs(whole_ms))} s for one: it was not started. ${WAYS_OUT}`,
        'limit_exceeded',
      )
    else if (when === 'next')
      answer.giveBack(
        inFlight,
        'handed_over',
        `${saidOf(step_ms, declared_ms)}, and the consumer had ${seconds(left_ms)} s left.`,
        'none',
        { delay_ms: 0, together, cuts: 0 },
      )
  }
  return answer.unfinished()
}

const OUTLASTS = 'step_outlasts_consumer'
const WAYS_OUT = 'Raise ASSAY_CONSUME_SECONDS, or let the agent answer later.'
const seconds = (ms: number) => Math.round(ms / 1000)

const saidOf = (step_ms: number, declared_ms: number) =>
  step_ms === declared_ms
    ? `A step of the agent may take ${seconds(step_ms)} s`
    : `A step of the item took ${seconds(step_ms)} s`

async function send(
  ctx: Context,
  claim: Claim,
  items: InFlightItem[],
  writer: ResultWriter,
  timing: Timing,
  { stops, schemas }: { stops: Stops; schemas: DeclaredSchemas | undefined },
): Promise<void> {
  const { lease, item } = items[0]!
  const { target } = claim
  const time_ms =
    Math.max(...items.map(inFlight => timeLeft(claim, inFlight))) + LIMITS.agent_timeout_grace_ms
  const later = mayAnswerLater(target.kind, ctx.config.base_url) ? { within_ms: time_ms } : undefined
  const answer = new Answer(claim, writer, items, ctx.now, later, stops, ctx.now(), schemas)
  const ended: EndedRequest = { claim, items, answer, stops, began_ms: ctx.now() }
  const cut = timing.requests.begin(lease)
  const clock = new RequestClock(ctx.now, time_ms, cut)
  const onSent = () => {
    if (clock.start()) answer.sent()
  }
  try {
    ended.visit = await visitOf(timing, claim, items, cut.signal)
    const [first, last] = [items[0]!.seq, items.at(-1)!.seq]
    const address = later ? await answerAddress(ctx, claim, first, last) : undefined
    const request = await requestOf(ctx, claim, items, { timing, stops, address })
    if (target.url !== null) timing.upstreams().began(claim.project_id, agentPlace(target.url))
    if (target.kind === 'url') onSent() // and again when it has a connection; a bundle first waits for its process
    const to = { ...target, together: item.together }
    const itemsOpen = () => answer.open
    const response = await ctx.invokeAgent(to, { ...request, signal: cut.signal, onSent, itemsOpen })
    if (target.url !== null && response.status < 300)
      timing.upstreams().served(claim.project_id, agentPlace(target.url), ended.began_ms)
    await readResponse(answer, response, target.protocol, cut)
    await endEarly(ended, new AnswerEnded(answer))
  } catch (error) {
    if (lease.abort.signal.aborted) return // another consumer holds the items now
    // A request that was never sent was not cut off in a step, and its agent did not take too long.
    const wasSent = !(error instanceof NotSent)
    const whole_ms = wasSent ? timing.wholeMs() : null
    if (timing.requests.isOver) cutOff(answer, items, { whole_ms, waited_ms: clock.waited_ms })
    else if (cut.signal.aborted && wasSent) timeOut(ended)
    else await endEarly(ended, error as Error)
  } finally {
    clock.stop()
    timing.requests.end(cut)
    ended.visit?.leave()
    logStray(ctx, claim, answer, timing)
  }
}

function logStray(
  ctx: Context,
  { run_id }: Claim,
  { unrecorded: { passedOver } }: Answer,
  timing: Timing,
): void {
  if (passedOver && timing.isNews(run_id))
    ctx.log('warn', 'agent_lines_passed_over', { run_id, ...passedOver })
}

/** Agents behind URLs may have to take their requests one after the other. */
async function visitOf(
  { hosts }: Timing,
  { target: { kind, account_id, url } }: Claim,
  items: readonly InFlightItem[],
  signal: AbortSignal,
): Promise<Visit | undefined> {
  if (kind !== 'url') return undefined
  return hosts.enter(
    `${account_id} ${url}`,
    { items: items.length, together: items[0]!.item.together },
    signal,
  )
}

/**
 * A step that outlasts a consumer is paid for once more, in one that has just started, and not again. If other items of
 * the request made progress, nobody knows whether this one had started: that does not count as a cut, nor does one of a
 * request that had waited. If none of several items made progress, each is sent alone from then on.
 */
function cutOff(answer: Answer, items: readonly InFlightItem[], { whole_ms, waited_ms }: CutOff): void {
  const gotOn = items.filter(inFlight => inFlight.done || hasSteps(inFlight))
  for (const inFlight of answer.unfinished()) {
    const giveBack = (fault: 'none' | 'uncounted', together: number | null, cuts?: number) =>
      answer.giveBack(inFlight, 'handed_over', 'The consumer came to the end of its time.', fault, {
        delay_ms: 0,
        together,
        cuts,
      })
    const { together } = inFlight.item
    const earlier = hasSteps(inFlight) ? 0 : (inFlight.item.cuts ?? 0)
    if (whole_ms === null) giveBack('uncounted', together)
    else if (gotOn.some(one => one !== inFlight) || waited_ms > LIMITS.consumer_fresh_ms)
      giveBack('none', together, earlier)
    else if (items.length > 1) giveBack('none', 1, 1)
    else if (earlier === 0) giveBack('none', together, 1)
    else
      answer.fail(
        inFlight,
        OUTLASTS,
        `A step takes longer than a consumer has: it was cut off twice, here after ${seconds(whole_ms)} s. ${WAYS_OUT}`,
        'limit_exceeded',
      )
  }
}

interface CutOff {
  /** The time that a step has in a consumer; null if the request was not sent, or the consumer is asked to stop. */
  whole_ms: number | null
  /** How long the request waited in this consumer before it was sent. */
  waited_ms: number
}

const hasSteps = (inFlight: InFlightItem) => inFlight.step_count > inFlight.item.step_count
