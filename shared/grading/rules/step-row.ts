// Turns a reported step into the row that is kept: checked, graded, priced and cut to size.

import { type Outcome, STEP_KINDS, type StepKind } from '../../items/vocabulary.ts'
import { fieldsOf, problemOf } from '../../json/json.ts'
import { JsonError } from '../../json/json-error.ts'
import { rawMembers } from '../../json/raw-members.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type Mask, UNMASKED } from '../../kernel/masking.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { dollars } from '../../prices/rules/amounts.ts'
import type { PriceBook } from '../../prices/rules/price-book.ts'
import { costOf, type Price } from '../../prices/rules/pricing.ts'
import { ANSWER_REFUSED, type StepReport } from '../../protocol/rules/protocol.ts'
import { type Finish, isRead, type Reading, readCall, saysAnswer } from '../../providers/rules/completion.ts'
import { noAnswer, surelyNoAnswer } from '../../upstreams/rules/no-answer.ts'
import type { OutcomeReason } from '../vocabulary.ts'
import { type Grade, type GradeChoices, gradeStep, type StepTokens, usageOf } from './grading.ts'

export interface StepRow {
  seq: number
  attempt: number
  step_no: number
  kind: StepKind
  outcome: Outcome
  outcome_reason: OutcomeReason | null
  unpriced: boolean
  /** A price of its model was found. An unpriced call has one too if the price does not say what the call cost. */
  has_price: boolean
  /** A model call whose answer was read and graded. */
  graded: boolean
  /** What was found instead of an answer, for a model call whose answer was not read. */
  unread: string | null
  /** A model call that was graded by the answer its agent reported, which its output need not contain. */
  told: boolean
  /** The step did not run: an offered step of the original was reused. */
  reused: boolean
  input_tokens: number
  output_tokens: number
  /** By the provider's own bill if its answer has one, else by the price. */
  cost_micro: number
  /** The cost is the provider's own bill. */
  billed: boolean
  /** What the price makes of a call that was billed; null if there is no price, or no bill. */
  listed_micro: number | null
  started_ms: number
  duration_ms: number
  key: string
  name: string
  model: string | null
  error_code: string | null
  error_message: string | null
  input: string | null
  output: string | null
}

/** What an agent sent does not follow the protocol. */
export class ProtocolError extends Error {}

/** A reported step with its payloads as they are kept: as JSON texts, so that numbers keep their digits. */
export interface ReadStep {
  report: StepReport
  input: string | null
  output: string | null
  /** What else of the step is kept passes it too. */
  mask: Mask
  /** Nobody but the agent's own host saw the calls: of a bundle they pass our egress. */
  is_claim?: boolean
  /** No step began later. */
  now_ms?: number
}

/**
 * The step, whose own text is `text`. What is kept of it passes the mask; model, tokens and finish words are read from
 * the report as it was sent.
 *
 * @throws ProtocolError
 */
export function readStep(report: StepReport, text: string, mask: Mask = UNMASKED): ReadStep {
  const payloads = checkedPayloads(text) ?? rawPayloads(text)
  const kept = (name: 'input' | 'output') => {
    const { value, problem } = payloads(name)
    return value === undefined ? null : payload(mask.json(value), problem)
  }
  return { report, input: kept('input'), output: kept('output'), mask }
}

type Payloads = (name: 'input' | 'output') => { value: string | undefined; problem?: string | undefined }

