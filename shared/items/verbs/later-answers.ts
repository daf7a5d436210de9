// Takes what an agent answers later. Guarantee: it is read and settled by what reads and settles an open answer; of one
// POST all lines count or none, and lines that are sent twice, or beside each other, count once. Whatever has to wait,
// the lease is renewed before.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { KiB } from '../../kernel/limits/bytes.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { LineError, ndjsonLines } from '../../kernel/ndjson.ts'
import { pause } from '../../kernel/pause.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { readRun } from '../queries/claims.ts'
import {
  findHanded,
  findHandedItems,
  findToldSteps,
  type HandedItem,
  type HeldRequest,
  isHeldByConsumer,
  renewHanded,
  type SentRequest,
} from '../queries/later-answers.ts'
import { type AgentLine, HOLD_KEY } from '../rules/protocol.ts'
import { ProtocolError } from '../rules/step-row.ts'
import { Answer, type ResultSink } from './agent-answer.ts'
import { type Claim, claimOf, toClaim, withSteps } from './claim.ts'
import { type Lease, takeOff } from './in-flight-item.ts'
import { inTurn } from './later-answer-turns.ts'
import { CauseNamer } from './name-causes.ts'
import { Settler } from './result-writer.ts'
import { RunTrace } from './run-trace.ts'

/** The lines, of so many bytes at most, which are not read before they are asked for. */
interface SentBody {
  bytes: number
  read(): Promise<Uint8Array>
}

/** A line as it was sent, and what of it tells whether it counts. */
interface SentLine {
  number: number
  text: string
  type: AgentLine['type']
  seq: number
  attempt: number
  /** Of a step. */
  key: string | undefined
}

/**
 * Renews the leases on what an agent answers later and settles what its lines say; returns the items that are still
 * awaited. A heartbeat waits for no other POST.
 *
 * @throws ApiError `claim_ended`, `claim_not_handed_over`, `invalid_line` and what reading the body throws
 */
export async function takeAnswer(ctx: Context, named: SentRequest, body: SentBody): Promise<number[]> {
  const sent = await renew(ctx, named)
  const renewed_ms = ctx.now()
  const short = body.bytes <= LIMITS.answer_heartbeat_bytes ? await linesOf(await body.read()) : undefined
  if (short?.every(line => line.type === 'heartbeat')) {
    const open = await findHanded(ctx.sql, sent)
    if (!open.some(item => item.handed && item.late)) return open.map(item => item.seq)
  }
  return inTurn(ctx, { run_id: sent.run_id, bytes: body.bytes }, async () => {
    const lines = short ?? (await linesOf(await body.read()))
    if (Math.abs(ctx.now() - renewed_ms) >= LIMITS.agent_heartbeat_ms) await renewHanded(ctx.sql, sent)
    return settleLines(ctx, sent, lines)
  })
}

async function settleLines(ctx: Context, sent: HeldRequest, lines: readonly SentLine[]): Promise<number[]> {
  checkHolds(lines)
  const named = new Set(lines.flatMap(line => (line.seq > 0 ? [line.seq] : [])))
  let open = await awaitHandOver(ctx, sent, named)
  await fault('answer.before_settle')
  for (let tries = 0; tries < LIMITS.answer_tries; tries++) {
    // Another POST may have written about an item meanwhile: then the lines are read again beside that.
    const told = tries === 0 ? new Set<string>() : await toldSteps(ctx, sent, named)
    const about = open.filter(
      item => item.handed && (item.late || lines.some(line => adds(line, item, told))),
    )
    if (about.length === 0) return open.map(item => item.seq)
    await settle(ctx, sent, about, lines)
    await fault('answer.after_settle')
    open = await findHanded(ctx.sql, sent)
  }
  throw new ApiError(
    'claim_not_handed_over',
    'Other lines about the same items are being taken.',
    'Send one POST at a time, and the next when that was answered.',
    1,
  )
}

/** Whether a line says of an item what is not recorded yet. */
function adds(line: SentLine, { seq, attempt }: HandedItem, told: ReadonlySet<string>): boolean {
  if (line.seq !== seq || line.attempt !== attempt) return false
  // A step that records a hold is written with the hold.
  return line.type !== 'step' || !(told.has(nameOf(line)) || HOLD_KEY.test(line.key ?? ''))
}

