// Decides about the items that a request left unfinished: who is blamed, and who is sent again with how many others.
// Guarantee: an item is blamed for an end only if it was alone, as far as its consumer sees; until then it is sent again
// with half of the others, and neither a failure nor time is counted for it.

import { AgentProcessDied, EndlessInterim, NotReached, NotSent } from '../../agents/rules/invoke-agent.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import { ProtocolError } from '../../grading/rules/step-row.ts'
import { LineError } from '../../json/ndjson.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'
import { type Answer, backoffMs } from './agent-answer.ts'
import type { Visit } from './agent-hosts.ts'
import { BadStatus } from './agent-response.ts'
import type { Stops } from './stops.ts'
import { Flood } from './unrecorded.ts'

/** A request that is over, with unfinished items or without. */
export interface EndedRequest {
  claim: Claim
  items: readonly InFlightItem[]
  answer: Answer
  stops: Stops
  began_ms: number
  /** Absent for a bundle, whose processes say themselves when they die. */
  visit?: Visit | undefined
}

/** The answer ended without an error, and without an end of all its items. */
export class AnswerEnded extends Error {
  constructor({ unrecorded: { passedOver } }: Answer) {
    super(
      `the answer ended before the item did${passedOver === undefined ? '' : `, after a line that nobody can use: ${passedOver.first}`}`,
    )
  }
}

/** How many items an item of a request that ended early is sent together with next. */
export const halfOf = (items: number): number => Math.max(1, Math.ceil(items / 2))

const togetherOf = ({ items }: EndedRequest): number | null => items[0]!.item.together

/** The request is over before its items, by an error or without one. */
export async function endEarly(request: EndedRequest, error: Error): Promise<void> {
  const { answer, visit } = request
  if (answer.open === 0) return
  if (error instanceof NotSent) return again(request, error, 'uncounted')
  if (error instanceof NotReached) return notNow(request, error)
  if (error instanceof BadStatus) return endByStatus(request, error)
  if (error instanceof EndlessInterim) return endEarly(request, new Flood(error.message))
  const { open } = answer
  const wasAlone = request.items.length === 1
  // Elsewhere than in a process of its own nobody knows what an item did to the process that it died with. All that were in
  // the process are halved, not each request: those that filled free places have few items, and would go one by one.
  if (error instanceof AgentProcessDied)
    return endOrSplit(request, error, Math.max(open, error.items), wasAlone && togetherOf(request) !== null)
  if (error instanceof AnswerEnded || error instanceof ProtocolError || error instanceof LineError)
    return endOrSplit(request, error, open, wasAlone)
  // Between us and a bundle's process is only our own runtime, which accuses no item when it ends.
  if (visit === undefined) return again(request, error, 'transport')
  endOrSplit(request, error, await visit.cutWith(open), wasAlone)
}

/** Nothing of the request was taken: its items wait until the agent is there again. */
function notNow(
  request: EndedRequest,
  error: Error,
  answered?: Pick<BadStatus, 'status' | 'retry_after_ms'>,
): void {
  const { answer, items } = request
  const { status = null, retry_after_ms = null } = answered ?? {}
  const call = {
    ...callOf(request, error),
    status,
    retry_after_ms,
    fault: status === 429 ? 'rate' : 'away',
    is_unsent: answered === undefined,
  } as const
  for (const inFlight of answer.unfinished()) {
    const stop = request.stops.ofAgent(inFlight, call)
    if (stop === undefined) continue
    // Others are served, and one of these is not: nobody knows which.
    if (stop.next.is === 'its own' && items.length > 1) return split(request, error, halfOf(answer.open))
    const failure = { code: codeOf(error), message: error.message }
    if (!answer.stop(inFlight, stop, failure, 'transport_error'))
      answer.fail(inFlight, failure.code, failure.message, 'transport_error')
  }
  // Our own runtime, which has the processes of bundles, is starting again.
  if (answer.open > 0) again(request, error, 'uncounted')
}

/** What all items of a request have met together. */
const callOf = ({ items, stops, began_ms }: EndedRequest, error: Error) => ({
  item: stops.nameOf(items[0]!),
  words: error.message,
  began_ms,
})

async function endByStatus(request: EndedRequest, error: BadStatus): Promise<void> {
  const { answer, items, visit } = request
  if (error.kind === 'not_now') return notNow(request, error, error)
  if (error.kind === 'no_agent' || (error.kind === 'refused' && items.length === 1)) {
    const message = `${error.message}${foundNote(request)}`
    for (const inFlight of answer.unfinished()) answer.fail(inFlight, 'agent_error', message, 'agent_error')
    return
  }
  if (error.status === GATEWAY_TIMEOUT && visit !== undefined) return cutByTime(request, error)
  // A gateway says so of a process behind it that died.
  const among = error.kind === 'gateway' ? await visit?.cutWith(answer.open) : undefined
  endOrSplit(request, error, among ?? answer.open, items.length === 1)
}

