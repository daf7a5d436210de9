// Lets few answers be taken at a time. Guarantee: however many are sent, large or slowly, a process holds so many bytes of
// them and no more, and no run takes all of these. Those that wait are not read; of a run they come in their order, and
// first comes the run that has the least. A turn that is not given back ends by itself.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { pause } from '../../kernel/pause.ts'

/** What is to be read of an answer, at most. */
export interface AnswerSize {
  run_id: string
  bytes: number
}

interface Turn extends AnswerSize {
  /** Since when it is waited for, then since when it is taken. */
  since_ms: number
  notify(): void
}

const taken = new Set<Turn>()
/** By their run; the run that was given a turn last stands last. */
const waiting = new Map<string, Set<Turn>>()

/** @throws ApiError `claim_not_handed_over` for one whose turn does not come */
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
    await Promise.race([given, pause(LIMITS.answer_look_ms, NEVER)])
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

/** Gives what is free to those that wait. A large one is not passed by: among small ones its turn would never come. */
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

/** The first of the run that has the least, where it may have more. */
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

/** Its request is gone: in workerd nothing is told of it. A clock that was set back keeps none for longer. */
const isLost = (turn: Turn, now: number, most_ms: number) => Math.abs(now - turn.since_ms) >= most_ms

const NEVER = new AbortController().signal