const nameOf = ({ seq, key }: { seq: number; key: string | undefined }) => `${seq} ${key}`

/** The steps that were told in this attempt, by their names. */
async function toldSteps(ctx: Context, sent: HeldRequest, seqs: ReadonlySet<number>) {
  const steps = await findToldSteps(ctx.sql, sent, [...seqs])
  return new Set(steps.flatMap(step => (step.now ? [nameOf(step)] : [])))
}

/** Waits a little for a consumer that has not got to the 202 yet. */
async function renew(ctx: Context, sent: SentRequest): Promise<HeldRequest> {
  const began_ms = ctx.now()
  let project_id = await renewHanded(ctx.sql, sent)
  for (let looks = 1; project_id === undefined; looks++) {
    const isHeld = await isHeldByConsumer(ctx.sql, sent)
    if (isHeld) await aMoment(ctx, began_ms, looks)
    project_id = await renewHanded(ctx.sql, sent)
    if (project_id === undefined && !isHeld) throw ended()
  }
  return { ...sent, project_id }
}

/** The items of several requests are sent under one claim, and their consumer lets go of each request by itself. */
async function awaitHandOver(ctx: Context, sent: HeldRequest, named: ReadonlySet<number>) {
  const began_ms = ctx.now()
  for (let looks = 1; ; looks++) {
    const open = await findHanded(ctx.sql, sent)
    if (!open.some(item => !item.handed && named.has(item.seq))) return open
    await aMoment(ctx, began_ms, looks)
  }
}

async function aMoment(ctx: Context, began_ms: number, looks: number): Promise<void> {
  if (Math.abs(ctx.now() - began_ms) < LIMITS.answer_early_ms)
    return pause(looks * LIMITS.answer_poll_ms, NEVER)
  throw new ApiError(
    'claim_not_handed_over',
    'The consumer that sent the items still waits for the answer to its request.',
    'Answer 202, or end the answer with a line {"type":"later"}, and send these lines again.',
    1,
  )
}

const ended = () =>
  new ApiError(
    'claim_ended',
    'No item is awaited at this address any more: they have ended, were cancelled, or are offered again.',
    'Stop working on them; nothing that is sent here counts.',
  )

const NEVER = new AbortController().signal

/** @throws ApiError `invalid_line` naming the first that cannot be read */
async function linesOf(body: Uint8Array): Promise<SentLine[]> {
  const lines: SentLine[] = []
  try {
    for await (const { first_line, lines: texts } of ndjsonLines(piecesOf(body), LIMITS.agent_line_bytes))
      for (const [at, text] of texts.entries()) {
        if (lines.length === LIMITS.answer_lines) throw tooManyLines()
        lines.push(read(text, first_line + at))
      }
  } catch (error) {
    if (error instanceof LineError) throw badLine(error.message)
    throw error
  }
  return lines
}

/** In pieces: millions of lines are not all split before they are counted. */
async function* piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 64 * KiB) yield body.subarray(at, at + 64 * KiB)
}

function read(text: string, number: number): SentLine {
  try {
    const { type, seq, attempt, step } = JSON.parse(text)
    return { number, text, type, seq: placeOf(seq), attempt: placeOf(attempt), key: keyOf(step?.key) }
  } catch {
    throw badLine(`Line ${number} is not a JSON object`)
  }
}

/** 0, which no item and no attempt has, for what is no number of either. */
const placeOf = (given: unknown): number =>
  Number.isInteger(given) && (given as number) <= LIMITS.items_per_run ? (given as number) : 0

/** As it is kept, so that what was told is found again. What is none is found out where the step is read. */
const keyOf = (given: unknown): string | undefined =>
  typeof given === 'string' ? plainText(given, LIMITS.step_key_characters) : undefined

/** A step that records a hold is written with the hold, and would be lost without it. */
function checkHolds(lines: readonly SentLine[]): void {
  for (const { number, seq, attempt, key } of lines) {
    if (key === undefined || !HOLD_KEY.test(key)) continue
    if (!lines.some(one => one.type === 'hold' && one.seq === seq && one.attempt === attempt))
      throw badLine(
        `Line ${number}: the step records a hold, and the item's line "hold" is not in the same POST`,
      )
  }
}

