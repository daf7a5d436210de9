// Takes the lines of an agent that answers later. Guarantee: the code for open answers reads and settles them. What is
// wrong with a line ends the item that the line names and no other. All lines of a POST are written or none; lines that
// are sent twice, even by concurrent POSTs, count once. The lease is renewed before anything waits.

import { readRun } from '../../claims/queries/run-facts.ts'
import { type Claim, claimOf, toClaim } from '../../claims/verbs/claim.ts'
import { withSteps } from '../../claims/verbs/recorded-steps.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { fault } from '../../kernel/fault.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { pause } from '../../kernel/pause.ts'
import { slices } from '../../kernel/slices.ts'
import {
  badLine,
  linesOf,
  nameOf,
  nothingUsable,
  type PassedOver,
  type SentLine,
  type SentLines,
  tooMuchUnrecorded,
} from '../../protocol/verbs/later-answer-lines.ts'
import { takeTokens } from '../../redis/rate.ts'
import { beginItem, type Lease } from '../../settling/verbs/in-flight-item.ts'
import { ResultWriter } from '../../settling/verbs/result-writer.ts'
import { RunTrace } from '../../settling/verbs/run-trace.ts'
import { VersionNamer } from '../../settling/verbs/version-namer.ts'
import { CauseNamer } from '../../triage/verbs/name-causes.ts'
import { KnownUpstreams } from '../../upstreams/verbs/known-upstreams.ts'
import {
  findHanded,
  findHandedItems,
  findReportedSteps,
  type HandedItem,
  type HeldRequest,
  isHeldByConsumer,
  renewHanded,
  type SentRequest,
} from '../queries/later-answers.ts'
import { Answer, type ResultSink } from './agent-answer.ts'
import { schemasOf } from './declared-schemas.ts'
import { inTurn } from './later-answer-turns.ts'
import { Stops } from './stops.ts'

/** The lines, of at most `bytes` bytes, which are read only when `read` is called. */
interface SentBody {
  bytes: number
  /** The version of the code that made them, of the POST's header. */
  version: string | null
  read(): Promise<Uint8Array>
}

/** What is left after a POST: the seqs of items that are still awaited, and lines that nobody could use. */
export interface TakenAnswer {
  open: number[]
  passed_over: PassedOver[]
}

/**
 * Renews the leases on items whose agent answers later and settles its lines. A heartbeat waits for no other POST.
 *
 * @throws ApiError `claim_ended`, `claim_not_handed_over`, `invalid_line` and what reading the body throws
 */
export async function takeAnswer(ctx: Context, named: SentRequest, body: SentBody): Promise<TakenAnswer> {
  const sent = await renew(ctx, named)
  const renewed_ms = ctx.now()
  const short =
    body.bytes <= LIMITS.answer_heartbeat_bytes ? await linesOf(await body.read(), sent) : undefined
  if (short?.about.length === 0 && !short.nameless) {
    const open = await findHanded(ctx.sql, sent)
    if (!open.some(item => item.handed && item.late))
      return { open: open.map(item => item.seq), passed_over: [] }
  }
  return inTurn(ctx, { run_id: sent.run_id, bytes: body.bytes }, async () => {
    const lines = short ?? (await linesOf(await body.read(), sent))
    if (Math.abs(ctx.now() - renewed_ms) >= LIMITS.agent_heartbeat_ms) await renewHanded(ctx.sql, sent)
    const open = await settleLines(ctx, sent, { ...lines, version: body.version })
    return { open, passed_over: lines.passed_over }
  })
}

