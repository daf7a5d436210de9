// Reads an agent's answer, line by line, into the writer. Guarantee: each item of the request is ended at most
// once, and lines about items or attempts that are not in the request are ignored.

import type { Claim } from '../../claims/verbs/claim.ts'
import { ProtocolError, type StepRow } from '../../grading/rules/step-row.ts'
import {
  countStep,
  errorVerdict,
  failedVerdict,
  holdVerdict,
  resultVerdict,
  type Verdict,
} from '../../grading/rules/verdict.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import { fieldsOf } from '../../json/json.ts'
import { JsonError } from '../../json/json-error.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import type { AgentLine, ItemError, StepReport } from '../../protocol/rules/protocol.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'
import type { Later, ResultWriter } from '../../settling/verbs/result-writer.ts'

/** Takes the results that an answer contains. */
export type ResultSink = Pick<ResultWriter, 'addStep' | 'end' | 'giveBack' | 'handOver'>

/** The answer to one request, and which of its items are unfinished. */
export class Answer {
  readonly #claim: Claim
  readonly #writer: ResultSink
  readonly #inFlightItems: Map<number, InFlightItem>
  readonly #startedMs: number
  /** Steps that record a hold, to be written with the verdict. */
  readonly #holds = new Map<InFlightItem, StepRow>()
  readonly #now: () => number
  readonly #later: Later | undefined
  open: number
  /** An item was ended before its agent ended it, so the agent should not continue. */
  cutShort = false

  /** Without an address for later answers there is no `later`. The request began at `startedMs`, by default now. */
  constructor(
    claim: Claim,
    writer: ResultSink,
    inFlightItems: readonly InFlightItem[],
    now: () => number,
    later?: Later,
    startedMs = now(),
  ) {
    this.#claim = claim
    this.#writer = writer
    this.#inFlightItems = new Map(inFlightItems.map(inFlight => [inFlight.seq, inFlight]))
    this.#now = now
    this.#later = later
    this.#startedMs = startedMs
    this.open = inFlightItems.length
  }

  unfinished(): InFlightItem[] {
    return [...this.#inFlightItems.values()].filter(inFlight => !inFlight.done)
  }

  /** @throws ProtocolError when the line is not one of the protocol's, and nothing else. */
  line(text: string): void {
    const returned = returnedOf(text)
    const line = returned?.line ?? parse(text)
    if (line.type === 'heartbeat') return
    if (line.type === 'later') return this.later()
    const inFlight = this.#inFlightItems.get(line.seq)
    if (!inFlight || inFlight.done || inFlight.attempt !== line.attempt) return
    switch (line.type) {
      case 'step':
        return this.#step(inFlight, line.step)
      case 'result':
        return this.end(
          inFlight,
          resultVerdict(
            checkedResult(line),
            returned?.output ?? outputText(text),
            inFlight.graded,
            this.#claim.target.declaration,
          ),
        )
      case 'error':
        return this.#error(inFlight, line.error)
      case 'hold':
        return this.end(inFlight, holdVerdict(wordsOf('reason', line.reason) ?? ''))
      case 'yield':
        return this.giveBack(
          inFlight,
          'yielded',
          'The agent stopped at a step boundary.',
          'nobody',
          // Without a delay, an item that made no progress would be offered again in a tight loop.
          inFlight.step_count > inFlight.item.step_count ? 0 : backoffMs(0),
        )
      default:
        throw new ProtocolError(`unknown line type ${JSON.stringify((line as { type: unknown }).type)}`)
    }
  }

  /** Ends an item by a plain answer, all of which is the output. @throws ProtocolError when it is not JSON */
  plain(inFlight: InFlightItem, text: string): void {
    const line: ResultLine = {
      type: 'result',
      seq: inFlight.seq,
      attempt: inFlight.attempt,
      output: parsedJson(text),
    }
    this.end(inFlight, resultVerdict(line, text, inFlight.graded, this.#claim.target.declaration))
  }

  end(inFlight: InFlightItem, verdict: Verdict): void {
    inFlight.done = true
    this.open--
    const hold = this.#holds.get(inFlight)
    if (hold) this.#writer.addStep(inFlight, { ...hold, step_no: ++inFlight.step_count })
    this.#writer.end(inFlight, verdict)
  }

  fail(inFlight: InFlightItem, code: string, message: string, reason: OutcomeReason): void {
    this.end(inFlight, failedVerdict(code, message, reason))
  }

  /** Has the item offered again after a delay. */
  giveBack(
    inFlight: InFlightItem,
    code: string,
    message: string,
    /** `unsent`: nothing of the item reached the agent, so neither a failure nor time is counted. */
    fault: 'agent' | 'transport' | 'nobody' | 'unsent',
    delayMs: number,
    alone = false,
    cuts?: number,
  ): void {
    inFlight.done = true
    this.open--
    this.#writer.giveBack(inFlight, {
      seq: inFlight.seq,
      attempt: inFlight.attempt,
      code: plainText(code, LIMITS.name_characters) || 'agent_error',
      message: plainText(message, LIMITS.error_message_characters),
      delay_ms: delayMs,
      alone,
      ...(cuts !== undefined && { cuts }),
      fault: fault === 'unsent' ? 'nobody' : fault,
      ran_ms: fault === 'nobody' ? Math.max(0, this.#now() - this.#startedMs) : 0,
    })
  }

  /** Hands over the unfinished items: their agent answers later, at the address that came with the request. */
  later(): void {
    if (this.#later === undefined)
      throw new ProtocolError('the agent was handed no address at which it could answer later')
    for (const inFlight of this.unfinished()) {
      inFlight.done = true
      this.open--
      this.#writer.handOver(inFlight, this.#later)
    }
  }

  #step(inFlight: InFlightItem, report: StepReport): void {
    const { target, prices, holds_unpriced } = this.#claim
    const { row, holds, verdict } = countStep(inFlight, report, target.declaration, prices, holds_unpriced)
    if (row && holds) {
      this.#holds.set(inFlight, row)
      return
    }
    if (row) this.#writer.addStep(inFlight, row)
    if (!verdict) return
    this.cutShort = true
    this.end(inFlight, verdict)
  }

  #error(inFlight: InFlightItem, error: ItemError): void {
    if (typeof error?.code !== 'string' || typeof error.message !== 'string')
      throw new ProtocolError('error must have a code and a message')
    const verdict = errorVerdict(error, inFlight, this.#claim.target.declaration)
    if (verdict !== 'again') return this.end(inFlight, verdict)
    this.giveBack(inFlight, error.code, error.message, 'agent', backoffMs(inFlight.item.agent_failures))
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

/** The beginning of a result as the SDK writes it. */
const RESULT_HEAD = /^\{"type":"result","seq":(\d{1,9}),"attempt":(\d{1,9}),"output":/

/**
 * Reads a result that has only an output; undefined for any other line. The output is parsed alone, so that its text is
 * exactly one JSON value.
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

/** An optional text of an agent; null counts as none. */
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