const badLine = (problem: string) =>
  new ApiError(
    'invalid_line',
    `${problem}. No line of this POST was taken.`,
    'Send the lines of the agent protocol, one JSON object a line.',
  )

const tooManyLines = () =>
  new ApiError(
    'body_too_large',
    `The body has more than ${LIMITS.answer_lines} lines.`,
    'Send the lines in several POSTs, one after the other.',
  )

/** Settles what lines say about items. */
async function settle(
  ctx: Context,
  sent: HeldRequest,
  about: readonly HandedItem[],
  lines: readonly SentLine[],
): Promise<void> {
  const run = await readRun(ctx.sql, sent.run_id)
  if (!run?.deployment) throw ended()
  const seqs = about.map(item => item.seq)
  // In this order: steps that were told in between are too many for the guard, and never too few.
  const rows = await findHandedItems(ctx.sql, sent, seqs)
  if (rows.length === 0) return
  const told = await findToldSteps(ctx.sql, sent, seqs)
  const items = await withSteps(ctx, run, rows, told)
  const claim = claimOf(ctx, toClaim(run), run.deployment, {}, items)
  const leases = new Map<number, Lease>()
  const flights = items.map(item => takeOff(item, leaseOf(ctx, leases, item.claim_id)))
  const said: (() => void)[] = []
  let left = 0
  const settler = settlerOf(ctx, claim, items => {
    left += items
  })
  const answer = new Answer(claim, collecting(settler, said), flights, ctx.now, undefined, sent.started_ms)
  const known = new Set(told.flatMap(step => (step.now ? [nameOf(step)] : [])))
  feed(answer, lines, known)
  const late = new Set(about.flatMap(item => (item.late ? [item.seq] : [])))
  for (const flight of answer.unfinished())
    if (late.has(flight.seq))
      answer.fail(
        flight,
        'step_timeout',
        `The item was not finished after ${claim.timeout_ms / 1000} s.`,
        'limit_exceeded',
      )
  for (const say of said) say()
  await settler.drained()
  if ([...leases.values()].some(lease => lease.abort.signal.aborted))
    throw new Error(`what was said of items of run ${sent.run_id} could not be written`)
  if (left > 0) ctx.poke() // there is room for others
}

/** Never over: the claim is ended when nothing of it is at work any more. */
function leaseOf(ctx: Context, leases: Map<number, Lease>, claim_id: number): Lease {
  const known = leases.get(claim_id)
  if (known !== undefined) return known
  const open = Number.POSITIVE_INFINITY
  const lease = { claim_id, taken_ms: ctx.now(), open, closing: false, abort: new AbortController() }
  leases.set(claim_id, lease)
  return lease
}

function settlerOf(ctx: Context, claim: Claim, onSettled: (items: number) => void): Settler {
  const { run_id, project_id, max_consecutive_failures, target } = claim
  const run = { run_id, project_id, agent_id: target.agent_id, max_consecutive_failures }
  const trace = ctx.telemetry && new RunTrace(ctx, ctx.telemetry, claim)
  return new Settler(ctx, run, new CauseNamer(ctx), { onSettled, trace })
}

/** Nothing of it is written before all of it was read. */
function collecting(settler: Settler, said: (() => void)[]): ResultSink {
  return {
    addStep: (flight, step) => said.push(() => settler.addStep(flight, step)),
    end: (flight, verdict) => said.push(() => settler.end(flight, verdict)),
    giveBack: (flight, entry) => said.push(() => settler.giveBack(flight, entry)),
    handOver() {},
  }
}

/** Reads the lines that were not told before: of an attempt, a key names one step. */
function feed(answer: Answer, lines: readonly SentLine[], known: Set<string>): void {
  for (const { number, text, ...line } of lines) {
    if (line.key !== undefined) {
      if (known.has(nameOf(line))) continue
      known.add(nameOf(line))
    }
    try {
      answer.line(text)
    } catch (error) {
      if (error instanceof ProtocolError) throw badLine(`Line ${number}: ${error.message}`)
      throw error
    }
  }
}
