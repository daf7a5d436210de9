// The cron-triggered chores as a function. A platform calls it once a minute; it sweeps once a second as long as sweeps
// find something to do or consumers hold items.

import type { Context } from '../shared/context.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import { sinceMs } from '../shared/kernel/elapsed.ts'
import { LIMITS } from '../shared/kernel/limits.ts'
import { pause } from '../shared/kernel/pause.ts'
import { isAnythingHeld } from '../shared/upkeep/queries/backlog.ts'
import { choresInTurn, sweep } from '../shared/upkeep/verbs/sweep.ts'

export const tick: PlatformFunction = {
  name: 'tick',
  summary: 'Do the chores',
  description:
    'Called by cron, at least once a minute. Fires schedules, recovers what died, delivers, indexes and removes. Any number may run at once, in one process one.',
  scheduled: true,
  async run(ctx, { stop }) {
    const now = ctx.now()
    const before = busySince.get(ctx.sql)
    if (before !== undefined && sinceMs(now, before) < LIMITS.tick_function_ms) return { sweeps: 0, done: 0 }
    busySince.set(ctx.sql, now)
    try {
      const done = await sweepFor(ctx, LIMITS.tick_function_ms, stop)
      ctx.log('info', 'tick', done)
      return done
    } finally {
      busySince.delete(ctx.sql)
    }
  },
}

/** When the running call began, by host. Callers may call often; a second call there would only repeat the first. */
const busySince = new WeakMap<object, number>()

async function sweepFor(ctx: Context, time_ms: number, stop: AbortSignal) {
  const began_ms = ctx.now()
  const leftMs = () => time_ms - sinceMs(ctx.now(), began_ms)
  const inTurn = choresInTurn()
  let sweeps = 0
  let done = 0
  while (!stop.aborted) {
    const found = await sweep(ctx, inTurn(ctx.now()), leftMs())
    sweeps++
    done += found
    if (leftMs() <= LIMITS.tick_ms) break
    // It keeps sweeping while consumers hold items: one may die, and its leases may expire between two cron calls.
    if (found === 0 && !(await isAnythingHeld(ctx.sql))) break
    await pause(LIMITS.tick_ms, stop)
  }
  return { sweeps, done }
}
