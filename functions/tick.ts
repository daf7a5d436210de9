// The cron-triggered chores as a function. A platform calls it once a minute; it goes on, a sweep a second, as long as
// sweeps find something to do.

import { LIMITS } from '../shared/domain/limits.ts'
import { sweep } from '../shared/engine/sweep.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'

export const tick: PlatformFunction = {
  name: 'tick',
  summary: 'Do the chores',
  description:
    'Called by cron, at least once a minute. Fires schedules, mends what died, delivers, indexes and removes. Any number may run at once.',
  private: false,
  async run(ctx, { stop }) {
    const endsAt = ctx.now() + LIMITS.tick_function_ms
    let sweeps = 0
    let done = 0
    while (!stop.aborted) {
      const found = await sweep(ctx)
      sweeps++
      done += found
      if (found === 0 || ctx.now() + LIMITS.tick_ms >= endsAt) break
      await pause(LIMITS.tick_ms, stop)
    }
    return { sweeps, done }
  },
}

const pause = (ms: number, stop: AbortSignal) =>
  new Promise<void>(resolve => {
    const end = () => {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    stop.addEventListener('abort', end)
  })
