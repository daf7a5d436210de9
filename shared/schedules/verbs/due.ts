// Decides what becomes of the moments that have come: pure, from what was locked. Guarantee: bounded by
// LIMITS.moments_per_chunk, whatever the length of an outage; what has no room is left for the next chunk.

import { LIMITS } from '../../kernel/limits.ts'
import type { DueOccurrence, DueSchedule, NamedOccurrence } from '../queries/occurrences.ts'
import { type Cron, parseCron, ScheduleError } from '../rules/cron.ts'
import { overdueMoments } from '../rules/fire-times.ts'
import { checkTimezone } from '../rules/timezone.ts'

export interface DuePlan {
  /** Cannot be read any more: disabled, and their moments skipped. */
  unreadable: (NamedOccurrence & { reason: 'invalid_cron' | 'invalid_timezone' })[]
  /** Passed with no attempt. */
  missed: NamedOccurrence[]
  /** The newest moment of each schedule, to be fired. */
  newest: DueOccurrence[]
  nexts: { schedule_id: string; next_at: Date }[]
}

const LATE_MS = LIMITS.late_fire_hours * 3_600_000

export function planDue(due: readonly DueSchedule[]): DuePlan {
  const plan: DuePlan = { unreadable: [], missed: [], newest: [], nexts: [] }
  const readable = new Set<string>()
  let room: number = LIMITS.moments_per_chunk
  // The freshest first, and each at most its share of the room left: what is due now does not wait for what an outage left
  // behind, which takes what the others leave.
  const freshest = due.toSorted((a, b) => b.next_at.getTime() - a.next_at.getTime())
  for (const [n, schedule] of freshest.entries()) {
    const { id, timezone, next_at, now } = schedule
    const cron = read(schedule, readable)
    if (cron instanceof ScheduleError) {
      plan.unreadable.push({ schedule_id: id, scheduled_for: next_at, reason: cron.code })
      continue
    }
    const passed = overdueMoments(cron, timezone, next_at, now, Math.floor(room / (due.length - n)))
    room -= passed.moments.length
    plan.nexts.push({ schedule_id: id, next_at: passed.next_at })
    const newest = passed.caught_up ? passed.moments.pop() : undefined
    for (const scheduled_for of passed.moments) plan.missed.push({ schedule_id: id, scheduled_for })
    if (newest === undefined) continue
    if (now.getTime() - newest.getTime() > LATE_MS)
      plan.missed.push({ schedule_id: id, scheduled_for: newest })
    else plan.newest.push({ ...schedule, scheduled_for: newest })
  }
  return plan
}

/** The cron, or why it or the zone cannot be read: rows may be edited, and databases of zones change. */
function read({ cron, timezone }: DueSchedule, zones: Set<string>): Cron | ScheduleError {
  try {
    if (!zones.has(timezone)) checkTimezone(timezone)
    zones.add(timezone)
    return parseCron(cron)
  } catch (error) {
    if (error instanceof ScheduleError) return error
    throw error
  }
}
