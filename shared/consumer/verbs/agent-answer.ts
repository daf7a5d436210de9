// Reads an agent's answer, line by line, into the writer. Guarantee: each item of the request is ended at most once; what
// is wrong with a line ends the item that the line names and no other; and what records nothing is bounded.

import { codeVersionOf, headerText } from '../../agents/rules/code-version.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import { linesOfReport } from '../../grading/rules/plain-report.ts'
import { ProtocolError, readStep, type StepRow } from '../../grading/rules/step-row.ts'
import {
  countStep,
  errorVerdict,
  failedVerdict,
  holdVerdict,
  resultVerdict,
  type Verdict,
} from '../../grading/rules/verdict.ts'
import type { OutcomeReason } from '../../grading/vocabulary.ts'
import type { UnreadableLine } from '../../json/loose-lines.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type Mask, maskAt, maskOf } from '../../kernel/masking.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { headOf, namedSeq } from '../../protocol/rules/named-item.ts'
import type { ItemError, StepReport } from '../../protocol/rules/protocol.ts'
import type { InFlightItem } from '../../settling/verbs/in-flight-item.ts'
import type { Later, ResultWriter } from '../../settling/verbs/result-writer.ts'
import type { Stop } from '../../upstreams/verbs/known-upstreams.ts'
import {
  checkedResult,
  fieldText,
  type LineOfItem,
  parse,
  parsedJson,
  type ResultLine,
  returnedOf,
  stepText,
  wordsOf,
} from './agent-line.ts'
import { type DeclaredSchemas, outputCheck, restOf } from './declared-schemas.ts'
import type { Stops } from './stops.ts'
import { Flood, Unrecorded } from './unrecorded.ts'

/** Takes the results that an answer contains. */
export type ResultSink = Pick<ResultWriter, 'addStep' | 'end' | 'giveBack' | 'handOver'>

/** Who an attempt's end is counted for; `none` counts its time, `uncounted` not even that. */
type Fault = 'agent' | 'transport' | 'none' | 'uncounted'

/** When an item is offered again, and how. */
export interface Again {
  delay_ms: number
  together: number | null
  cuts?: number | undefined
  /** What stopped the item; with `waits` it is offered once that lets it. */
  stop?: { stop: Stop; waits: boolean }
  /** How often its answer was cut, if that is not what stopped it. */
  cut_answers?: number
}

/** The answer to one request, and which of its items are unfinished. */
export class Answer {
  readonly #claim: Claim
  readonly #writer: ResultSink
  readonly #inFlightItems: Map<number, InFlightItem>
  #startedMs: number
  /** Steps that record a hold, to be written with the verdict. */
  readonly #holds = new Map<InFlightItem, StepRow>()
  readonly now: () => number
  readonly #later: Later | undefined
  /** What agents write is kept without the secrets of their environment. */
  readonly #mask: Mask
  readonly #stops: Stops | undefined
  readonly #check: ReturnType<typeof outputCheck>
  /** Lines that record nothing. */
  readonly unrecorded: Unrecorded
  open: number
  /** An item was ended before its agent ended it, so the agent should not continue. */
  cutShort = false

