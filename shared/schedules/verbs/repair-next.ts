// Repairs next fire times that are too late. Guarantee: a clock that was ahead for a while, of PostgreSQL or of whoever
// wrote a row, delays a schedule by no more than it takes to look at it; nothing fires twice by that.

import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { findComing, moveBack } from '../queries/coming.ts'
import { parseCron, ScheduleError } from '../rules/cron.ts'
import { nextFires } from '../rules/fire-times.ts'

/** Chore of the tick: moves fire times that are later than the next one of their cron back to it. Returns how many. */
export async function repairNext({ sql, log }: Context): Promise<number> {
  const coming = await findComing(sql, LIMITS.next_fires_looked_at)
  const late = coming.flatMap(schedule => {
    const next_at = nextOf(schedule)
    return next_at === null || next_at >= schedule.next_at
      ? []
      : [{ ...schedule, was: schedule.next_at, next_at }]
  })
  for (const { id, was, next_at } of late)
    log('warn', 'schedule_moved_back', {
      schedule_id: id,
      was: was.toISOString(),
      next_at: next_at.toISOString(),
    })
  return late.length === 0 ? 0 : moveBack(sql, late)
}

/** By its cron, from now on; null if that cannot be read, which firing it notices. */
function nextOf({ cron, timezone, now }: Awaited<ReturnType<typeof findComing>>[number]): Date | null {
  try {
    return new Date(nextFires(parseCron(cron), timezone, now.getTime(), 1)[0]!)
  } catch (error) {
    if (error instanceof ScheduleError || error instanceof RangeError) return null
    throw error
  }
}
