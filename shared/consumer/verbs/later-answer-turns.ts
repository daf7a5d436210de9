// Limits how many later answers a process takes at a time. Guarantee: however many are sent, and however large or slow,
// the process holds at most LIMITS.answers_bytes of them, and no run takes all of these. Waiting answers are not read.
// The run that holds the least comes first, and the answers of a run keep their order. A turn that is not given back
// ends by itself.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { pause } from '../../kernel/pause.ts'

/** How much of an answer is to be read, at most. */
export interface AnswerSize {
  run_id: string
  bytes: number
}

interface Turn extends AnswerSize {
  /** When the wait for the turn began, then when the turn was taken. */
  since_ms: number
  notify(): void
}

const taken = new Set<Turn>()
/** Waiting turns by run; the run that got a turn last comes last. */
const waiting = new Map<string, Set<Turn>>()

/** Calls `take` when its turn comes. @throws ApiError `claim_not_handed_over` if that takes too long */
export async function inTurn<T>(ctx: Context, size: AnswerSize, take: () => Promise<T>): Promise<T> {
  const turn = await turnOf(ctx, size)
  try {
    return await take()
  } finally {
    taken.delete(turn)
    giveTurns(ctx.now())
  }
}

async function turnOf(ctx: Context, { run_id, bytes }: AnswerSize): Promise<Turn> {
  const { promise: given, resolve: notify } = Promise.withResolvers<void>()
  const began_ms = ctx.now()
  const turn = { run_id, bytes: Math.max(bytes, LIMITS.answer_least_bytes), since_ms: began_ms, notify }
  const own = waiting.get(run_id) ?? new Set()
  waiting.set(run_id, own.add(turn))
  for (;;) {
    giveTurns(ctx.now())
    if (taken.has(turn)) return turn
    if (Math.abs(ctx.now() - began_ms) >= LIMITS.answer_early_ms) break
    await Promise.race([given, pause(LIMITS.answer_look_ms)])
  }
  own.delete(turn)
  if (own.size === 0 && waiting.get(run_id) === own) waiting.delete(run_id)
  throw new ApiError(
    'claim_not_handed_over',
    'Other answers are being taken, as many as are at a time.',
    'Send these lines again; of one request, one POST at a time.',
    1,
  )
}

/** Gives free bytes to waiting turns. Small answers do not overtake a large one, or its turn would never come. */
function giveTurns(now: number): void {
  for (const turn of taken) if (isLost(turn, now, LIMITS.answer_turn_ms)) taken.delete(turn)
  for (;;) {
    const bytes = new Map<string, number>()
    let all = 0
    for (const turn of taken) {
      bytes.set(turn.run_id, (bytes.get(turn.run_id) ?? 0) + turn.bytes)
      all += turn.bytes
    }
    if (all + LIMITS.answer_least_bytes > LIMITS.answers_bytes) return
    const turn = nextTurn(bytes)
    if (turn === undefined || all + turn.bytes > LIMITS.answers_bytes) return
    const own = waiting.get(turn.run_id)!
    own.delete(turn)
    waiting.delete(turn.run_id)
    if (own.size > 0) waiting.set(turn.run_id, own)
    if (isLost(turn, now, 2 * LIMITS.answer_early_ms)) continue
    turn.since_ms = now
    taken.add(turn)
    turn.notify()
  }
}

/** The first waiting turn of the run that holds the least, among the runs that may have more. */
function nextTurn(bytes: ReadonlyMap<string, number>): Turn | undefined {
  let next: Turn | undefined
  let least = Number.POSITIVE_INFINITY
  for (const [run_id, turns] of waiting) {
    const [first] = turns
    const own = bytes.get(run_id) ?? 0
    if (own >= least || own + first!.bytes > LIMITS.answers_bytes_per_run) continue
    next = first
    least = own
  }
  return next
}

/** Whether the request of a turn must be gone, which workerd does not report. A clock set back prolongs no turn. */
const isLost = (turn: Turn, now: number, most_ms: number) => Math.abs(now - turn.since_ms) >= most_ms