/** Blames the only item that can have done it, or sends what was unfinished again: `among` items. */
function endOrSplit(request: EndedRequest, error: Error, among: number, wasAlone: boolean): void {
  if (!wasAlone || among > 1) return split(request, error, halfOf(among))
  const [inFlight] = request.answer.unfinished()
  const message = `${error.message}${foundNote(request)}`
  if (error instanceof AgentProcessDied) request.answer.fail(inFlight!, error.code, message, 'agent_error')
  else if (error instanceof Flood) request.answer.fail(inFlight!, 'protocol_error', message, 'agent_error')
  else if (request.visit !== undefined && codeOf(error) === 'agent_unreachable')
    cut(request, new Error(message, { cause: error }))
  else again(request, new Error(message, { cause: error }), 'transport')
}

const GATEWAY_TIMEOUT = 504

/** Whatever is in front of the agent waits no longer: each unfinished item may have been paid for, and goes alone from then on. */
function cutByTime(request: EndedRequest, error: BadStatus): void {
  const { answer, items } = request
  if (items.length === 1) return cut(request, error)
  for (const inFlight of answer.unfinished()) {
    const cut_answers = (inFlight.gotOn ? 0 : inFlight.item.cut_answers) + 1
    answer.giveBack(inFlight, 'request_split', error.message, 'uncounted', {
      delay_ms: 0,
      together: 1,
      cut_answers,
    })
  }
}

/** The answer to the only item of a request was cut, which may have been paid for. */
function cut(request: EndedRequest, error: Error): void {
  const call = { ...callOf(request, error), status: null, retry_after_ms: null, fault: 'cut' } as const
  for (const inFlight of request.answer.unfinished()) {
    const stop = request.stops.ofAgent(inFlight, call)
    if (
      stop === undefined ||
      !request.answer.stop(inFlight, stop, { code: codeOf(error), message: error.message }, 'transport_error')
    )
      again(request, error, 'transport')
  }
}

/** How the only item of a request was found, if it had been sent with others before. */
const foundNote = (request: EndedRequest): string => (togetherOf(request) === 1 ? FOUND : '')
const FOUND =
  '\nThe item was alone: those that it was sent with before were sent again in halves until it was.'

/** Sends the unfinished items again, in requests of at most `most` items, and never of more than before. */
function split(request: EndedRequest, error: Error, most: number): void {
  const { answer, items } = request
  if (items.some(({ attempt, item }) => attempt - item.stops > LIMITS.uncounted_attempts))
    return again(request, error, 'transport')
  const together = Math.min(most, togetherOf(request) ?? most)
  const message = `A request of ${items.length} items ended early, and its ${answer.open} unfinished items are sent again, at most ${together} together: ${error.message}`
  for (const inFlight of answer.unfinished())
    answer.giveBack(inFlight, 'request_split', message, 'uncounted', { delay_ms: 0, together })
}

/** Sends the unfinished items again as they were sent; each fails after LIMITS.transport_attempts that counted. */
function again(request: EndedRequest, error: Error, fault: 'transport' | 'uncounted'): void {
  const { answer } = request
  const code = codeOf(error)
  for (const inFlight of answer.unfinished()) {
    const { transport_failures, together } = inFlight.item
    const isCounted = fault === 'transport'
    if (isCounted && transport_failures + 1 >= LIMITS.transport_attempts)
      answer.fail(inFlight, code, error.message, 'transport_error')
    else {
      const delay_ms = isCounted ? backoffMs(transport_failures) : LIMITS.restart_retry_ms
      answer.giveBack(inFlight, code, error.message, fault, { delay_ms, together })
    }
  }
}

const codeOf = (error: Error) =>
  [error.cause, error].some(one => one instanceof ProtocolError || one instanceof LineError)
    ? 'protocol_error'
    : 'agent_unreachable'

/**
 * The time of the request's items is over. In a request of several nobody knows when the turn of each came: they are
 * sent again in halves, then each by itself, and only then is its time its own.
 */
export function timeOut(request: EndedRequest): void {
  const { claim, answer, items } = request
  const message = `The item was not finished after ${claim.timeout_ms / 1000} s.`
  if (items.length > 1)
    return split(request, new Error(message), togetherOf(request) === null ? halfOf(answer.open) : 1)
  for (const inFlight of answer.unfinished()) answer.fail(inFlight, 'step_timeout', message, 'limit_exceeded')
}
