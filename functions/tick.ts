// The cron-triggered chores as a function. A platform calls it once a minute; it goes on, a sweep a second, as long as
// sweeps find something to do or consumers hold items.

import type { Context } from '../shared/context.ts'
import { LIMITS } from '../shared/domain/limits.ts'
import { pause } from '../shared/engine/pause.ts'
import { CHORES, sweep } from '../shared/engine/sweep.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import { isAnythingHeld } from '../shared/store/backlog.ts'

export const tick: PlatformFunction = {
  name: 'tick',
  summary: 'Do the chores',
  description:
    'Called by cron, at least once a minute. Fires schedules, mends what died, delivers, indexes and removes. Any number may run at once, in one process one.',
  scheduled: true,
  async run(ctx, { stop }) {
    const now = ctx.now()
    if (now < (busyUntil.get(ctx.sql) ?? 0)) return { sweeps: 0, done: 0 }
    const endsAt = now + LIMITS.tick_function_ms
    busyUntil.set(ctx.sql, endsAt)
    try {
      const done = await sweepUntil(ctx, endsAt, stop)
      ctx.log('info', 'tick', done)
      return done
    } finally {
      busyUntil.delete(ctx.sql)
    }
  },
}

/** By host: whoever may call may call often, and a second call there would only repeat what the first is at. */
const busyUntil = new WeakMap<object, number>()

async function sweepUntil(ctx: Context, endsAt: number, stop: AbortSignal) {
  let sweeps = 0
  let done = 0
  while (!stop.aborted) {
    const found = await sweep(ctx, CHORES, endsAt)
    sweeps++
    done += found
    if (ctx.now() + LIMITS.tick_ms >= endsAt) break
    // While consumers hold items it stays: one of them may die, and its leases run out between two calls of cron.
    if (found === 0 && !(await isAnythingHeld(ctx.sql))) break
    await pause(LIMITS.tick_ms, stop)
  }
  return { sweeps, done }
}