  /**
   * Without an address for later answers there is no `later`; without `stops`, what refuses items is their own error. The
   * request began at `startedMs`, by default now.
   */
  constructor(
    claim: Claim,
    writer: ResultSink,
    inFlightItems: readonly InFlightItem[],
    now: () => number,
    later?: Later,
    stops?: Stops,
    startedMs = now(),
    schemas?: DeclaredSchemas,
  ) {
    this.#claim = claim
    this.#mask = maskAt(maskOf(claim.target.env), claim.target.url)
    this.#check = outputCheck(claim.target, schemas, this.#mask)
    this.#writer = writer
    this.#inFlightItems = new Map(inFlightItems.map(inFlight => [inFlight.seq, inFlight]))
    this.now = now
    this.#later = later
    this.#stops = stops
    this.#startedMs = startedMs
    this.unrecorded = new Unrecorded(now, () => this.#startedMs)
    this.open = inFlightItems.length
  }

  /** The request is sent only now: what came before is not its items' time. */
  sent(): void {
    this.#startedMs = this.now()
  }

  awaits(seq: number): boolean {
    return this.#inFlightItems.get(seq)?.done === false
  }

  unfinished(): InFlightItem[] {
    return [...this.#inFlightItems.values()].filter(inFlight => !inFlight.done)
  }

  /** To be awaited before a line is taken, where there is something: outputs are checked, and others have their turn. */
  rest(): Promise<void> | undefined {
    return this.#check && restOf(this.#claim.target)
  }

  /** A text of the agent's without secrets. */
  hide = (text: string): string => this.#mask.text(text)

  /** The version of the code that made the answer to the whole request, as its header has it. */
  ofVersion(header: string | null): void {
    if (header === null) return
    for (const inFlight of this.unfinished()) this.#ofVersion(inFlight, headerText(header))
  }

  #ofVersion(inFlight: InFlightItem, given: string): void {
    const version = codeVersionOf(this.#mask.text(given))
    if (version !== null) inFlight.code = { deployment_id: this.#claim.target.deployment_id, version }
  }

  /** Takes a line; one that is wrong ends its item, and one that names none is passed over. @throws Flood */
  line(given: string | UnreadableLine): void {
    const bytes = typeof given === 'string' ? given.length : given.bytes
    if (bytes < SHORTEST_LINE || !isObject(typeof given === 'string' ? given : given.head))
      return this.#passOver(given, bytes)
    // Not parsed where it is much longer than what it says.
    if (
      bytes > LIMITS.answer_heartbeat_bytes &&
      HEARTBEAT_HEAD.test(typeof given === 'string' ? given : given.head)
    )
      return this.unrecorded.beat(bytes)
    try {
      if (typeof given !== 'string') throw new ProtocolError(given.problem)
      this.#take(given, bytes)
    } catch (error) {
      if (error instanceof Flood) throw error
      // Whatever a line does to the code that reads it, it does to its own item.
      const inFlight = this.#inFlightItems.get(namedSeq(given) ?? 0)
      if (!inFlight) return this.#passOver(given, bytes)
      if (inFlight.done) return this.unrecorded.afterEnd(inFlight, bytes)
      const message = `${(error as Error).message}: ${this.#headOf(given)}`
      this.fail(inFlight, 'protocol_error', message, 'agent_error')
    }
  }

  /** A line of more than `LIMITS.unrecorded_bytes` is read no further where it says that it records nothing. @throws Flood */
  endless = (head: string): void => {
    if (HEARTBEAT_HEAD.test(head))
      throw new Flood(`the agent sent more than ${LIMITS.unrecorded_bytes} bytes of one heartbeat`)
  }

  /** Masked first: a secret that is cut is not found. */
  #headOf(line: string | UnreadableLine): string {
    return headOf(this.#mask.text(typeof line === 'string' ? line : line.head))
  }

  #passOver(line: string | UnreadableLine, bytes: number): void {
    this.unrecorded.passOver(() => this.#headOf(line), bytes)
  }

  #take(text: string, bytes: number): void {
    const returned = returnedOf(text)
    const line = returned?.line ?? parse(text)
    // Once nothing is awaited it says nothing any more.
    if (line.type === 'later') return this.open > 0 ? this.later() : this.unrecorded.add(bytes + 1)
    if (line.type === 'heartbeat') return this.unrecorded.beat(bytes)
    // A key that is there twice could name two items; steps and results are looked through when they are read.
    if (line.type !== 'step' && line.type !== 'result') fieldText(text, 'seq')
    const inFlight = this.#inFlightItems.get(line.seq)
    if (!inFlight) this.#passOver(text, bytes)
    else if (inFlight.done) this.unrecorded.afterEnd(inFlight, bytes)
    else if (inFlight.attempt === line.attempt) this.#read(inFlight, line, text, returned?.output)
    else this.unrecorded.strayOf(inFlight, bytes)
  }

  #read(inFlight: InFlightItem, line: LineOfItem, text: string, returned: string | undefined): void {
    if ('version' in line) this.#ofVersion(inFlight, wordsOf('version', line.version) ?? '')
    switch (line.type) {
      case 'step':
        return this.#step(inFlight, line.step, stepText(text))
      case 'result': {
        const output = returned ?? fieldText(text, 'output') ?? 'null'
        return this.#return(inFlight, checkedResult(line, this.#mask), output)
      }
      case 'error':
        return this.#error(inFlight, line.error, text)
      case 'hold':
        return this.end(inFlight, holdVerdict(this.#mask.text(wordsOf('reason', line.reason) ?? '')))
      case 'yield':
        return this.giveBack(inFlight, 'yielded', 'The agent stopped at a step boundary.', 'none', {
          // Without a delay, an item that made no progress would be offered again in a tight loop.
          delay_ms: inFlight.step_count > inFlight.item.step_count ? 0 : backoffMs(0),
          together: null,
        })
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
    this.#return(inFlight, line, text)
  }

  #return(inFlight: InFlightItem, line: ResultLine, output: string): void {
    const { declaration } = this.#claim.target
    const masked = this.#mask.json(output)
    this.end(inFlight, resultVerdict(line, masked, inFlight.graded, declaration, this.#check))
  }

  /** Ends an item by a plain answer that reports what it did. One that is wrong ends it too: its calls were paid for. */
  report(inFlight: InFlightItem, text: string): void {
    try {
      for (const line of linesOfReport(text, inFlight)) if (!inFlight.done) this.line(line)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.fail(inFlight, 'protocol_error', `${error.message}: ${this.#headOf(text)}`, 'agent_error')
    }
  }

  end(inFlight: InFlightItem, verdict: Verdict): void {
    const hold = this.#holds.get(inFlight)
    if (hold) this.#writer.addStep(inFlight, { ...hold, step_no: ++inFlight.step_count })
    this.#writer.end(inFlight, verdict)
    // Last: an item that could not be ended is not taken for one that was.
    inFlight.done = true
    this.open--
  }

  fail(inFlight: InFlightItem, code: string, message: string, reason: OutcomeReason): void {
    // The next attempt would find the step of a hold, and take it for a decision that nobody made.
    this.#holds.delete(inFlight)
    this.end(inFlight, failedVerdict(code, this.#mask.text(message), reason))
  }

  /** Ends the items of which a step records a hold, if nothing followed that ends them: the step would be lost. */
  failHolds(): void {
    for (const [inFlight, { key }] of this.#holds) {
      if (inFlight.done) continue
      const message = `the step "${key}" records a hold, and the item's line "hold" is not in the same POST`
      this.fail(inFlight, 'protocol_error', message, 'agent_error')
    }
  }

  /** Has the item offered again. */
  giveBack(inFlight: InFlightItem, code: string, message: string, fault: Fault, again: Again): void {
    inFlight.done = true
    this.open--
    const { delay_ms, together, cuts, stop } = again
    const { item, gotOn } = inFlight
    // What counts against the item's call holds until the call has worked, whyever the item comes back.
    const before = gotOn || item.upstream_id === null ? undefined : { ...upstreamOf(item), waits: false }
    const cut_answers = again.cut_answers ?? stop?.stop.cut_answers ?? (gotOn ? 0 : item.cut_answers)
    this.#writer.giveBack(inFlight, {
      seq: inFlight.seq,
      attempt: inFlight.attempt,
      code: plainText(code, LIMITS.name_characters) || 'agent_error',
      message: plainText(this.#mask.text(message), LIMITS.error_message_characters),
      delay_ms,
      together,
      ...(cuts !== undefined && { cuts }),
      ...(stop ? { upstream: { ...stop.stop.upstream, waits: stop.waits } } : before && { upstream: before }),
      ...(cut_answers > 0 && { cut_answers }),
      fault: fault === 'uncounted' ? 'none' : fault,
      ran_ms: fault === 'none' ? Math.max(0, this.now() - this.#startedMs) : 0,
    })
  }

  /** Hands over the unfinished items: their agent answers later, at the address that came with the request. */
  later(): void {
    for (const inFlight of this.unfinished()) {
      if (this.#later === undefined) {
        this.fail(inFlight, 'protocol_error', NO_ADDRESS, 'transport_error')
        continue
      }
      inFlight.done = true
      this.open--
      this.#writer.handOver(inFlight, this.#later)
    }
  }

  /** Does what is decided about a stopped item; false if it is to be ended as by any error. */
  stop(
    inFlight: InFlightItem,
    stop: Stop,
    { code, message }: Pick<ItemError, 'code' | 'message'>,
    reason: OutcomeReason = 'provider_error',
  ): boolean {
    const { next } = stop
    if (next.is === 'its own') return false
    if (next.is === 'cut too often') this.fail(inFlight, code, `${message}\n${CUT_TOO_OFTEN}`, reason)
    else {
      // An upstream that has opened meanwhile is tried again soon, and one that could not be stored less and less often.
      const { first, max } = LIMITS.upstream_unstored_ms
      const delay_ms = next.is === 'again' ? next.delay_ms : Math.min(first * 2 ** stop.upstream.stops, max)
      const again = {
        delay_ms,
        together: inFlight.item.together,
        stop: { stop, waits: next.is === 'waiting' },
      }
      this.giveBack(inFlight, code, message, 'uncounted', again)
    }
    return true
  }

  #step(inFlight: InFlightItem, report: StepReport, text: string): void {
    if (typeof report !== 'object' || report === null) throw new ProtocolError('step must be an object')
    const { target, prices, holds_unpriced } = this.#claim
    const { row, holds, verdict } = countStep(
      inFlight,
      { ...readStep(report, text, this.#mask), is_claim: target.kind === 'url', now_ms: this.now() },
      target.declaration,
      prices,
      holds_unpriced,
    )
    if (row && holds) {
      this.#holds.set(inFlight, row)
      return
    }
    if (row) this.#writer.addStep(inFlight, row)
    if (row?.outcome === 'ok' && !inFlight.item.recorded.some(({ key }) => key === row.key))
      inFlight.gotOn = true
    if (row) this.#stops?.used(inFlight, row)
    if (report.upstream) this.#stops?.seen(inFlight, report.upstream, report.error?.message ?? '')
    if (!verdict) return
    this.cutShort = true
    this.end(inFlight, verdict)
  }

  #error(inFlight: InFlightItem, error: ItemError, text: string): void {
    if (typeof error?.code !== 'string' || typeof error.message !== 'string')
      throw new ProtocolError('error must have a code and a message')
    const { text: mask } = this.#mask
    const masked = { ...error, code: mask(error.code), message: mask(error.message) }
    const stop = this.#stops?.ofError(inFlight, masked)
    const endsHere = stop?.next.is === 'its own' || stop?.next.is === 'cut too often'
    if (endsHere && error.step)
      this.#step(inFlight, error.step, fieldText(fieldText(text, 'error') ?? '{}', 'step') ?? 'null')
    if (inFlight.done || (stop && this.stop(inFlight, stop, masked))) return
    const verdict = errorVerdict(masked, inFlight, this.#claim.target.declaration)
    if (verdict !== 'again') return this.end(inFlight, verdict)
    const delay_ms = Math.max(backoffMs(inFlight.item.agent_failures), momentOf(masked))
    this.giveBack(inFlight, masked.code, masked.message, 'agent', { delay_ms, together: null })
  }
}

/** When the agent says that another attempt may help, in milliseconds from now; 0 if it does not. */
function momentOf({ retry_after_ms }: ItemError): number {
  if (retry_after_ms === undefined || retry_after_ms === null) return 0
  if (!Number.isFinite(retry_after_ms)) throw new ProtocolError('error.retry_after_ms must be a number')
  return Math.min(retry_after_ms, LIMITS.upstream_moment_ms.max)
}

const upstreamOf = ({ upstream_id, stops, refusals }: InFlightItem['item']) => ({
  id: upstream_id!,
  stops,
  refusals,
})

const CUT_TOO_OFTEN = `It was sent ${LIMITS.cut_answers} times, and each time its answer was cut, which may have been paid for.`

const SHORTEST_LINE = '{"type":"later"}'.length
const HEARTBEAT_HEAD = /^\s{0,8}\{\s{0,8}"type"\s{0,8}:\s{0,8}"heartbeat"/

/** Whether a line begins as one of the protocol's may. */
const isObject = (line: string): boolean => line.startsWith('{') || line.trimStart().startsWith('{')

const NO_ADDRESS = 'The agent was handed no address at which it could answer later.'

export function backoffMs(earlier: number): number {
  const { base, max } = LIMITS.transport_backoff_ms
  return Math.min(base * 2 ** earlier, max)
}
