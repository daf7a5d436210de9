// Reads an agent's answer, line by line, into the settler. Guarantee: each item of the request is ended at most
// once, and lines about items or attempts that are not in the request are ignored.

import { gradeItem } from '../domain/grading.ts'
import { fieldsOf } from '../domain/json.ts'
import { LIMITS } from '../domain/limits.ts'
import { centsOf } from '../domain/pricing.ts'
import type { AgentLine, ItemError } from '../domain/protocol.ts'
import type { OutcomeReason } from '../domain/vocabulary.ts'
import { plainText } from '../store/columns.ts'
import type { StepRow, Verdict } from '../store/settle.ts'
import type { Claim } from './claim.ts'
import { type Flight, itemBudgetMicro } from './flight.ts'
import type { Settler } from './settler.ts'
import { ProtocolError, stepRow } from './step-row.ts'

/** One request's items on their way back. */
export class Answer {
  readonly #claim: Claim
  readonly #settler: Settler
  readonly #flights: Map<number, Flight>
  readonly #startedMs: number
  /**
   * Steps that record a hold. Found by a later attempt, one lets the item pass; so it is written together with the
   * verdict that holds the item, and never without it.
   */
  readonly #holds = new Map<Flight, StepRow>()
  readonly #now: () => number
  open: number
  /** An item was ended against the agent's will: it should not be left to go on. */
  cutShort = false

  constructor(claim: Claim, settler: Settler, flights: readonly Flight[], now: () => number) {
    this.#claim = claim
    this.#settler = settler
    this.#flights = new Map(flights.map(flight => [flight.seq, flight]))
    this.#now = now
    this.#startedMs = now()
    this.open = flights.length
  }

  unfinished(): Flight[] {
    return [...this.#flights.values()].filter(flight => !flight.done)
  }

  /** @throws ProtocolError when the line is not one of the protocol's. */
  line(text: string): void {
    const line = parse(text)
    if (line.type === 'heartbeat') return
    const flight = this.#flights.get(line.seq)
    if (!flight || flight.done || flight.attempt !== line.attempt) return
    switch (line.type) {
      case 'step':
        return this.#step(flight, line.step)
      case 'result':
        return this.#result(flight, line, text)
      case 'error':
        return this.#error(flight, line.error)
      case 'hold':
        return this.end(flight, { status: 'paused', degraded_reason: words(line.reason) })
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

  /** Ends an item; what the verdict leaves out is null. */
  end(flight: Flight, verdict: Partial<Verdict> & Pick<Verdict, 'status'>): void {
    flight.done = true
    this.open--
    const hold = this.#holds.get(flight)
    if (hold) this.#settler.addStep(flight, { ...hold, step_no: ++flight.step_count })
    this.#settler.end(flight, { ...NOTHING, ...verdict })
  }

  fail(flight: Flight, code: string, message: string, reason: OutcomeReason): void {
    this.end(flight, {
      status: 'failed',
      outcome: 'failed',
      outcome_reason: reason,
      error_code: plainText(code, LIMITS.name_characters),
      error_message: words(message),
    })
  }

  /** Has the item offered again after a delay. */
  giveBack(
    flight: Flight,
    code: string,
    message: string,
    blame: 'agent' | 'transport' | 'nobody',
    delayMs: number,
    alone = false,
  ): void {
    flight.done = true
    this.open--
    this.#settler.giveBack(flight, {
      seq: flight.seq,
      attempt: flight.attempt,
      code: plainText(code, LIMITS.name_characters) || 'agent_error',
      message: words(message),
      delay_ms: delayMs,
      alone,
      blame,
      ran_ms: blame === 'nobody' ? this.#now() - this.#startedMs : 0,
    })
  }

  #step(flight: Flight, report: Parameters<typeof stepRow>[0]): void {
    const { declaration } = this.#claim.target
    const maxSteps = declaration.max_steps ?? LIMITS.agent_steps.default
    if (flight.step_count >= maxSteps) {
      this.cutShort = true
      return this.fail(
        flight,
        'step_limit_exceeded',
        `The item took more than ${maxSteps} steps.`,
        'limit_exceeded',
      )
    }
    const place = { seq: flight.seq, attempt: flight.attempt, step_no: flight.step_count + 1 }
    const row = stepRow(report, place, this.#claim.prices)
    if (HOLD_KEY.test(row.key)) {
      this.#holds.set(flight, row)
      return
    }
    flight.step_count++
    flight.graded.push({ kind: row.kind, key: row.key, outcome: row.outcome, reason: row.outcome_reason })
    flight.cost_micro += row.cost_micro
    this.#settler.addStep(flight, row)
    const budget = itemBudgetMicro(declaration, flight)
    if (budget !== null && row.cost_micro > 0 && flight.cost_micro >= budget) {
      this.cutShort = true
      this.end(flight, budgetVerdict(declaration.on_budget, budget))
    }
  }

  #result(flight: Flight, line: Extract<AgentLine, { type: 'result' }>, text: string): void {
    const output = outputText(line, text)
    if (isLongerThan(output, LIMITS.item_output_bytes))
      return this.fail(
        flight,
        'output_too_large',
        `The output is longer than ${LIMITS.item_output_bytes} bytes; store it elsewhere and return where.`,
        'limit_exceeded',
      )
    const grade = gradeItem({
      output: line.output,
      output_text: output,
      ...(line.degraded === undefined ? {} : { degraded: String(line.degraded) }),
      ...(line.schema_error === undefined ? {} : { schema_error: String(line.schema_error) }),
      steps: flight.graded,
    })
    this.end(flight, {
      status: 'completed',
      outcome: grade.outcome,
      outcome_reason: grade.reason,
      degraded_reason: grade.degraded_reason === null ? null : words(grade.degraded_reason),
      output,
    })
  }

