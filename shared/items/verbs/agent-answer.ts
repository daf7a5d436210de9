// Reads an agent's answer, line by line, into the settler. Guarantee: each item of the request is ended at most
// once, and lines about items or attempts that are not in the request are ignored.

import { fieldsOf } from '../../kernel/json.ts'
import { JsonError } from '../../kernel/json-error.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import type { AgentLine, ItemError, StepReport } from '../rules/protocol.ts'
import { ProtocolError, type StepRow } from '../rules/step-row.ts'
import {
  countStep,
  errorVerdict,
  failedVerdict,
  holdVerdict,
  resultVerdict,
  type Verdict,
} from '../rules/verdict.ts'
import type { OutcomeReason } from '../vocabulary.ts'
import type { Claim } from './claim.ts'
import type { Flight } from './in-flight-item.ts'
import type { Later, Settler } from './result-writer.ts'

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

  /** @throws ProtocolError when the line is not one of the protocol's, and nothing else. */
  line(text: string): void {
    const returned = returnedOf(text)
    const line = returned?.line ?? parse(text)
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
          resultVerdict(
            checkedResult(line),
            returned?.output ?? outputText(text),
            flight.graded,
            this.#claim.target.declaration,
          ),
        )
      case 'error':
        return this.#error(flight, line.error)
      case 'hold':
        return this.end(flight, holdVerdict(wordsOf('reason', line.reason) ?? ''))
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

  /** The whole of a plain answer is the output. @throws ProtocolError when it is not JSON */
  plain(flight: Flight, text: string): void {
    const line: ResultLine = {
      type: 'result',
      seq: flight.seq,
      attempt: flight.attempt,
      output: parsedJson(text),
    }
    this.end(flight, resultVerdict(line, text, flight.graded, this.#claim.target.declaration))
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
    /** `unsent`: nothing of it reached the agent, so neither a failure nor time is counted. */
    blame: 'agent' | 'transport' | 'nobody' | 'unsent',
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
      blame: blame === 'unsent' ? 'nobody' : blame,
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

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ProtocolError(`a line is not JSON: ${text.slice(0, 120)}`)
  }
}

function parse(text: string): AgentLine {
  const line = parsedJson(text)
  if (typeof line !== 'object' || line === null) throw new ProtocolError('a line is not a JSON object')
  return line as AgentLine
}

type ResultLine = Extract<AgentLine, { type: 'result' }>

/** How a result begins as the SDK writes it. */
const RESULT_HEAD = /^\{"type":"result","seq":(\d{1,9}),"attempt":(\d{1,9}),"output":/

/**
 * A result that says nothing but its output. That is parsed alone, so its text is one JSON value and nothing that
 * stands beside one; undefined of any other line.
 */
function returnedOf(text: string): { line: ResultLine; output: string } | undefined {
  const head = RESULT_HEAD.exec(text)
  if (head === null || !text.endsWith('}')) return undefined
  const output = text.slice(head[0].length, -1)
  try {
    const line = {
      type: 'result',
      seq: Number(head[1]),
      attempt: Number(head[2]),
      output: JSON.parse(output),
    }
    return { line: line as ResultLine, output: output.trim() }
  } catch {
    return undefined
  }
}

/** The output of any other result, exactly as it was sent. */
function outputText(text: string): string {
  try {
    return fieldsOf(text).get('output') ?? 'null'
  } catch (error) {
    if (error instanceof JsonError) throw new ProtocolError(error.message)
    throw error
  }
}

/** What an agent says in words, of which null is none. */
function wordsOf(name: string, given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined
  if (typeof given === 'string') return given
  throw new ProtocolError(`${name} must be a string`)
}

function checkedResult({ degraded, schema_error, ...line }: ResultLine): ResultLine {
  const said = wordsOf('degraded', degraded)
  const mismatch = wordsOf('schema_error', schema_error)
  return {
    ...line,
    ...(said !== undefined && { degraded: said }),
    ...(mismatch !== undefined && { schema_error: mismatch }),
  }
}
