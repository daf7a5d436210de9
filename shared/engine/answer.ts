// Reads an agent's answer, line by line, into the settler. Guarantee: each item of the request is ended at most
// once, and lines about items or attempts that are not in the request are ignored.

import { fieldsOf } from '../domain/json.ts'
import { LIMITS } from '../domain/limits.ts'
import { plainText } from '../domain/plain-text.ts'
import type { AgentLine, ItemError, StepReport } from '../domain/protocol.ts'
import { ProtocolError, type StepRow } from '../domain/step-row.ts'
import {
  countStep,
  errorVerdict,
  failedVerdict,
  holdVerdict,
  resultVerdict,
  type Verdict,
} from '../domain/verdict.ts'
import type { OutcomeReason } from '../domain/vocabulary.ts'
import type { Claim } from './claim.ts'
import type { Flight } from './flight.ts'
import type { Later, Settler } from './settler.ts'

/** Where what an answer says goes. */
export type ResultSink = Pick<Settler, 'addStep' | 'end' | 'giveBack' | 'handOver'>

/** One request's items on their way back. */
export class Answer {
  readonly #claim: Claim
  readonly #settler: ResultSink
  readonly #flights: Map<number, Flight>
  readonly #startedMs: number
  /** Steps that record a hold, to be written with the verdict. */
  readonly #holds = new Map<Flight, StepRow>()
  readonly #now: () => number
  readonly #later: Later | undefined
  open: number
  /** An item was ended against the agent's will: it should not be left to go on. */
  cutShort = false

  /** An agent without an address has no `later`. The request began when this is made, unless `startedMs` says when. */
  constructor(
    claim: Claim,
    settler: ResultSink,
    flights: readonly Flight[],
    now: () => number,
    later?: Later,
    startedMs = now(),
  ) {
    this.#claim = claim
    this.#settler = settler
    this.#flights = new Map(flights.map(flight => [flight.seq, flight]))
    this.#now = now
    this.#later = later
    this.#startedMs = startedMs
    this.open = flights.length
  }

  unfinished(): Flight[] {
    return [...this.#flights.values()].filter(flight => !flight.done)
  }

  /** @throws ProtocolError when the line is not one of the protocol's. */
  line(text: string): void {
    const line = parse(text)
    if (line.type === 'heartbeat') return
    if (line.type === 'later') return this.later()
    const flight = this.#flights.get(line.seq)
    if (!flight || flight.done || flight.attempt !== line.attempt) return
    switch (line.type) {
      case 'step':
        return this.#step(flight, line.step)
      case 'result':
        return this.end(
          flight,
          resultVerdict(line, outputText(line, text), flight.graded, this.#claim.target.declaration),
        )
      case 'error':
        return this.#error(flight, line.error)
      case 'hold':
        return this.end(flight, holdVerdict(line.reason))
      case 'yield':
        return this.giveBack(
          flight,
          'yielded',
          'The agent stopped at a step boundary.',
          'nobody',
          // One that got nowhere would be offered again and again, as fast as that goes.
          flight.step_count > flight.item.step_count ? 0 : backoffMs(0),
        )
      default:
        throw new ProtocolError(`unknown line type ${JSON.stringify((line as { type: unknown }).type)}`)
    }
  }

  end(flight: Flight, verdict: Verdict): void {
    flight.done = true
    this.open--
    const hold = this.#holds.get(flight)
    if (hold) this.#settler.addStep(flight, { ...hold, step_no: ++flight.step_count })
    this.#settler.end(flight, verdict)
  }

  fail(flight: Flight, code: string, message: string, reason: OutcomeReason): void {
    this.end(flight, failedVerdict(code, message, reason))
  }

  /** Has the item offered again after a delay. */
  giveBack(
    flight: Flight,
    code: string,
    message: string,
    blame: 'agent' | 'transport' | 'nobody',
    delayMs: number,
    alone = false,
    cuts?: number,
  ): void {
    flight.done = true
    this.open--
    this.#settler.giveBack(flight, {
      seq: flight.seq,
      attempt: flight.attempt,
      code: plainText(code, LIMITS.name_characters) || 'agent_error',
      message: plainText(message, LIMITS.error_message_characters),
      delay_ms: delayMs,
      alone,
      ...(cuts !== undefined && { cuts }),
      blame,
      ran_ms: blame === 'nobody' ? Math.max(0, this.#now() - this.#startedMs) : 0,
    })
  }

  /** What has not ended is answered later, at the address that came with the request. */
  later(): void {
    if (this.#later === undefined)
      throw new ProtocolError('the agent was handed no address at which it could answer later')
    for (const flight of this.unfinished()) {
      flight.done = true
      this.open--
      this.#settler.handOver(flight, this.#later)
    }
  }

  #step(flight: Flight, report: StepReport): void {
    const { target, prices, holds_unpriced } = this.#claim
    const { row, holds, verdict } = countStep(flight, report, target.declaration, prices, holds_unpriced)
    if (row && holds) {
      this.#holds.set(flight, row)
      return
    }
    if (row) this.#settler.addStep(flight, row)
    if (!verdict) return
    this.cutShort = true
    this.end(flight, verdict)
  }

  #error(flight: Flight, error: ItemError): void {
    if (typeof error?.code !== 'string' || typeof error.message !== 'string')
      throw new ProtocolError('error must have a code and a message')
    const verdict = errorVerdict(error, flight, this.#claim.target.declaration)
    if (verdict !== 'again') return this.end(flight, verdict)
    this.giveBack(flight, error.code, error.message, 'agent', backoffMs(flight.item.agent_failures))
  }
}

export function backoffMs(earlier: number): number {
  const { base, max } = LIMITS.transport_backoff_ms
  return Math.min(base * 2 ** earlier, max)
}

function parse(text: string): AgentLine {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    throw new ProtocolError(`a line is not JSON: ${text.slice(0, 120)}`)
  }
  if (typeof line !== 'object' || line === null) throw new ProtocolError('a line is not a JSON object')
  return line as AgentLine
}

/** The output exactly as it was sent. */
function outputText(line: Extract<AgentLine, { type: 'result' }>, text: string): string {
  if (line.output === undefined) return 'null'
  const head = `{"type":"result","seq":${line.seq},"attempt":${line.attempt},"output":`
  if (
    text.startsWith(head) &&
    line.degraded === undefined &&
    line.schema_error === undefined &&
    fields(line) === 4
  )
    return text.slice(head.length, text.lastIndexOf('}')).trim()
  return fieldsOf(text).get('output') ?? 'null'
}

const fields = (line: object) => Object.keys(line).length