  #error(flight: Flight, error: ItemError): void {
    if (typeof error?.code !== 'string' || typeof error.message !== 'string')
      throw new ProtocolError('error must have a code and a message')
    const retries = Math.min(this.#claim.target.declaration.retries ?? 0, LIMITS.agent_retries)
    const again = error.retryable !== false && !FINAL_CODES.has(error.code)
    if (again && flight.item.agent_failures < retries)
      return this.giveBack(flight, error.code, error.message, 'agent', backoffMs(flight.item.agent_failures))
    if (error.code === 'budget_exceeded')
      return this.end(
        flight,
        budgetVerdict(
          this.#claim.target.declaration.on_budget,
          itemBudgetMicro(this.#claim.target.declaration, flight),
        ),
      )
    this.fail(flight, error.code, error.message, REASON_OF_CODE[error.code] ?? 'agent_error')
  }
}

/** The key the SDK records `ctx.hold` under. */
const HOLD_KEY = /^hold(#\d+)?$/

const NOTHING: Omit<Verdict, 'status'> = {
  outcome: null,
  outcome_reason: null,
  degraded_reason: null,
  error_code: null,
  error_message: null,
  output: null,
}

/** Errors that another attempt would meet again. */
const FINAL_CODES = new Set(['budget_exceeded', 'invalid_input', 'output_too_large', 'step_limit_exceeded'])

const REASON_OF_CODE: Record<string, OutcomeReason> = {
  llm_call_error: 'provider_error',
  tool_call_error: 'step_error',
  step_error: 'step_error',
  step_timeout: 'limit_exceeded',
  step_limit_exceeded: 'limit_exceeded',
  output_too_large: 'limit_exceeded',
}

export function budgetVerdict(onBudget: 'fail' | 'pause' | undefined, budgetMicro: number | null) {
  const error_message = `The item reached its budget of ${centsOf(budgetMicro ?? 0)} cents.`
  return onBudget === 'pause'
    ? ({ status: 'paused', outcome_reason: 'budget_exceeded', error_message } as const)
    : ({
        status: 'budget_exceeded',
        outcome: 'failed',
        outcome_reason: 'budget_exceeded',
        error_code: 'budget_exceeded',
        error_message,
      } as const)
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

const words = (text: unknown) => plainText(String(text ?? ''), LIMITS.error_message_characters)

const isLongerThan = (text: string, bytes: number) =>
  text.length > bytes || (text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes)