/** One scan finds and checks both; undefined where something is wrong. */
function checkedPayloads(text: string): Payloads | undefined {
  try {
    const members = fieldsOf(text, { depth: LIMITS.json_depth + 1 })
    return name => ({ value: members.get(name) })
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

function rawPayloads(text: string): Payloads {
  const members = rawMembers(text)
  if (members === undefined) throw new ProtocolError('step has a key twice')
  return name => {
    const value = members.get(name)
    return { value, problem: value === undefined ? undefined : problemOf(value) }
  }
}

const KINDS = new Set<string>(STEP_KINDS)

export function stepRow(
  { report, input, output, mask, is_claim, now_ms = Number.POSITIVE_INFINITY }: ReadStep,
  place: { seq: number; attempt: number; step_no: number },
  prices: PriceBook,
  declared?: GradeChoices,
): StepRow {
  const started_ms = Math.min(startOf(report), now_ms)
  const sent = withoutNull(report)
  const none = noAnswerIn(sent)
  const step = none === undefined ? sent : { ...sent, error: sent.error ?? none }
  const reading = readCall(step)
  const { outcome, reason: outcome_reason } = none ? NO_ANSWER : gradeStep(step, declared, reading)
  // Only a model call can be unread, whatever a step of another kind reports wrongly.
  const wasAnswered = !step.error || step.error.code === ANSWER_REFUSED
  const { usage, price, cost } = costed(
    usageOf(step, reading),
    said => priceOf(said, prices, started_ms, { reading, address: step.host }),
    is_claim,
  )
  const unread = step.kind === 'llm_call' && wasAnswered ? unreadOf(reading, usage?.fault, mask) : null
  return {
    ...place,
    kind: step.kind,
    outcome,
    outcome_reason,
    reused: false,
    // A model call without tokens or without a known price has an unknown cost, never no cost.
    unpriced:
      step.kind === 'llm_call' &&
      // Of an answer that was cut it is not known either whether it costs anything.
      (wasAnswered || (isRead(reading) && !UNENDED.includes(reading.finish))) &&
      none === undefined &&
      (cost === undefined || !cost.is_known || (usage?.fault !== undefined && !cost.is_billed)),
    has_price: price !== undefined,
    graded: isRead(reading) && !reading.ungraded && unread === null,
    unread,
    told: step.kind === 'llm_call' && saysAnswer(step.answer),
    input_tokens: usage?.input_tokens ?? 0,
    output_tokens: usage?.output_tokens ?? 0,
    cost_micro: cost?.cost_micro ?? 0,
    billed: cost?.is_billed === true,
    listed_micro: cost?.listed_micro ?? null,
    started_ms,
    duration_ms: durationOf(step),
    key: plainText(mask.text(step.key), LIMITS.step_key_characters),
    name: plainText(mask.text(step.name || step.key), LIMITS.name_characters),
    model: usage?.model === undefined ? null : plainText(usage.model, LIMITS.name_characters),
    ...errorOf(step, mask),
    input,
    output,
  }
}

function errorOf({ error }: StepReport, mask: Mask): Pick<StepRow, 'error_code' | 'error_message'> {
  if (!error) return { error_code: null, error_message: null }
  return {
    error_code: plainText(mask.text(error.code), LIMITS.name_characters),
    error_message: plainText(mask.text(error.message), LIMITS.error_message_characters),
  }
}

/** What is believed of a reported usage, and what that costs. */
function costed(
  said: StepTokens | undefined,
  priceFor: (said: StepTokens) => Price | undefined,
  isClaim: boolean | undefined,
) {
  const price = said && priceFor(said)
  const usage = said && believable(said, price, isClaim)
  return { usage, price, cost: usage && costOf(usage, price, isClaim) }
}

/** The usage without what no call can have: an agent may report anything, and a lower bound is what is left of it. */
function believable(usage: StepTokens, price: Price | undefined, isClaim: boolean | undefined): StepTokens {
  const tokens = usage.input_tokens + usage.output_tokens
  const { cost_micro, is_billed } = costOf(usage, price, isClaim)
  const { step_tokens, step_cost_micro } = LIMITS
  if (tokens <= step_tokens && cost_micro <= step_cost_micro) return usage
  const claim =
    tokens > step_tokens
      ? `it claims ${tokens} tokens, and no call has more than ${step_tokens}`
      : `it claims ${is_billed ? 'a bill' : 'a cost'} of ${dollars(cost_micro)}, and no call costs more than ${dollars(step_cost_micro)}`
  const fault = usage.fault ?? claim
  const { billed_micro, ...rest } = usage
  // A claim of a bill leaves the tokens, which may be right.
  if (is_billed && tokens <= step_tokens) return believable({ ...rest, fault }, price, isClaim)
  return { model: usage.model, input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, fault }
}

/** How an answer ends of which it is not known that it was whole. */
const UNENDED: readonly Finish[] = ['other', 'interrupted']

const NO_ANSWER: Grade = { outcome: 'failed', reason: 'provider_error' }

/** What is wrong with a call whose provider answered something else than an answer, whatever its agent made of it. */
function noAnswerIn({ kind, output, answer, error }: StepReport): StepReport['error'] {
  if (kind !== 'llm_call' || output === undefined || saysAnswer(answer)) return undefined
  // What a call returned may be data that its agent read out of a good answer. What one failed with was no answer to it.
  const hasFailed = error !== undefined && error.code !== ANSWER_REFUSED
  const none = hasFailed ? noAnswer(output) : surelyNoAnswer(output)
  return none && { code: 'llm_call_error', message: none.words }
}

function priceOf(
  { model }: StepTokens,
  prices: PriceBook,
  at_ms: number,
  { reading, address }: { reading: Reading | undefined; address: string | null | undefined },
) {
  const host = isRead(reading) ? reading.host : undefined
  return model === undefined ? undefined : prices.priceOf(model, at_ms, host, address ?? undefined)
}

function unreadOf(reading: Reading | undefined, fault: string | undefined, mask: Mask): string | null {
  const said = fault ?? (reading === undefined || isRead(reading) ? reading?.fault : reading.unread)
  return said === undefined ? null : plainText(mask.text(said), LIMITS.unread_characters)
}

/** A recorded step that is reused for a call with the same input. */
export interface OfferedRecord {
  key: string
  kind: StepKind
  name: string
  model: string | null
  /** JSON texts. */
  input: string
  output: string | null
}

/**
 * The row of an offered step that was reused: it has the recorded content, whatever the agent sends.
 *
 * @throws ProtocolError when no step with this key was offered
 */
export function reusedRow(
  step: StepReport,
  place: { seq: number; attempt: number; step_no: number },
  offered: readonly OfferedRecord[],
): StepRow {
  const started_ms = startOf(step)
  const record = offered.find(one => one.key === step.key)
  if (record === undefined)
    throw new ProtocolError(`step.reused: no step with the key ${JSON.stringify(step.key)} was offered`)
  return {
    ...place,
    ...record,
    outcome: 'ok',
    outcome_reason: null,
    unpriced: false,
    has_price: false,
    graded: false,
    unread: null,
    told: false,
    reused: true,
    input_tokens: 0,
    output_tokens: 0,
    cost_micro: 0,
    billed: false,
    listed_micro: null,
    started_ms,
    duration_ms: durationOf(step),
    error_code: null,
    error_message: null,
  }
}

/** Many languages write an absent value as null. */
function withoutNull(report: StepReport): StepReport {
  if (report.error !== null) return report
  const { error: _, ...step } = report
  return step
}

/** When the step began, in ms; throws ProtocolError when it does not have the shape of a step. */
function startOf(step: StepReport): number {
  const started_ms = typeof step?.started_at === 'string' ? msOf(step.started_at) : Number.NaN
  const wrong =
    typeof step !== 'object' || step === null
      ? 'step must be an object'
      : typeof step.key !== 'string' || step.key === '' || step.key.length > LIMITS.step_key_characters
        ? `step.key must be a string of 1 to ${LIMITS.step_key_characters} characters`
        : !KINDS.has(step.kind)
          ? `step.kind must be one of ${STEP_KINDS.join(', ')}`
          : typeof step.name !== 'string'
            ? 'step.name must be a string'
            : !isTime(started_ms)
              ? 'step.started_at must be an RFC 3339 time'
              : !Number.isFinite(step.duration_ms) || step.duration_ms > LIMITS.step_duration_ms
                ? `step.duration_ms must be a number, at most ${LIMITS.step_duration_ms}`
                : step.error != null &&
                    (typeof step.error.code !== 'string' || typeof step.error.message !== 'string')
                  ? 'step.error must have a code and a message'
                  : wrongCall(step)
  if (wrong) throw new ProtocolError(wrong)
  return started_ms
}

function wrongCall({ host, cost_usd }: StepReport): string | null {
  if (host != null && (typeof host !== 'string' || host.length > LIMITS.upstream_host_characters))
    return `step.host must be a string of at most ${LIMITS.upstream_host_characters} characters`
  return cost_usd == null || typeof cost_usd === 'number' ? null : 'step.cost_usd must be a number'
}

/** A clock that is set back meanwhile makes an agent measure a negative duration; no item fails for that. */
const durationOf = ({ duration_ms }: StepReport) => Math.max(0, duration_ms)

// Steps that take no time report the same time in the same letters; parsing it is a quarter of reading such a step.
let lastTime = ''
let lastMs = Number.NaN
function msOf(time: string): number {
  if (time !== lastTime) {
    lastMs = Date.parse(time)
    lastTime = time
  }
  return lastMs
}

/** Whether PostgreSQL can store the time: JavaScript parses years that PostgreSQL cannot store. */
const isTime = (ms: number) => ms >= 0 && ms < Date.UTC(10_000, 0)

/** The JSON text of a payload; a mark with its head when it is over the bound, or no reader could take it. */
function payload(text: string, problem: string | undefined): string {
  // A UTF-16 unit is at most 3 bytes of UTF-8; only texts near the bound are measured.
  if (problem === undefined && text.length * 3 <= LIMITS.step_payload_bytes) return text
  const bytes = new TextEncoder().encode(text).length
  if (problem === undefined && bytes <= LIMITS.step_payload_bytes) return text
  const head = text.slice(0, LIMITS.step_cut_head_bytes).toWellFormed()
  return JSON.stringify({ cut: true, bytes, head, ...(problem !== undefined && { problem }) })
}