async function settleLines(ctx: Context, sent: HeldRequest, given: VersionedLines): Promise<number[]> {
  const { about: lines, beats, nameless, unrecorded_bytes } = given
  if (nameless) ctx.log('warn', 'agent_lines_passed_over', { run_id: sent.run_id, ...nameless })
  if (lines.length === 0 && !beats && nameless) throw nothingUsable(given)
  const named = new Set(lines.map(line => line.seq))
  let open = await awaitHandOver(ctx, sent, named)
  const isFlood = await isFloodedBy(ctx, sent, unrecorded_bytes)
  // Nobody knows which of several items it comes from.
  if (isFlood && open.length > 1) throw badLine(tooMuchUnrecorded(given))
  const flood = isFlood ? tooMuchUnrecorded(given) : undefined
  await fault('answer.before_settle')
  for (let tries = 0; tries < LIMITS.answer_tries; tries++) {
    // If another POST wrote about an item meanwhile, the lines are read again and compared with that.
    const reported = tries === 0 ? new Set<string>() : await reportedSteps(ctx, sent, named)
    const about = open.filter(
      item => item.handed && (item.late || isFlood || lines.some(line => adds(line, item, reported))),
    )
    if (about.length === 0) return open.map(item => item.seq)
    await settle(ctx, sent, about, { ...given, flood })
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

/** Counted over all POSTs of a request: each alone may have as much as one open answer. */
async function isFloodedBy(ctx: Context, { run_id, first_seq, last_seq }: HeldRequest, bytes: number) {
  if (bytes === 0) return false
  const bucket = {
    name: `unrecorded:${run_id}:${first_seq}-${last_seq}`,
    per_second: LIMITS.unrecorded_bytes_per_second,
    burst: LIMITS.unrecorded_bytes,
  }
  return (await takeTokens(ctx.redis, bucket, bytes, ctx.now())) > 0
}

/** Whether a line says something of an item that is not recorded yet. */
function adds(line: SentLine, { seq, attempt }: HandedItem, reported: ReadonlySet<string>): boolean {
  if (line.seq !== seq) return false
  if (line.attempt === undefined) return true
  return line.attempt === attempt && !(line.type === 'step' && reported.has(nameOf(line)))
}

/** The names of the steps recorded in this attempt. */
async function reportedSteps(ctx: Context, sent: HeldRequest, seqs: ReadonlySet<number>) {
  const steps = await findReportedSteps(ctx.sql, sent, [...seqs])
  return new Set(steps.flatMap(step => (step.now ? [nameOf(step)] : [])))
}

/** Renews the leases; waits a little for a consumer that has not read the 202 yet. */
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

/** Waits until the consumer handed over the named items: the requests of a claim are handed over one by one. */
async function awaitHandOver(ctx: Context, sent: HeldRequest, named: ReadonlySet<number>) {
  const began_ms = ctx.now()
  for (let looks = 1; ; looks++) {
    const open = await findHanded(ctx.sql, sent)
    if (!open.some(item => !item.handed && named.has(item.seq))) return open
    await aMoment(ctx, began_ms, looks)
  }
}

async function aMoment(ctx: Context, began_ms: number, looks: number): Promise<void> {
  if (Math.abs(ctx.now() - began_ms) < LIMITS.answer_early_ms) return pause(looks * LIMITS.answer_poll_ms)
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

/** Only of bundles an environment is known, by which the key finds the names of credentials, and these answer at once. */
const NO_KEY = ''

/** With the version of the code that made them. */
type VersionedLines = SentLines & Pick<SentBody, 'version'>
const letOthersIn = slices()

/** Settles what lines say about items; `flood` ends those that are left. */
async function settle(
  ctx: Context,
  sent: HeldRequest,
  about: readonly HandedItem[],
  { about: lines, version, flood }: VersionedLines & { flood: string | undefined },
): Promise<void> {
  const run = await readRun(ctx.sql, sent)
  if (!run?.deployment) throw ended()
  const seqs = about.map(item => item.seq)
  // In this order: steps recorded in between are too many for the guard, and never too few.
  const rows = await findHandedItems(ctx.sql, sent, seqs)
  if (rows.length === 0) return
  const reported = await findReportedSteps(ctx.sql, sent, seqs)
  const items = await withSteps(ctx, run, rows, reported)
  const claim = claimOf(ctx, toClaim(run), run.deployment, {}, items)
  const leases = new Map<number, Lease>()
  const inFlightItems = items.map(item => beginItem(item, leaseOf(ctx, leases, item.claim_id)))
  const said: (() => void)[] = []
  let left = 0
  const writer = writerOf(ctx, claim, items => {
    left += items
  })
  const upstreams = KnownUpstreams.of(ctx)
  await upstreams.know(claim.project_id)
  const answer = new Answer(
    claim,
    collecting(writer, said),
    inFlightItems,
    ctx.now,
    undefined,
    new Stops(claim, upstreams, NO_KEY, ctx.now, true),
    sent.started_ms,
    await schemasOf(claim.target),
  )
  answer.ofVersion(version)
  const known = new Set(reported.flatMap(step => (step.now ? [nameOf(step)] : [])))
  await feed(answer, lines, known)
  failRest(answer, claim, new Set(about.flatMap(item => (item.late ? [item.seq] : []))), flood)
  for (const say of said) say()
  await writer.drained()
  if ([...leases.values()].some(lease => lease.abort.signal.aborted))
    throw new Error(`what was said of items of run ${sent.run_id} could not be written`)
  if (left > 0) ctx.notify() // there is room for others
}

/** A lease that is never over: its claim is ended when none of its items is in flight any more. */
function leaseOf(ctx: Context, leases: Map<number, Lease>, claim_id: number): Lease {
  const known = leases.get(claim_id)
  if (known !== undefined) return known
  const open = Number.POSITIVE_INFINITY
  const lease = { claim_id, taken_ms: ctx.now(), open, closing: false, abort: new AbortController() }
  leases.set(claim_id, lease)
  return lease
}

function writerOf(ctx: Context, claim: Claim, onSettled: (items: number) => void): ResultWriter {
  const { run_id, project_id, max_consecutive_failures, target } = claim
  const run = { run_id, project_id, agent_id: target.agent_id, max_consecutive_failures }
  const trace = ctx.telemetry && new RunTrace(ctx, ctx.telemetry, claim)
  const namers = { causes: new CauseNamer(ctx), versions: new VersionNamer(ctx) }
  return new ResultWriter(ctx, run, namers, { shared: true, onSettled, trace })
}

/** Collects the results, so that nothing of an answer is written before all of it was read. */
function collecting(writer: ResultWriter, said: (() => void)[]): ResultSink {
  return {
    addStep: (inFlight, step) => said.push(() => writer.addStep(inFlight, step)),
    end: (inFlight, verdict) => said.push(() => writer.end(inFlight, verdict)),
    giveBack: (inFlight, entry) => said.push(() => writer.giveBack(inFlight, entry)),
    handOver() {},
  }
}

/**
 * Reads the lines that are not recorded yet: within an attempt, a key names one step. Lines may be sent again after their
 * item has ended, so they are not counted as lines that record nothing.
 */
async function feed(answer: Answer, lines: readonly SentLine[], known: Set<string>): Promise<void> {
  for (const { text, ...line } of lines) {
    await letOthersIn()
    if (!answer.awaits(line.seq)) continue
    if (line.key !== undefined) {
      if (known.has(nameOf(line))) continue
      known.add(nameOf(line))
    }
    await answer.rest()
    answer.line(text)
  }
  answer.failHolds()
}

/** Ends what the lines have not ended: items whose time is over, and the one that sent too much. */
function failRest(
  answer: Answer,
  { timeout_ms }: Claim,
  late: ReadonlySet<number>,
  flood: string | undefined,
): void {
  const overdue = `The item was not finished after ${timeout_ms / 1000} s.`
  for (const inFlight of answer.unfinished()) {
    if (late.has(inFlight.seq)) answer.fail(inFlight, 'step_timeout', overdue, 'limit_exceeded')
    else if (flood !== undefined) answer.fail(inFlight, 'protocol_error', flood, 'agent_error')
  }
}
