// Decides what to do with each fire time that has come, as a pure function of the locked schedules. Guarantee: at most
// LIMITS.moments_per_chunk fire times, however long an outage was; the rest is left for the next chunk.

import { LIMITS } from '../../kernel/limits.ts'
import type { DueOccurrence, DueSchedule, NamedOccurrence, NextFire } from '../queries/occurrences.ts'
import { type Cron, parseCron, ScheduleError } from '../rules/cron.ts'
import { overdueMoments } from '../rules/fire-times.ts'
import { checkTimezone } from '../rules/timezone.ts'

export interface DuePlan {
  /** Schedules that cannot be read any more: they are disabled, and the fire time is skipped. */
  unreadable: (NamedOccurrence & { reason: 'invalid_cron' | 'invalid_timezone' })[]
  /** Passed without an attempt. */
  missed: NamedOccurrence[]
  /** The newest fire time of each schedule, to act on. */
  newest: DueOccurrence[]
  nexts: NextFire[]
}

const LATE_MS = LIMITS.late_fire_hours * 3_600_000

export function planDue(due: readonly DueSchedule[]): DuePlan {
  const plan: DuePlan = { unreadable: [], missed: [], newest: [], nexts: [] }
  const readable = new Set<string>()
  let room: number = LIMITS.moments_per_chunk
  // The schedules that came due last go first, each with at most its share of the remaining room. So schedules that are
  // due now do not wait for the backlog of an outage, which gets the room they leave.
  const freshest = due.toSorted((a, b) => b.next_at.getTime() - a.next_at.getTime())
  for (const [n, schedule] of freshest.entries()) {
    const { id, project_id, timezone, next_at, now } = schedule
    const named = { project_id, schedule_id: id }
    const cron = read(schedule, readable)
    if (cron instanceof ScheduleError) {
      plan.unreadable.push({ ...named, scheduled_for: next_at, reason: cron.code })
      continue
    }
    const passed = overdueMoments(cron, timezone, next_at, now, Math.floor(room / (due.length - n)))
    room -= passed.moments.length
    plan.nexts.push({ ...named, next_at: passed.next_at })
    const newest = passed.caught_up ? passed.moments.pop() : undefined
    for (const scheduled_for of passed.moments) plan.missed.push({ ...named, scheduled_for })
    if (newest === undefined) continue
    if (now.getTime() - newest.getTime() > LATE_MS) plan.missed.push({ ...named, scheduled_for: newest })
    else plan.newest.push({ ...schedule, scheduled_for: newest })
  }
  return plan
}

/** The cron, or why the cron or zone cannot be read: rows may have been edited, and zone databases change. */
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
